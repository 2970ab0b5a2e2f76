#!/usr/bin/env bash
# timeless calibrate network: what it writes is there and is read, and whatever goes wrong is told and leaves what was measured.
# Its words are judged on measurements that are given: how much a machine measures in a time, and how evenly, is its own affair.
set -Eeuo pipefail
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2; show_said' ERR
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"

# What the last commands said.
show_said() {
  local file
  for file in out err out2 err2; do
    [ ! -s "$file" ] || sed "s/^/  $file| /" "$file" >&2
  done
}
fail() {
  trap - ERR
  echo "FAILED: line ${BASH_LINENO[*]}: $*" >&2
  show_said
  ls -l >&2
  exit 1
}
# What is tried next, and after how many seconds: the last of these tells where a test was that took too long.
trying() {
  echo "$SECONDS s: $*"
}
# refused STATUS WORDS COMMAND...: ends with this status and says these words on stderr.
refused() {
  local status=$1 words=$2 got=0
  shift 2
  timeout 120 "$@" >out 2>err </dev/null || got=$?
  [ "$got" = "$status" ] || fail "status $got of: $*"
  grep -q -- "$words" err || fail "does not say '$words': $*"
}
calibrate() {
  "$TIMELESS" calibrate network "$@"
}
# measured FILE: how many measurements it holds.
measured() {
  grep -c '^[a-z_]*,[0-9]' "$1" || true
}

# Two launches of two ranks on one host.
given=$SOURCE/tests/fuzz/corpus/pings/one_node
(sed 's/^# seed: 1$/&\n# waiting: spins\n# noise: 0.0100 0.0500 on vm/' "$given"; sed 's/^# seed: 1$/# seed: 2/' "$given") >mine.csv
line=$(grep -n '^round_trip' mine.csv | sed -n 5p | cut -d: -f1)
half=$(($(wc -l <mine.csv) / 2))

trying "measurements that are given"
calibrate --from mine.csv -o mine.json -o mine.xml >out 2>err || fail "does not calibrate"
grep -q 'eager limit  within a node' out || fail "shows no link"
grep -q '"provenance"' mine.json && grep -q 'Trust: measured' mine.xml || fail "no provenance"
"$TIMELESS" platform check mine.xml >out 2>err || fail "a platform that is not right"

# The same measurements give the same files.
calibrate --from mine.csv -o again.json -o again.xml >out 2>err || fail "does not fit again"
sed 's/"name": "again"/"name": "mine"/' again.json | cmp - mine.json || fail "another network file"
cmp again.xml mine.xml || fail "another platform file"
grep -q '"noise"' mine.json && grep -q 'Noise: a loop' mine.xml || fail "does not say how quiet it was"
sed 's/^# noise: [0-9.]* [0-9.]* /# noise: 0.2000 0.9000 /' mine.csv >noisy.csv
calibrate --from noisy.csv -o noisy.json >out 2>err || fail "a noisy machine"
grep -q 'was too noisy to be calibrated: a loop of 1 ms varied by 20.0 %' out || fail "does not warn of noise"
"$TIMELESS" calibrate show mine.csv >out 2>err || fail "shows nothing of mine.csv"
grep -Eq '(^|: )1 piece[;,]' out && ! grep -Eq '\b1 (pieces|outliers)\b' out || fail "counts one as many"
grep -q 'half a round trip' out || fail "shows too little"

grep -A30 'half a round trip' out | grep -E '^  [0-9]+-[0-9]+ .* %$' >by_size || fail "no sizes"
"$TIMELESS" calibrate show mine.json >out 2>err && grep -q 'half_round_trip within a node' out && grep -q ' |.*---' out || fail "shows too little"
grep -A30 '^half a round trip' out | grep -E '^  [0-9]+-[0-9]+ .* %$' | cmp - by_size || fail "other sizes than of mine.csv"
for file in mine.csv mine.json; do
  "$TIMELESS" calibrate show $file >out 2>err || fail "does not show $file"
  for words in 'eager limit  within a node: of MPI_Send 0 to 511 bytes' 'nearest algorithm' 'noise  ' 'not reached  '; do
    grep -q "$words" out || fail "show $file says nothing of '$words'"
  done
