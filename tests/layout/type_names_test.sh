#!/bin/sh
# type_names_test.sh PYTHON TYPE_NAMES: type_names.py finds types of one name, and only those that are in one namespace.
set -eu
python=$1 types=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/base"
printf 'namespace timeless {\n\nstruct Point {\n};\n\n} // namespace timeless\n' >"$root/base/one.cpp"
printf 'namespace timeless {\n\nnamespace {\n\nstruct Point {\n};\n\n} // namespace\n\n} // namespace timeless\n' >"$root/base/own.cpp"
printf 'namespace timeless::other {\n\nclass Point final : public Base {\n};\n\n} // namespace timeless::other\n' >"$root/base/other.h"
"$python" -B "$types" "$root" || { echo "finds what is not wrong"; exit 1; }
printf 'namespace timeless {\n\nnamespace part {\n\nclass Place;\n\n} // namespace part\n\nenum class Point : int {\n};\n\n} // namespace timeless\n' >"$root/base/two.cpp"
if said=$("$python" -B "$types" "$root"); then
  echo "finds nothing wrong"
  exit 1
fi
echo "$said" | grep -q 'timeless::Point is a type in base/one.cpp, base/two.cpp' || { echo "says: $said"; exit 1; }
[ "$(echo "$said" | wc -l)" -eq 1 ] || { echo "says too much: $said"; exit 1; }
