#!/bin/sh
# MPI that an interpreter loads for itself: mpi4py, plain and recorded. The output must be the same, and every call of
# the program in the trace, with each counter.
#
# usage: mpi4py_test.sh TIMELESS
set -eu
timeless=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader \
  HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio
# Debian's own: another python3 in the PATH has other packages.
python=/usr/bin/python3
if ! $python -c 'import mpi4py' 2>/dev/null; then
  echo "SKIPPED: mpi4py is not installed (python3-mpi4py)"
  exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

cat >program.py <<'END'
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

lines = []
lines.append(world.allreduce(rank))                                      # pickled
lines.append(world.sendrecv({"from": rank}, dest=right, source=left))
data = bytearray(8 * 100)
request = world.Irecv([data, MPI.BYTE], source=MPI.ANY_SOURCE, tag=7)
world.Send([bytes([rank]) * 800, MPI.BYTE], dest=right, tag=7)
request.Wait()
lines.append((data[0], data[-1]))
half = world.Split(rank % 2, rank)
half.Barrier()
lines.append(half.bcast(rank, root=0))
half.Free()
window = MPI.Win.Create(data, 1, comm=world)
window.Fence()
window.Put([bytes([rank]), MPI.BYTE], right)
window.Fence()
window.Free()
lines.append(data[0])
for _ in range(4):
    world.Barrier()
# One rank prints: a launcher may join pieces of what several print.
everything = world.gather(f"{rank} {lines}")
if rank == 0:
    print("\n".join(everything))
END

mpirun -np 4 $python program.py >plain
for counter in none cputime icount; do
  timeout 200 "$timeless" record --counter $counter -o $counter -- mpirun -np 4 $python program.py >out 2>err ||
    { cat err; exit 1; }
  diff plain out
  cat err
  grep -q 'recorded 4 of 4 ranks' err
  if grep 'warning' err; then exit 1; fi
  "$timeless" check $counter
  # All that the program does, as mpi4py makes it: with probes and messages of its own for what it pickles.
  "$timeless" dump $counter --rank 1 >dump
  for call in Comm_dup Isend Mprobe Mrecv Irecv Send Recv Wait Comm_split Bcast Comm_free Barrier Put Win_fence Finalize; do
    grep -q " $call\b" dump || { echo "no $call in the trace:"; cat dump; exit 1; }
  done
  [ "$(grep -c ' Barrier' dump)" -eq 5 ]
  if [ $counter = none ]; then
    if grep compute dump; then exit 1; fi
  else
    [ "$(grep -c ' compute volume' dump)" -gt 10 ]
  fi
done