done
"$TIMELESS" calibrate show mine.xml >out 2>err && grep -q 'Trust: measured' out && grep -q 'Half round trips' out && grep -q ' fitted, residual ' out && grep -q 'Eager limit within a node: of MPI_Send' out || fail "shows too little"
"$TIMELESS" calibrate show mine.xml --json >out 2>err && grep -q '"platform"' out || fail "no JSON of a platform"
head -c 1500 mine.xml >cut.xml
refused 3 'the file was cut off' "$TIMELESS" calibrate show cut.xml
: >empty.csv
refused 3 'no raw file' "$TIMELESS" calibrate show empty.csv
refused 3 'no raw file' "$TIMELESS" calibrate network --from empty.csv -o empty.json
printf 'neither a line' >unended.csv
refused 3 'no raw file' "$TIMELESS" calibrate network --from unended.csv -o empty.json
refused 3 'this is a file of measurements of a network' "$TIMELESS" calibrate machine --from mine.csv -o empty.json
refused 3 'this is a network (timeless.network/1).*give it with --network' "$TIMELESS" calibrate network --from mine.json -o empty.json
refused 3 'this is a platform' "$TIMELESS" calibrate network --from mine.xml -o empty.json
sed 's,^# format: timeless.ping/1,# format: timeless.ping/7,' mine.csv >version.csv
refused 3 "another version of Timeless: '# format: timeless.ping/7'" "$TIMELESS" calibrate network --from version.csv -o empty.json
(head -c $(($(wc -c <mine.csv) - 9)) mine.csv; sed 's/^# seed: /# seed: 9/' mine.csv) >two.csv
"$TIMELESS" calibrate network --from two.csv -o two.json >out 2>err && grep -q 'a launch before another one was cut' out || fail "a file after one that was cut"
(printf '\xef\xbb\xbf'; cat mine.csv) >mark.csv
"$TIMELESS" calibrate network --from mark.csv -o mark.json >out 2>err || fail "a file with a byte order mark"
refused 3 'what its figures rest on' "$TIMELESS" calibrate show "$SOURCE/platforms/networks/lam-mpi-c.json"
refused 3 'what its figures rest on' "$TIMELESS" calibrate show "$SOURCE/platforms/ethernet-10g.xml"

# In another order, launches give the same.
second=$(grep -n '^# format: ' mine.csv | sed -n 2p | cut -d: -f1)
(tail -n +"$second" mine.csv; head -n $((second - 1)) mine.csv) >turned.csv
calibrate --from turned.csv -o turned.json -o turned.xml >out 2>err || fail "launches in another order"
sed 's/"name": "turned"/"name": "mine"/' turned.json | cmp - mine.json && cmp turned.xml mine.xml || fail "another fit of launches in another order"

trying "options"
# What is there is not replaced, and nothing is measured first.
refused 2 'mine.json' "$TIMELESS" calibrate network -o mine.json -- "$MPIEXEC" -np 2
refused 2 'mine.csv' "$TIMELESS" calibrate network -o other.json --raw mine.csv -- "$MPIEXEC" -np 2
refused 2 'how to start' "$TIMELESS" calibrate network -o other.json
refused 2 'json or .xml' "$TIMELESS" calibrate network -o other.txt --from mine.csv
for budget in 0 -1 nan 0s 1e300; do
  refused 2 '--budget: ' "$TIMELESS" calibrate network -o other.json "--budget=$budget" -- "$MPIEXEC" -np 2
  refused 2 '--budget: ' "$TIMELESS_MPI" ping "--budget=$budget"
done
refused 2 'hockney' "$TIMELESS" calibrate network -o other.json --model foo --from mine.csv
LC_ALL=C grep -q '[^[:print:][:space:]]' err && fail "control bytes"
for option in --budget=2 --max-bytes=4096 --launches=2 --seed=3 --raw=other.csv; do
  refused 2 "${option%=*}" "$TIMELESS" calibrate network -o other.json --from mine.csv "$option"
done

trying "damaged files"
# A file cut short keeps its whole lines; a damaged one is refused with its line.
head -c -20 mine.csv >cut.csv
calibrate --from cut.csv -o cut.json >out 2>err || fail "a file cut short"
grep -q 'cut off' err || fail "says nothing of the cut"
sed "${line}s/,[^,]*\$/,-1/" mine.csv >damaged.csv
refused 3 "damaged.csv:$line" "$TIMELESS" calibrate network --from damaged.csv -o damaged.json
for change in 5=9223372036854775808 6=0 10=1e300 10=1e-300; do
  awk -F, -v OFS=, -v column="${change%=*}" -v value="${change#*=}" -v line="$line" 'NR == line {$column = value} {print}' \
    mine.csv >damaged.csv
  refused 3 "damaged.csv:$line" "$TIMELESS" calibrate network --from damaged.csv -o damaged.json -o damaged.xml
