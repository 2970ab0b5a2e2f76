#!/usr/bin/env python3
"""What gathering costs on one machine, beside copying the same files.

usage: gather_cost.py --bin DIRECTORY [--nodes 4] [--mebibytes 64] [--repetitions 3]

Each node is a process with a directory of its own; all share the machine's disk, memory and processors, so what is seen is
the price of the way through the tree, not what several disks and links give. Wall-clock medians, all ways in turn. All of
them end when the copy is on the disk. See README.md.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader",
    "HWLOC_COMPONENTS": "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio"}


def run(command, directory):
    result = subprocess.run(command, cwd=directory, env={**os.environ, **OPEN_MPI}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {result.returncode}:\n{result.stderr[-2000:]}")
    return result.stdout


def own_seconds(output):
    """What a gather says it took, without starting and ending the job."""
    return json.loads(output)["seconds"]


def timed(command, directory):
    start = time.perf_counter()
    run(command, directory)
    return time.perf_counter() - start


def ways(options):
    """Name -> a function that brings all into one place of the directory and returns the seconds."""
    program = os.path.join(options.bin, "timeless-mpi")

    def through_tree(arity):
        return lambda directory: own_seconds(run(
            ["mpirun", "-n", str(options.nodes), "sh", "-c",
             'here=$OMPI_COMM_WORLD_RANK; exec "$0" gather n$here --node-name n$here --json --force -o run.tia "$@"',
             program, "-k", arity], directory))

    def in_one_process(directory):
        return own_seconds(run([os.path.join(options.bin, "timeless"), "gather", "all", "--json", "--force",
                                "-o", "run.tia"], directory))

    def shell(text):
        return lambda directory: timed(["sh", "-ec", f"rm -rf copy; mkdir copy; {text}; sync copy/*"], directory)

    nodes = " ".join(f"n{node}" for node in range(options.nodes))
    result = {"cp, one after the other": shell(f"for n in {nodes}; do cp $n/* copy; done"),
              "tar | tar, all at once": shell(
                  f"for n in {nodes}; do tar cC $n . | tar xC copy & done; wait"),
              "timeless gather": in_one_process}
    for arity in ["1", "2", "4", "8", "auto"]:
        if arity == "auto" or int(arity) < options.nodes or arity == "1":
            result[f"timeless-mpi gather -k {arity}"] = through_tree(arity)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--mebibytes", type=int, default=64, help="of each node's files, about")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "all"))
        for node in range(options.nodes):
            # 10,000 volumes a round that nothing makes smaller.
            run([os.path.join(options.bin, "write_rank_files"), f"n{node}", str(options.nodes), str(node),
                 str(options.mebibytes * 13), "7", "icount", "10000"], directory)
            name = f"rank-{node:06}.tia"
            os.link(os.path.join(directory, f"n{node}", name), os.path.join(directory, "all", name))
        total = sum(entry.stat().st_size for entry in os.scandir(os.path.join(directory, "all")))
        seconds = {}
        for _ in range(options.repetitions):
            for name, way in ways(options).items():
                seconds.setdefault(name, []).append(way(directory))
                shutil.rmtree(os.path.join(directory, "copy"), ignore_errors=True)
        print(f"{options.nodes} nodes, {total / 2**20:.0f} MiB")
        reference = statistics.median(next(iter(seconds.values())))
        for name, values in seconds.items():
            middle = statistics.median(values)
            print(f"{name:28} {middle:7.3f} s {total / middle / 2**20:8.0f} MiB/s {middle / reference:6.2f} x",
                  flush=True)


if __name__ == "__main__":
    main()
