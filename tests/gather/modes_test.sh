#!/bin/bash
# The four acquisition modes for real: 8 ranks of one program are planned, recorded with icount and gathered on four hosts of
# two clusters, which are namespaces with an sshd each and Open MPI over TCP between them. What the ranks did is the same
# in all four archives, byte by byte. Needs root.
# The programs come in TIMELESS, TIMELESS_MPI, PROGRAM and MPIEXEC. Exit status 77: cannot be played here.
set -eu

. "$(dirname "$0")/hosts.sh"

[ -n "${ICOUNT:-}" ] || skip "icount was not built"
start_hosts 4
start_sshd

cat >"$work/list" <<END
h1 slots=3 memory=2G cluster=east
h2 slots=3 memory=2G cluster=east
h3 slots=2 memory=2G cluster=east
h4 slots=2 memory=2G cluster=west
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
  on h1 "$settings timeless plan --ranks 8 --hosts $work/list --mode $mode --counter icount -o $work/$mode/planned --json $* \
    -- $PROGRAM 12 2" </dev/null >"$work/$mode/plan.json" 2>"$work/messages" || fail "planning mode $mode"
  [ "$(grep -v '^#' "$work/$mode/planned" | sed 's/ slots=\([0-9]*\) .*/:\1/' | tr '\n' ' ')" = "$expected " ] ||
    fail "mode $mode is planned as $(cat "$work/$mode/planned")"
  run_planned "$mode" record_command
  [ "$(on h1 "ls $work/trace/$mode | grep -c tia")" = "$(echo "$expected" | sed 's/h1:\([0-9]*\).*/\1/')" ] ||
    fail "in mode $mode h1 has not the files of its own ranks only"
  run_planned "$mode" gather_command
  grep -q "gathered 8 of 8 ranks" "$work/messages" || fail "mode $mode: not all ranks gathered"
  "$TIMELESS" check "$work/$mode.tia" >"$work/messages" 2>&1 || fail "mode $mode: the ranks' actions do not fit together"
  "$TIMELESS" dump --json "$work/$mode.tia" >"$work/$mode/text"
}

# Runs a command of the plan on h1, with its names put in place of those it invents.
run_planned() {
  local mode=$1 command
  command=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/$mode/plan.json" "$2" |
    sed "s|recording.tia|$work/$mode.tia|; s|\brecording\b|$work/trace/$mode|")
  on h1 "cd $work && $settings timeout 120 $command" </dev/null >"$work/messages" 2>&1 || fail "mode $mode: $command"
}

started=$SECONDS
play R "h1:3 h2:3 h3:2" --measure
memory=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["memory_per_rank"])' "$work/R/plan.json")
play F "h1:8" --memory-per-rank "$memory" --folding 3
play C "h1:3 h2:3 h4:2" --memory-per-rank "$memory"
play CF "h1:5 h4:3" --memory-per-rank "$memory"
echo "four modes took $((SECONDS - started)) s; $((memory / 1048576)) MiB a rank"

for mode in F C CF; do
  cmp "$work/R/text" "$work/$mode/text" || fail "mode $mode does not read as mode R: $(diff "$work/R/text" "$work/$mode/text" | head -4)"
done
[ "$(wc -l <"$work/R/text")" -gt 500 ] || fail "hardly anything was recorded"
"$(dirname "$0")/compare_blocks.py" "$work"/{R,F,C,CF}.tia || fail "the modes' archives differ"
echo "passed"