done
awk -F, -v OFS=, '/^round_trip/ {$5 = 8} {print}' mine.csv >same.csv
refused 3 'have 8 bytes' "$TIMELESS" calibrate network --from same.csv -o same.json
awk -F, -v OFS=, '/^round_trip/ {$10 = 0} {print}' mine.csv >timeless.csv
refused 3 '0 of .* round trips .* took any time' "$TIMELESS" calibrate network --from timeless.csv -o same.json
refused 2 'same.json' "$TIMELESS" calibrate network --from mine.csv -o same.json -o same.xml -o same.json
[ ! -e damaged.xml ] && [ ! -e same.json ] && [ ! -e same.xml ] || fail "a result in spite of the error"
head -n 12 mine.csv >few.csv
refused 3 'round trips' "$TIMELESS" calibrate network --from few.csv -o few.json
refused 3 'round trips' "$TIMELESS" calibrate show few.csv
grep -q '^  round_trip *within a node ' out || fail "does not show what cannot be fitted"
refused 3 'round trips' "$TIMELESS" calibrate show --json few.csv
grep -q '"not_fitted": "fewer than six round trips' out || fail "no JSON of what cannot be fitted"
awk -F, -v OFS=, -v line="$line" 'NR == line {$3 = $2} {print}' mine.csv >itself.csv
refused 3 "rank 0 measured with itself (itself.csv:$line)" "$TIMELESS" calibrate network --from itself.csv -o few.json
sed "${line}p" mine.csv >twice.csv
refused 3 'began two measurements at once' "$TIMELESS" calibrate network --from twice.csv -o few.json
[ ! -e damaged.json ] && [ ! -e few.json ] || fail "a result in spite of the error"

trying "a launcher that prints what is given"
# As of timeless-mpi ping: each launch has a seed of its own, and takes no less time than its measurements say.
printf '#!/bin/sh\nsleep 0.5\nsed "s/^# seed: /&$$/" mine.csv\n' >prints
chmod +x prints
calibrate -o printed.json -o printed.xml --launches 2 -- ./prints >out 2>err || fail "does not calibrate"
[ "$(grep -c '^# format: timeless.ping/1' printed.csv)" = 4 ] && [ "$(measured printed.csv)" = $((2 * $(measured mine.csv))) ] || fail "not two launches in printed.csv"
[ "$(grep -c '^# noise: [0-9.]* [0-9.]* on ' printed.csv)" = 3 ] || fail "does not say how quiet this host was"
calibrate --from printed.csv -o again.json -o again.xml --force >out 2>err || fail "does not fit again"
sed 's/"name": "again"/"name": "printed"/' again.json | cmp - printed.json && cmp again.xml printed.xml || fail "other files than when it was measured"

trying "a real launcher"
got=0
calibrate -o real.json -o real.xml --budget 10s --launches 2 --max-bytes 100000 -- "$MPIEXEC" -np 2 >out 2>err </dev/null || got=$?
grep -q '^# format: timeless.ping/1' real.csv && [ "$(grep -c '^# rank: 0 on ' real.csv)" -ge 2 ] && [ "$(measured real.csv)" -gt 0 ] || fail "status $got, and no measurements of two ranks"
if [ "$got" = 0 ]; then
  grep -q '"provenance"' real.json && grep -q 'Trust: measured' real.xml || fail "no provenance"
  "$TIMELESS" platform check real.xml >out 2>err || fail "a platform that is not right"
else
  # A machine that has other work may do too little in that time, and is told what helps.
  [ "$got" = 3 ] && grep -q 'measure for longer' err && [ ! -e real.json ] && [ ! -e real.xml ] || fail "status $got"
  echo "too few measurements here"
fi

trying "launchers that go wrong"
refused 1 'two ranks, and there is one' "$TIMELESS" calibrate network -o one.json --budget 2s --launches 1 -- "$MPIEXEC" -np 1
refused 1 'launch 1 of 3 ended with status 7' "$TIMELESS" calibrate network -o bad.json --budget 3s --launches 3 -- sh -c 'echo no such host >&2; exit 7'
grep -q 'no such host' err || fail "does not say what the launcher said"
grep -q 'nothing was measured' err && [ ! -e bad.csv ] || fail "measurements of a launch without any"
refused 1 'measured nothing' "$TIMELESS" calibrate network -o mute.json --budget 2s --launches 1 -- true
refused 1 'cannot be executed\|No such file' "$TIMELESS" calibrate network -o none.json -- ./no-such-launcher
[ ! -e mute.csv ] && [ ! -e none.csv ] || fail "files without measurements"

