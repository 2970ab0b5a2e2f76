#!/bin/bash
# Gathering across nodes, under a real mpirun. Nodes are processes with directories of their own, told apart by
# --node-name. Usage: gather_nodes_test.sh SCENARIO; the programs come in TIMELESS, TIMELESS_MPI, WRITE_RANK_FILES and
# MPIEXEC. Exit status 77 means that the scenario cannot be played here.
set -eu

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*"; [ ! -f messages ] || sed 's/^/  | /' messages; exit 1; }

# ranks_of NODE PER_NODE -> "4,5"
ranks_of() { seq -s, $(($1 * $2)) $(($1 * $2 + $2 - 1)); }

# write_nodes NODES [PER_NODE]: directories n0, n1, ... with the rank files of one run.
write_nodes() {
  local per_node=${2:-2} node
  for node in $(seq 0 $(($1 - 1))); do
    "$WRITE_RANK_FILES" "n$node" $(($1 * per_node)) "$(ranks_of "$node" "$per_node")" 60
  done
}

# gather NODES OPTIONS...: each process a node, with its own directory n<process>. Sets status; words go to messages.
gather() {
  local nodes=$1
  shift
  status=0
  "$MPIEXEC" -n "$nodes" bash -c '
    here=$OMPI_COMM_WORLD_RANK
    directories=(${DIRECTORIES:-})
    exec "$TIMELESS_MPI" gather "${directories[$here]:-n$here}" --node-name "node$here" "$@"' gather "$@" >messages 2>&1 || status=$?
}

expect_status() { [ "$status" -eq "$1" ] || fail "exit status $status instead of $1"; }
expect_words() { grep -qF -- "$1" messages || fail "not said: $1"; }

# What there is, to be compared later.
remember() { find . -type f ! -name messages ! -name 'state*' -exec sha256sum {} + | sort >state; find . | grep -v -e state -e messages | sort >>state; }
expect_untouched() {
  cp state state.before
  remember
  cmp -s state state.before || fail "files were changed: $(diff state.before state)"
}

# The gathered archive is byte for byte what merging all rank files on one machine gives.
expect_same_as_merged() {
  rm -rf all all.tia
  mkdir all
  for node in n*; do cp "$node"/rank-*.tia all; done
  "$TIMELESS" gather all -o all.tia >/dev/null
  cmp run.tia all.tia || fail "not what merging at once gives"
  rm -rf all all.tia
}

scenario_private_directories() {
  local nodes arity
  for nodes in 1 2 3 5 7; do
    rm -rf n? run.tia
    write_nodes $nodes
    remember
    for arity in 1 2 4; do
      [ $nodes -gt 2 ] || [ $arity -eq 2 ] || continue
      gather $nodes -k $arity -o run.tia
      expect_status 0
      expect_same_as_merged
      rm run.tia
      expect_untouched
    done
  done
}

