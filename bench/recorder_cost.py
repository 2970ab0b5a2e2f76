#!/usr/bin/env python3
"""What recording costs.

usage: recorder_cost.py --bin DIRECTORY --library LIBRARY [section...]

Sections: calls, memory, skew, programs, folded; all of them when none is named. Every figure stands beside the same one
of the untraced program, taken in the same run, the two in turn; times are CPU times, so that other load falls out as far
as it can. See README.md.
"""
import argparse
import functools
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader",
    # Windows of a single rank: no other component takes them.
    "OMPI_MCA_osc": "pt2pt", "HWLOC_COMPONENTS": "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio"}

QUIET = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def environment(options, directory=None, counter="none", **more):
    result = {**os.environ, **OPEN_MPI, **more}
    if directory is not None:
        result.update({"LD_PRELOAD": options.library, "TIMELESS_COUNTER": counter, "TIMELESS_DIR": directory})
    return result


def run(command, env, directory):
    """Runs the command; its output, and the CPU seconds of it and of all it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, env=env, cwd=directory, check=False, **QUIET)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {result.returncode}:\n{result.stderr[-2000:]}")
    return result.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_fresh_directory(measure):
    @functools.wraps(measure)
    def measured(*arguments, **named):
        with tempfile.TemporaryDirectory() as directory:
            return measure(*arguments, directory=directory, **named)
    return measured


@in_fresh_directory
def call_times(options, counter, directory):
    trace = None if counter is None else os.path.join(directory, "trace")
    output, _ = run([os.path.join(options.bin, "recorder_calls"), "times", str(options.calls), "11", options.only],
                    environment(options, trace, counter), directory)
    return {name: float(value) for name, value in (line.rsplit(": ", 1) for line in output.splitlines())}


def calls(options):
    heading("CPU time per call, one rank that talks to itself (ns)")
    counters = [None, "none", "cputime"]
    runs = {counter: [] for counter in counters}
    for _ in range(options.runs):
        for counter in counters:
            runs[counter].append(call_times(options, counter))

    def median(counter, name):
        return statistics.median(result[name] for result in runs[counter])

    # Every call reads its counter twice.
    read = statistics.median((median("cputime", name) - median("none", name)) / 2 for name in runs[None][0])
    print(f"{'calls':30}{'untraced':>10}{'traced':>10}{'added':>10}{'ratio':>8}{'spread':>10}")
    for name in runs[None][0]:
        untraced, traced = median(None, name), median("none", name)
        spread = max(result[name] for result in runs["none"]) - min(result[name] for result in runs["none"])
        print(f"{name:30}{untraced:10.1f}{traced:10.1f}{traced - untraced:10.1f}{traced / untraced:8.2f}{spread:10.1f}")
    print(f"counter none; cputime adds {2 * read:.0f} ns to each call, two reads of {read:.0f} ns")


@in_fresh_directory
def memory_of(options, actions, traced, directory):
    output, _ = run([os.path.join(options.bin, "recorder_calls"), "memory", str(actions)],
                    environment(options, os.path.join(directory, "trace") if traced else None), directory)
    trace = os.path.join(directory, "trace")
    size = sum(os.path.getsize(os.path.join(trace, name)) for name in os.listdir(trace)) if traced else 0
    return {key: int(value) for key, value in re.findall(r"(\w+): +(\d+) kB", output)}, size


def memory(options):
    heading("Memory of a rank, traced above untraced (KiB)")
    print(f"{'actions':>12}{'resident':>12}{'proportional':>14}{'anonymous':>12}{'file (KiB)':>12}")
    for actions in (10**4, 10**6, 10**7):
        untraced, _ = memory_of(options, actions, False)
        traced, size = memory_of(options, actions, True)
        added = [traced[kind] - untraced[kind] for kind in ("Rss", "Pss", "Anonymous")]
        print(f"{actions:12,}{added[0]:12,}{added[1]:14,}{added[2]:12,}{size / 1024:12,.1f}")


def computed_instructions(profile, program):
    """Instructions that the program's own code executes with all it calls but MPI, and how often it calls MPI, by a
    profile of callgrind's."""
    total = calls = 0
    names = {}
    own = called = False
    callee = caller = program

    def name_of(found):
        if found[3]:
            names[found[1][-2:], found[2]] = os.path.basename(found[3].strip())
        return names[found[1][-2:], found[2]]

    for line in profile:
        if found := re.match(r"(c?ob|c?fn)=\((\d+)\)(?: (.*))?", line):
            name = name_of(found)
            if found[1] == "ob":
                caller = callee = name
            elif found[1] == "fn":
                own, callee = caller == program and name not in ("main", "_start", "(below main)"), caller
            elif found[1] == "cob":
                callee = name
        elif found := re.match(r"calls=(\d+)", line):
            called = True
            if own and callee.startswith("libmpi"):
                calls += int(found[1])
        elif found := re.match(r"[+*-]?\d* (\d+)$", line):
            # A call's line has the instructions of the callee, those of the program's own stand there themselves.
            if own and (not called or (callee != program and not callee.startswith("libmpi"))):
                total += int(found[1])
            if called:
                called, callee = False, caller
    return total, calls


