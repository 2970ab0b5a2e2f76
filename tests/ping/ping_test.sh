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

"$MPIEXEC" -np 2 "$TIMELESS_MPI" ping -o raw.csv --budget 2s --max-bytes 100000 >out 2>err || fail "$(cat err)"
grep -q 'measurements in raw.csv' out || fail "says: $(head -c 300 out)"
[ "$(head -n 1 raw.csv)" = "# format: timeless.ping/1" ] || fail "$(head -n 1 raw.csv)"
[ "$(grep -c '^# rank: 0 on ' raw.csv)" = 2 ] || fail "two ranks of one node: $(head raw.csv)"
for experiment in round_trip send isend receive train delayed_send delayed_isend overlap copy reduction barrier \
  broadcast reduce allreduce gather allgather alltoall scatter reduce_scatter_block scan; do
  grep -q -e "^$experiment," -e "^# no common start: [0-9]* of $experiment" raw.csv || fail "no $experiment"
done
awk -F, '/^#/ || /^experiment/ {next} NF != 10 || $10 < 0 || $5 > 100000 {print; exit 1}' raw.csv || fail "a wrong line"

# Whatever the limit is here, the search ends beside it: with the largest message of all, or two sizes one byte apart.
awk -F, '$1 == "delayed_send" {seen[$5] = 1; if ($10 < $7 / 2) eager[$5] = 1}
  END {for (size in seen) if (size == 1 || (size - 1) in seen) exit 0; exit !(100000 in eager)}' raw.csv ||
  fail "the search for the eager limit did not end"

timeout 60 "$MPIEXEC" -np 2 "$TIMELESS_MPI" ping -o raw.csv --budget 1s >out 2>err && fail "replaced raw.csv"
grep -q 'raw.csv' err || fail "$(cat err)"
"$MPIEXEC" -np 1 "$TIMELESS_MPI" ping --budget 1s >out 2>err && fail "measured with one rank"
grep -q 'mpirun -np 2' err || fail "$(cat err)"
"$MPIEXEC" -np 3 "$TIMELESS_MPI" ping --budget 4s --max-bytes 4096 >raw3.csv || fail "three ranks"
grep -q -e '^alltoall,' -e '^# no common start: [0-9]* of alltoall' raw3.csv || fail "no alltoall of three"

# A rank that is late to a collective, as one of four on two processors often is, makes nobody believe that it took no
# time: of one that began together, no rank leaves before what it waits for can have come.
"$MPIEXEC" -np 4 "$TIMELESS_MPI" ping --budget 2s --max-bytes 4096 >raw4.csv || fail "four ranks"
awk -F, '$1 == "barrier" && $10 < 5e-8 {print; exit 1}' raw4.csv ||
  fail "a barrier that took no time"

# A clock that jumps by a second ends the measurements, which stay as far as they were made before.
JUMP_ONCE=$PWD/jump timeout 300 "$MPIEXEC" -np 2 env "LD_PRELOAD=$JUMPING_CLOCK" "$TIMELESS_MPI" ping --budget 60s >jumped.csv 2>err &
measuring=$!
until grep -q '^round_trip,' jumped.csv; do
  kill -0 $measuring 2>/dev/null || fail "ended before its clock jumped: $(cat err)"
  sleep 0.1
done
touch jump
wait $measuring && fail "measured by a clock that jumped"
grep -Eq 'the clock jumped by (1|0[.]99)[0-9.]* s: measure again' err || fail "says of a clock that jumped: $(cat err)"
grep -q '^round_trip,' jumped.csv || fail "what was measured before the clock jumped did not stay"