scenario_shared_directory() {
  write_nodes 3
  mkdir shared
  cp n*/* shared
  DIRECTORIES="shared shared shared shared" gather 4 -k 2 -o run.tia
  expect_status 0
  expect_words "gathered 6 of 6 ranks into run.tia"
  expect_words "nodes     4, in 2 steps, k = 2"
  expect_same_as_merged
}

scenario_mixed_directories() {
  # Two nodes share what two others have each for themselves, and one node has nothing at all.
  write_nodes 4
  cp n1/* n0
  cp n0/* n1
  mkdir empty
  gather 5 -o run.tia
  expect_status 0
  expect_same_as_merged
}

scenario_idle_processes() {
  write_nodes 1 5
  status=0
  "$MPIEXEC" -n 3 "$TIMELESS_MPI" gather n0 -o run.tia >messages 2>&1 || status=$?
  expect_status 0
  [ "$(grep -c gathered messages)" = 1 ] || fail "said more than once"
  expect_same_as_merged
}

scenario_missing_ranks() {
  write_nodes 3
  rm n1/rank-000003.tia
  rm n2/*
  "$WRITE_RANK_FILES" n2 6 '5!' 60
  gather 3 -o run.tia
  expect_status 6
  expect_words "ranks 3, 4 missing"
  expect_words "rank 5 not finalized"
  "$TIMELESS" gather n0 -o n0.tia >/dev/null 2>messages && fail "a part of a run gathered without a word"
  expect_words "ranks 2-5 missing"
}

scenario_two_runs() {
  write_nodes 2
  "$WRITE_RANK_FILES" n2 6 4,5 60 999
  rm n0/* n1/*
  "$WRITE_RANK_FILES" n0 6 0,1 60
  "$WRITE_RANK_FILES" n1 6 2,3 60
  remember
  gather 3 -o run.tia
  expect_status 3
  expect_words "files of two runs"
  expect_words "(node0:n0/rank-000000.tia and node2:n2/rank-000004.tia)"
  [ "$(grep -c '^timeless: ' messages)" = 1 ] || fail "more than one message"
  expect_untouched
}

scenario_two_counters() {
  "$WRITE_RANK_FILES" n0 2 0 60 7 icount
  "$WRITE_RANK_FILES" n1 2 1 60 7 PAPI_TOT_INS
  remember
  gather 2 -o run.tia
  expect_status 3
  expect_words "rank 0 with icount (instructions, exact), rank 1 with PAPI_TOT_INS (instructions, exact)"
  expect_untouched
}

scenario_rank_twice() {
  write_nodes 2
  "$WRITE_RANK_FILES" n2 4 1 30
  remember
  gather 3 -o run.tia
  expect_status 3
  expect_words "rank 1 stands in two files (node0:n0/rank-000001.tia and node2:n2/rank-000001.tia)"
  expect_untouched
}

scenario_damaged_file() {
  write_nodes 3
  # In the middle of the file: found only when its blocks are copied.
  printf '\x5a\x5a\x5a\x5a' | dd of=n2/rank-000005.tia bs=1 seek=3000 conv=notrunc status=none
  remember
  gather 3 -o run.tia
  expect_status 3
  expect_words "(node2:n2/rank-000005.tia"
  expect_untouched
}

scenario_existing_output() {
  write_nodes 2
  echo precious >run.tia
  remember
  gather 2 -o run.tia
  expect_status 2
  expect_words "the output exists already"
  expect_untouched
  gather 2 -o run.tia --force
  expect_status 0
  expect_same_as_merged
}

scenario_no_files() {
  mkdir n0
  remember
  gather 3 -o run.tia
  expect_status 3
  expect_words "no node has rank files"
  expect_untouched
}

# The most memory each process had, for nodes with files of so many MiB: "0 <kilobytes>" and so on, a line each.
memory_of_gathering() {
  local node
  rm -rf n* run.tia memory
  for node in 0 1 2 3; do "$WRITE_RANK_FILES" "n$node" 4 "$node" "$(($1 * 13))" 7 icount 10000; done
  "$MPIEXEC" -n 4 python3 -c '
import os, resource, subprocess, sys
here = os.environ["OMPI_COMM_WORLD_RANK"]
status = subprocess.call([sys.argv[1], "gather", "n" + here, "--node-name", "node" + here] + sys.argv[2:])
with open("memory", "a") as file:
    file.write(f"{here} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}\n")
sys.exit(status)' "$TIMELESS_MPI" -k 1 -o run.tia >messages 2>&1 || fail "gathering ended with $?"
  sort -n memory
}

scenario_constant_memory() {
  # Three hops to the root, each of which could store what it receives.
  memory_of_gathering 8 >less
  local small large
  small=$(wc -c <run.tia)
  memory_of_gathering 32 >more
  large=$(wc -c <run.tia)
  [ $((large - small)) -gt 90000000 ] || fail "only $large bytes instead of $small"
  paste -d' ' less more | while read -r process before _ after; do
    [ $((after - before)) -lt 4096 ] || fail "process $process took $before KiB for $small bytes, $after for $large"
  done
  expect_same_as_merged
}

scenario_automatic_arity() {
  write_nodes 6
  remember
  gather 6 -k auto -o run.tia
  expect_status 0
  tr -s '\n ' ' ' <messages |
    grep -qE 'nodes 6, in [123] steps?, k = [1-5] \(measured: [^)]* from 1, [^)]* from 2, [^)]* from 4; disk [^)]*; latency' ||
    fail "not told what was measured"
  expect_same_as_merged
  rm run.tia
  expect_untouched
  gather 6 -k none -o run.tia
  expect_status 2
}

scenario_removal() {
  # Two nodes share a directory, the third has a copy of a file there, the fourth has nothing.
  write_nodes 3
  mkdir shared n3
  cp n0/* n1/* shared
  cp shared/rank-000002.tia n2
  touch n2/notes
  export DIRECTORIES="shared shared n2 n3"
  remember
  mv n2/rank-000005.tia .
  gather 4 -k 2 -o run.tia --remove
  expect_status 6
  expect_words "kept      the rank files, as the run is not whole"
  rm run.tia
  mv rank-000005.tia n2
  expect_untouched
  gather 4 -k 2 -o run.tia --remove
  expect_status 0
  expect_words "removed   7 rank files"
  [ ! -e shared ] || fail "left in shared: $(ls shared)"
  [ "$(ls n2)" = notes ] || fail "left in n2: $(ls n2)"
  rmdir n3
  "$WRITE_RANK_FILES" n2 6 4,5 60
  expect_same_as_merged
}

scenario_unwritable_output() {
  write_nodes 2
  remember
  gather 2 -o nowhere/run.tia
  expect_status 1
  expect_words "(node0:nowhere/run.tia)"
  expect_untouched
}

scenario_full_disk() {
  [ "$(id -u)" = 0 ] || { echo "SKIPPED: mounting a small file system needs root"; exit 77; }
  mkdir small
  mount -t tmpfs -o size=8k none small 2>/dev/null || { echo "SKIPPED: cannot mount a small file system here"; exit 77; }
  trap 'umount "$work/small"; rm -rf "$work"' EXIT
  write_nodes 4
  remember
  gather 4 -k 4 -o small/run.tia
  expect_status 1
  expect_words "No space left on device"
  expect_untouched
}

"scenario_$1"
echo "passed: $1"
