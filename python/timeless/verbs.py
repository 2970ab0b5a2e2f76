"""A function for each verb that people call from notebooks."""
import json
import subprocess
import tempfile

from .answers import Answer
from .running import TimelessError, run, said, warn, words

CONDITION_MET = 4
PARTIAL = 6


def answer(verb, positionals, table, options):
    """`table` is the name of a list in the answer, or makes one of it."""
    text, status = run(verb, *positionals, accepted=(0, CONDITION_MET, PARTIAL), json=True, **options)
    return Answer(json.loads(text), status, table if callable(table) else lambda content: content[table])


def replay(trace, **options):
    """Predicts how long a trace takes: `timeless replay`. The table has a row per configuration."""
    return answer("replay", [trace], "configurations", options)


def sweep(trace, **options):
    """Predicts a grid of machines: `timeless sweep`. The table has a row per configuration."""
    return answer("sweep", [trace], "configurations", options)


def classified(content):
    """A row for each machine of each trace: the program, its class and why, what helps, what that saves, and how sure that
    is."""
    for trace in content.get("traces", [content]):
        for machine in trace["networks"]:
            row = {name: trace[name] for name in ("trace", "program", "ranks")}
            row.update({name: value for name, value in machine.items() if name not in ("helps", "missed")})
            helps = machine["helps"] or {}
            row.update(helps=helps.get("what"), sentence=helps.get("sentence"), missed=(machine["missed"] or {}).get("class"))
            yield row


def classify(trace, *more, **options):
    """What bounds traces on machines, and what helps: `timeless classify`. The table has a row for each network or platform
    of each trace."""
    return answer("classify", [trace, *more], classified, options)


def advise(trace, **options):
    """Whether to simulate a trace on a platform: `timeless advise`. The table has a row for each feature that decided."""
    return answer("advise", [trace], "decided", options)


def report(trace, *more, **options):
    """All there is to say of a trace, or of one program's traces: `timeless report`. The table has a row per machine.
    `output="report.html"` writes the page, too."""
    return answer("report", [trace, *more], "machines", options)


def compare(before, after, **options):
    """The difference of two answers of `replay --json`, by their files: `timeless compare`. The table has a row per rank."""
    return answer("compare", [before, after], "ranks", options)


def info(trace, **options):
    """What a trace holds: `timeless info`. The table has a row per rank, or per kernel with `kernels=True`."""
    return answer("info", [trace], "kernels" if options.get("kernels") else "rank_records", options)


def record(line, output, **options):
    """Records a command, a list of words, into a directory: `timeless record`. Returns the directory."""
    run("record", *line, output=output, **options)
    return output


def actions(trace, **options):
    """The actions of a trace, one dictionary after the other, as they are read: `timeless dump`.

        for action in timeless.actions("run.tia", rank="0-3", count=100): ...
    """
    line = words("dump", [trace], {"json": True, **options})
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True) as dump:
            ended = False
            try:
                for text in dump.stdout:
                    action = json.loads(text)
                    if "schema" not in action:
                        yield action
                ended = True
            finally:
                if not ended:
                    dump.kill()
        errors.seek(0)
        text = errors.read()
        if dump.returncode not in (0, PARTIAL):
            raise TimelessError("\n".join(said(text)), dump.returncode)
        warn(text)
