#!/bin/sh
# A real program that nobody here wrote: LAMMPS melts a crystal, plain and recorded. The thermodynamics must be the same
# to the last digit, the exit status too, and the trace whole.
#
# usage: lammps_test.sh TIMELESS
set -eu
timeless=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMP_NUM_THREADS=1 \
  HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio
if ! command -v lmp >/dev/null; then
  echo "SKIPPED: LAMMPS is not installed"
  exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/plain" "$place/recorded"
for run in plain recorded; do
  cat >"$place/$run/in.melt" <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
thermo_modify format float %20.15g
run 100
END
done

# The table of steps, without what it says of times.
thermodynamics() { sed -n '/^ *Step/,/^Loop/p' "$1" | grep -v '^Loop'; }

status=0
(cd "$place/plain" && timeout 120 mpirun -np 4 lmp -in in.melt >out 2>err) || status=$?
recorded_status=0
(cd "$place/recorded" && timeout 240 "$timeless" record --counter none -- mpirun -np 4 lmp -in in.melt >out 2>err) ||
  recorded_status=$?
echo "exit status: plain $status, recorded $recorded_status"
[ "$status" -eq 0 ] && [ "$recorded_status" -eq 0 ]
thermodynamics "$place/plain/out" >"$place/plain/table"
thermodynamics "$place/recorded/out" >"$place/recorded/table"
echo "comparing $(wc -l <"$place/plain/table") lines"
[ "$(wc -l <"$place/plain/table")" -eq 7 ]
diff "$place/plain/table" "$place/recorded/table"
tail -n 3 "$place/recorded/err"
grep -q 'recorded 4 of 4 ranks' "$place/recorded/err"
if grep 'warning' "$place/recorded/err"; then exit 1; fi
"$timeless" check "$place/recorded/timeless-trace"
"$timeless" gather "$place/recorded/timeless-trace" -o "$place/lammps.tia"
"$timeless" replay "$place/lammps.tia" --network e1g
