#!/usr/bin/env python3
"""Extrapolates a program's trace, and compares it with a recording of as many ranks, action by action.

usage: extrapolation.py --bin BUILD/bin --from 9,12,16,20 --to 25 [--keep DIR] [--network e10g] [--tolerance 5%] [--scale] -- PROGRAM [ARGUMENT ...]

Prints a row of docs/extrapolation.md: the program, the numbers of ranks, ranks whose actions are the same, actions with
the same bytes, how far off the sum of all volumes and the worst rank's are, and the replay's makespan against that of
the recording. A refused program's row has the reason. Recordings are kept in DIR, and used again. --scale prints a row
of docs/scaling.md instead: kernels by how well their laws are known, their parts of the work, and by how much these miss
the recording.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


header = "| program | ranks | a rank's work | ranks alike % | bytes equal % | volume off % | worst rank % | makespan off % |"
scale_header = "| program | ranks | kernels | shares % | check: too much, too little % | ranks alike % | makespan off % |"


def run(command, directory=None):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)


def demand(command, directory=None):
    """Returns what a command that must succeed prints."""
    done = run(command, directory)
    if done.returncode != 0:
        sys.exit(f"extrapolation.py: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def recording(options, ranks):
    """Returns the archive of the program on that many ranks, recorded unless it is there."""
    archive = os.path.join(options.keep, f"{os.path.basename(options.program[0])}-{ranks}.tia")
    if not os.path.exists(archive):
        place = archive + ".d"
        demand([options.timeless, "record", "--counter", "icount", "-o", place, "--", options.mpirun, "-np", str(ranks)]
               + options.program + options.arguments(ranks), options.directory)
        demand([options.timeless, "gather", place, "-o", archive])
    return archive


def makespan(options, archive):
    answer = json.loads(demand([options.timeless, "replay", archive, "--network", options.network, "--json"]))
    return answer["configurations"][0]["makespan_seconds"]


def percent(part, whole):
    return "-" if whole == 0 else f"{100 * part / whole:.4g}"


def kind(kernel):
    """Returns how well the volume of a kernel is known, as scale's CSV has it."""
    volume = kernel["metrics"][0]
    if not volume["by_ranks"]:
        return volume["most"]["kind"]
    checked = volume["most"]["check"]["exact"]
    return "exact" if checked and all(one["exact"] for one in volume["by_ranks"]) else "approximate"


def scale_row(options, extrapolated):
    """Returns what laws from the runs say of the target."""
    runs = [recording(options, ranks) for ranks in options.runs]
    answer = json.loads(demand([options.timeless, "scale", *runs, "--check", recording(options, options.to), "--to",
                                str(options.to), "--json"]))
    kinds = [kind(kernel) for kernel in answer["kernels"]]
    coverage = answer["coverage"]
    shares = [coverage["confirmed"] + coverage["exact"], coverage["approximate"], coverage["none"]]
    above = below = whole = 0
    for kernel, of_kind in zip(answer["kernels"], kinds):
        check = kernel["metrics"][0]["most"]["check"]
        whole += check["value"]
        if of_kind == "none":
            continue
        miss = check["residual"] * check["value"]
        above, below = above + max(miss, 0), below + max(-miss, 0)
    # | program | ranks | work | alike | bytes | volume | worst | makespan |
    beside = [cell.strip() for cell in extrapolated.strip("| ").split("|")]
    end = [beside[3], beside[-1]] if len(beside) > 3 else ["refused", "-"]
    return " | ".join([
        f"| {os.path.basename(options.program[0])}", beside[1],
        ", ".join(str(kinds.count(name)) for name in ("exact", "approximate", "none")),
        ", ".join(f"{100 * share:.1f}" for share in shares), f"{100 * above / whole:.2g}, {100 * below / whole:.2g}", *end]) + " |"


def row(options):
    runs = [recording(options, ranks) for ranks in options.runs]
    target = recording(options, options.to)
    made = os.path.join(options.keep, "extrapolated.tia")
    done = run([options.timeless, "extrapolate", *runs, "--ranks", str(options.to), "-o", made, "--force", "--check",
                target, "--tolerance", options.tolerance, "--json"])
    numbers = f"{','.join(str(ranks) for ranks in options.runs)} -> {options.to}"
    name = os.path.basename(options.program[0])
    if done.returncode != 0:
        return f"| {name} | {numbers} | {done.stderr.strip().removeprefix('timeless: ')} |"
    answer = json.loads(done.stdout)
    beside = answer["check"]
    apart = makespan(options, made) / makespan(options, target) - 1
    return " | ".join([
        f"| {name}", numbers, "exact" if answer["exact"] else f"may be {100 * answer['error']:.2g} % off",
        percent(beside["ranks_alike"], beside["ranks"]), percent(beside["sized_equal"], beside["sized"]),
        f"{100 * beside['volume_error']:+.2g}", f"{100 * beside['rank_error']:.2g}", f"{100 * apart:+.2g} |"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="where timeless is")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--from", dest="runs", required=True, type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("--to", required=True, type=int)
    parser.add_argument("--keep", help="a directory for the recordings; a temporary one without")
    parser.add_argument("--network", default="e10g")
    parser.add_argument("--tolerance", default="1%")
    parser.add_argument("--scale", action="store_true", help="a row of docs/scaling.md")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    options.timeless = os.path.join(options.bin, "timeless")
    options.arguments, options.directory = lambda ranks: [], None
    with tempfile.TemporaryDirectory() as temporary:
        options.keep = options.keep or temporary
        os.makedirs(options.keep, exist_ok=True)
        if options.scale:
            print(scale_header)
            print(scale_row(options, row(options)))
        else:
            print(header)
            print(row(options))


if __name__ == "__main__":
    main()
