#!/bin/bash
# Gathering across hosts that share nothing but a network: namespaces of network, host name and mounts on one machine,
# each with a private directory under the same path, and Open MPI over TCP between them. Needs root.
# The programs come in TIMELESS, TIMELESS_MPI, WRITE_RANK_FILES and MPIEXEC. Exit status 77: cannot be played here.
set -eu

hosts=3
work=$(mktemp -d)
name=tl$$
network=10.$((128 + $$ / 256 % 64)).$(($$ % 256))

skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; sed 's/^/  | /' "$work/messages" 2>/dev/null || true; exit 1; }

clean_up() {
  for host in $(seq $hosts); do
    [ ! -s "$work/pid-h$host" ] || kill "$(cat "$work/pid-h$host")" 2>/dev/null || true
    ip netns del "$name-$host" 2>/dev/null || true
  done
  ip link del "$name" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

[ "$(id -u)" = 0 ] || skip "namespaces need root"
for tool in ip nsenter unshare; do command -v $tool >/dev/null || skip "no $tool here"; done
ip link add "$name" type bridge 2>/dev/null || skip "cannot make a network bridge here"
ip link set "$name" up
for host in $(seq $hosts); do echo "$network.$host h$host"; done >"$work/hosts"
echo "127.0.0.1 localhost" >>"$work/hosts"
mkdir "$work/trace"

start_host() {
  local host=$1
  mkdir "$work/disk-h$host"
  ip netns add "$name-$host" || skip "cannot make a network namespace here"
  ip netns exec "$name-$host" true 2>/dev/null || skip "cannot enter a network namespace here (a chroot?)"
  ip link add "$name-$host" type veth peer name eth0 netns "$name-$host"
  ip link set "$name-$host" master "$name" up
  ip -n "$name-$host" addr add "$network.$host/24" dev eth0
  ip -n "$name-$host" link set eth0 up
  ip -n "$name-$host" link set lo up
  ip netns exec "$name-$host" unshare -u -m --propagation private sh -ec "
    hostname h$host
    mount --bind $work/hosts /etc/hosts
    mount --bind $work/disk-h$host $work/trace
    mount -t tmpfs none /dev/shm
    echo \$\$ >$work/pid-h$host
    exec sleep 600" >/dev/null 2>&1 &
  for _ in $(seq 100); do [ ! -s "$work/pid-h$host" ] || return 0; sleep 0.05; done
  skip "cannot start a host in namespaces here"
}
for host in $(seq $hosts); do start_host "$host"; done

# What mpirun takes for ssh: HOST COMMAND...
cat >"$work/enter" <<END
#!/bin/sh
host=\$1
shift
exec nsenter -t "\$(cat $work/pid-\$host)" -n -u -m -- sh -c "\$*"
END
chmod +x "$work/enter"

for host in $(seq $hosts); do
  "$work/enter" "h$host" "$WRITE_RANK_FILES" "$work/trace" 6 "$((2 * host - 2)),$((2 * host - 1))" 300
done
[ -z "$(ls "$work/trace")" ] || fail "the hosts' directories are not private"

run_on_hosts() {
  "$work/enter" h1 "cd $work && exec env -u TMPDIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio timeout 90 $MPIEXEC \
    --mca plm_rsh_agent $work/enter --mca btl self,tcp --mca btl_tcp_if_include $network.0/24 \
    --mca oob_tcp_if_include $network.0/24 --mca mpi_yield_when_idle 1 --mca hwloc_base_binding_policy none \
    --oversubscribe --host h1:2,h2:2,h3:2 --map-by slot -n 6 $*" </dev/null >"$work/messages" 2>&1
}

run_on_hosts "$TIMELESS_MPI" gather "$work/trace" -k 2 -o "$work/run.tia" || fail "gathering ended with $?"
grep -q "gathered 6 of 6 ranks" "$work/messages" || fail "not all ranks gathered"
grep -q "nodes     3, in 1 step" "$work/messages" || fail "not one node per host"

mkdir "$work/all"
for host in $(seq $hosts); do
  cp "$work/disk-h$host"/rank-*.tia "$work/all"
  [ "$(ls -A "$work/disk-h$host" | wc -l)" = 2 ] || fail "host $host keeps more than its rank files"
done
"$TIMELESS" gather "$work/all" -o "$work/all.tia" >/dev/null
cmp "$work/run.tia" "$work/all.tia" || fail "not what merging at once gives"

# The same rank on two hosts: the message names both.
cp "$work/disk-h2/rank-000002.tia" "$work/disk-h3/"
printf '\0' >>"$work/disk-h3/rank-000002.tia"
if run_on_hosts "$TIMELESS_MPI" gather "$work/trace" -o "$work/again.tia"; then fail "a clash of names went unnoticed"; fi
grep -q "rank 2 stands in two files (h2:.* and h3:" "$work/messages" || fail "the clash is not told with its hosts"
[ ! -e "$work/again.tia" ] || fail "an output in spite of the clash"
echo "passed"
