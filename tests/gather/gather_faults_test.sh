#!/bin/bash
# Gathering while calls fail and processes die: each fault in turn, at each of the calls in question (see fault.c).
# Whatever happens, the sources are as they were or the archive is whole under its name, nothing hangs, nothing half is
# left under that name, and gathering again finishes.
# Usage: gather_faults_test.sh SCENARIO; the programs come in TIMELESS, TIMELESS_MPI, WRITE_RANK_FILES, MPIEXEC and FAULT.
set -eu

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio
# A sanitized program takes a preloaded library that is not its run time.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*"; [ ! -f messages ] || sed 's/^/  | /' messages; exit 1; }

# write_nodes NODES [ROUNDS]: the rank files of one run in n0, n1, ..., kept in original too, and what gathering them gives.
write_nodes() {
  local node
  for node in $(seq 0 $(($1 - 1))); do
    "$WRITE_RANK_FILES" "n$node" $(($1 * 2)) "$((2 * node)),$((2 * node + 1))" "${2:-400}"
  done
  mkdir original all
  cp -r n* original
  cp n*/* all
  "$TIMELESS" gather all -o expected.tia >/dev/null
  rm -r all
}

# What must hold after a gather, however it ended. What may be left of the archive in the making is removed by the next.
expect_nothing_lost() {
  if [ -e run.tia ]; then
    cmp run.tia expected.tia || fail "$1: the output is not the archive"
    return
  fi
  diff -r original current >/dev/null || fail "$1: sources were changed, and there is no archive"
}

# Where the scenarios gather from and to: run.tia, current/n*.
reset() {
  rm -rf current run.tia
  cp -r original current
}

expect_no_leftovers() { [ -z "$(find . -name '.timeless*')" ] || fail "$1: $(find . -name '.timeless*') left"; }

# with_faults NAME=VALUE... -- COMMAND...: sets status; words go to messages.
with_faults() {
  local faults=()
  while [ "$1" != -- ]; do faults+=("$1"); shift; done
  shift
  status=0
  timeout 60 env "${faults[@]}" LD_PRELOAD="$FAULT" "$@" >messages 2>&1 || status=$?
  [ $status -ne 124 ] || fail "${faults[*]}: hangs"
}

calls_of_files=pread,pwrite,write,fallocate,fsync,rename,unlink

# All calls on files of one process, on this machine.
scenario_one_process() {
  local calls at fault
  write_nodes 2
  mkdir one
  cp original/*/* one
  mv one original/one
  rm -rf original/n*
  reset
  with_faults FAULT_CALLS=$calls_of_files FAULT_FILE="$work" FAULT_COUNT="$work/count" -- \
    "$TIMELESS" gather current/one -o run.tia
  [ $status = 0 ] || fail "without faults"
  calls=$(cut -d' ' -f2 count)
  [ "$calls" -gt 100 ] || fail "only $calls calls were seen"
  for fault in EIO ENOSPC KILL; do
    for at in $(seq 1 $((calls / 20 + 1)) "$calls") $((calls - 2)) $((calls - 1)) "$calls"; do
      reset
      with_faults FAULT_CALLS=$calls_of_files FAULT_FILE="$work" FAULT_AT="$at" FAULT_DO=$fault -- \
        "$TIMELESS" gather current/one -o run.tia
      expect_nothing_lost "$fault at call $at"
      case $fault in
        KILL) [ $status -eq 137 ] || fail "not killed at call $at: $status" ;;
        *)
          [ $status -eq 0 ] || grep -q '^timeless: ' messages || fail "$fault at call $at: not a word"
          [ $status -ne 0 ] || [ -e run.tia ] || fail "$fault at call $at: success without an archive"
          ;;
      esac
      rm -f run.tia
      "$TIMELESS" gather current/one -o run.tia >messages 2>&1 || fail "$fault at call $at: not gathered again"
      cmp run.tia expected.tia
      expect_no_leftovers "$fault at call $at"
    done
  done
}

