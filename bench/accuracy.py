#!/usr/bin/env python3
"""How far predictions are from what is measured here: docs/accuracy.md, made anew.

usage: accuracy.py --bin DIRECTORY --programs LIST --network FILE [--platform FILE] [--machine FILE] [--launches 5]
                   [--hosts MEGABITS,... [--hosts-rows WORDS] [--hosts-budget SECONDS]] [--results DIR] [-o accuracy.md]

LIST has a line for each prediction, with columns between bars: a name, one or more commands whose input is calibrated, and the command
that is predicted; # begins a comment.

    CG W -> A | mpirun -np 2 bin/cg.W.x | mpirun -np 2 bin/cg.A.x
    LU S, W -> A | mpirun -np 2 bin/lu.S.x | mpirun -np 2 bin/lu.W.x | mpirun -np 2 bin/lu.A.x

Commands run in the directory of LIST. What is calibrated, recorded and answered is kept in --results, and not done again if it is there,
so that a run that was interrupted goes on, and a program that fails does not take the others with it. --platform adds SMPI, --machine
rates rescaled to other working sets, and predictions by the machine alone. --hosts predicts those of the programs whose names hold
one of --hosts-rows once more on two hosts in namespaces of this machine, one rank on each, at each of these rates: from the
recordings and rates above, both ranks on one host, and a network that is measured between the two. The sections "Aimed at and reached" and "What the errors
are" of the output are kept: they are written by whoever has looked.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shlex
import shutil
import statistics
import subprocess
import sys

from shaped_hosts import ShapedHosts, Unplayable

PUBLISHED = """
## What others have published

