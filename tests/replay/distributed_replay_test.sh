#!/bin/bash
# Replaying under a real mpirun: the answer of several processes is that of one, byte by byte.
# Usage: distributed_replay_test.sh FIXTURES; the programs come in TIMELESS, TIMELESS_MPI and MPIEXEC.
set -eu

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio

fixtures=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# same PROCESSES EXPECTED_STATUS OPTION...: with and without mpirun
same() {
  local processes=$1 expected=$2 status=0
  shift 2
  "$TIMELESS" replay "$@" --json >"$work/one" 2>"$work/one.err" || status=$?
  [ "$status" -eq "$expected" ] || { echo "FAILED: $* ends with $status"; cat "$work/one.err"; exit 1; }
  status=0
  timeout 60 "$MPIEXEC" -np "$processes" "$TIMELESS_MPI" replay "$@" --json >"$work/many" 2>"$work/many.err" || status=$?
  [ "$status" -eq "$expected" ] || { echo "FAILED: $processes processes, $* ends with $status"; cat "$work/many.err"; exit 1; }
  cmp "$work/one" "$work/many" || { echo "FAILED: $processes processes, $* differs"; exit 1; }
}

for processes in 1 2 3 5 9; do
  same "$processes" 0 "$fixtures/v2-wavefront.tia" --network e1g,qdr --latency x1,x2
done
for trace in v2-windows v1-calls v1-further-calls; do
  same 3 0 "$fixtures/$trace.tia" --network e10g --collectives schedule --ports receiver
done
same 2 0 "$fixtures/v2-wavefront.tia" --network e1g --eager-limit 100 --per-rank
# Rank 1 is missing.
same 3 3 "$fixtures/v1-regions/rank-000000.tia" --network e1g
same 2 2 "$fixtures/v2-wavefront.tia" --network e1g --eager-limit much
same 2 6 "$fixtures/v2-windows.tia" --network e1g --strict

status=0
timeout 60 "$MPIEXEC" -np 2 "$TIMELESS_MPI" replay "$fixtures/v2-wavefront.tia" >"$work/out" 2>&1 || status=$?
[ "$status" -eq 2 ]
grep -q 'timeless: no machine to replay on' "$work/out"
