"""Two hosts in namespaces of this machine, between which `tc` lets a known rate pass: tests/gather/hosts.sh. Needs root."""
import pathlib
import shlex
import subprocess


class Unplayable(Exception):
    """No hosts can be made here; says why."""


class ShapedHosts:
    """A context: the hosts h1 and h2 are there within it, for a quarter of an hour."""

    def __init__(self, megabits):
        self.megabits = megabits

    def __enter__(self):
        script = pathlib.Path(__file__).resolve().parent.parent / "tests" / "gather" / "hosts.sh"
        # What the bucket holds passes faster than the rate, and it fills again while a ping-pong goes the other way: with
        # 20 kB at 100 Mb/s, 28 kB take half as long there as in an exchange. So it holds a few packets.
        burst = 8 if self.megabits > 500 else 4
        self.shell = subprocess.Popen(["bash", "-c", f"""
set -euo pipefail
. {script}
start_hosts 2
for host in 1 2; do
  on h$host "tc qdisc replace dev eth0 root tbf rate {self.megabits}mbit burst {burst}kb latency 200ms" || skip "no token bucket here"
done
echo "$work"; echo "$mpi_environment"; echo "$mpi_options"
read -r end || true
"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = [self.shell.stdout.readline().rstrip("\n") for _ in range(3)]
        if not lines[0].startswith("/"):
            self.__exit__()
            raise Unplayable(lines[0] or "no hosts in namespaces here")
        self.enter, environment, options = pathlib.Path(lines[0]) / "enter", *lines[1:]
        self.environment = ["env", *environment.split()]
        self.launcher = ["mpirun", "--mca", "plm_rsh_agent", str(self.enter), *options.split(), "--host", "h1,h2", "-np", "2"]
        return self

    def __exit__(self, *_):
        self.shell.stdin.close()
        self.shell.wait()

    def on_first(self, words, directory):
        """The command that runs these words on h1, in a directory."""
        return [str(self.enter), "h1", f"cd {shlex.quote(str(directory))} && exec {shlex.join([*self.environment, *words])}"]
