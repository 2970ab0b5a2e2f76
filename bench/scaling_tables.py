#!/usr/bin/env python3
"""Makes the tables of docs/scaling.md and docs/extrapolation.md: builds the programs, records them, compares.

usage: scaling_tables.py --bin BUILD/bin --sources DIR [--keep DIR] [--only NAME,NAME ...] [--list]

DIR has the sources as they are published, and each program is built there unless it is:

    NPB3.4-MPI   of NPB3.4.tar.gz, https://www.nas.nasa.gov/software/npb.html
    HPCCG        git clone https://github.com/Mantevo/HPCCG
    CoMD         git clone https://github.com/ECP-copa/CoMD
    LULESH       git clone https://github.com/LLNL/LULESH
    miniFE       git clone https://github.com/Mantevo/miniFE

The halo exchange and the wavefront are of this repository's tests, and need no DIR. Recordings are kept in --keep, and
used again: remove them after a change of the recorder. Needs mpicc, mpicxx, mpif90 and make. --list prints the names.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from types import SimpleNamespace

import extrapolation

tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests")

make_npb = ("mkdir -p bin && sed -e 's/^FFLAGS.*/FFLAGS = -O2 -g -fallow-argument-mismatch -fallow-invalid-boz -w/' "
            "-e 's/^CFLAGS.*/CFLAGS = -O2 -g -w/' config/make.def.template > config/make.def && make {} CLASS={}")
lu_input = "\n\n1 6\n\n\n6\n\n\n1.5d-3\n\n\n1.2\n\n\n1d-8 1d-8 1d-8 1d-8 1d-8\n\n\n33 33 33\n"


@dataclass
class Row:
    """A program, and the numbers of ranks that are recorded, the last to compare with."""
    name: str
    title: str
    directory: str  # in DIR; a part of the repository's tests with a leading slash
    build: str      # a command in it
    program: str    # in it, or in the directory of recordings for the repository's programs
    ranks: list
    arguments: object = ""  # text, or a function of the ranks
    tolerance: str = "1%"
    input: tuple = ()       # a file's name, and what is in it


def npb(name, benchmark, letter, title, ranks, **more):
    return Row(name, "NPB " + title, "NPB3.4-MPI", make_npb.format(benchmark, letter), f"bin/{benchmark}.{letter}.x", ranks,
               **more)


def comd(ranks):
    i, j, k = {8: (2, 2, 2), 12: (3, 2, 2), 18: (3, 3, 2), 27: (3, 3, 3), 36: (4, 3, 3)}[ranks]
    return f"-N 20 -n 10 -T 0 -r 0 -i {i} -j {j} -k {k} -x {5 * i} -y {5 * j} -z {5 * k}"


hpccg = ("HPCCG", "make CXX=mpicxx LINKER=mpicxx USE_MPI=-DUSING_MPI CPP_OPT_FLAGS='-O3 -g'", "test_HPCCG")
lulesh = ("LULESH", "make CXX=mpicxx CXXFLAGS='-g -O3 -I. -w -DUSE_MPI=1' LDFLAGS=-O3", "lulesh2.0")
wavefront = ("/programs", "mpif90 -O2 -g wavefront.f90 -J {keep} -o {keep}/wavefront", "wavefront")

rows = [
    Row("halo", "halo exchange", "/record", "mpicc -O2 -g halo.c -o {keep}/halo", "halo", [9, 12, 16, 20, 25, 36]),
    Row("wavefront60", "wavefront, 60 cells a side", *wavefront, [9, 12, 16, 20, 25, 36], arguments="60 2", tolerance="6%"),
    Row("wavefront48", "wavefront, 48 cells a side", *wavefront, [4, 6, 9, 12, 16, 36], arguments="48 2", tolerance="6%"),
    npb("lu", "lu", "W", "LU, 33 points a side, 6 steps", [9, 12, 16, 20, 25, 36], input=("inputlu.data", lu_input)),
    npb("sp", "sp", "A", "SP, 60 points a side, 2 steps", [4, 9, 16, 25, 36], tolerance="3%",
        input=("inputsp.data", "2\n0.0015d0\n60 60 60\n")),
    npb("bt", "bt", "W", "BT, class W, 2 steps", [4, 9, 16, 36, 64], tolerance="15%",
        input=("inputbt.data", "2\n0.0008d0\n24 24 24\n5 0\n0 1000000\n")),
    npb("cg", "cg", "S", "CG, class S", [4, 8, 16, 32, 64], tolerance="20%"),
    npb("mg", "mg", "S", "MG, class S", [4, 8, 16, 32]),
    npb("ep", "ep", "S", "EP, class S", [2, 4, 8, 16, 32]),
    npb("ft", "ft", "S", "FT, class S", [2, 4, 8, 16, 32]),
    npb("is", "is", "S", "IS, class S", [2, 4, 8, 16, 32]),
    Row("hpccg", "HPCCG, 8 x 8 x 8 cells a rank", *hpccg, [4, 6, 8, 12, 16], arguments="8 8 8"),
    Row("hpccg64", "HPCCG, the same", *hpccg, [4, 6, 8, 12, 16, 64], arguments="8 8 8"),
    Row("comd", "CoMD, 5 x 5 x 5 cells a rank, at rest", "CoMD/src-mpi",
        "cp Makefile.vanilla Makefile && mkdir -p ../bin && make", "../bin/CoMD-mpi", [8, 12, 18, 27, 36], arguments=comd),
    Row("lulesh", "LULESH, 4 x 4 x 4 elements a rank, one region", *lulesh, [8, 27, 64, 125], arguments="-i 10 -s 4 -r 1"),
    Row("minife", "miniFE, 8 x 8 x 8 elements", "miniFE/ref/src", "make CXX=mpicxx CXXFLAGS='-O3 -g -w'", "miniFE.x",
        [4, 6, 8, 16], arguments="nx=8 ny=8 nz=8"),
]


def build(row, keep, options):
    """Builds a row's program unless it is there; returns its path."""
    own = row.directory.startswith("/")
    directory = tests + row.directory if own else os.path.join(options.sources or sys.exit(
        f"scaling_tables.py: {row.name} needs --sources"), row.directory)
    program = os.path.abspath(os.path.join(keep if own else directory, row.program))
    if not os.path.exists(program):
        done = subprocess.run(row.build.replace("{keep}", keep), shell=True, cwd=directory,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0 or not os.path.exists(program):
            sys.exit(f"scaling_tables.py: {row.build}: {done.stderr.strip()[-2000:]}")
    return program


def make(row, options):
    """Returns a row's line in docs/extrapolation.md and in docs/scaling.md."""
    shared = row.name.rstrip("0123456789") if row.program == "test_HPCCG" else row.name # the same recordings
    keep = os.path.join(os.path.abspath(options.keep), shared)
    os.makedirs(keep, exist_ok=True)
    program = build(row, keep, options)
    if row.input:
        with open(os.path.join(keep, row.input[0]), "w", encoding="utf-8") as file:
            file.write(row.input[1])
    arguments = row.arguments if callable(row.arguments) else lambda ranks: row.arguments
    asked = SimpleNamespace(keep=keep, directory=keep, program=[program], mpirun=options.mpirun, network="e10g",
                            timeless=os.path.abspath(os.path.join(options.bin, "timeless")), tolerance=row.tolerance,
                            runs=row.ranks[:-1], to=row.ranks[-1], arguments=lambda ranks: arguments(ranks).split())
    title = row.title + ("" if row.tolerance == "1%" else f", `--tolerance {row.tolerance}`")
    extrapolated = extrapolation.row(asked)
    scaled = extrapolation.scale_row(asked, extrapolated)
    return [line.replace(f"| {os.path.basename(program)} |", f"| {named} |", 1)
            for line, named in ((extrapolated, title), (scaled, row.title))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="where timeless is")
    parser.add_argument("--sources", help="a directory with the programs' sources")
    parser.add_argument("--keep", help="a directory for the recordings; a temporary one without")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of rows")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--list", action="store_true", help="print the names of rows, and what they are")
    options = parser.parse_args()
    if options.list:
        sys.exit(print("\n".join(f"{row.name:12} {row.title}: {row.ranks}" for row in rows)))
    unknown = set(options.only or []) - {row.name for row in rows}
    if unknown:
        sys.exit(f"scaling_tables.py: no row is named {', '.join(sorted(unknown))}: see --list")
    with tempfile.TemporaryDirectory() as temporary:
        options.keep = options.keep or temporary
        os.makedirs(options.keep, exist_ok=True)
        made = []
        for row in rows:
            if options.only and row.name not in options.only:
                continue
            made.append(make(row, options))
            print(*made[-1], sep="\n", file=sys.stderr, flush=True)
    today = datetime.date.today().isoformat()
    print(f"docs/extrapolation.md, {today}:")
    print(extrapolation.header, *(lines[0] for lines in made), sep="\n")
    print(f"docs/scaling.md, {today}:")
    print(extrapolation.scale_header, *(lines[1] for lines in made), sep="\n")


if __name__ == "__main__":
    main()
