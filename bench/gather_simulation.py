#!/usr/bin/env python3
"""Gathering on many simulated nodes: time against the tree's arity, a flat gather, and copying from one after the other.

usage: gather_simulation.py --program gather_simulation [--nodes 1024] [--bytes 1.45e12] [--arities 1,2,4,8,16,32]
           [--flat] [--flat-in-groups-of 64] [--in-turn] [--link 1.25e9] [--latency 5us] [--disk 1e9] [--message 16e6] [--scale 1000]
           [--at-most FACTOR]

The program is gather/ compiled with smpicxx (see gather_simulation.cpp); smpirun runs it on a cluster whose nodes each
have a full-duplex link of that many bytes a second to a switch, and a disk. --bytes is what all nodes hold together, each
the same. What is printed beside each time is its ratio to the time that the slower of the first node's link and disk
needs for all that. Links carry 97 % of what they are said to. See README.md.
"""
import argparse
import os
import subprocess
import tempfile
import time

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="nodes" prefix="node" suffix="" radical="0-{last}" speed="1Gf" bw="{link}Bps" lat="{latency}"
           sharing_policy="SPLITDUPLEX" loopback_bw="{disk}Bps" loopback_lat="1us"/>
</platform>
"""


def simulated(options, directory, arity, senders=0):
    """Simulated seconds, and how long the simulation took."""
    command = [options.smpirun, "-quiet", "-no-privatize", "-np", str(options.nodes),
               "-platform", os.path.join(directory, "platform.xml"), "-hostfile", os.path.join(directory, "hosts"),
               "--cfg=smpi/simulate-computation:no", "--cfg=contexts/stack-size:512", "--log=root.thresh:error",
               # Sizes are scaled: what SMPI would make of small ones does not hold. And without what acknowledgements
               # take, flows that do not meet need not be solved together.
               "--cfg=smpi/bw-factor:0:0.97", "--cfg=smpi/lat-factor:0:1", "--cfg=network/crosstraffic:0",
               # On many nodes SimGrid needs time that is quadratic in what is sent eagerly, and in the messages that go
               # to one node at once: nothing is sent eagerly, and collectives are trees.
               "--cfg=smpi/send-is-detached-thresh:0", "--cfg=smpi/barrier:ompi_bruck",
               "--cfg=smpi/bcast:binomial_tree",
               "--cfg=smpi/gather:ompi_binomial", "--cfg=smpi/scatter:ompi_binomial", "--cfg=smpi/reduce:binomial",
               "--cfg=smpi/allreduce:rdb",
               options.program, str(arity), str(options.scale), str(options.bytes / options.nodes), str(options.disk),
               str(options.message), str(senders)]
    start = time.perf_counter()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {result.returncode}:\n{result.stdout[-2000:]}")
    return float(result.stdout.split()[-1]), time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--smpirun", default="smpirun")
    parser.add_argument("--nodes", type=int, default=1024)
    parser.add_argument("--bytes", type=float, default=1.45e12)
    parser.add_argument("--arities", default="1,2,4,8,16,32")
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--flat-in-groups-of", type=int, action="append", default=[], metavar="N",
                        help="flat, but the first node asks N of the others at a time")
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--link", type=float, default=1.25e9)
    parser.add_argument("--latency", default="5us")
    parser.add_argument("--disk", type=float, default=1e9)
    parser.add_argument("--message", type=float, default=16e6)
    parser.add_argument("--scale", type=float, default=1000)
    parser.add_argument("--at-most", type=float, help="fail when a tree takes more than so many times the least")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    least = options.bytes / min(options.link, options.disk)
    ways = [(f"k = {arity}", int(arity), 0) for arity in options.arities.split(",") if arity]
    ways += [("flat", 0, 0)] * options.flat + [(f"flat, {n} at a time", 0, n) for n in options.flat_in_groups_of]
    ways += [("one after the other", -1, 0)] * options.in_turn
    print(f"{options.nodes} nodes, {options.bytes / 1e9:g} GB in all, links of {options.link / 1e9:g} GB/s, "
          f"disks of {options.disk / 1e9:g} GB/s: {least:.2f} s at least")
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "platform.xml"), "w", encoding="ascii") as file:
            file.write(PLATFORM.format(last=options.nodes - 1, link=options.link / options.scale,
                                       latency=options.latency, disk=options.disk / options.scale))
        with open(os.path.join(directory, "hosts"), "w", encoding="ascii") as file:
            file.writelines(f"node{node}\n" for node in range(options.nodes))
        for name, arity, senders in ways:
            seconds, took = simulated(options, directory, arity, senders)
            print(f"{name:20} {seconds:12.3f} s {seconds / least:7.3f} x   (simulated in {took:.0f} s)", flush=True)
            if options.at_most and arity > 0 and seconds > options.at_most * least:
                raise SystemExit(f"more than {options.at_most} times the least")


if __name__ == "__main__":
    main()
