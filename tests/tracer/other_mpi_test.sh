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

# A plugin that is loaded late, and linked with such an MPI: its calls bind to the preloaded library, which passes them on.
cat >own_mpi.c <<'END'
#include <stdio.h>
typedef struct comm* Comm;
typedef struct type* Type;
typedef struct request* Request;
typedef struct { long words[8]; } Status; // longer than any that is known
#define CALL(name, parameters, format, ...)                                                                            \
  int PREFIX(name) parameters { return printf(#name format "\n", __VA_ARGS__) < 0; }
#ifdef WITHOUT_PROFILING
#define PREFIX(name) MPI_##name
#else
#define PREFIX(name) PMPI_##name
int MPI_Init(int* argc, char*** argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Finalize(void) __attribute__((weak, alias("PMPI_Finalize")));
int MPI_Bcast(void*, int, Type, int, Comm) __attribute__((weak, alias("PMPI_Bcast")));
int MPI_Isend(const void*, int, Type, int, int, Comm, Request*) __attribute__((weak, alias("PMPI_Isend")));
int MPI_Waitall(int, Request*, Status*) __attribute__((weak, alias("PMPI_Waitall")));
int MPI_Barrier(Comm) __attribute__((weak, alias("PMPI_Barrier")));
#endif
CALL(Init, (int* argc, char*** argv), " %d %s", *argc, (*argv)[*argc - 1])
CALL(Finalize, (void), "%s", "")
CALL(Bcast, (void* buffer, int count, Type type, int root, Comm comm), " %d %p %d %p", *(int*)buffer + count,
     (void*)type, root, (void*)comm)
int PREFIX(Isend)(const void* buffer, int count, Type type, int dest, int tag, Comm comm, Request* request) {
  *request = (Request)(0x70000000000 + tag);
  return printf("Isend %d %d %p %d %p\n", *(const int*)buffer, count, (void*)type, dest, (void*)comm) < 0;
}
int PREFIX(Waitall)(int count, Request* requests, Status* statuses) {
  for (int i = 0; i < count; ++i) {
    printf("Waitall %p\n", (void*)requests[i]);
    if (statuses != NULL) statuses[i].words[7] = i + 1;
    requests[i] = NULL;
  }
  return 0;
}
int PREFIX(Barrier)(Comm comm) { return comm == NULL ? 77 : 0; }
END
cat >plugin.c <<'END'
#include <stdio.h>
typedef struct comm* Comm;
typedef struct type* Type;
typedef struct request* Request;
typedef struct { long words[8]; } Status;
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Bcast(void*, int, Type, int, Comm);
int MPI_Isend(const void*, int, Type, int, int, Comm, Request*);
int MPI_Waitall(int, Request*, Status*);
int MPI_Barrier(Comm);
int plugin(int argc, char** argv) {
  int datum = 40;
  Request requests[2];
  Status statuses[2] = {0};
  MPI_Init(&argc, &argv);
  MPI_Bcast(&datum, 2, (Type)0x4c000405f00, 3, (Comm)-9);
  for (int tag = 0; tag < 2; ++tag) MPI_Isend(&datum, 1, (Type)1, 0, tag, (Comm)0x123456789, &requests[tag]);
  MPI_Waitall(2, requests, statuses);
  printf("%ld %ld %p\n", statuses[0].words[7], statuses[1].words[7], (void*)requests[1]);
  MPI_Isend(&datum, 1, (Type)1, 0, 5, (Comm)0x123456789, &requests[0]);
  MPI_Waitall(1, requests, NULL);
  printf("%d\n", MPI_Barrier(NULL));
  return MPI_Finalize() ? 1 : 3;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int (*plugin)(int, char**) = (int (*)(int, char**))dlsym(dlopen(argv[1], RTLD_NOW), "plugin");
  return plugin == NULL || printf("loaded\n") < 0 ? 1 : plugin(argc, argv);
}
END
"$compiler" host.c -o host
# late NAME LIBRARY FLAGS
late() {
  mkdir "$1"
  "$compiler" $3 own_mpi.c -shared -fPIC -Wl,-soname,$2 -o "$1/$2"
  "$compiler" plugin.c -shared -fPIC "$1/$2" -Wl,-rpath,"$place/$1" -o "$1/plugin.so"
  same "$1" "$place/$1/$2, .*not known" ./host "$place/$1/plugin.so"
}
late late_plugin libmpi_own.so ""
late late_plugin_without_profiling libmpi_own.so -DWITHOUT_PROFILING
late late_plugin_of_another_name libserial.so -DWITHOUT_PROFILING

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
