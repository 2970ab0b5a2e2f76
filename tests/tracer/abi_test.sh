#!/bin/bash
# abi_test.sh ABI COMPILER SOURCE GENERATED HEADER_DIRECTORY...: compares the table of binary interfaces, and that of calls,
# with the first mpi.h in these directories; skipped, and says so, where none has one.
set -euo pipefail
abi=$1 compiler=$2 source=$3 generated=$4
shift 4
for directory; do
  [ -f "$directory/mpi.h" ] || continue
  echo "$abi: $directory/mpi.h"
  "$compiler" -std=c17 -fsyntax-only -Wno-deprecated-declarations -DABI_"$abi" -I "$source" -I "$generated" -isystem "$directory" \
    "$source/tests/tracer/abi_check.c"
  exit
done
echo "skipped: no mpi.h of $abi in: $*"
exit 77
