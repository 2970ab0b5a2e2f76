#!/bin/bash
# other_mpi_test.sh LIBRARY C_COMPILER: programs of an MPI that cannot be recorded run with the preloaded library as without
# it, and it says which MPI that is. The MPIs are toys.
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
#ifdef OPEN_MPI
int ompi_mpi_comm_world;
#endif
#ifdef MPICH
int MPI_UNWEIGHTED;
#endif
#ifdef NATIVE
int PMPI_Abi_get_version(int* major, int* minor) { return *major = *minor = -1, 0; }
#endif
END
cat >program.c <<'END'
#include <stdio.h>
int MPI_Init(int* argc, char*** argv);
int main(int argc, char** argv) { return printf("called %s\n", argv[0]) < 0 || MPI_Init(&argc, &argv) ? 1 : 3; }
END
# toy NAME FLAGS
toy() {
  mkdir "$1"
  "$compiler" $2 toy.c -shared -fPIC -Wl,-soname,libmpi.so.12 -o "$1/libmpi.so.12"
  "$compiler" program.c "$1/libmpi.so.12" -Wl,-rpath,"$place/$1" -o "$1/program"
  same "$1" "$place/$1/libmpi.so.12, .*not known" "$1/program" "an argument"
}
toy none_of_ours ""
toy none_of_ours_of_mpi_5 -DNATIVE

# Stubs without profiling names, as programs have that can also run serially: linked, of C or of Fortran alone, or
# loaded by the program itself.
echo 'int MPI_Init(int* argc, char*** argv) { return *argc = 0, *argv == 0; }' >stub.c
echo 'int mpi_init_(int* argc, char*** argv) { return *argc = 0, *argv == 0; }' >fortran_stub.c
sed 's/MPI_Init/mpi_init_/' program.c >fortran_program.c
# stub NAME SOURCE PROGRAM
stub() {
  mkdir "$1"
  "$compiler" "$2" -shared -fPIC -Wl,-soname,libserial.so -o "$1/libserial.so"
  "$compiler" "$3" "$1/libserial.so" -Wl,-rpath,"$place/$1" -o "$1/program"
  same "$1" "$place/$1/libserial.so, .*not known" "$1/program" "an argument"
}
stub stub stub.c program.c
stub stub_of_fortran fortran_stub.c fortran_program.c
cat >loader.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(dlopen(argv[1], RTLD_NOW), "MPI_Init");
  return init == NULL || printf("loaded\n") < 0 || init(&argc, &argv) ? 1 : 3;
}
END
"$compiler" loader.c -o loader
"$compiler" stub.c -shared -fPIC -o libmpi_stub.so
same loaded_stub "$place/libmpi_stub.so, .*not known" ./loader "$place/libmpi_stub.so"

# A profiling layer that is preloaded, too, is no MPI: nothing is said of programs without one.
"$compiler" stub.c -shared -fPIC -o layer.so
LD_PRELOAD=$library:$place/layer.so TIMELESS_DIR=$place/trace sh -c 'exit 3' 2>errors && status=0 || status=$?
if [ $status = 3 ] && [ ! -s errors ]; then
  echo "ok: preloaded layer"
else
  echo "FAILED: preloaded layer: status $status"
  cat errors
  failed=1
fi

# A program with Open MPI whose library is linked with MPICH, and the other way round.
two() {
  local its=$1 other=$2
  mkdir "$its-$other"
  "$compiler" -D$its toy.c -shared -fPIC -Wl,-soname,libmpi.so.40 -o "$its-$other/libmpi.so.40"
  "$compiler" -D$other toy.c -shared -fPIC -Wl,-soname,libmpich.so.12 -o "$its-$other/libmpich.so.12"
  "$compiler" program.c -Wl,--no-as-needed "$its-$other/libmpi.so.40" "$its-$other/libmpich.so.12" \
    -Wl,-rpath,"$place/$its-$other" -o "$its-$other/program"
  same "$its-$other" "linked with two MPIs, .*libmpi.so.40 .*libmpich.so.12 " "$its-$other/program" "an argument"
}
two OPEN_MPI MPICH
two MPICH OPEN_MPI

exit $failed
