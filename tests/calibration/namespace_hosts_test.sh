#!/usr/bin/env bash
# Two hosts in namespaces of this machine, whose links `tc` shapes to a known rate: the fit of TCP messages between them gives that
# rate. Needs root. Exit status 77 where hosts cannot be played.
set -euo pipefail
. "$SOURCE/tests/gather/hosts.sh"
command -v tc >/dev/null || skip "no tc here"
start_hosts 2

# What of a packet is the program's: 1448 bytes of 1514.
goodput() {
  awk -v rate="$1" 'BEGIN {print rate / 8 * 1448 / 1514}'
}

for rate in 100 1000; do
  for host in 1 2; do
    # What the bucket holds passes faster than the rate: little, beside the largest messages.
    on h$host "tc qdisc replace dev eth0 root tbf rate ${rate}mbit burst $((rate > 500 ? 64 : 20))kb latency 200ms" || skip "no token bucket here"
  done
  on h1 "cd $work && exec env $mpi_environment $TIMELESS calibrate network -o $work/$rate.json -o $work/$rate.xml --budget 40s \
    --launches 2 --max-bytes 16MiB -- $MPIEXEC --mca plm_rsh_agent $work/enter $mpi_options --host h1,h2 -np 2" \
    </dev/null >"$work/messages" 2>&1 || fail "no calibration at $rate Mb/s"
  cat "$work/messages"
  status=0
  "$PYTHON" - "$work/$rate.json" "$work/$rate.csv" "$(goodput ${rate}e6)" <<'END' || status=$?
import json, statistics, sys
network = json.load(open(sys.argv[1]))
expected = float(sys.argv[3])
lines = [line.split(",") for line in open(sys.argv[2]) if line.startswith("round_trip,")]
rates = [2 * float(line[4]) / float(line[9]) for line in lines if float(line[4]) > 1e6]
low, middle, high = statistics.quantiles(rates, n=4) if len(rates) > 3 else (0, 1, 2)
if (high - low) / middle > 0.05:
    print(f"large messages vary from {low:.4g} to {high:.4g} B/s: this machine is too busy to play a network")
    sys.exit(77)
pieces = network["provenance"]["between_nodes"]["half_round_trip"]["pieces"]
found = 1 / pieces[-1]["seconds_per_byte"]
print(f"large messages: {found:.4g} B/s, shaped to {expected:.4g}: {100 * (found / expected - 1):+.2f} %")
sys.exit(abs(found / expected - 1) > 0.03)
END
  # It calls a machine too noisy by itself, too.
  [ $status = 0 ] || ! grep -q 'was too noisy to be calibrated' "$work/messages" || status=77
  [ $status != 77 ] || skip "the machine is too busy"
  [ $status = 0 ] || fail "not the rate of $rate Mb/s"
  "$TIMELESS" platform check "$work/$rate.xml" >/dev/null || fail "a platform that is not right"
done
echo passed
