#!/usr/bin/env python3
"""What recording adds to an MPI call.

usage: call_overhead.py PROGRAM LIBRARY [RUNS]

Runs PROGRAM (call_overhead) alternately without and with LIBRARY (libtimeless.so, counter none) and prints the medians
over the runs, in nanoseconds of CPU time per call.
"""
import os
import statistics
import subprocess
import sys
import tempfile


def run(program, extra):
    output = subprocess.run([program], env={**os.environ, **extra}, check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in output.splitlines())}


def main(program, library, runs=5):
    untraced, traced = [], []
    for _ in range(int(runs)):
        untraced.append(run(program, {}))
        with tempfile.TemporaryDirectory() as directory:
            traced.append(run(program, {"LD_PRELOAD": library, "TIMELESS_COUNTER": "none",
                                        "TIMELESS_DIR": os.path.join(directory, "trace")}))
    print(f"{'ns per call':24}{'untraced':>10}{'traced':>10}{'added':>10}")
    for name in untraced[0]:
        before = statistics.median(result[name] for result in untraced)
        after = statistics.median(result[name] for result in traced)
        print(f"{name:24}{before:10.1f}{after:10.1f}{after - before:10.1f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
