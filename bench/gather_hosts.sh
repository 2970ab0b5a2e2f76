#!/bin/bash
# Gathering from hosts that share nothing but a network, beside scp from one after the other and tar | ssh from all at once.
# The hosts are namespaces of this machine (see tests/gather/hosts.sh), each link limited to a rate; needs root, sshd and tc.
# usage: gather_hosts.sh BIN [HOSTS [MEBIBYTES_PER_HOST [MEGABITS_PER_SECOND]]]
# All ways end when the copy is on the disk of h1. Times are on the wall, as the user waits; "itself" leaves out starting and
# ending the MPI job.
set -eu

bin=$(realpath "$1")
count=${2:-5} mebibytes=${3:-32} megabits=${4:-1000}
. "$(dirname "$0")/../tests/gather/hosts.sh"
command -v tc >/dev/null || skip "no tc here"
start_hosts "$count"
start_sshd

for host in $(seq "$count"); do
  tc qdisc add dev "$hosts_name-$host" root tbf rate "${megabits}mbit" burst 256kb latency 50ms
  on "h$host" "tc qdisc add dev eth0 root tbf rate ${megabits}mbit burst 256kb latency 50ms"
  # 10,000 volumes a round that nothing makes smaller.
  on "h$host" "$bin/write_rank_files $work/trace $count $((host - 1)) $((mebibytes * 13)) 7 icount 10000"
done
bytes=$(cat "$work"/disk-h*/rank-*.tia | wc -c)
echo "$count hosts, $((bytes >> 20)) MiB in all, links of $megabits Mbit/s; the first host has a part itself"

now() { date +%s.%N; }

# report NAME SECONDS [SECONDS_ITSELF]
report() {
  reference=${reference:-$2}
  awk -v name="$1" -v seconds="$2" -v itself="${3:-}" -v bytes="$bytes" -v reference="$reference" 'BEGIN {
    printf "%-28s %7.2f s %7.1f MiB/s %5.2f of the first%s\n", name, seconds, bytes / seconds / 1048576, seconds / reference,
      itself == "" ? "" : sprintf(" (itself %.2f s)", itself) }'
}

# by_hand NAME COMMAND: a shell command on h1 that copies into $work/copy.
by_hand() {
  local start
  rm -rf "$work/copy"
  mkdir "$work/copy"
  start=$(now)
  on h1 "$2; sync $work/copy/*" >"$work/messages" 2>&1 || fail "$1"
  report "$1" "$(echo "$(now) $start" | awk '{print $1 - $2}')"
  [ "$(cat "$work"/copy/* | wc -c)" = "$bytes" ] || fail "$1 did not copy all"
}

others=$(seq -s' ' 2 "$count")
by_hand "scp, one after the other" "cp $work/trace/* $work/copy; for h in $others; do scp -O -q -F $work/ssh_config h\$h:$work/trace/* $work/copy; done"
by_hand "tar | ssh, all at once" "cp $work/trace/* $work/copy; for h in $others; do ssh -F $work/ssh_config h\$h tar cC $work/trace . | tar xC $work/copy & done; wait"

list=$(for host in $(seq "$count"); do printf 'h%s:1,' "$host"; done)
for arity in 1 2 4 auto; do
  start=$(now)
  on h1 "cd $work && exec env $mpi_environment timeout 300 mpirun --mca plm_rsh_agent $work/enter $mpi_options --oversubscribe \
    --host ${list%,} -n $count $bin/timeless-mpi gather $work/trace --json --force -k $arity -o $work/run.tia" \
    </dev/null >"$work/answer" 2>"$work/messages" || fail "gathering"
  total=$(echo "$(now) $start" | awk '{print $1 - $2}')
  report "timeless-mpi gather -k $arity" "$total" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["seconds"])' "$work/answer")"
done
