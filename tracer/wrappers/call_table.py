#!/usr/bin/env python3
"""Compares calls.def and not_covered.def with mpi.h, and writes the table of covered calls.

usage: call_table.py calls.def not_covered.def action_kinds.def mpi.h OUTPUT.md

Fails, naming the function, when one of mpi.h has neither row nor reason, or a row or reason no function.
"""
import fnmatch
import re
import sys
from pathlib import Path

from generate_wrappers import parse

HEAD = """# The MPI calls that are recorded

Made from [calls.def](../tracer/wrappers/calls.def) and [not_covered.def](../tracer/wrappers/not_covered.def) when the tracer is built,
which fails when a function of `mpi.h` is in neither. Every call here is wrapped in C and in Fortran (`mpif.h`, `mpi`,
`mpi_f08`); what an action holds stands in [action.h](../trace/model/action.h). A nonblocking call carries a request, which a
completion names later.

A request that is freed under way cannot be asked any more how it ends. So a receive from any source that has not ended
is kept for the program, and freed once it has, at the latest in MPI_Finalize: the action `request_free` stands where
that is. One that has received nothing by then is recorded as cancelled. A cancelled request is asked just before it is
freed; one that has not ended then is taken to take its message.

The last columns say from which version on a library has the call, and its form with large counts (`MPI_Send_c`), which is
recorded as the one without. Open MPI's `mpi.h` of 4.1 and MPICH's of 4.0 are compared with the table when it is tested, and
that of the standard binary interface (MPI-5) where one is found; the other versions are from the libraries' sources. MPICH's relatives
have what the MPICH has that they are made of. Wrappers of calls that came after MPI-3.1 are in C, where Fortran's procedures come to.

- The two messages of an MPI_Isendrecv complete together. MPICH 4.0 does not tell whence a wildcard's came: then the call is
  counted as NOT RECORDED, and its receive has no source.
- A persistent collective is recorded at each start. Ranks may start several in different orders, which `check` then calls INCONSISTENT
  and no replay follows: collectives are matched by their order.
- A partitioned message is one message, sent when the last of its partitions is ready. What a partition that comes early lets the receiver
  do is not in the trace: MPI_Parrived, where it finds one, is counted as NOT RECORDED. Messages with its tag that are not partitioned are
  taken to be matched with it in the order of both.
- MPI_Comm_create_from_group is an MPI_Comm_create_group over all processes; MPI_Intercomm_create_from_groups that, and an
  MPI_Intercomm_create.
- In place of MPI_Init, the first MPI_Session_init begins the recording, and the last MPI_Session_finalize ends it.
- A flush of MPI-4.1 waits for buffered sends, which no action says: NOT RECORDED.

What Open MPI has beside `mpi.h` is not recorded. A persistent collective (`MPIX_Bcast_init` and the like, of
`mpi-ext.h`) is seen where it is started: `info` and `record` name the starts of unknown requests, as calls of MPI_Start
and MPI_Startall that are NOT RECORDED.

"""


# From which version on libraries have what came with a version of MPI.
LIBRARIES = ("Open MPI", "MPICH")
SINCE = {"": ("4.0", "3.4"), "4.0": ("5.0", "4.0"), "4.1": ("6.0", "4.2"), "5.0": ("-", "-"), "large": ("6.0", "4.0")}


def functions_of(header):
    """The functions MPI declares, by name without MPI_."""
    return set(re.findall(r"OMPI_DECLSPEC[^;(]*\bMPI_([A-Z]\w*)\s*\(", Path(header).read_text()))


def kinds_of(path):
    return set(re.findall(r"^ACTION_KIND\(\d+, (\w+),", Path(path).read_text(), re.MULTILINE))


def parse_reasons(path):
    reasons = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        patterns, separator, reason = line.partition(" : ")
        if not separator:
            raise SystemExit(f"not_covered.def:{number}: no reason: {line}")
        reasons.append((patterns.split(), reason.strip()))
    return reasons


def matching(names, pattern):
    return {name for name in names if fnmatch.fnmatchcase(name, pattern)}


def compare(calls, reasons, functions):
    """What is wrong, a line each."""
    problems = []
    rows = {call.name for call in calls if not call.since}
    problems += [f"calls.def: mpi.h has no MPI_{name}" for name in sorted(rows - functions)]
    reasoned = set()
    for patterns, _ in reasons:
        for pattern in patterns:
            found = matching(functions, pattern)
            if not found:
                problems.append(f"not_covered.def: {pattern} matches no function of mpi.h")
            problems += [f"not_covered.def: {pattern} matches MPI_{name}, which calls.def has" for name in sorted(found & rows)]
            reasoned |= found
    problems += [f"MPI_{name} has no row in calls.def and no reason in not_covered.def"
                 for name in sorted(functions - rows - reasoned)]
    return problems


def table(calls, reasons, functions):
    lines = [HEAD + f"| call | class | recorded as | {' | '.join(LIBRARIES)} |", "|---|---|---|" + "---|" * len(LIBRARIES)]
    for call in calls:
        since = SINCE[call.since]
        if call.large:
            since = [f"{own}, _c {large}" if large != own else f"{own}, _c" for own, large in zip(since, SINCE["large"])]
        recorded = ", ".join(call.recorded_as).replace("not_recorded", "NOT RECORDED")
        lines.append(f"| MPI_{call.name} | {call.family.replace('_', ' ')} | {recorded or '-'} | {' | '.join(since)} |")
    lines += ["", "## Those that are not", ""]
    told = set()
    for patterns, reason in reasons:
        names = set().union(*(matching(functions, pattern) for pattern in patterns)) - told
        told |= names
        lines.append(f"- {reason}: " + ", ".join(f"`MPI_{name}`" for name in sorted(names)))
    older = sum(not call.since for call in calls)
    lines.append(f"\nOf the {len(functions)} functions of Open MPI 4.1's `mpi.h`, {older} are recorded and {len(functions) - older} need not be; "
                 f"of later ones, {len(calls) - older} stand above.")
    return "\n".join(lines) + "\n"


def main(calls_path, reasons_path, kinds_path, header, output):
    calls = parse(calls_path)[0]
    reasons = parse_reasons(reasons_path)
    functions = functions_of(header)
    problems = compare(calls, reasons, functions)
    kinds = kinds_of(kinds_path)
    problems += [f"calls.def: MPI_{call.name} is recorded as {kind}, which is no kind of action"
                 for call in calls for kind in call.recorded_as if kind not in kinds and kind != "not_recorded"]
    problems += [f"calls.def: MPI_{call.name} is recorded by hand as nothing" for call in calls
                 if call.by_hand and not call.recorded_as and call.family != "lifecycle"]
    if problems:
        raise SystemExit("\n".join(problems))
    Path(output).write_text(table(calls, reasons, functions))


if __name__ == "__main__":
    if len(sys.argv) != 6:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