@in_fresh_directory
def skew(options, directory):
    heading("Instructions that tracing adds to the recorded computation: wavefront under icount")
    program = os.path.join(options.bin, "wavefront")
    arguments = ["24", "4"]
    if shutil.which("valgrind") is None or not os.path.exists(program):
        print("SKIPPED: needs valgrind, and the wavefront program of the tests")
        return
    # What the program itself computes, by a tool that knows nothing of ours.
    run(["mpirun", "-np", "4", "valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=profile.%q{OMPI_COMM_WORLD_RANK}",
         "--compress-pos=no", program, *arguments], environment(options, LD_BIND_NOW="1"), directory)
    run([os.path.join(options.bin, "timeless"), "record", "--counter", "icount", "-o", "trace", "--", "mpirun", "-np", "4",
         program, *arguments], environment(options), directory)
    print(f"{'rank':>6}{'calls':>10}{'computed':>16}{'recorded':>16}{'per call':>10}{'of volume':>11}")
    for rank in range(4):
        with open(os.path.join(directory, f"profile.{rank}"), encoding="utf-8") as profile:
            computed, made = computed_instructions(profile, "wavefront")
        dump, _ = run([os.path.join(options.bin, "timeless"), "dump", "trace", "--rank", str(rank)],
                      environment(options), directory)
        volumes = [int(volume) for volume in re.findall(r"compute volume=(\d+)", dump)]
        added = sum(volumes) - computed
        print(f"{rank:6}{made:10,}{computed:16,}{sum(volumes):16,}{added / made:10.1f}{100 * added / computed:10.3f} %")


def sections():
    return {"calls": calls, "memory": memory, "skew": skew, "programs": programs, "folded": folded}


@in_fresh_directory
def program_time(options, command, prepare, traced, directory):
    if prepare:
        prepare(directory)
    trace = os.path.join(directory, "trace") if traced else None
    _, seconds = run(command, environment(options, trace), directory)
    return seconds


