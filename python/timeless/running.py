"""Starts the command `timeless`, and makes exceptions of its errors."""
import logging
import os
import pathlib
import shutil
import subprocess
import warnings

REPEATED = {"platform", "job", "symbols", "what_if", "where"}  # options of one value that may be given several times
WARNING = "warning: "


class TimelessError(Exception):
    """The command failed. `status` is its exit status: 1 a failure at run time, 2 usage, 3 invalid input, 5 something
    that is missing here; negative: the signal that ended it."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class TimelessWarning(UserWarning):
    """What the command warns of beside its answer."""


def executable():
    """The command's path: that of the environment's TIMELESS, else the one installed with this module, else the first of
    PATH. Raises TimelessError where there is none."""
    given = os.environ.get("TIMELESS")
    if given:
        return given
    for parent in pathlib.Path(__file__).resolve().parents[2:5]:
        beside = parent / "bin" / "timeless"
        if beside.is_file():
            return str(beside)
    found = shutil.which("timeless")
    if not found:
        raise TimelessError("there is no command 'timeless': put it on PATH, or its path into the environment's TIMELESS", 5)
    return found


def path(given):
    """A path as a word of the command line, of what names a file in Python."""
    if not isinstance(given, (str, bytes, os.PathLike)):
        raise TypeError(f"{given!r} is not a path: give several as arguments of their own, classify(\"a.tia\", \"b.tia\")")
    return os.fsdecode(given)


def words(verb, positionals, options):
    """The command line: `None` and `False` leave an option out; a trailing underscore is not part of its name (`from_`)."""
    line = [executable(), *verb.split()]
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            line.append(option)
        elif isinstance(value, (list, tuple)):
            values = [str(one) for one in value]
            if name in REPEATED:
                line += [word for one in values for word in (option, one)]
            else:
                line += [option, ",".join(values)]
        else:
            line += [option, str(value)]
    given = [path(one) for one in positionals]
    return line + ["--"] * any(one.startswith("-") for one in given) + given


def said(text):
    """What the command has to say to a person, without its name."""
    return [line[len("timeless: "):] if line.startswith("timeless: ") else line for line in text.splitlines() if line]


def warn(text):
    """Warnings become TimelessWarnings, what else is said goes to the logger `timeless`."""
    for line in said(text):
        if line.startswith(WARNING):
            warnings.warn(line[len(WARNING):], TimelessWarning, stacklevel=4)
        else:
            logging.getLogger("timeless").info("%s", line)


def run(verb, *positionals, accepted=(0,), **options):
    """Runs a verb and returns (what it printed, its exit status). Raises TimelessError for a status that is not among
    `accepted`; what it warns of becomes a TimelessWarning."""
    line = words(verb, positionals, options)
    try:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace", check=False)
    except OSError as error:
        raise TimelessError(f"cannot start {line[0]}: {error.strerror}", 5) from error
    if done.returncode not in accepted:
        raise TimelessError("\n".join(said(done.stderr)) or f"timeless {verb}: status {done.returncode}", done.returncode)
    warn(done.stderr)
    return done.stdout, done.returncode