| who | error | computation from | kind |
|---|---|---|---|
| Desprez, Markomanolis, Quinson, Suter: time-independent replay, 2011-2014 | EP 1.4 %, DT 6.3 %, LU 10.2 %, CG 30.0 % | one calibrated instruction rate | prediction |
| MFACT (Tong et al.) against measurements | -14.8 % (NAS), -13.1 % (DOE) | times of the traced run | self-consistency |
| SST/Macro against measurements, there | -10.9 % (NAS), -8.0 % (DOE) | times of the traced run | self-consistency |
| PSINS | 7.4 %, 11.6 % (mean absolute) | convolution of memory signatures | prediction |
| Brim: LogGP and LU, 2001 | -15 to -65 % | measured cost of a grid point | prediction |
| ATLAHS, 2025 | < 5 % | times of the run it is compared with | self-consistency |
| Cornebize, Legrand: HPL in SMPI, 2021 | a few % | models of the BLAS kernels | prediction |
"""


RESCALED = (", rescaled to the last one's working sets by what `timeless calibrate machine` measured "
            "([calibration.md](calibration.md#machines-programs-that-never-ran-there))")


SMALL_PER_TURN = 2  # launches of an input that is calibrated, which takes less time than the predicted one


class Failed(Exception):
    pass


class Bench:
    def __init__(self, options):
        self.options = options
        self.timeless = str(pathlib.Path(options.bin).resolve() / "timeless")
        self.directory = pathlib.Path(options.programs).resolve().parent
        self.results = pathlib.Path(options.results).resolve()
        self.results.mkdir(parents=True, exist_ok=True)
        self.network = ["--network", str(pathlib.Path(options.network).resolve()), "--mapping", "recorded"]
        self.platform = options.platform and ["--platform", str(pathlib.Path(options.platform).resolve())]
        self.machine = ["--machine", str(pathlib.Path(options.machine).resolve())] if options.machine else []
        self.counting = ["--profile", "memory"] if options.machine else ["--counter", options.counter]

    def run(self, arguments, hosts=None):
        words = [self.timeless, *arguments]
        if hosts:
            words = hosts.on_first(words, self.directory)
        done = subprocess.run(words, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if line.strip()]
            raise Failed(said[-1] if said else f"status {done.returncode}")
        return done.stdout

    def recorded(self, trace, command):
        """The recording of a command, made unless it is there: volumes may be counted while the machine is busy."""
        if not trace.exists():
            part = trace.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            self.run(["record", *self.counting, "-o", str(part), "--", *shlex.split(command)])
            part.rename(trace)
        return trace

    def launch_once(self, kept, number, arguments, command, hosts=None):
        """One launch by each clock that is needed, kept under this number."""
        if (kept / f"walltime-{number}").exists():
            return
        part = kept / "part"
        shutil.rmtree(part, ignore_errors=True)
        self.run([*arguments, "--launches", "1", "--keep", str(part), "--", *command], hosts)
        for recording in sorted(part.iterdir()):  # walltime-1 last
            recording.rename(kept / f"{recording.name.rsplit('-', 1)[0]}-{number}")
        part.rmdir()

    def launched(self, commands, folder, stem, validate, last, hosts=None):
        """The directories of the launches of each input, made in turns: a machine that is faster for some seconds is so for
        all of them."""
        once = str(folder / "once.json")  # the rates of one launch, with which nothing is said
        kept = [folder / f"{stem}-{place}" for place in (*range(len(commands) - 1), "predicted")]
        for directory in kept:
            directory.mkdir(exist_ok=True)
        for number in range(1, self.options.launches + 1):
            for place, command in enumerate(commands[:-1]):
                trace = self.recorded(folder / f"calibrated-{place}", command)
                for launch in range(SMALL_PER_TURN):
                    self.launch_once(kept[place], SMALL_PER_TURN * (number - 1) + launch + 1,
                                     ["calibrate", "compute", str(trace), "--force", "-o", once], shlex.split(command))
            self.launch_once(kept[-1], number, [*validate, "--rates", once], last, hosts)
        return kept

    def calibrated(self, folder, name, launches):
        """The file of rates of these inputs' launches, and that of one rate for everything."""
        rates, whole = folder / f"{name}.json", folder / f"{name}-whole.json"
        if rates.exists() and whole.exists():
            return rates, whole
        part = folder / f"{name}.part.json"
        part.unlink(missing_ok=True)
        for number, kept in enumerate(launches):
            ours = ["calibrate", "compute", str(folder / f"calibrated-{number}"), "--from", str(kept)]
            self.run([*ours, "--add", "-o", str(part)])
            self.run([*ours, "--whole", "--force", "-o", str(whole)])
        part.rename(rates)
        return rates, whole

    def folder(self, name):
        folder = self.results / "".join(c if c.isalnum() else "-" for c in name)
        folder.mkdir(exist_ok=True)
        return folder

    def between(self, hosts, folder, trace):
        """The network and the platform measured between two hosts, with messages of the sizes that a trace has, and within
        one: ranks send to themselves, too."""
        stem = folder / f"hosts-{hosts.megabits}"
        files = [str(stem.with_suffix(end)) for end in (".json", ".xml")]
        if not all(pathlib.Path(file).exists() for file in files):
            raws = []
            budget = self.options.hosts_budget
            for where, launcher, budget in (("near", ["mpirun", "-np", "2"], budget / 4), ("far", hosts.launcher, budget)):
                raws.append(folder / f"{stem.name}-{where}.csv")
                self.run(["calibrate", "network", "--force", "-o", str(raws[-1].with_suffix(".json")), "--budget", str(budget),
                          "--launches", "3", "--for", str(trace), "--", *launcher], hosts)
            both = stem.with_suffix(".csv")
            both.write_bytes(b"".join(raw.read_bytes() for raw in raws))
            self.run(["calibrate", "network", "--force", "--from", str(both), "-o", files[0], "-o", files[1]])
        return files

    def validated_on_hosts(self, name, commands, hosts):
        folder = self.folder(name)
        answer = folder / f"answer-{hosts.megabits}.json"
        if not answer.exists():
            trace = self.recorded(folder / "predicted", commands[-1])
            network, platform_file = self.between(hosts, folder, trace)
            program = shlex.split(commands[-1])
            program = [*hosts.launcher, *program[program.index("-np") + 2:]]
            validate = ["validate", "--network", network, "--mapping", "one-per-node", "--trace", str(trace)]
            *before, kept = self.launched(commands, folder, f"launches-{hosts.megabits}", validate, program, hosts)
            rates, _ = self.calibrated(folder, f"rates-{hosts.megabits}", before)
            calibrated = ["--rates", str(rates), *self.machine]
            said = json.loads(self.run([*validate, "--json", *calibrated, "--from", str(kept)]))
            said["variants"] = {"smpi": self.makespan(trace, ["--platform", platform_file, "--backend", "smpi", *calibrated])}
            answer.write_text(json.dumps(said, indent=1))
        return json.loads(answer.read_text())

    def validated(self, name, commands):
        folder = self.folder(name)
        answer = folder / "answer.json"
        if not answer.exists():
            trace = self.recorded(folder / "predicted", commands[-1])
            validate = ["validate", *self.network, "--trace", str(trace)]
            *before, kept = self.launched(commands, folder, "launches", validate, shlex.split(commands[-1]))
            rates, whole = self.calibrated(folder, "rates", before)
            calibrated = ["--rates", str(rates), *self.machine]
            said = json.loads(self.run([*validate, "--json", *calibrated, "--from", str(kept)]))
            said["variants"] = {"one_rate": self.makespan(trace, [*self.network, "--rates", str(whole)]),
                                "as_it_comes": self.makespan(trace, self.network)}
            if self.platform:
                said["variants"]["smpi"] = self.makespan(trace, [*self.platform, "--backend", "smpi", *calibrated])
            if self.machine:
                said["variants"]["rates_alone"] = self.makespan(trace, [*self.network, "--rates", str(rates)])
                said["variants"]["machine_alone"] = self.makespan(trace, [*self.network, *self.machine])
            answer.write_text(json.dumps(said, indent=1))
        return json.loads(answer.read_text())

    def makespan(self, trace, options):
        said = json.loads(self.run(["replay", str(trace), *options, "--json"]))
        return said["configurations"][0]["makespan_seconds"]