def hpcc_input(directory, ranks=2):
    lines = ["HPLinpack benchmark input file", "Timeless", "HPL.out", "8", "1", "1000", "1", "80", "0", "1", "1", str(ranks), "16.0",
             "1", "2", "1", "4", "1", "2", "1", "1", "1", "1", "1", "1", "2", "64", "0", "0", "1", "8", "#", "0", "1200", "0", "40"]
    with open(os.path.join(directory, "hpccinf.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def lammps_input(directory):
    with open(os.path.join(directory, "in.melt"), "w", encoding="utf-8") as file:
        file.write("units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 12 0 12 0 12\ncreate_box 1 box\n"
                   "create_atoms 1 box\nmass 1 1.0\nvelocity all create 3.0 87287\npair_style lj/cut 2.5\n"
                   "pair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\nneigh_modify every 20 delay 0 check no\n"
                   "fix 1 all nve\nthermo 50\nrun 400\n")


def programs(options):
    heading("Whole programs: CPU seconds, all ranks together")
    ranks = ["mpirun", "-np", "2"]
    # One rank of HPC Challenge asks as often for messages as two, and finds none: nothing hides what asking costs.
    alone = ["mpirun", "-np", "1", "--mca", "mpi_yield_when_idle", "0"]
    candidates = [("wavefront", ranks, [os.path.join(options.bin, "wavefront"), "96", "16"], None),
                  ("LAMMPS, melt", ranks, ["lmp", "-in", "in.melt"], lammps_input),
                  ("HPC Challenge", ranks, ["hpcc"], hpcc_input),
                  ("the same, one rank", alone, ["hpcc"], functools.partial(hpcc_input, ranks=1))]
    candidates += [(os.path.basename(command.split()[-1]), [], command.split(), None) for command in options.program]
    # The least of several runs: what disturbs a run only adds to it.
    print(f"{'program':20}{'untraced':>10}{'traced':>10}{'least with least':>18}   range of the ratio of pairs")
    for name, launcher, command, prepare in candidates:
        if shutil.which(command[0]) is None:
            print(f"{name:20}   SKIPPED: not installed")
            continue
        pairs = []
        for number in range(options.runs):
            # Either is first in every other pair, for what the first leaves warm.
            times = {traced: program_time(options, launcher + command, prepare, traced)
                     for traced in ((False, True) if number % 2 == 0 else (True, False))}
            pairs.append((times[False], times[True]))
        untraced, traced = (min(pair[i] for pair in pairs) for i in (0, 1))
        ratios = sorted(100 * (pair[1] / pair[0] - 1) for pair in pairs)
        print(f"{name:20}{untraced:10.2f}{traced:10.2f}{100 * (traced / untraced - 1):+16.1f} %"
              f"   {ratios[0]:+.1f} to {ratios[-1]:+.1f} %, median {statistics.median(ratios):+.1f} %", flush=True)


@in_fresh_directory
def fold(options, ranks, traced, directory):
    trace = os.path.join(directory, "trace")
    begin = time.monotonic()
    _, seconds = run(["mpirun", "-np", str(ranks), os.path.join(options.bin, "wavefront"), "32", "2"],
                     environment(options, trace if traced else None), directory)
    elapsed = time.monotonic() - begin
    if not traced:
        return elapsed, seconds, 0, ""
    size = sum(os.path.getsize(os.path.join(trace, name)) for name in os.listdir(trace))
    check = subprocess.run([os.path.join(options.bin, "timeless"), "check", trace], check=False, **QUIET)
    return elapsed, seconds, size, (check.stdout + check.stderr).splitlines()[0].split(": ", 1)[-1]


def folded(options):
    heading("Hundreds of ranks on this machine: wavefront, 32 cells along an edge")
    print(f"{'ranks':>6}{'untraced (s)':>14}{'traced (s)':>12}{'CPU untraced':>14}{'CPU traced':>12}{'KiB a rank':>12}   check says")
    for ranks in options.ranks:
        plain = fold(options, ranks, False)
        traced = fold(options, ranks, True)
        print(f"{ranks:6}{plain[0]:14.1f}{traced[0]:12.1f}{plain[1]:14.1f}{traced[1]:12.1f}{traced[2] / 1024 / ranks:12.2f}   {traced[3]}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="where timeless and the programs are")
    parser.add_argument("--library", required=True, help="libtimeless.so")
    parser.add_argument("--calls", type=int, default=100000, help="of a group, in a round")
    parser.add_argument("--runs", type=int, default=5, help="of each, of which the median or the least is taken")
    parser.add_argument("--only", default="", help="measure only the groups of calls with this in their names")
    parser.add_argument("--ranks", type=int, nargs="+", default=[64, 256, 512], help="to fold")
    parser.add_argument("--program", action="append", default=[], help="a further command line to run as a whole")
    parser.add_argument("section", nargs="*", choices=[*sections(), []])
    options = parser.parse_args()
    options.bin, options.library = os.path.abspath(options.bin), os.path.abspath(options.library)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
    for section in options.section or sections():
        sections()[section](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