trying "an interruption before anything is measured"
for delay in 0.1 0.2 0.3 0.4; do
  timeout -s INT "$delay" "$TIMELESS" calibrate network -o early.json --budget 1s --launches 1 -- sh -c 'exec sleep 1000' >out 2>err || true
  [ ! -e early.csv ] || [ -s early.csv ] || fail "leaves an empty file"
done

trying "an interruption"
# An interruption ends what was started, and what was measured before stays.
cat >waits <<END
#!/bin/sh
head -n $half mine.csv
trap 'touch ended; exit 0' TERM
touch waiting
while :; do sleep 0.1; done
END
chmod +x waits
"$TIMELESS" calibrate network -o waits.json --launches 2 -- ./waits >out 2>err &
calibrating=$!
until [ -e waiting ]; do
  kill -0 $calibrating 2>/dev/null || fail "ended before it was interrupted"
  sleep 0.1
done
kill -TERM $calibrating
got=0
wait $calibrating || got=$?
[ "$got" = 1 ] && [ -e ended ] || fail "status $got of an interruption"
grep -q 'launch 1 of 2 was interrupted' err && grep -q 'is in waits.csv' err || fail "says nothing of the interruption"
[ "$(grep -vc '^# noise: ' waits.csv)" = "$(head -n $half mine.csv | grep -vc '^# noise: ')" ] || fail "what was measured before the interruption did not stay"
cat >dies <<END
#!/bin/sh
head -n $half mine.csv
exit 9
END
chmod +x dies
refused 1 'status 9' "$TIMELESS" calibrate network -o dies.json --budget 2s --launches 2 -- ./dies
[ "$(grep -vc '^# noise: ' dies.csv)" = "$(head -n $half mine.csv | grep -vc '^# noise: ')" ] || fail "what was measured did not stay"
[ ! -e dies.json ] || fail "a result in spite of the error"

trying "launchers that do not end"
# Launchers that do not end: one that never starts anything, and one that closed what it prints to.
timeout 300 "$TIMELESS" calibrate network -o hangs.json --budget 1s --launches 1 -- sh -c 'exec sleep 1000' >out 2>err &
first=$!
timeout 300 "$TIMELESS" calibrate network -o mute.json --budget 1s --launches 1 -- sh -c "head -n $half mine.csv; exec >&- 2>&-; exec sleep 1000" \
  >out2 2>err2 &
second=$!
got=0
wait $first || got=$?
[ "$got" = 1 ] && grep -q 'did not end within 31 s' err && grep -q 'try it with `sh -c exec sleep 1000 hostname`' err && [ ! -e hangs.csv ] || fail "status $got of a launcher that hangs"
got=0
wait $second || got=$?
[ "$got" = 1 ] && grep -q 'did not end within 31 s' err2 && [ "$(grep -c , mute.csv)" = "$(head -n $half mine.csv | grep -c ,)" ] || fail "status $got of one that is mute"

trying "a full disk"
if [ -w /dev/full ] && [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
  got=0
  calibrate -o full.json --raw small/raw.csv --launches 1 -- \
    sh -c 'for time in $(seq 500); do cat mine.csv; done' >out 2>err || got=$?
  lines=$(wc -l <small/raw.csv)
  umount small
  [ "$got" = 1 ] && grep -q 'No space left' err || fail "status $got on a full disk"
  [ "$lines" -gt 100 ] || fail "what was measured before the disk was full is gone"

  # At the end: the results have no room, the measurements stay.
  mount -t tmpfs -o size=8k none small
  dd if=/dev/zero of=small/rest bs=4k count=1 2>/dev/null
  got=0
  calibrate --from mine.csv -o small/mine.json >out 2>err || got=$?
  left=$(ls small)
  umount small
  [ "$got" = 1 ] && grep -q 'No space left' err && grep -q 'what was measured is in mine.csv, which --from fits' err ||
    fail "status $got of results on a full disk"
  [ "$left" = rest ] || fail "a part of a result is left: $left"
fi
echo passed
