"""Timeless from Python: runs the `timeless` command and reads what it answers.

    import timeless
    answer = timeless.replay("run.tia", network=["e10g", "qdr"], bandwidth=["/2", "x1", "x2"])
    answer["configurations"][0]["makespan_seconds"]
    answer.frame()                       # a pandas.DataFrame, a row per configuration

Each function takes the options of its verb by their long names, with underscores for dashes: `compute_rate=2.5e9` is
`--compute-rate 2.5e9`, `from_="ti"` is `--from ti`, `True` gives an option without a value, a list its values. Answers are those of `--json`
(docs/schema): nothing is computed here, so that numbers cannot differ from the command's.
"""
from .answers import Answer, frame, rows
from .running import TimelessError, TimelessWarning, executable, run
from .verbs import actions, advise, classify, compare, info, record, replay, report, sweep

__all__ = ["Answer", "TimelessError", "TimelessWarning", "actions", "advise", "classify", "compare", "executable", "frame",
           "info", "record", "replay", "report", "rows", "run", "sweep"]
