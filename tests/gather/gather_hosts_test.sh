#!/bin/bash
# Gathering across hosts that share nothing but a network: namespaces of network, host name and mounts on one machine,
# each with a private directory under the same path, and Open MPI over TCP between them. Needs root.
# The programs come in TIMELESS, TIMELESS_MPI, WRITE_RANK_FILES and MPIEXEC. Exit status 77: cannot be played here.
set -eu

. "$(dirname "$0")/hosts.sh"

start_hosts 3
for host in $(seq $hosts); do
  "$work/enter" "h$host" "$WRITE_RANK_FILES" "$work/trace" 6 "$((2 * host - 2)),$((2 * host - 1))" 300
done
[ -z "$(ls "$work/trace")" ] || fail "the hosts' directories are not private"

run_on_hosts() {
  on h1 "cd $work && exec env $mpi_environment timeout 90 $MPIEXEC --mca plm_rsh_agent $work/enter $mpi_options \
    --oversubscribe --host h1:2,h2:2,h3:2 --map-by slot -n 6 $*" </dev/null >"$work/messages" 2>&1
}

run_on_hosts "$TIMELESS_MPI" gather "$work/trace" -k 2 -o "$work/run.tia" || fail "gathering ended with $?"
grep -q "gathered 6 of 6 ranks" "$work/messages" || fail "not all ranks gathered"
grep -q "nodes     3, in 1 step" "$work/messages" || fail "not one node per host"

mkdir "$work/all"
for host in $(seq $hosts); do
  cp "$work/disk-h$host"/rank-*.tia "$work/all"
  [ "$(ls -A "$work/disk-h$host" | wc -l)" = 2 ] || fail "host $host keeps more than its rank files"
done
"$TIMELESS" gather "$work/all" -o "$work/all.tia" >/dev/null
cmp "$work/run.tia" "$work/all.tia" || fail "not what merging at once gives"

# The same rank on two hosts: the message names both.
cp "$work/disk-h2/rank-000002.tia" "$work/disk-h3/"
printf '\0' >>"$work/disk-h3/rank-000002.tia"
if run_on_hosts "$TIMELESS_MPI" gather "$work/trace" -o "$work/again.tia"; then fail "a clash of names went unnoticed"; fi
grep -q "rank 2 stands in two files (h2:.* and h3:" "$work/messages" || fail "the clash is not told with its hosts"
[ ! -e "$work/again.tia" ] || fail "an output in spite of the clash"
echo "passed"
