#!/usr/bin/env bash
# Installs into an empty prefix and goes the whole way with nothing but what is there.
# Usage: installed_tree.sh BUILD_DIRECTORY WAVEFRONT_PROGRAM
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader \
  HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio

build=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
cp "$program" "$work/wavefront"
cd "$work"

installed() {
  env -u LD_LIBRARY_PATH PATH="$work/prefix/bin:/usr/bin:/bin" "$@"
}

for file in bin/timeless bin/timeless-mpi share/timeless/platforms/graphene.xml share/man/man1/timeless.1 \
  share/man/man1/timeless-record.1 include/timeless.h include/timeless.f90; do
  [ -e "prefix/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done

installed mpirun -np 2 ./wavefront >untraced.out
installed timeless record -o recording --counter icount -- mpirun -np 2 ./wavefront >traced.out
cmp untraced.out traced.out
installed timeless gather recording -o run.tia
installed mpirun -np 1 timeless-mpi gather recording -o run-mpi.tia
installed timeless check run.tia
installed timeless dump run.tia >run.txt
installed timeless dump run-mpi.tia | cmp run.txt -
installed timeless replay run.tia --platform graphene >one.out
installed mpirun -np 2 timeless-mpi replay run.tia --platform graphene >two.out
cmp one.out two.out
installed timeless replay run.tia --platform graphene --backend smpi
installed timeless classify run.tia --network qdr
installed timeless sweep run.tia --network qdr --gain 10%
for file in bash-completion/completions/timeless zsh/site-functions/_timeless fish/vendor_completions.d/timeless.fish \
  doc/timeless/schema/sweep-1.json; do
  [ -s "prefix/share/$file" ] || { echo "share/$file is not installed" >&2; exit 1; }
done
installed man -l prefix/share/man/man1/timeless-record.1 | grep -q 'timeless record'

if grep -rlI "$build" prefix; then
  echo "the installed files above name the build directory" >&2
  exit 1
fi