# Removing the sources: at no moment is a source gone before the archive is there.
scenario_removal() {
  local calls at
  write_nodes 2
  mkdir original/one
  mv original/n*/* original/one
  rmdir original/n*
  reset
  with_faults FAULT_CALLS=$calls_of_files FAULT_FILE="$work" FAULT_COUNT="$work/count" -- \
    "$TIMELESS" gather current/one -o run.tia --remove
  [ $status = 0 ] || fail "without faults"
  [ ! -e current/one ] || fail "the directory is still there"
  calls=$(cut -d' ' -f2 count)
  for at in $(seq 1 $((calls / 10 + 1)) "$calls") $(seq $((calls - 12)) "$calls"); do
    reset
    with_faults FAULT_CALLS=$calls_of_files FAULT_FILE="$work" FAULT_AT="$at" FAULT_DO=KILL -- \
      "$TIMELESS" gather current/one -o run.tia --remove
    expect_nothing_lost "killed at call $at"
  done
}

# While another process holds the lock on the output, a gather says so and changes nothing.
scenario_two_at_once() {
  local lock holder
  write_nodes 2
  reset
  with_faults FAULT_CALLS=pwrite FAULT_FILE=.timeless FAULT_AT=1 FAULT_DO=KILL -- "$TIMELESS" gather current/n0 -o run.tia
  [ $status = 137 ] || fail "not killed: $status"
  lock=$(ls .timeless-lock-*)
  flock "$lock" sleep 300 &
  holder=$!
  until ! flock -n "$lock" true; do sleep 0.05; done
  find . -name '.timeless*' | sort >before
  for command in "$TIMELESS gather current/n0 -o run.tia" "$TIMELESS gather current/n0 -o run.tia --force" \
    "$MPIEXEC -n 1 $TIMELESS_MPI gather current/n0 -o run.tia"; do
    status=0
    timeout 60 $command >messages 2>&1 || status=$?
    [ $status = 1 ] || fail "exit status $status of $command"
    grep -q "another process is gathering into this file (.*run.tia)" messages || fail "not told why"
    find . -name '.timeless*' | sort | cmp - before || fail "something of the other's was touched"
    expect_nothing_lost "$command"
    [ ! -e run.tia ] || fail "an output in spite of the other"
  done
  pkill -P $holder sleep
  wait $holder || true
  status=0
  "$TIMELESS" gather current/n0 -o run.tia >messages 2>&1 || status=$?
  [ $status = 6 ] || fail "not gathered when the other was gone"
  expect_no_leftovers "in the end"
}

gather_nodes() {
  local nodes=$1
  shift
  status=0
  timeout 60 "$MPIEXEC" -n "$nodes" bash -c '
    here=$OMPI_COMM_WORLD_RANK
    export LD_PRELOAD=$FAULT
    exec "$TIMELESS_MPI" gather "current/n$here" --node-name "node$here" "$@"' gather -o run.tia -k "${ARITY:-2}" "$@" \
    >messages 2>&1 || status=$?
  [ $status -ne 124 ] || fail "hangs"
}

expect_nobody_left() {
  ! pgrep -f "$work" >/dev/null || fail "$1: processes are left: $(pgrep -af "$work")"
}

# Of 5 processes and arity 2, process 0 is the root, 3 has one below it, and that is 4.
scenario_killed_nodes() {
  local nodes=5 process at calls step
  write_nodes $nodes
  reset
  export FAULT_CALLS=$calls_of_files,mpi FAULT_FILE=$work FAULT_COUNT=$work/count
  gather_nodes $nodes
  [ $status = 0 ] || fail "without faults"
  cmp run.tia expected.tia
  unset FAULT_COUNT
  export FAULT_DO=KILL FAULT_RANK FAULT_AT
  for process in 0 3 4; do
    calls=$(sed -n "s/^$process //p" count)
    for step in $((1 + process)) $((30 + process)) $((60 + process)) 98; do
      FAULT_RANK=$process
      FAULT_AT=$((calls * step / 100 + 1))
      reset
      gather_nodes $nodes
      [ $status -ne 0 ] || fail "process $process was not killed at call $FAULT_AT of $calls"
      expect_nothing_lost "process $process killed at call $FAULT_AT of $calls"
    done
  done
  unset FAULT_DO
  rm -f run.tia
  gather_nodes $nodes
  [ $status = 0 ] || fail "gathering again ended with $status"
  cmp run.tia expected.tia
  expect_no_leftovers "in the end"
}

# Of 4 processes and arity 1, process 0 is the root, 2 has 3 below it, and 1 and 3 have nobody. Each is killed before each
# of its MPI calls and of its calls on files, or, unless EVERY is 1, before every so manieth.
scenario_every_step() {
  local nodes=4 ARITY=1 process calls stride=${EVERY:-23} all=0 played=0
  write_nodes $nodes 4
  reset
  export FAULT_CALLS=$calls_of_files,mpi FAULT_FILE=$work FAULT_COUNT=$work/count
  gather_nodes $nodes --remove
  [ $status = 0 ] || fail "without faults"
  cmp run.tia expected.tia
  unset FAULT_COUNT
  export FAULT_RANK FAULT_AT
  for process in $(seq 0 $((nodes - 1))); do
    calls=$(sed -n "s/^$process //p" count)
    [ "$calls" -gt 20 ] || fail "only $calls calls of process $process were seen"
    all=$((all + calls))
    for FAULT_AT in $(seq $((1 + 5 * process % stride)) "$stride" "$calls"); do
      FAULT_RANK=$process
      reset
      export FAULT_DO=KILL
      gather_nodes $nodes --remove
      # How many receives are asked for one after the other differs a little from run to run.
      if [ $status -eq 0 ]; then
        [ $((calls - FAULT_AT)) -lt 12 ] || fail "process $process was not killed at call $FAULT_AT of $calls"
        continue
      fi
      played=$((played + 1))
      grep -q "exited on signal 9 (Killed)" messages || fail "process $process killed at call $FAULT_AT: not a word"
      expect_nothing_lost "process $process killed at call $FAULT_AT of $calls"
      [ ! -e run.tia ] || continue # whole, as compared just now; there may be nothing left to gather
      unset FAULT_DO
      gather_nodes $nodes
      [ $status = 0 ] || fail "gathering again after process $process was killed at call $FAULT_AT ended with $status"
      cmp run.tia expected.tia
      expect_no_leftovers "after process $process was killed at call $FAULT_AT"
    done
  done
  echo "killed at $played of $all steps"
  [ $played -ge $((all / stride - 4 * nodes)) ] || fail "hardly anything was killed"
}

# Errors in one process end all, with the reason told once.
scenario_failing_nodes() {
  local nodes=5 process
  write_nodes $nodes
  export FAULT_CALLS FAULT_FILE FAULT_AT FAULT_DO FAULT_RANK
  for process in 0 3 4; do
    reset
    FAULT_CALLS=pread FAULT_FILE=rank- FAULT_AT=100 FAULT_DO=EIO FAULT_RANK=$process
    gather_nodes $nodes
    [ $status = 1 ] || fail "exit status $status"
    grep -q "Input/output error (node$process:current/n$process/rank-" messages || fail "not told what and where"
    [ "$(grep -c '^timeless: ' messages)" = 1 ] || fail "not told once"
    [ ! -e run.tia ] || fail "an output in spite of the error"
    expect_nothing_lost "EIO in process $process"
    expect_no_leftovers "EIO in process $process"
  done
  FAULT_CALLS=pwrite FAULT_FILE=.timeless FAULT_DO=ENOSPC FAULT_RANK=0
  for FAULT_AT in 1 3; do
    gather_nodes $nodes
    [ $status = 1 ] || fail "exit status $status"
    grep -q "No space left on device (node0:run.tia)" messages || fail "not told what and where"
    expect_nothing_lost "ENOSPC"
    expect_no_leftovers "ENOSPC"
  done
}

"scenario_$1"
expect_nobody_left "$1"
echo "passed: $1"
