#!/usr/bin/env bash
# Who builds the target installed_parts and nothing else, as tools/quickstart does, can install.
# Usage: installed_parts.sh BUILD_DIRECTORY NINJA
set -euo pipefail
build=$1
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
# A word a line: what the commands write is among them.
"$2" -C "$build" -t commands installed_parts | tr ' ' '\n' | sed "s|^$build/||" | sort -u >"$commands"

checked=0
while read -r file; do
  # Made when CMake configures, or by it when it installs.
  case $file in *.cmake | */CMakeFiles/* | *'$'*) continue ;; esac
  [ ! -L "$build/$file" ] || continue
  checked=$((checked + 1))
  grep -qxF "$file" "$commands" || { echo "installed, but no part of installed_parts: $file" >&2; exit 1; }
done < <(find "$build" -name cmake_install.cmake -exec grep -hoE "\"$build/[^\"]+\"" {} + | tr -d '"' |
  sed "s|^$build/||" | grep -v '/cmake_install.cmake$' | sort -u)
[ "$checked" -gt 10 ] || { echo "only $checked installed files were found" >&2; exit 1; }
