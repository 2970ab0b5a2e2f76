#!/usr/bin/env bash
# Installs into an empty prefix, builds the example program against what is there, and runs it on archives.
# Usage: installed_reader.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail

build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
# A copy, so that nothing of the source tree is found by accident.
cp -r "$source/examples/communication_matrix" "$work/example"
cmake -G Ninja -S "$work/example" -B "$work/built" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" >"$work/configure.log"
cmake --build "$work/built" >"$work/build.log" || { cat "$work/build.log" >&2; exit 1; }

# Every header that is installed stands on its own.
for header in $(cd "$work/prefix/include/timeless" && find . -name '*.h'); do
  echo "#include <${header#./}>" >"$work/header.cpp"
  c++ -std=c++20 -fsyntax-only -I "$work/prefix/include/timeless" "$work/header.cpp"
done

matrix=$work/built/communication_matrix
for fixture in v2-wavefront v2-calls; do
  "$matrix" "$source/tests/trace/fixtures/$fixture.tia" >"$work/$fixture"
  grep -q '^[24] ranks of ' "$work/$fixture"
  # What the program found, as "sender volume messages bytes", beside the same from the trace's text.
  awk '/ computes /{rank = $2; volume[rank] = $4} /^  to /{messages[rank] += $3; bytes[rank] += $5}
       END {for (rank in volume) print rank, volume[rank], messages[rank] + 0, bytes[rank] + 0}' \
    "$work/$fixture" | sort >"$work/found"
  awk '{size = 0; peer = 1; for (i = 4; i <= NF; ++i) {
          if ($i ~ /^volume=/ && $3 == "compute") volume[$1] += substr($i, 8)
          if ($i ~ /^bytes=/) size = substr($i, 7)}}
       $3 == "Finalize" {volume[$1] += 0}
       $3 ~ /^(Send|I[sbr]?send|[SBR]send|Sendrecv|Sendrecv_replace|Isendrecv|Isendrecv_replace)$/ && / peer=[0-9]/ {
         ++messages[$1]; bytes[$1] += size}
       END {for (rank in volume) print rank, volume[rank], messages[rank] + 0, bytes[rank] + 0}' \
    "$source/tests/trace/fixtures/$fixture.txt" | sort >"$work/expected"
  diff "$work/expected" "$work/found"
done

# Errors say what is wrong and give the exit code of their kind.
head -c 100 "$source/tests/trace/fixtures/v2-calls.tia" >"$work/cut.tia"
status=0
"$matrix" "$work/cut.tia" 2>"$work/error" || status=$?
[ "$status" = 3 ] || { echo "a cut archive gave exit code $status" >&2; exit 1; }
grep -q 'cut.tia' "$work/error"

# The documentation shows the very program.
awk '/^```cpp$/{inside = 1; next} /^```$/{inside = 0} inside' "$source/docs/reading-archives.md" |
  diff "$source/examples/communication_matrix/communication_matrix.cpp" -
sed -n 's/^    //p' "$source/docs/reading-archives.md" | head -5 |
  diff "$source/examples/communication_matrix/CMakeLists.txt" -
