#!/usr/bin/env python3
"""Holds what verbs print with --json to docs/schema: schemas_test.py COMMAND SCHEMAS FIXTURES SOURCES [LAUNCHER PROGRAM].

Runs the verbs that need no MPI or, with a launcher of MPI programs and one that it starts, those that measure; checks each
answer against the schema it names. Schemas allow further keys, for those who read; here none may be there that no schema
tells of. Ends with 77, which skips the test, without jsonschema.
"""

import base64
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not here: no answer was held to its schema")
    sys.exit(77)


missing_capability = 5
invalid_input = 3


def asked(command, words, work):
    launched = words.index("--") if "--" in words else len(words)
    return subprocess.run([command, *words[:launched], "--json", *words[launched:]], capture_output=True, text=True, cwd=work,
                          check=False)


def measured_answers(command, launcher, program, work):
    """The same of verbs that measure: as little as they can. What is predicted rests on a network that is given."""
    start = [*launcher.split(), program]
    subprocess.run([command, "record", "--counter", "icount", "-o", "run", "--", *start], capture_output=True, cwd=work,
                   check=True)
    corpus = pathlib.Path(__file__).parents[1] / "fuzz" / "corpus"
    shutil.copy(corpus / "pings" / "one_node", work / "network.csv")
    # Measuring a machine takes long, and answers what its raw file says (tests/calibration/machine_verb_test.sh measures one).
    times = (corpus / "machine_times" / "small").read_text()
    (work / "machine.csv").write_text(times.replace("\ncount,", "\n# noise: 0.0100 0.0500 on host\ncount,", 1))
    for what_is_asked in [
            [["calibrate", "network", "--from", "network.csv", "-o", "network.json", "-o", "network.xml"]],
            [["calibrate", "network", "--budget", "8s", "--launches", "1", "--max-bytes", "100000", "-o", "measured.json",
              "--", *launcher.split()],
             ["calibrate", "show", "measured.csv"], ["calibrate", "show", "measured.json"]],
            [["calibrate", "compute", "run", "--launches", "1", "-o", "rates.json", "--", *start],
             ["calibrate", "show", "rates.json"],
             ["validate", "--network", "network.json", "--rates", "rates.json", "--launches", "1", "--", *start],
             ["validate", "--platform", "network.xml", "--rates", "rates.json", "--launches", "2", "--", *start]],
            [["calibrate", "machine", "--from", "machine.csv", "-o", "machine.json"],
             ["calibrate", "show", "machine.json"], ["calibrate", "show", "machine.csv"]],
    ]:
        for words in what_is_asked:
            run = asked(command, words, work)
            # A busy machine measures too little in its time, and says so.
            over = run.returncode == invalid_input and "--budget" in run.stderr and "--budget" in words
            if run.returncode == missing_capability or over:
                print(f"{' '.join(words)}: {run.stderr.strip()}: not held to its schema, nor what needs it")
                break
            yield words, run


