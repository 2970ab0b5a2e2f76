#!/usr/bin/env bash
# SMPI as the machine: timeless-mpi ping under smpirun on graphene, fitted and written, gives graphene's overheads, latency and
# bandwidth factors back; and on nodes whose ports carry more than one message does, it gives such nodes. Exit status 77 where
# SimGrid's compiler is missing.
set -euo pipefail
for tool in smpicxx smpirun; do command -v $tool >/dev/null || { echo "SKIPPED: no $tool here"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

printf 'graphene-1.nancy.grid5000.fr\ngraphene-2.nancy.grid5000.fr\n' >hosts
# Compiled together, but for those that have names in common, so that headers are read twice and not ten times.
includes() { printf '#include "%s"\n' "$@"; }
includes tests/calibration/smpi_ping.cpp ping/{experiments,ping_plan,raw}.cpp base/{error,escaping}.cpp >main.cpp
includes ping/{between_two,experiment_runner,ping,together}.cpp >runner.cpp
smpicxx -O1 -std=c++20 -I"$SOURCE" main.cpp runner.cpp -lfmt -o smpi_ping 2>compiler || { cat compiler; exit 1; }
for seed in 1 2 3; do
  smpirun -np 2 -hostfile hosts -platform "$SOURCE/platforms/graphene.xml" --cfg=smpi/simulate-computation:no \
    --cfg=smpi/wtime:0 ./smpi_ping 60 4194304 $seed 2>simulator || { cat simulator; exit 1; }
done >raw.csv
"$TIMELESS" calibrate network --from raw.csv -o found.xml -o found.json
"$PYTHON" -B "$SOURCE/tests/calibration/same_factors.py" "$SOURCE/platforms/graphene.xml" found.xml

# Collectives are measured from a common start: where the algorithm is one and links are not shared, they take what the fitted
# network gives them.
"$TIMELESS" calibrate network --from raw.csv -o again.json --json >answer.json
"$PYTHON" - <<'END'
import json
for one in json.load(open("answer.json"))["network"]["provenance"]["collectives"]:
    nearest = one["algorithms"][0]
    if one["collective"] in ("broadcast", "gather", "allgather", "alltoall") and one["bytes"][1] <= 1024:
        assert one["samples"] > 5 and abs(nearest["predicted_over_measured"] - 1) < 0.03, (one["collective"], nearest)
END

# Two processes on each of two nodes: one message gets 200 MB/s, and a port carries 350.
node() { printf 'node-%s\n' 0 0 1 1 >hosts; }
measure() {
  for seed in 1 2; do
    smpirun -np 4 -hostfile hosts -platform "$1" --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 ./smpi_ping 20 4194304 $seed \
      2>simulator || { cat simulator; exit 1; }
  done >ports.csv
  "$TIMELESS" calibrate network --from ports.csv -o ports.json -o "$2" --force --json >answer.json
}
cat >ports.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="network/model" value="SMPI"/>
    <prop id="network/TCP-gamma" value="0"/>
    <prop id="smpi/bw-factor" value="0:0.8"/>
    <prop id="smpi/lat-factor" value="0:1"/>
  </config>
  <zone id="world" routing="Full">
    <cluster id="nodes" prefix="node-" suffix="" radical="0-1" speed="1Gf" core="2" bw="437.5MBps" lat="10us"
             sharing_policy="SPLITDUPLEX" bb_bw="250MBps" bb_lat="0us" bb_sharing_policy="FATPIPE"/>
  </zone>
</platform>
END
node
measure ports.xml found_ports.xml
"$TIMELESS" platform check found_ports.xml >/dev/null
cp answer.json first.json
measure found_ports.xml again_ports.xml
"$PYTHON" - <<'END'
import json
first, again = (json.load(open(name))["network"]["provenance"]["node_port"] for name in ("first.json", "answer.json"))
assert first["messages_at_once"] == again["messages_at_once"] == 2
assert abs(first["bytes_per_second"] / 350e6 - 1) < 0.03, first
assert abs(again["bytes_per_second"] / first["bytes_per_second"] - 1) < 0.01, (first, again)
print(f'two messages at once: {first["bytes_per_second"]:.4g} B/s measured, {again["bytes_per_second"]:.4g} B/s on the fitted platform')
END
