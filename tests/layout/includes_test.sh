#!/bin/sh
# includes_test.sh PYTHON INCLUDES.PY: what it says of a tree in which everything is wrong once.
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/floor" "$tree/house/roof" "$tree/house/cellar"
printf 'int one();\n' >"$tree/floor/one.h"
printf '#include "house/roof/two.h"\n' >"$tree/floor/upwards.cpp"
printf '#include "floor/one.h"\n#include <vector>\n' >"$tree/house/roof/two.h"
printf 'int main() {}\n' >"$tree/house/cellar/unknown.cpp"
cat >"$tree/CONTRIBUTING.md" <<'TABLE'
    folder        holds                  includes
    floor         what others stand on   -
    house/attic   nothing                -
    house/roof    the rest               floor house/attic
TABLE
said=$("$1" -B "$2" "$tree") && { echo "a tree with faults passes" >&2; exit 1; }
expected="house/cellar: has no row in the table
house/attic: has a row, but no sources
floor/upwards.cpp:1: floor may not include house/roof (house/roof/two.h)
house/roof: includes nothing of house/attic"
[ "$said" = "$expected" ] || { printf 'said:\n%s\n' "$said" >&2; exit 1; }

rm -r "$tree/house/cellar" "$tree/floor/upwards.cpp"
printf '    folder   holds   includes\n    floor   all   -\n    house/roof   rest   floor\n' >"$tree/CONTRIBUTING.md"
"$1" -B "$2" "$tree"
printf '    folder   holds   includes\n    floor   all   house/roof\n    house/roof   rest   floor\n' >"$tree/CONTRIBUTING.md"
"$1" -B "$2" "$tree" | grep -q 'floor: may include itself by way of others'
