#!/usr/bin/env bash
# timeless calibrate machine: what was measured stays when it is interrupted or the disk is full, and is fitted as far as it
# goes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  sed 's/^/  | /' err >&2 2>/dev/null || true
  exit 1
}
times() {
  grep -c '^time,' "$1" 2>/dev/null || true
}

# What cannot be measured.
for options in '--processors 100000' '--budget 1e300' '--budget 0'; do
  got=0
  "$TIMELESS" calibrate machine -o no.json $options >out 2>err || got=$?
  [ "$got" = 2 ] && grep -q -- "${options%% *}" err && [ ! -e no.csv ] || fail "status $got of $options"
done

timed_cases() {
  awk -F, '$1 == "time" && !seen[$2, $3]++ { ++cases } END { print cases + 0 }' "$1" 2>/dev/null || echo 0
}

# Interrupted while it times, after what is timed first. What a script runs in the background ignores SIGINT.
"$TIMELESS" calibrate machine -o mine.json --budget 900s >out 2>err &
measuring=$!
first=38
while [ "$(timed_cases mine.csv)" -le $first ]; do
  kill -0 $measuring 2>/dev/null || {
    grep -q 'icount tool is not there' err && exit 77
    fail "ended by itself"
  }
  sleep 0.2
done
kill -TERM $measuring
got=0
wait $measuring || got=$?
[ "$got" = 1 ] || fail "status $got of an interruption"
grep -q '^# noise: [0-9.]* [0-9.]* on ' mine.csv || fail "does not say how quiet it was"
grep -q 'interrupted' err && grep -q 'what was measured is in mine.csv: calibrate machine --from fits it' err || fail "says nothing of what is kept"
[ "$(timed_cases mine.csv)" -gt $first ] && [ ! -e mine.json ] || fail "what was measured did not stay"
[ "$(grep -c '^count,' mine.csv)" = "$(sed -n 's/^# cases: //p' mine.csv)" ] || fail "what was counted did not stay"

# What is timed first suffices for every cost, whichever caches the machine has.
awk -F, -v first=$first '$1 == "time" && !(($2, $3) in seen) { seen[$2, $3]; ++cases } $1 != "time" || cases <= first' mine.csv >first.csv
[ "$(timed_cases first.csv)" = $first ] || fail "did not take the first"
for caches in 256KiB,8MiB 512KiB,16MiB 1MiB,32MiB; do
  "$TIMELESS" calibrate machine --from first.csv -o first.json --force --caches 32KiB,$caches >out 2>err || fail "no machine from what is timed first, with caches of $caches"
done

# It is fitted, with what is missing named; or refused, with the costs named that it does not tell.
got=0
"$TIMELESS" calibrate machine --from mine.csv -o part.json >out 2>err || got=$?
if [ "$got" = 0 ]; then
  grep -q 'micro-kernels were not timed' out part.json || [ "$(times mine.csv)" -gt 1000 ] || fail "does not say what is missing"
else
  [ "$got" = 3 ] && grep -q 'costs cannot be had from what was timed: \|costs are wanted of them' err || fail "status $got of a part"
fi
"$TIMELESS" calibrate machine --from mine.csv -o mine.csv >out 2>err && fail "wrote over its measurements"

# Interrupted before anything was timed: no file.
"$TIMELESS" calibrate machine -o early.json >out 2>err &
measuring=$!
until [ -e early.csv ]; do sleep 0.1; done
kill -TERM $measuring
got=0
wait $measuring || got=$?
[ "$got" = 1 ] && grep -q 'nothing was timed, and no file is written' err && [ ! -e early.csv ] || fail "status $got before anything was timed"

# A budget that does not suffice for counting ends it, and what was reached is fitted as far as it goes.
got=0
"$TIMELESS" calibrate machine -o short.json --budget 1s >out 2>err || got=$?
grep -q 'two thirds of 1 s (--budget)' err || fail "counted everything within a second"
[ "$got" = 3 ] || grep -q 'micro-kernels were counted under icount: the others are left out' out || fail "status $got of a short budget"
if grep -q 'are needed: nothing was timed' err; then
  [ "$got" = 3 ] && [ ! -e short.csv ] || fail "status $got where too few were counted"
fi
[ ! -e short.csv ] || [ "$(grep -c '^count,' short.csv || true)" -lt "$(sed -n 's/^# cases: //p' short.csv | grep . || echo 138)" ] || fail "counted on after its time"

