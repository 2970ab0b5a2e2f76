#!/bin/bash
# The four acquisition modes for real: 6 ranks of one program are planned, recorded with icount and gathered on four hosts of
# two clusters, which are namespaces with an sshd each and Open MPI over TCP between them. What the ranks did is the same
# in all four archives, byte by byte. (The program neither prints nor allocates between MPI calls: the C library's buffers
# are shared with MPI, whose work differs.) Needs root.
# The programs come in TIMELESS, TIMELESS_MPI, PROGRAM and MPIEXEC. Exit status 77: cannot be played here.
set -eu

. "$(dirname "$0")/hosts.sh"

[ -n "${ICOUNT:-}" ] || skip "icount was not built"
[ -x "$PROGRAM" ] || skip "the program to record was not built"
start_hosts 4
start_sshd

cat >"$work/list" <<END
h1 slots=2 memory=1G cluster=east
h2 slots=2 memory=1G cluster=east
h3 slots=2 memory=1G cluster=east
h4 slots=1 memory=1G cluster=west
END

# What mpirun reads from the environment, so that the commands are those that `timeless plan` prints.
settings="env $mpi_environment OMPI_MCA_plm_rsh_agent='ssh -F $work/ssh_config' OMPI_MCA_btl=self,tcp \
  OMPI_MCA_btl_tcp_if_include=$network.0/24 OMPI_MCA_oob_tcp_if_include=$network.0/24 \
  PATH=$(dirname "$TIMELESS"):$(dirname "$MPIEXEC"):/usr/bin:/bin:/usr/sbin"

# play MODE HOSTS OPTION...: plans, records and gathers, and leaves $work/MODE.tia.
play() {
  local mode=$1 expected=$2
  shift 2
  mkdir "$work/$mode"
  on h1 "$settings timeless plan --ranks 6 --hosts $work/list --mode $mode --counter icount --memory-per-rank 80M -o $work/$mode/planned --json $* \
    -- $PROGRAM" </dev/null >"$work/$mode/plan.json" 2>"$work/messages" || fail "planning mode $mode"
  [ "$(grep -v '^#' "$work/$mode/planned" | sed 's/ slots=\([0-9]*\) .*/:\1/' | tr '\n' ' ')" = "$expected " ] ||
    fail "mode $mode is planned as $(cat "$work/$mode/planned")"
  run_planned "$mode" record_command
  [ "$(on h1 "ls $work/trace/$mode | grep -c tia")" = "$(echo "$expected" | sed 's/h1:\([0-9]*\).*/\1/')" ] ||
    fail "in mode $mode h1 has not the files of its own ranks only"
  run_planned "$mode" gather_command
  grep -q "gathered 6 of 6 ranks" "$work/messages" || fail "mode $mode: not all ranks gathered"
  "$TIMELESS" check "$work/$mode.tia" >"$work/messages" 2>&1 || fail "mode $mode: the ranks' actions do not fit together"
  "$TIMELESS" dump --json "$work/$mode.tia" >"$work/$mode/text"
}

# Runs a command of the plan on h1, with its names put in place of those it invents.
run_planned() {
  local mode=$1 command
  command=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/$mode/plan.json" "$2" |
    sed "s|recording.tia|$work/$mode.tia|; s|\brecording\b|$work/trace/$mode|")
  on h1 "cd $work && $settings timeout 300 $command" </dev/null >"$work/messages" 2>&1 || fail "mode $mode: $command"
}

started=$SECONDS
play R "h1:2 h2:2 h3:2"
play F "h1:6" --folding 3
play C "h1:2 h2:2 h3:1 h4:1"
play CF "h1:4 h4:2"
echo "four modes took $((SECONDS - started)) s"

for mode in F C CF; do
  cmp "$work/R/text" "$work/$mode/text" || fail "mode $mode does not read as mode R: $(diff "$work/R/text" "$work/$mode/text" | head -4)"
done
[ "$(wc -l <"$work/R/text")" -gt 1000 ] || fail "hardly anything was recorded"
"$(dirname "$0")/compare_blocks.py" "$work"/{R,F,C,CF}.tia || fail "the modes' archives differ"
echo "passed"
