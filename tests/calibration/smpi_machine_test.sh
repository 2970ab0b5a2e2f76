#!/usr/bin/env bash
# SMPI as the machine: timeless-mpi ping under smpirun on graphene, fitted and written, gives graphene's overheads, latency and
# bandwidth factors back. Exit status 77 where SimGrid's compiler is missing.
set -euo pipefail
for tool in smpicxx smpirun; do command -v $tool >/dev/null || { echo "SKIPPED: no $tool here"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

printf 'graphene-1.nancy.grid5000.fr\ngraphene-2.nancy.grid5000.fr\n' >hosts
smpicxx -O1 -std=c++20 -I"$SOURCE" "$SOURCE"/tests/calibration/smpi_ping.cpp "$SOURCE"/ping/*.cpp "$SOURCE"/base/error.cpp \
  "$SOURCE"/base/escaping.cpp -lfmt -o smpi_ping 2>compiler || { cat compiler; exit 1; }
for seed in 1 2 3; do
  smpirun -np 2 -hostfile hosts -platform "$SOURCE/platforms/graphene.xml" --cfg=smpi/simulate-computation:no \
    --cfg=smpi/wtime:0 ./smpi_ping 120 4194304 $seed 2>simulator || { cat simulator; exit 1; }
done >raw.csv
"$TIMELESS" calibrate network --from raw.csv -o found.xml -o found.json
"$PYTHON" -B "$SOURCE/tests/calibration/same_factors.py" "$SOURCE/platforms/graphene.xml" found.xml
