#!/bin/bash
# other_mpi_test.sh LIBRARY C_COMPILER: programs of an MPI that cannot be recorded run with the preloaded library as without
# it, and it says which MPI that is. The MPIs are toys, and MPICH where it is installed.
set -euo pipefail
library=$1 compiler=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
failed=0

# same NAME WORDS COMMAND...: what it prints, and its status, with the library and without; then WORDS on standard error.
same() {
  local name=$1 words=$2 plain=0 preloaded=0
  shift 2
  "$@" >plain 2>/dev/null || plain=$?
  LD_PRELOAD=$library:$place/beside.so TIMELESS_DIR=$place/trace "$@" >preloaded 2>errors || preloaded=$?
  if [ $plain = $preloaded ] && cmp -s plain preloaded && [ -s plain ] && grep -q "not recorded.*$words" errors &&
    [ ! -e trace ]; then
    echo "ok: $name"
  else
    echo "FAILED: $name: status $preloaded rather than $plain, printed:"
    cat preloaded errors
    failed=1
  fi
}

echo 'int beside(void) { return 0; }' | "$compiler" -x c - -shared -fPIC -o beside.so
cat >toy.c <<'END'
#include <stdio.h>
int PMPI_Init(int* argc, char*** argv) { return printf("init of %d %s\n", *argc, (*argv)[*argc - 1]) < 0; }
int MPI_Init(int* argc, char*** argv) __attribute__((weak, alias("PMPI_Init")));
#ifdef NATIVE
int PMPI_Abi_get_version(int* major, int* minor) { return *major = *minor = -1, 0; }
#elif defined(STANDARD)
int PMPI_Abi_get_version(int* major, int* minor) { return *major = 1, *minor = 0, 0; }
int ompi_mpi_comm_world;
#endif
END
cat >program.c <<'END'
#include <stdio.h>
int MPI_Init(int* argc, char*** argv);
int main(int argc, char** argv) { return printf("called %s\n", argv[0]) < 0 || MPI_Init(&argc, &argv) ? 1 : 3; }
END
# toy NAME FILE FLAGS WORDS
toy() {
  mkdir "$1"
  "$compiler" $3 toy.c -shared -fPIC -Wl,-soname,"$2" -o "$1/$2"
  "$compiler" program.c "$1/$2" -Wl,-rpath,"$place/$1" -o "$1/program"
  same "$1" "$4" "$1/program" "an argument"
}
toy mpich_3 libmpi.so.12 "" MPICH
toy mpich_5 libmpi.so.12 -DNATIVE MPICH
toy standard_of_mpich_4 libmpi_abi.so.0 "" standard
toy standard_of_open_mpi_6 libmpi_abi.so.1 -DSTANDARD standard
toy standard_by_another_name libmpi.so.40 -DSTANDARD standard

if command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; then
  cat >sum.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ++rank;
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 1) printf("%d\n", sum);
  return MPI_Finalize();
}
END
  mpicc.mpich sum.c -o sum
  same mpich MPICH mpiexec.mpich -n 2 ./sum
  cat >sum.f90 <<'END'
use mpi
integer :: rank, total, ierror
call mpi_init(ierror)
call mpi_comm_rank(mpi_comm_world, rank, ierror)
call mpi_allreduce(rank + 1, total, 1, mpi_integer, mpi_sum, mpi_comm_world, ierror)
if (rank == 0) print *, total
call mpi_finalize(ierror)
end
END
  if command -v mpifort.mpich >/dev/null; then
    mpifort.mpich sum.f90 -o sum_fortran
    same mpich_fortran MPICH mpiexec.mpich -n 2 ./sum_fortran
  fi
else
  echo "left out: MPICH itself, which is not installed (mpicc.mpich, mpiexec.mpich)"
fi
exit $failed
