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
  timeout 300 "$MPIEXEC" -np "$processes" "$TIMELESS_MPI" replay "$@" --json >"$work/many" 2>"$work/many.err" || status=$?
  [ "$status" -eq "$expected" ] || { echo "FAILED: $processes processes, $* ends with $status"; cat "$work/many.err"; exit 1; }
  cmp "$work/one" "$work/many" || { echo "FAILED: $processes processes, $* differs"; exit 1; }
}

for processes in 1 2 3 5 9; do
  same "$processes" 0 "$fixtures/v2-wavefront.tia" --network e1g,qdr --latency x1,x2
done
# Whatever is asked, of 4 ranks: of 5 and 9 processes some have none.
answers="--by kernel --tolerance 1%,5% --critical-path --per-rank"
for processes in 2 3 9; do
  same "$processes" 0 "$fixtures/v2-calls.tia" --platform graphene --latency x1,x4 $answers
done
same 3 0 "$fixtures/v2-calls.tia" --network e1g,qdr --by call --collectives schedule --critical-path
same 2 0 "$fixtures/v2-wavefront.tia" --network e1g --eager-limit 100 --critical-path --tolerance 2%
same 2 0 "$fixtures/v2-calls.tia" --platform graphene --cfg network/TCP-gamma:1000
same 2 2 "$fixtures/v2-calls.tia" --platform graphene --cfg network/TCP-gamma
same 2 2 "$fixtures/v2-calls.tia" --network e1g --cfg network/TCP-gamma:1000
same 2 3 "$fixtures/v2-wavefront.tia" --platform nowhere
same 2 3 "$fixtures/v2-wavefront.tia" --platform "$fixtures/v2-wavefront.tia"
same 2 2 "$fixtures/v2-wavefront.tia" --network e1g --ports receiver --completions listed
for format in perfetto paje csv text; do
  "$TIMELESS" replay "$fixtures/v2-calls.tia" --network e1g --force --timeline "$work/one" --timeline-format "$format" >"$work/out"
  timeout 300 "$MPIEXEC" -np 3 "$TIMELESS_MPI" replay "$fixtures/v2-calls.tia" --network e1g \
    --force --timeline "$work/many" --timeline-format "$format" >"$work/out"
  cmp "$work/one" "$work/many" || { echo "FAILED: the $format timeline differs"; exit 1; }
done
part="--timeline-window ..0.002 --timeline-ranks 1-2 --timeline-format paje"
"$TIMELESS" replay "$fixtures/v2-calls.tia" --network e1g --force --timeline "$work/one" $part >"$work/out"
timeout 300 "$MPIEXEC" -np 3 "$TIMELESS_MPI" replay "$fixtures/v2-calls.tia" --network e1g --force --timeline "$work/many" \
  $part >"$work/out"
cmp "$work/one" "$work/many"
for trace in v2-windows v2-calls v2-further-calls; do
  same 3 0 "$fixtures/$trace.tia" --network e10g --collectives schedule --ports receiver
done
same 2 0 "$fixtures/v2-wavefront.tia" --network e1g --eager-limit 100 --per-rank
# Iterations that repeat.
awk 'BEGIN {
  for (i = 0; i < 300; ++i)
    for (r = 0; r < 4; ++r) {
      print r, "compute", 20000 + 1000 * r
      send = r " send " (r + 1) % 4 " 0 800 0"
      receive = r " recv " (r + 3) % 4 " 0 800 0"
      print r % 2 ? receive "\n" send : send "\n" receive
      print r, "allreduce 8 0 0"
    }
}' >"$work/ring.txt"
"$TIMELESS" convert --from ti "$work/ring.txt" -o "$work/ring.tia" >"$work/out"
for processes in 1 2 5; do
  same "$processes" 0 "$work/ring.tia" --network e1g,qdr --jump
  grep -q '"jumped_actions"' "$work/many"
done
same 2 0 "$work/ring.tia" --network e1g --jump --by call
same 3 0 "$work/ring.tia" --network e1g --iterations 5000 --eager-limit 100
same 3 2 "$work/ring.tia" --network e1g --iterations 50
same 2 0 "$work/ring.tia" --network e1g --every-action --tolerance 1%
same 2 0 "$work/ring.tia" --network e1g --sample 20%
# Rank 1 is missing.
same 3 3 "$fixtures/v2-windows/rank-000000.tia" --network e1g
same 2 2 "$fixtures/v2-wavefront.tia" --network e1g --eager-limit much
same 2 6 "$fixtures/v2-windows.tia" --network e1g --strict

status=0
timeout 300 "$MPIEXEC" -np 2 "$TIMELESS_MPI" replay "$fixtures/v2-wavefront.tia" >"$work/out" 2>&1 || status=$?
[ "$status" -eq 2 ]
grep -q 'timeless: no machine to replay on' "$work/out"

# refused STATUS TEXT OPTION...: what several processes do not do, and what one of them alone finds wrong
refused() {
  local expected=$1 text=$2 status=0
  shift 2
  timeout 300 "$MPIEXEC" -np 3 "$TIMELESS_MPI" replay "$fixtures/v2-wavefront.tia" "$@" >"$work/out" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || { echo "FAILED: $* ends with $status"; cat "$work/out"; exit 1; }
  grep -q "$text" "$work/out" || { echo "FAILED: $* does not say '$text'"; cat "$work/out"; exit 1; }
}
refused 2 'SMPI simulates all ranks in one process' --platform graphene --backend smpi
refused 2 'the processes divide the ranks' --network e1g --threads 2
refused 2 'several processes replay the volumes that were recorded' --network e1g --within 1e-5
refused 2 "there is no configuration 'fast' to show" --network e1g --force --timeline "$work/line" --timeline-lane fast
refused 1 'cannot write' --network e1g --force --timeline "$work/nowhere/line"
[ ! -e "$work/line" ]

timeout 300 "$MPIEXEC" -np 3 "$TIMELESS_MPI" replay "$fixtures/v2-wavefront.tia" --network e1g --per-process --json >"$work/out"
grep -q '"waited_seconds"' "$work/out"
