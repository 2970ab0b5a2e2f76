#!/bin/sh
# A real program that nobody here wrote: HPC Challenge, plain and recorded. Its report must be the same but for what it
# measures, its exit status the same, and its trace whole.
#
# usage: hpcc_test.sh TIMELESS
set -eu
timeless=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader \
  HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio
if ! command -v hpcc >/dev/null; then
  echo "SKIPPED: hpcc is not installed"
  exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/plain" "$place/recorded"

# HPL's input, small: a matrix of 100, blocks of 20, a grid of 2 by 2.
cat >"$place/hpccinf.txt" <<'END'
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
100          Ns
1            # of NBs
20           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200 10000 30000  values of N
0            number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64  values of NB
END
cp "$place/hpccinf.txt" "$place/plain/"
cp "$place/hpccinf.txt" "$place/recorded/"

# The report without what it says of the machine's speed and of time: dates, measured figures (one of them may happen to
# be a whole number), the tick of the clock as seen beside other work, the rank it measures on, how many messages and
# random updates fit into the time it gives itself, and CPU times, which it leaves out when they are too short to be seen.
comparable() {
  sed -E -e 's/[-+]?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?/REAL/g' \
    -e 's/^(.*_(Copy|Scale|Add|Triad|GBs|Tflops)=).*/\1REAL/' \
    -e 's/^((Copy|Scale|Add|Triad|Tuning|Computing|Inverse FFT):).*/\1 REAL/' \
    -e '/^CPU |^Current time|^Begin of|^Node selected|order of [0-9]+ microseconds|clock|ping|pong|Time|time|Tick|tick/d' \
    -e '/updates EXECUTED|_ExeUpdates=/d' \
    -e '/[Bb]andwidth|[Ll]atency|GFLOP|Gflop|GUPs|GUP\/s|MB\/s|GB\/s/d' -e 's/ +/ /g' -e 's/ $//' "$1"
}

status=0
(cd "$place/plain" && timeout 120 mpirun -np 4 hpcc >out 2>err) || status=$?
recorded_status=0
(cd "$place/recorded" && timeout 240 "$timeless" record --counter icount -- mpirun -np 4 hpcc >out 2>err) || recorded_status=$?
echo "exit status: plain $status, recorded $recorded_status"
[ "$status" -eq "$recorded_status" ]
cmp "$place/plain/out" "$place/recorded/out"
comparable "$place/plain/hpccoutf.txt" >"$place/plain/comparable"
comparable "$place/recorded/hpccoutf.txt" >"$place/recorded/comparable"
lines=$(wc -l <"$place/plain/comparable")
echo "comparing $lines lines of the report"
[ "$lines" -gt 150 ]
diff "$place/plain/comparable" "$place/recorded/comparable"
grep -q '^Success=1$' "$place/recorded/hpccoutf.txt"
tail -n 3 "$place/recorded/err"
grep -q 'recorded 4 of 4 ranks' "$place/recorded/err"
if grep 'warning' "$place/recorded/err"; then exit 1; fi
"$timeless" gather "$place/recorded/timeless-trace" -o "$place/hpcc.tia"
"$timeless" replay "$place/hpcc.tia" --network e1g
