#!/usr/bin/env bash
# cpack makes Debian packages that lintian has nothing to say of, and what they hold works where they are unpacked.
# Usage: debian_packages.sh BUILD_DIRECTORY WAVEFRONT_PROGRAM
set -euo pipefail
. "$(dirname "$0")/../../tools/setup.sh"
allow_folding

build=$1
program=$2
for tool in dpkg-deb dpkg-shlibdeps lintian; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cpack --config "$build/CPackConfig.cmake" -B "$work/packages" >cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
lintian --allow-root packages/*.deb | tee lintian.log
[ ! -s lintian.log ] || { echo "lintian has something to say" >&2; exit 1; }

for package in packages/*.deb; do
  dpkg-deb -c "$package" >"$package.files"
  dpkg-deb -x "$package" root
done
for name in timeless libtimeless-dev; do
  [ "$(dpkg-deb -f packages/${name}_*.deb Package)" = "$name" ] || { echo "no package $name" >&2; exit 1; }
  [ -s "root/usr/share/doc/$name/copyright" ] || { echo "$name: no copyright" >&2; exit 1; }
done
dpkg-deb -f packages/timeless_*.deb Depends | grep -q 'valgrind.*libsimgrid' || { echo "dependencies are missing" >&2; exit 1; }
if grep '/include/timeless/\|\.a$' packages/timeless_*.files >&2; then
  echo "the library to read archives is in timeless" >&2
  exit 1
fi
grep -q 'lib/cmake/Timeless/TimelessConfig.cmake' packages/libtimeless-dev_*.files || { echo "no find_package(Timeless)" >&2; exit 1; }

export PATH=$work/root/usr/bin:/usr/bin:/bin
cp "$program" wavefront
timeless record -o recording --counter icount -- mpirun -np 2 ./wavefront >/dev/null
timeless gather recording -o run.tia >/dev/null
timeless replay run.tia --platform graphene --backend smpi >/dev/null
MANPATH=$work/root/usr/share/man man -w timeless-record timeless-mpi >/dev/null
