#!/usr/bin/env python3
"""Says what simulation costs and changes, of runs that timeless advise collect has written: study.py data.csv

The tables of Z. Tong, X. Yuan, S. Pakin and M. Lang, Performance and Accuracy Trade-offs of HPC Application Modeling and
Simulation (section V): time of simulation over time of the model, and differences of total and of communication time.
"""

import csv
import itertools
import statistics
import sys


def share(values, within):
    return 100 * sum(value <= within for value in values) / len(values)


def computation(row):
    return float(row["Tcp"])


def total(row):
    return abs(float(row["smpi_seconds"]) / float(row["model_seconds"]) - 1)


def communication(row):
    """Communication is what is no computation, of which both have the same: of the model's as the paper's PoC has it."""
    model = float(row["model_seconds"]) - computation(row)
    smpi = float(row["smpi_seconds"]) - computation(row)
    return abs(smpi / model - 1) if model > 0 else 0


def contention(row):
    return abs(float(row["smpi_seconds"]) / float(row["unshared_seconds"]) - 1)


def class_of(row):
    """The paper's communication-sensitive runs; of the others, those that compute for nine tenths of the time."""
    if row["CL_ncs"] == "0":
        return "bandwidth-sensitive"
    return "computation-bound" if float(row["PoCP"]) >= 90 else "neither"


def line(name, rows):
    totals = [total(row) for row in rows]
    parts = [communication(row) for row in rows]
    print(f"{name:22}{len(rows):6}" + "".join(f"{share(totals, within):8.1f}" for within in (0.02, 0.05, 0.1)) +
          f"{100 * statistics.median(totals):9.1f}{100 * max(totals):9.1f}" +
          "".join(f"{share(parts, within):8.1f}" for within in (0.1, 0.4)) + f"{100 * statistics.median(parts):9.1f}")


def table(title, rows, key):
    print(f"\n{title:22}  runs  <= 2 %  <= 5 % <= 10 %   median     most  <= 10 %  <= 40 %   median")
    for name in sorted({key(row) for row in rows}):
        line(name, [row for row in rows if key(row) == name])


def near_the_threshold(rows, factor):
    return 100 * sum(0.02 / factor <= total(row) <= 0.02 * factor for row in rows) / len(rows)


def correlations(rows, least):
    """Returns the pairs of features of the model that comes with Timeless that say nearly the same."""
    names = ("log_steps", "log_ports", "log_steps_ports", "log_busiest_link", "log_utilisation", "log_flows",
             "collectives", "communication", "log2_ranks", "transfer", "by_byte_time", "by_latency", "load_balance",
             "log_bandwidth_8")
    columns = {name: [float(row[name]) for row in rows] for name in names}
    pairs = [(a, b, statistics.correlation(columns[a], columns[b])) for a, b in itertools.combinations(names, 2)]
    return [pair for pair in pairs if abs(pair[2]) >= least]


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file)
                if float(row["smpi_seconds"]) > 0 and float(row["model_seconds"]) > 0]
    ratios = [float(row["smpi_cpu_seconds"]) / float(row["model_cpu_seconds"]) for row in rows
              if float(row["model_cpu_seconds"]) > 0]
    print("time of simulation over time of the model, of the processor: " +
          ", ".join(f"<= {most} for {share(ratios, most):.0f} %" for most in (10, 100, 1000)) +
          f"; median {statistics.median(ratios):.0f}")
    print("\ndifference of SMPI and the model:                 total time, % of runs               "
          "communication, % of runs")
    table("", rows, lambda row: "all")
    table("class", rows, class_of)
    table("platform", rows, lambda row: row["platform"])
    both = [row for row in rows if float(row["unshared_seconds"]) > 0]
    if both:
        needed = [row for row in both if total(row) > 0.02]
        print(f"\nlinks that nobody shares, {len(both)} runs: contention adds more than 2 % to " +
              f"{100 - share([contention(row) for row in both], 0.02):.1f} %; of the {len(needed)} that differ by more " +
              f"than 2 %, {100 * sum(contention(row) <= 0.02 for row in needed) / len(needed):.1f} % differ for other reasons")

    print(f"\nruns that differ by 2 % or 1.5 times more or less: {near_the_threshold(rows, 1.5):.0f} %")
    print("\nfeatures of the model with a correlation of 0.9 or more: " +
          ", ".join(f"{a} and {b} {value:+.2f}" for a, b, value in correlations(rows, 0.9)))


main()
