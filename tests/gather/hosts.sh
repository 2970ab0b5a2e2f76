# Hosts that share nothing but a network, on one machine: namespaces of network, host name and mounts, with a private
# directory under the same path. To be sourced; needs root. Exit status 77 where that cannot be played.
#
#   start_hosts N          makes the hosts h1 ... hN; $work is seen by all, $work/trace is each host's own (its
#                          content lies in $work/disk-h1 and so on)
#   on HOST COMMAND...     runs a shell command on a host; `"$work/enter" HOST COMMAND...` does, too, as ssh would
#   start_sshd             lets every host be reached by `ssh -F $work/ssh_config`
#   $mpi_options           what mpirun needs to stay on the network between the hosts
#   $mpi_environment       variables that let mpirun run here, as root and on few cores

work=$(mktemp -d)
hosts=0
hosts_name=tl$$
network=10.$((128 + $$ / 256 % 64)).$(($$ % 256))
mpi_options="--mca btl self,tcp --mca btl_tcp_if_include $network.0/24 --mca oob_tcp_if_include $network.0/24"
mpi_environment="-u TMPDIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
  OMPI_MCA_hwloc_base_binding_policy=none HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio"

skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; sed 's/^/  | /' "$work/messages" 2>/dev/null || true; exit 1; }

remove_hosts() {
  local host
  for host in $(seq "$hosts"); do
    [ ! -s "$work/sshd-h$host" ] || kill "$(cat "$work/sshd-h$host")" 2>/dev/null || true
    [ ! -s "$work/pid-h$host" ] || kill "$(cat "$work/pid-h$host")" 2>/dev/null || true
    ip netns del "$hosts_name-$host" 2>/dev/null || true
  done
  ip link del "$hosts_name" 2>/dev/null || true
  rm -rf "$work"
}
trap remove_hosts EXIT

on() {
  local host=$1
  shift
  "$work/enter" "$host" "$@"
}

start_host() {
  local host=$1
  mkdir "$work/disk-h$host"
  ip netns add "$hosts_name-$host" || skip "cannot make a network namespace here"
  ip netns exec "$hosts_name-$host" true 2>/dev/null || skip "cannot enter a network namespace here (a chroot?)"
  ip link add "$hosts_name-$host" type veth peer name eth0 netns "$hosts_name-$host"
  ip link set "$hosts_name-$host" master "$hosts_name" up
  ip -n "$hosts_name-$host" addr add "$network.$host/24" dev eth0
  ip -n "$hosts_name-$host" link set eth0 up
  ip -n "$hosts_name-$host" link set lo up
  ip netns exec "$hosts_name-$host" unshare -u -m --propagation private sh -ec "
    hostname h$host
    mount --bind $work/hosts /etc/hosts
    mount --bind $work/disk-h$host $work/trace
    mount -t tmpfs none /dev/shm
    echo \$\$ >$work/pid-h$host
    exec sleep 900" >/dev/null 2>&1 &
  local wait
  for wait in $(seq 600); do [ ! -s "$work/pid-h$host" ] || return 0; sleep 0.05; done
  skip "cannot start a host in namespaces here"
}

start_hosts() {
  local tool host
  [ "$(id -u)" = 0 ] || skip "namespaces need root"
  for tool in ip nsenter unshare; do command -v $tool >/dev/null || skip "no $tool here"; done
  ip link add "$hosts_name" type bridge 2>/dev/null || skip "cannot make a network bridge here"
  hosts=$1
  ip link set "$hosts_name" up
  for host in $(seq "$hosts"); do echo "$network.$host h$host"; done >"$work/hosts"
  echo "127.0.0.1 localhost" >>"$work/hosts"
  mkdir "$work/trace"
  # What mpirun takes for ssh: HOST COMMAND...
  cat >"$work/enter" <<END
#!/bin/sh
host=\$1
shift
exec nsenter -t "\$(cat $work/pid-\$host)" -n -u -m -- sh -c "\$*"
END
  chmod +x "$work/enter"
  for host in $(seq "$hosts"); do start_host "$host"; done
}

start_sshd() {
  local host sshd
  sshd=$(command -v sshd || echo /usr/sbin/sshd)
  for tool in "$sshd" ssh ssh-keygen; do command -v "$tool" >/dev/null || skip "no $(basename "$tool") here"; done
  ssh-keygen -q -t ed25519 -N '' -f "$work/user_key"
  ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
  cat >"$work/ssh_config" <<END
Host *
  User root
  IdentityFile $work/user_key
  IdentitiesOnly yes
  BatchMode yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  ConnectTimeout 10
  SendEnv HWLOC_COMPONENTS OMPI_*
END
  for host in $(seq "$hosts"); do
    cat >"$work/sshd_config-h$host" <<END
ListenAddress $network.$host
HostKey $work/host_key
AuthorizedKeysFile $work/user_key.pub
PidFile $work/sshd-h$host
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
AcceptEnv *
MaxStartups 100
END
    on "h$host" "[ -d /run/sshd ] || { mount -t tmpfs none /run && mkdir /run/sshd; }; \
      exec $sshd -f $work/sshd_config-h$host -E $work/sshd_log-h$host" || skip "sshd does not start here"
  done
  for host in $(seq "$hosts"); do
    on h1 "ssh -F $work/ssh_config h$host hostname" >"$work/messages" 2>&1 ||
      skip "cannot log in by ssh here: $(cat "$work/messages" "$work/sshd_log-h$host" | head -3 | tr '\n' ' ')"
    [ "$(cat "$work/messages")" = "h$host" ] || fail "ssh to h$host does not lead there"
  done
}