def rows_of(path):
    for line in pathlib.Path(path).read_text().splitlines():
        text = line.split("#")[0].strip()
        if not text:
            continue
        columns = [column.strip() for column in text.split("|")]
        if len(columns) < 3:
            raise SystemExit(f"{path}: a name, what is calibrated and what is predicted, between bars: {line}")
        yield columns[0], columns[1:]


def percent(value):
    return f"{100 * value:+.1f}"


def seconds(value):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if abs(value) * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


VARIANTS = {  # in the order of their columns
    "smpi": ("by SMPI %", "makespan by SMPI"),
    "rates_alone": ("by rates alone %", "makespan by the smaller input's rates alone"),
    "machine_alone": ("by the machine alone %", "makespan by the machine alone: the program never ran there"),
    "one_rate": ("by one rate %", "makespan by one rate for everything"),
    "as_it_comes": ("as it comes %", "makespan as it comes (compute ASSUMED)"),
}


def error(said, variant):
    return said["variants"][variant] / said["predictions"][0]["makespan"]["measured_seconds"] - 1


def measured_text(makespan):
    """The median of the launches with its interval; one launch has none."""
    interval = makespan["measured_interval_seconds"]
    return seconds(makespan["measured_seconds"]) + (f" ({seconds(interval[0])} to {seconds(interval[1])})" if interval else "")


def row_text(name, said):
    model = said["predictions"][0]
    makespan, computing = model["makespan"], model["computation"]
    network = model["with_measured_computation"]["error"]
    verdict = "" if makespan["distinguishable"] else " (not distinguishable)"
    return (f"| {name} | {said['kind']} | {measured_text(makespan)} "
            f"| {percent(makespan['error'])}{verdict} "
            f"| {percent(computing['error'])} | {percent(network)} | {percent(makespan['error'] - network)} |"
            + "".join(f" {percent(error(said, one))} |" for one in VARIANTS if one in said["variants"]))


def rate_text(megabits):
    return f"{megabits / 1000:g} Gb/s" if megabits >= 1000 else f"{megabits} Mb/s"


def hosts_row(name, megabits, said):
    model = said["predictions"][0]
    makespan = model["makespan"]
    verdict = "" if makespan["distinguishable"] else " (not distinguishable)"
    return (f"| {name}, {rate_text(megabits)} | {said['kind']} | {measured_text(makespan)} "
            f"| {percent(makespan['error'])}{verdict} | {percent(model['computation']['error'])} "
            f"| {percent(model['communication']['error'])} | {percent(model['with_measured_computation']['error'])} "
            f"| {percent(error(said, 'smpi'))} |")


def hosts_section(on_hosts):
    if not on_hosts:
        return ""
    rows = "\n".join(hosts_row(*key, said) for key, said in on_hosts.items())
    return f"""
## Over a network

The same predicted for two hosts with one rank on each, between which `tc tbf` lets 100 Mb/s or 1 Gb/s pass (namespaces of this machine),
from recordings and rates of both ranks on one host, and a network measured between the two hosts.

| program | kind | measured | makespan, error % | computation % | communication % | network's part % | by SMPI % |
|---|---|---|---|---|---|---|---|
{rows}
"""