for option in --budget=9s --processors=1 --seed=2; do
  got=0
  "$TIMELESS" calibrate machine --from short.csv -o other.json $option >out 2>err || got=$?
  [ "$got" = 2 ] && grep -q -- "--from excludes ${option%=*}\|${option%=*} excludes --from" err || fail "status $got of --from with $option"
done

# Counting gives the same each time, and takes longest: from here on what was counted at first is given for it.
there=$(dirname "$TIMELESS")/../libexec/timeless
mkdir -p given/bin given/libexec/timeless/valgrind
cp "$TIMELESS" given/bin/timeless
ln -s "$(realpath "$there/microkernels")" given/libexec/timeless/microkernels
printf '#!/bin/sh\nexec grep "^# cases: \\|^count," "%s"\n' "$work/mine.csv" >given/libexec/timeless/valgrind/icount-amd64-linux
chmod +x given/libexec/timeless/valgrind/icount-amd64-linux

# Measured to the end of its time and fitted, it is fitted again to the same. A busy machine times too little.
got=0
given/bin/timeless calibrate machine -o whole.json --budget 10s >out 2>err || got=$?
if [ "$got" = 0 ]; then
  grep -q '^# noise: ' whole.csv && [ "$(times whole.csv)" -gt 0 ] || fail "did not keep what it measured"
  "$TIMELESS" calibrate machine --from whole.csv -o again.json >out 2>err || fail "does not fit again"
  cmp whole.json again.json || fail "another fit of the same measurements"
elif [ ! -e whole.csv ]; then
  [ "$got" = 3 ] && grep -q 'nothing was timed within 10 s' err || fail "status $got where nothing was timed"
else
  [ "$got" = 3 ] && [ ! -e whole.json ] && grep -q 'costs cannot be had from what was timed: \|costs are wanted of them' err || fail "status $got of a measurement"
fi

# A time in which nothing is timed.
mkdir -p slow/bin slow/libexec/timeless
cp "$TIMELESS" slow/bin/timeless
ln -s "$work/given/libexec/timeless/valgrind" slow/libexec/timeless/valgrind
printf '#!/bin/sh\nexec sleep 0.1\n' >slow/libexec/timeless/microkernels
chmod +x slow/libexec/timeless/microkernels
got=0
slow/bin/timeless calibrate machine -o slow.json --budget 1s >out 2>err || got=$?
[ "$got" = 3 ] && grep -q 'nothing was timed within 1 s (--budget).*measure for longer, with --budget' err || fail "status $got where nothing was timed"
[ ! -e slow.json ] && [ ! -e slow.csv ] || fail "leaves a file without measurements"

# What was measured and cannot be fitted stays, and the next measurement may replace it.
printf '#!/bin/sh\necho time,blocks,12000,1,1,0,0.1,2e-6\n' >slow/libexec/timeless/microkernels
for force in '' --force; do
  got=0
  slow/bin/timeless calibrate machine -o one.json --budget 1s $force >out 2>err || got=$?
  [ "$got" = 3 ] && [ -e one.csv ] && grep -q 'what was measured is in one.csv, which --force replaces' err || fail "status $got of one time $force"
done
got=0
"$TIMELESS" calibrate machine --from nowhere.csv -o one.json >out 2>err || got=$?
[ "$got" = 3 ] && grep -q 'nowhere.csv.*name a readable file' err || fail "status $got of a file that is not there"

# What cannot be fitted is shown all the same.
printf '# format: timeless.machine-raw/1\n# processors: 1\ntime,blocks,12000,1,1,0,0.1,2e-6\n' >few.csv
got=0
"$TIMELESS" calibrate show few.csv >out 2>err || got=$?
[ "$got" = 3 ] && grep -q '0 micro-kernels were counted and timed' err && grep -q 'blocks *alone *12000-12000 *1 *2.000 us' out ||
  fail "status $got of measurements that cannot be fitted"

# A full disk.
if [ -w /dev/full ] && [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=60k none small 2>/dev/null; then
  got=0
  given/bin/timeless calibrate machine -o small/mine.json --budget 900s >out 2>err || got=$?
  lines=$(wc -l <small/mine.csv || echo 0)
  umount small
  [ "$got" = 1 ] && grep -q 'No space left' err || fail "status $got on a full disk"
  [ "$lines" -gt 100 ] || ! grep -q 'what was measured before is in it' err || fail "what was measured before the disk was full is gone"
fi
echo passed
