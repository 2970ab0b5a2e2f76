#!/bin/bash
# Replaying under a real mpirun when something fails on one process alone: all come to an end, with a message.
# Usage: distributed_failures_test.sh FIXTURES; the programs come in TIMELESS_MPI and MPIEXEC.
set -eu

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio

trace=$1/v2-calls.tia
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fails STATUS TEXT COMMAND...: within a minute, with this status, saying this
fails() {
  local expected=$1 text=$2 status=0
  shift 2
  timeout 60 "$@" >"$work/out" 2>&1 </dev/null || status=$?
  [ "$status" -eq "$expected" ] || { echo "FAILED: $* ends with $status"; cat "$work/out"; exit 1; }
  grep -q "$text" "$work/out" || { echo "FAILED: $* does not say '$text'"; cat "$work/out"; exit 1; }
}

# Process 2 of 3 finds no archive, or one that is damaged where its ranks are, or no platform file.
replay() { echo "$TIMELESS_MPI" replay "$1" --network e1g --tolerance 1%; }
fails 3 "$work/none.tia" "$MPIEXEC" -np 2 $(replay "$trace") : -np 1 $(replay "$work/none.tia")
cp "$trace" "$work/damaged.tia"
printf 'damaged' | dd of="$work/damaged.tia" bs=1 seek=$(($(stat -c %s "$trace") * 5 / 6)) conv=notrunc status=none
fails 3 "damaged.tia" "$MPIEXEC" -np 2 $(replay "$trace") : -np 1 $(replay "$work/damaged.tia")
fails 3 "there is no such platform file" "$MPIEXEC" -np 2 "$TIMELESS_MPI" replay "$trace" --platform graphene \
  : -np 1 "$TIMELESS_MPI" replay "$trace" --platform "$work/none.xml"

# A process is killed in the middle: hundreds of configurations, each with its tolerances.
factors=$(seq -s, 1 600)
"$MPIEXEC" -np 3 "$TIMELESS_MPI" replay "$trace" --network e1g --latency "$factors" --tolerance 1%,2%,3% >"$work/out" 2>&1 &
launcher=$!
replaying() { pgrep -P "$launcher" -f 'timeless-mpi replay' | head -n 2 | tail -n 1; }
for _ in $(seq 200); do
  victim=$(replaying || true)
  [ -n "$victim" ] && break
  sleep 0.1
done
[ -n "$victim" ] || { echo "FAILED: nobody replays"; cat "$work/out"; exit 1; }
sleep 1
kill -KILL "$victim"
status=0
for _ in $(seq 600); do
  kill -0 "$launcher" 2>/dev/null || break
  sleep 0.1
done
if kill -0 "$launcher" 2>/dev/null; then
  echo "FAILED: still running a minute after a process was killed"
  kill -KILL "$launcher"
  exit 1
fi
wait "$launcher" || status=$?
[ "$status" -ne 0 ] || { echo "FAILED: a replay with a killed process ends with 0"; exit 1; }
