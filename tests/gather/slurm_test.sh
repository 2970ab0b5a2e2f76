#!/bin/bash
# Recording and gathering under Slurm: three hosts that are namespaces, with a slurmd each and one slurmctld, and Open MPI
# started by `srun --mpi=pmix`, or by mpirun in an allocation. Needs root, Slurm and munge. Everything of theirs (keys,
# sockets, states, logs) is in a directory of its own, so that a Slurm of this machine is not met.
# The programs come in TIMELESS, TIMELESS_MPI, PROGRAM and MPIEXEC. Exit status 77: cannot be played here.
set -eu

. "$(dirname "$0")/hosts.sh"
job_script=$(cd "$(dirname "$0")/../../examples" && pwd)/slurm_job.sh

for tool in slurmctld slurmd srun salloc sinfo munged; do
  PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip "no $tool here"
done
[ -x "$PROGRAM" ] || skip "the program to record was not built"

stop_slurm() {
  local file host
  for file in "$work"/slurm/slurmctld.pid "$work"/slurm/slurmd-*.pid "$work/munge/pid"; do
    [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 0.5
  # A step's own daemon may outlive the others.
  exec 2>/dev/null # of the shell, about what is killed here
  for host in $(seq "$hosts"); do
    ip netns pids "$hosts_name-$host" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
  done
  remove_hosts
}
trap stop_slurm EXIT

start_munge() {
  chmod 755 "$work"
  mkdir -p "$work/munge"
  head -c 128 /dev/urandom >"$work/munge/key"
  chmod 600 "$work/munge/key"
  munged --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/messages" 2>&1 || skip "munge does not start here"
}

start_slurm() {
  local host wait
  mkdir -p "$work/slurm/state"
  for host in $(seq "$hosts"); do mkdir "$work/slurm/spool-h$host"; done
  cat >"$work/slurm/slurm.conf" <<END
ClusterName=timeless
SlurmctldHost=h1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
ReturnToService=2
KillWait=2
StateSaveLocation=$work/slurm/state
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdSpoolDir=$work/slurm/spool-%n
SlurmdPidFile=$work/slurm/slurmd-%n.pid
SlurmdLogFile=$work/slurm/slurmd-%n.log
TmpFS=$work/trace
NodeName=h[1-$hosts] CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  # Nothing is asked of control groups, but slurmd looks for them unless told which.
  echo "CgroupPlugin=cgroup/v1" >"$work/slurm/cgroup.conf"
  on h1 "SLURM_CONF=$work/slurm/slurm.conf slurmctld" >"$work/messages" 2>&1 || skip "slurmctld does not start here"
  for host in $(seq "$hosts"); do
    on "h$host" "SLURM_CONF=$work/slurm/slurm.conf slurmd" >"$work/messages" 2>&1 || skip "slurmd does not start here"
  done
  on h1 "SLURM_CONF=$work/slurm/slurm.conf srun --mpi=list" 2>&1 | grep -q pmix || skip "this Slurm has no pmix"
  for wait in $(seq 60); do
    [ "$(on h1 "SLURM_CONF=$work/slurm/slurm.conf sinfo -h -t idle -o %D" 2>/dev/null)" != "$hosts" ] || return 0
    sleep 0.5
  done
  skip "Slurm's nodes do not come up here: $(tail -n 2 "$work/slurm/slurmd-h1.log" | tr '\n' ' ')"
}

# user COMMAND: what a user types on h1. Sets status; words go to messages.
user() {
  type_once "$@"
  if died_in_mpi_init; then
    echo "Open MPI died in its own MPI_Init (docs/gathering.md); typed once more: $*"
    local output
    output=$(echo "$*" | sed -n 's/.* -o \([^ ]*\).*/\1/p')
    rm -rf "$work"/disk-h*/"$(basename "${output:?}")"
    type_once "$@"
  fi
}
type_once() {
  status=0
  on h1 "cd $work && $settings timeout 300 $*" </dev/null >"$work/messages" 2>&1 || status=$?
}
# A jump to address 0 from libraries alone: a message that came before Open MPI's TCP transport was ready.
died_in_mpi_init() {
  [ "$status" = 139 ] && grep -q 'Failing at address: (nil)' "$work/messages" &&
    ! grep '\] \[ *[0-9]*\] ' "$work/messages" | grep -q 'timeless\|stencil'
}
expect_status() { [ "$status" = "$1" ] || fail "exit status $status instead of $1"; }
expect_words() { grep -q -- "$1" "$work/messages" || fail "not said: $1"; }

start_hosts 3
start_munge
PATH=$PATH:/usr/sbin
start_slurm
# Without the last, Open MPI's own MPI_Init ends in a segmentation fault more often (docs/gathering.md).
settings="env $mpi_environment SLURM_CONF=$work/slurm/slurm.conf OMPI_MCA_btl=self,tcp \
  OMPI_MCA_btl_tcp_if_include=$network.0/24 OMPI_MCA_oob_tcp_if_include=$network.0/24 \
  PATH=$(dirname "$TIMELESS"):$(dirname "$MPIEXEC"):/usr/bin:/bin:/usr/sbin SLURM_PMIX_DIRECT_CONN=false"

# Recorded under srun: each host has the files of its own ranks.
user timeless record --counter none -o "$work/trace/run" -- srun --mpi=pmix -N 3 -n 6 "$PROGRAM"
expect_status 0
for host in 1 2 3; do
  [ "$(ls "$work/disk-h$host/run" | grep -c '^rank-.*tia$')" = 2 ] || fail "h$host has not the files of its two ranks"
done
user srun --mpi=pmix -N 3 -n 6 timeless record --counter none -o "$work/trace/inside" -- "$PROGRAM"
expect_status 0
[ "$(ls "$work/disk-h3/inside" | grep -c '^rank-.*tia$')" = 2 ] || fail "recording inside of srun leaves no files"
user srun --mpi=pmix -N 3 -n 6 timeless record --counter none -o "$work/trace/inside" -- "$PROGRAM"
expect_status 2
expect_words "the directory already holds a recorded run"
user salloc -N 3 -n 6 timeless record --counter none -o "$work/trace/allocated" -- mpirun "$PROGRAM"
expect_status 0
[ "$(ls "$work/disk-h3/allocated" | grep -c '^rank-.*tia$')" = 2 ] || fail "recording by mpirun in an allocation leaves no files"

# The job script that docs/clusters.md hands out: records on the nodes' disks, gathers, checks and replays.
user sbatch --wait -N 3 -n 6 --export="ALL,LOCAL=$work/trace" "$job_script" "$PROGRAM"
expect_status 0
cp "$work"/timeless-*.log "$work/messages"
expect_words "gathered 6 of 6 ranks"
expect_words "consistent and complete"
expect_words "6 ranks: one rank per host"
[ -z "$(find "$work"/disk-h* -name 'rank-*.tia' -path '*timeless-*')" ] || fail "the job leaves files on the nodes"

# What gathering has to give, byte by byte.
mkdir "$work/all"
cp "$work"/disk-h*/run/rank-*.tia "$work/all"
"$TIMELESS" gather "$work/all" -o "$work/expected.tia" >"$work/messages"
expect_words "gathered 6 of 6 ranks"
"$TIMELESS" check "$work/expected.tia" >"$work/messages" 2>&1 || fail "the ranks' actions do not fit together"

# One process a node, and more of which one works.
user srun --mpi=pmix -N 3 --ntasks-per-node=1 timeless-mpi gather "$work/trace/run" -k 2 -o "$work/one.tia"
expect_status 0
expect_words "nodes     3, in 1 step"
cmp "$work/one.tia" "$work/expected.tia" || fail "not what merging at once gives"
user srun --mpi=pmix -N 3 -n 6 timeless-mpi gather "$work/trace/run" -o "$work/two.tia"
expect_status 0
expect_words "nodes     3, in 1 step"
cmp "$work/two.tia" "$work/expected.tia" || fail "not what merging at once gives"
user salloc -N 3 -n 6 mpirun --map-by ppr:1:node timeless-mpi gather "$work/trace/run" -o "$work/allocated.tia"
expect_status 0
expect_words "nodes     3, in 1 step"
cmp "$work/allocated.tia" "$work/expected.tia" || fail "not what merging at once gives"

# Statuses come through.
user srun --mpi=pmix -N 3 --ntasks-per-node=1 timeless-mpi gather "$work/trace/run" -o "$work/one.tia"
expect_status 2
expect_words "timeless: the output exists already"
user srun --mpi=pmix -N 2 --ntasks-per-node=1 timeless-mpi gather "$work/trace/run" -o "$work/partial.tia"
expect_status 6
expect_words "gathered 4 of 6 ranks"

# Without pmix Open MPI says that it cannot: nothing is written.
user srun --mpi=none -N 3 --ntasks-per-node=1 timeless-mpi gather "$work/trace/run" -o "$work/none.tia"
[ "$status" != 0 ] || fail "gathering without pmix says that all went well"
[ ! -e "$work/none.tia" ] || fail "an output without pmix"

# A process that dies takes the others along, and leaves the sources.
mkdir "$work/before"
cp -r "$work"/disk-h* "$work/before"
on h1 "cd $work && $settings timeout 300 srun --mpi=pmix --kill-on-bad-exit=1 -N 3 --ntasks-per-node=1 \
  sh -c '[ \$SLURM_PROCID = 2 ] && export LD_PRELOAD=$FAULT FAULT_CALLS=mpi FAULT_AT=20 FAULT_DO=KILL; \
  exec timeless-mpi gather $work/trace/run -o $work/killed.tia'" </dev/null >"$work/messages" 2>&1 && fail "no word of a killed process"
[ ! -e "$work/killed.tia" ] || fail "an output though a process was killed"
for host in 1 2 3; do diff -r "$work/before/disk-h$host/run" "$work/disk-h$host/run" || fail "sources were changed"; done
user srun --mpi=pmix -N 3 --ntasks-per-node=1 timeless-mpi gather "$work/trace/run" -o "$work/killed.tia" --remove
expect_status 0
cmp "$work/killed.tia" "$work/expected.tia" || fail "not what merging at once gives"
for host in 1 2 3; do [ ! -e "$work/disk-h$host/run" ] || fail "h$host keeps its files"; done
[ -z "$(find "$work" -maxdepth 1 -name '.timeless*')" ] || fail "something is left"
echo "passed"
