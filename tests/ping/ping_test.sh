#!/usr/bin/env bash
# timeless-mpi ping under mpirun: every experiment is measured, what is written is whole, what cannot be is refused.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "$*" >&2
  exit 1
}

# measured RAW EXPERIMENT...: says which of the experiments a raw file does not have.
measured() {
  local raw=$1 experiment
  shift
  for experiment; do
    grep -q -e "^$experiment," -e "^# no common start: [0-9]* of $experiment" "$raw" || echo "no $experiment in $raw; "
  done
}

# Whatever the limit is here, the search ends beside it: with the largest message of all, or two sizes one byte apart.
search_ended() {
  awk -F, '$1 == "delayed_send" {seen[$5] = 1; if ($10 < $7 / 2) eager[$5] = 1}
    END {for (size in seen) if (size == 1 || (size - 1) in seen) exit 0; exit !(100000 in eager)}' "$1" ||
    echo "the search for the eager limit did not end"
}

# Where processors do other work, the longest time may not suffice: then the test says nothing, and is skipped.
too_busy() {
  echo "the processors do too much else: $*" >&2
  exit 77
}
# Whether something was measured twice that each round has once: a round was whole.
had_a_round() {
  awk -F, '$4 == 0 && $8 == 0 && $1 ~ /^(send|isend|receive|overlap|copy|reduction)$/ && ++orders[$1] > 1 {whole = 1}
    END {exit !whole}' "$1"
}
# Whether the search had more sizes than doubling and halving need.
had_sizes() {
  [ "$(awk -F, '$1 == "delayed_send" && $8 == 0' "$1" | wc -l)" -gt 24 ]
}

# await_measurements RAW: waits until what runs as $measuring has measured something.
await_measurements() {
  until grep -qs '^round_trip,' "$1"; do
    kill -0 "$measuring" 2>/dev/null || fail "ended before it had measured anything: $(cat err)"
    sleep 0.1
  done
}

# What was measured before an interruption stays, and that is what it says. The rank that writes is interrupted itself, and
# says so into a file: mpirun may end before it has passed on what its ranks say.
timeout 300 "$MPIEXEC" -np 2 sh -c 'echo $$ >process.$OMPI_COMM_WORLD_RANK
  exec "$0" ping -o interrupted.csv --budget 60s 2>said.$OMPI_COMM_WORLD_RANK' "$TIMELESS_MPI" >out 2>err &
measuring=$!
await_measurements interrupted.csv
kill -TERM "$(cat process.0)"
wait $measuring && fail "status 0 of an interruption"
grep -q '^round_trip,' interrupted.csv || fail "what was measured before the interruption did not stay"
grep -q 'what was measured before is kept, and --from reads it: interrupted.csv' said.0 || fail "says of an interruption: $(cat said.0 err)"
! grep -q 'are removed' said.* err || fail "says that what stays is removed: $(cat said.* err)"

for budget in 2s 8s 40s; do
  rm -f raw.csv
  "$MPIEXEC" -np 2 "$TIMELESS_MPI" ping -o raw.csv --budget $budget --max-bytes 100000 >out 2>err || fail "$(cat err)"
  missing=$(
    measured raw.csv round_trip send isend receive train delayed_send delayed_isend overlap copy reduction barrier \
      broadcast reduce allreduce gather allgather alltoall scatter reduce_scatter_block scan
  )
  search=$(search_ended raw.csv)
  [ -n "$missing$search" ] || break
done
[ -z "$missing" ] || ! had_a_round raw.csv || fail "$missing"
[ -z "$search" ] || ! had_sizes raw.csv || fail "$search"
[ -z "$missing$search" ] || too_busy "$missing$search"
grep -q 'measurements in raw.csv' out || fail "says: $(head -c 300 out)"
[ "$(head -n 1 raw.csv)" = "# format: timeless.ping/1" ] || fail "$(head -n 1 raw.csv)"
[ "$(grep -c '^# rank: 0 on ' raw.csv)" = 2 ] || fail "two ranks of one node: $(head raw.csv)"
awk -F, '/^#/ || /^experiment/ {next} NF != 10 || $10 < 0 || $5 > 100000 {print; exit 1}' raw.csv || fail "a wrong line"

timeout 60 "$MPIEXEC" -np 2 "$TIMELESS_MPI" ping -o raw.csv --budget 1s >out 2>err && fail "replaced raw.csv"
grep -q 'raw.csv' err || fail "$(cat err)"
"$MPIEXEC" -np 1 "$TIMELESS_MPI" ping --budget 1s >out 2>err && fail "measured with one rank"
grep -q 'mpirun -np 2' err || fail "$(cat err)"
for budget in 4s 40s; do
  "$MPIEXEC" -np 3 "$TIMELESS_MPI" ping --budget $budget --max-bytes 4096 >raw3.csv || fail "three ranks"
  missing=$(measured raw3.csv alltoall)
  [ -n "$missing" ] || break
done
[ -z "$missing" ] || ! had_a_round raw3.csv || fail "$missing"
[ -z "$missing" ] || too_busy "$missing"

# A rank that is late to a collective, as one of four on two processors often is, makes nobody believe that it took no
# time: of one that began together, no rank leaves before what it waits for can have come.
"$MPIEXEC" -np 4 "$TIMELESS_MPI" ping --budget 2s --max-bytes 4096 >raw4.csv || fail "four ranks"
awk -F, '$1 == "barrier" && $10 < 5e-8 {print; exit 1}' raw4.csv ||
  fail "a barrier that took no time"

# A clock that jumps by a second ends the measurements, which stay as far as they were made before. A rank whose clock
# has not jumped yet may be the first to see that rank 0's has.
JUMP_ONCE=$PWD/jump timeout 300 "$MPIEXEC" -np 2 env "LD_PRELOAD=$JUMPING_CLOCK" "$TIMELESS_MPI" ping --budget 60s >jumped.csv 2>err &
measuring=$!
await_measurements jumped.csv
touch jump
wait $measuring && fail "measured by a clock that jumped"
grep -Eq 'the clock (jumped|is behind that of rank 0) by (1|0[.]9)[0-9.]* s: measure again' err || fail "says of a clock that jumped: $(cat err)"
grep -q '^round_trip,' jumped.csv || fail "what was measured before the clock jumped did not stay"

# So does what is written into a file: whole lines, from which a network can be fitted. Before there are any there is no file.
rm -f jump
JUMP_ONCE=$PWD/jump timeout 300 "$MPIEXEC" -np 2 env "LD_PRELOAD=$JUMPING_CLOCK" "$TIMELESS_MPI" ping -o kept.csv --budget 60s >out 2>err &
measuring=$!
await_measurements kept.csv
touch jump
wait $measuring && fail "measured by a clock that jumped"
[ "$(head -n 1 kept.csv)" = "# format: timeless.ping/1" ] || fail "begins with $(head -n 1 kept.csv)"
[ -z "$(tail -c 1 kept.csv)" ] && awk -F, '/^#/ || /^experiment/ {next} NF != 10 {exit 1}' kept.csv || fail "half a line: $(tail -n 1 kept.csv)"
[ "$(ls -A | grep -c kept)" = 1 ] || fail "leaves other files: $(ls -A)"
JUMP_ONCE=$PWD/jump timeout 300 "$MPIEXEC" -np 2 env "LD_PRELOAD=$JUMPING_CLOCK" "$TIMELESS_MPI" ping -o none/none.csv --budget 1s >out 2>err &&
  fail "wrote into a directory that is not there"
grep -q 'none/none.csv' err || fail "says of a file that cannot be made: $(cat err)"