def goal_program(work, ranks):
    """A program of so many ranks, each of which computes its share and sends it on."""
    path = work / f"run-{ranks}.goal"
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines += [f"rank {rank} {{", f"a: calc {960000 // ranks}", f"b: send 8b to {(rank + 1) % ranks}",
                  f"c: recv 8b from {(rank - 1) % ranks}", "b requires a", "c requires b", "}"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def training_data(work):
    """Rows whose times differ where the busiest link is busy."""
    path = work / "training.csv"
    names = re.findall(r'Feature\{"(\w+)"', (pathlib.Path(__file__).parents[2] / "analysis" / "advisor" / "features.cpp").read_text())
    head = ["program", "trace", "platform", "mapping", "compute", "synthetic", "model_seconds", "smpi_seconds", "unshared_seconds",
            "model_cpu_seconds", "smpi_cpu_seconds", "actions"]
    lines = [",".join(head + names)]
    for row in range(20):
        values = {"program": f"p{row % 2}", "trace": f"t{row}", "platform": "x", "mapping": "auto", "compute": 1, "synthetic": 0,
                  "model_seconds": 1, "smpi_seconds": 1.1 if row > 9 else 1, "model_cpu_seconds": 0, "smpi_cpu_seconds": 1,
                  "actions": 1000, "log_busiest_link": row / 10 - 3}
        lines.append(",".join(str(values.get(name, 0)) for name in head + names))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def answers(command, fixtures, work):
    """(what was asked, what was answered) for each way to ask."""
    trace = str(fixtures / "v2-wavefront.tia")
    calls = str(fixtures / "v2-calls.tia")
    regions = str(fixtures / "v2-regions.tia")
    timed = str(work / "replayed.json")
    (work / "hosts").write_text("node1 slots=4 memory=8G cluster=a\nnode2 slots=4 memory=8G cluster=a\n")
    corpus = fixtures.parent.parent / "fuzz" / "corpus"
    shutil.copy(corpus / "pings" / "two_nodes", work / "pings.csv")
    (work / "upgrades.csv").write_text("name,price,change\nfaster,100,network x2\nmore,200,cpu x2\n")
    (work / "validation").write_text('{"schema": "timeless.validate/1", "command": "wavefront", "ranks": 4, '
                                     '"kind": "re-prediction", "launches_seconds": [], "notes": [], "predictions": []}')
    runs = [goal_program(work, ranks) for ranks in (4, 8, 16, 64)]
    words = [
        ["scale", *runs[:3], "--from", "goal", "--to", "32,256"],
        ["scale", *runs[:3], "--from", "goal", "--check", runs[3], "--to", "256=4", "--size-of",
         ",".join(f"{run}={size}" for run, size in zip(runs, (1, 2, 3, 5)))],
        ["extrapolate", *runs[:3], "--from", "goal", "--ranks", "64", "--check", runs[3], "-o", str(work / "more.tia")],
        ["info", trace], ["info", calls, "--brief"], ["info", trace, "--kernels"], ["info", trace, "--matrix"],
        ["info", regions, "--regions"], ["info", calls],
        ["check", trace], ["check", calls],
        *(["dump", str(fixtures / f"v2-{name}.tia")] for name in ("calls", "further-calls", "regions", "windows")),
        ["replay", trace, "--network", "e1g,qdr", "--by", "call", "--critical-path", "--tolerance", "1%,2%"],
        ["replay", trace, "--platform", "graphene", "--by", "kernel", "--per-rank"],
        ["replay", trace, "--platform", "graphene", "--backend", "smpi", "--by", "kernel"],
        ["replay", trace, "--network", "e1g", "--jump"],
        ["replay", trace, "--network", "e1g", "--within", "0.1"],
        ["replay", trace, "--network", "e1g", "--sample", "50%"],
        ["replay", "--job", trace, "--job", trace, "--platform", "graphene", "--backend", "smpi"],
        ["replay", trace, "--network", "e10g", "--mapping", "block:64", "--tolerance", "1%"],
        ["replay", trace, "--platform", "graphene", "--tolerance", "1%"],
        ["classify", trace], ["classify", trace, calls, "--network", "e1g", "--one-rate"], ["classify", trace, calls, "--network", "qdr"],
        ["sweep", trace, "--network", "e1g"],
        ["sweep", trace, "--network", "e1g,qdr", "--platform", "graphene", "--cpu", "x1,x2", "--per-rank",
         "--ranks-per-node", "1,2", "--eager-limit", "none,8"],
        ["sweep", trace, "--network", "e1g", "--what-if", "network x2, cpu x1.5", "--break-even", "2%", "--gain",
         "2%,50%", "--upgrades", str(work / "upgrades.csv")],
        ["report", trace, "--network", "e1g,qdr"],
        ["report", trace, "--network", "e1g", "--upgrades", str(work / "upgrades.csv")],
        ["report", calls, trace, "--network", "e1g", "--mapping", "block:2", "--validation", str(work / "validation")],
        ["report", trace, "--platform", "graphene", "--smpi"],
        ["plan", "--ranks", "8", "--hosts", str(work / "hosts"), "--memory-per-rank", "1G"],
        ["platform", "list"], ["platform", "show", "graphene"], ["platform", "check", "graphene"],
        ["model", "wavefront", "--ranks", "1,4"],
        ["convert", trace, "-o", str(work / "copy.tia"), "--volume-error", "1%"],
        ["convert", trace, "-o", str(work / "copy.goal"), "--to", "goal"],
        *(["convert", calls, "-o", str(work / f"calls.{to}"), "--to", to] for to in ("goal", "dimemas")),
        ["doctor"],
        ["advise", "features", trace, "--platform", "graphene", "-o", str(work / "features.csv")],
        ["advise", "train", training_data(work), "-o", str(work / "advisor.json")],
        ["advise", "evaluate", training_data(work), "--partitions", "3", "--curve", "1"], ["advise", "features"],
        ["advise", trace, "--platform", "graphene", "--model", str(work / "advisor.json")],
        ["advise", regions, "--platform", "graphene", "--model", str(work / "advisor.json"), "--by", "region"],
        ["advise", calls, "--platform", "graphene", "--by", "phase"],
        ["calibrate", "network", "--from", "pings.csv", "-o", "network.json", "-o", "network.xml"],
        *(["calibrate", "show", file] for file in ("pings.csv", "network.json", "network.xml")),
    ]
    for one in words:
        run = asked(command, one, work)
        yield one, run
        if one[0] == "report":
            page = work / "page.html"
            run = subprocess.run([command, *one, "-o", str(page), "--force"], capture_output=True, text=True, check=False)
            yield [*one, "-o"], subprocess.CompletedProcess(run.args, run.returncode, figures_in(page), run.stderr)
        if one[0] == "replay" and one[2:6] == ["--platform", "graphene", "--backend", "smpi"]:
            (work / "smpi.json").write_text(run.stdout)
            yield ["compare"], subprocess.run([command, "compare", str(work / "smpi.json"), str(work / "smpi.json"), "--json"],
                                              capture_output=True, text=True, check=False)
        if one[0] == "replay" and one[2:4] == ["--network", "e1g,qdr"]:
            pathlib.Path(timed).write_text(run.stdout)
            both = [timed + "@e1g", timed + "@qdr"]
            yield ["compare"], subprocess.run([command, "compare", *both, "--json"], capture_output=True, text=True,
                                              check=False)


def figures_in(page):
    """The document in a report's page."""
    text = re.search(r'<script type="application/(json|gzip)" id="report">(.*?)</script>', page.read_text(), re.DOTALL)
    return gzip.decompress(base64.b64decode(text[2])) if text[1] == "gzip" else text[2]


def strict(schema):
    """The same schema, in which objects have no other keys than it tells of."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and isinstance(schema["properties"], dict) and "additionalProperties" not in schema:
        closed["additionalProperties"] = False
    return closed


def file_of(schema_name):
    """timeless.replay/1 -> replay-1.json"""
    return schema_name.removeprefix("timeless.").replace("/", "-") + ".json"


def complaints(command, schemas, fixtures, sources, measuring):
    known = {}
    for file in sorted(schemas.glob("*.json")):
        known[file.name] = json.loads(file.read_text())
        jsonschema.Draft202012Validator.check_schema(known[file.name])
    for source in sources.rglob("*.cpp"):
        for name, version in re.findall(r'print_answer\("([\w-]+)", (\d+)', source.read_text()):
            if file_of(f"{name}/{version}") not in known:
                yield f"{source}: {name}/{version} has no schema"
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        for words, run in measured_answers(command, *measuring, work) if measuring else answers(command, fixtures, work):
            what = " ".join(words)
            try:
                # What may be long is an object a line.
                answers_of = [json.loads(line) for line in (run.stdout.splitlines() if words[0] == "dump" else [run.stdout])]
            except ValueError:
                answers_of = []
            if not answers_of:
                yield f"{what}: no JSON, but status {run.returncode}: {run.stderr}"
                continue
            name = file_of(answers_of[0].get("schema", ""))
            if name not in known:
                yield f"{what}: there is no {name}"
                continue
            validator = jsonschema.Draft202012Validator(strict(known[name]))
            for error in (error for answer in answers_of for error in validator.iter_errors(answer)):
                yield f"{what}: {name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def main():
    found = list(complaints(sys.argv[1], *map(pathlib.Path, sys.argv[2:5]), sys.argv[5:]))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
