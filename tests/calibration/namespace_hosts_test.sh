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

for rate in 1000 100; do
  for host in 1 2; do
    # Small bursts; segments no larger than a packet, so that none waits for the bucket as a whole.
    on h$host "ethtool -K eth0 tso off gso off gro off" >/dev/null 2>&1 || true
    on h$host "tc qdisc replace dev eth0 root tbf rate ${rate}mbit burst $((rate > 500 ? 64 : 16))kb latency 200ms" ||
      skip "no token bucket here"
  done
  on h1 "cd $work && exec env $mpi_environment $TIMELESS calibrate network -o $work/$rate.json -o $work/$rate.xml --budget 20s \
    --launches 2 --max-bytes 1MiB -- $MPIEXEC --mca plm_rsh_agent $work/enter $mpi_options --host h1,h2 -np 2" \
    </dev/null >"$work/messages" 2>&1 || fail "no calibration at $rate Mb/s"
  cat "$work/messages"
  "$PYTHON" - "$work/$rate.json" "$(goodput ${rate}e6)" <<'END' || fail "not the rate of $rate Mb/s"
import json, sys
network = json.load(open(sys.argv[1]))
expected = float(sys.argv[2])
pieces = network["provenance"]["between_nodes"]["half_round_trip"]["pieces"]
found = 1 / pieces[-1]["seconds_per_byte"]
print(f"large messages: {found:.4g} B/s, shaped to {expected:.4g}: {100 * (found / expected - 1):+.2f} %")
sys.exit(abs(found / expected - 1) > 0.03)
END
  "$TIMELESS" platform check "$work/$rate.xml" >/dev/null || fail "a platform that is not right"
done
echo passed