def summary(answers):
    def errors(figure):
        return [abs(figure(said)) for said in answers]

    def line(title, figure):
        values = errors(figure)
        return f"| {title} | {100 * statistics.median(values):.1f} | {100 * max(values):.1f} |"

    variants = [line(title, lambda said, variant=variant: error(said, variant))
                for variant, (_, title) in VARIANTS.items() if all(variant in said["variants"] for said in answers)]
    return "\n".join([
        "| absolute error, % | median | worst |", "|---|---|---|",
        line("makespan", lambda said: said["predictions"][0]["makespan"]["error"]),
        line("computation", lambda said: said["predictions"][0]["computation"]["error"]),
        line("makespan, the launches' own computations on the network",
             lambda said: said["predictions"][0]["with_measured_computation"]["error"]),
        *variants])


def kept_section(path, heading):
    """A section that a reader of the figures has written: to be judged again by that of new ones."""
    heading = f"## {heading}\n"
    text = pathlib.Path(path).read_text() if pathlib.Path(path).exists() else ""
    if heading not in text:
        return ""
    return "\n" + heading + text.split(heading, 1)[1].split("\n## ", 1)[0].rstrip() + "\n"


def page(options, answers, on_hosts, failures):
    any_answer = next(iter(answers.values()), {"variants": []})
    columns = [column for variant, (column, _) in VARIANTS.items() if variant in any_answer["variants"]]
    command = "bench/accuracy.py " + " ".join(shlex.quote(word) for word in sys.argv[1:])
    rows = "\n".join(row_text(name, said) for name, said in answers.items())
    launches = f"medians of {options.launches} launches with their interval" if options.launches > 1 else "of one launch"
    failed = "".join(f"\n- {name}: {why}" for name, why in failures.items())
    return f"""# How far predictions are from measurements

Made by `{command}` on {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} processors; times are {launches}, the inputs' in turns. Each row:
the kernels' rates are of the first input or inputs{RESCALED if options.machine else ""}, the prediction is of the last; nothing of what is compared with goes into it ([calibration.md](calibration.md#validation)).
{kept_section(options.output, "Aimed at and reached")}
## By program

| program | kind | measured | makespan, error % | computation % | network's part % | computation's part % | {" | ".join(columns)} |
|{"---|" * (7 + len(columns))}
{rows}

{summary(list(answers.values())) if answers else ''}

*computation* is the error of the time between calls, the mean over ranks; *network's part* is the makespan's error when the launches' own
computations are replayed on the network; *computation's part* is the rest of the makespan's error. The two on computation may have
opposite signs: ranks wait for whichever is late, and no mean over ranks holds that. *By one rate* takes the calibrated input's single rate, as
the first predictions by time-independent traces did; *as it comes* knows nothing of the processor.
{"Not predicted:" + failed if failed else ""}
{hosts_section(on_hosts)}{kept_section(options.output, "What the errors are")}{PUBLISHED}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="where timeless is")
    parser.add_argument("--programs", required=True, help="the list")
    parser.add_argument("--network", required=True, help="a file of timeless calibrate network")
    parser.add_argument("--platform", help="a platform file, for SMPI")
    parser.add_argument("--machine", help="a file of timeless calibrate machine")
    parser.add_argument("--hosts", default="", help="rates in Mb/s between two hosts in namespaces, as 100,1000")
    parser.add_argument("--hosts-rows", default="CG,LU,MG", help="words of the names of those that are predicted there")
    parser.add_argument("--hosts-budget", type=float, default=60, help="seconds to measure the network between them")
    parser.add_argument("--counter", default="auto")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--results", default="accuracy-results")
    parser.add_argument("-o", "--output", default="accuracy.md")
    options = parser.parse_args()
    bench = Bench(options)
    answers, on_hosts, failures = {}, {}, {}

    def attempt(name, validate):
        try:
            return validate()
        except (Failed, Unplayable) as failure:
            failures[name] = str(failure)
            print(f"{name}: {failure}", file=sys.stderr, flush=True)
        return None

    def write():
        pathlib.Path(options.output).write_text(page(options, answers, on_hosts, failures))

    rows = list(rows_of(options.programs))
    for name, commands in rows:
        if said := attempt(name, lambda: bench.validated(name, commands)):
            answers[name] = said
            print(row_text(name, said), flush=True)
        write()
    for megabits in map(int, filter(None, options.hosts.split(","))):
        for name, commands in rows:
            if not any(word in name for word in options.hosts_rows.split(",")):
                continue

            def on_shaped_hosts():
                with ShapedHosts(megabits) as hosts:
                    return bench.validated_on_hosts(name, commands, hosts)

            if said := attempt(f"{name}, {rate_text(megabits)}", on_shaped_hosts):
                on_hosts[name, megabits] = said
                print(hosts_row(name, megabits, said), flush=True)
            write()


if __name__ == "__main__":
    main()
