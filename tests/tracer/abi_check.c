// Compiled, not run, with the mpi.h of each MPI there is (abi_test.sh): whether tracer/mpi/abi.def says the truth of
// it, and whether calls.def has the prototypes it declares. In C, where an address cast to an integer is a constant.
#include <mpi.h>

#include <stddef.h>

#if defined(ABI_OPEN_MPI)
#define ABI_VALUE(open_mpi, mpich, standard) open_mpi
#define ABI_IS(name, datum, mpich, standard) ((const void*)(name) == (const void*)&datum)
#elif defined(ABI_MPICH)
#define ABI_VALUE(open_mpi, mpich, standard) mpich
#define ABI_IS(name, datum, mpich, standard) ((name) == (int)(mpich))
#elif defined(ABI_STANDARD)
#define ABI_VALUE(open_mpi, mpich, standard) standard
#define ABI_IS(name, datum, mpich, standard) ((ptrdiff_t)(name) == (standard))
#else
#error "which binary interface?"
#endif

#define ABI_HANDLE(type, member, name, datum, mpich, standard)                                                         \
  _Static_assert(ABI_IS(name, datum, mpich, standard), "the value of " #member);                                       \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), type), "the type of " #member);
#define ABI_OPERATION(member, name, datum, mpich, standard) ABI_HANDLE(MPI_Op, member, name, datum, mpich, standard)
#define ABI_INTEGER(member, expression, open_mpi, mpich, standard)                                                     \
  _Static_assert((ptrdiff_t)(expression) == ABI_VALUE(open_mpi, mpich, standard), "the value of " #member);
#define ABI_ADDRESS(member, name, open_mpi, mpich, standard)                                                           \
  _Static_assert((ptrdiff_t)(name) == ABI_VALUE(open_mpi, mpich, standard), "the value of " #member);
#ifdef ABI_MPICH
#define ABI_WEIGHTS(member, name, open_mpi, standard)                                                                  \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&(name)), int* const*), "the type of " #member);
#else
#define ABI_WEIGHTS(member, name, open_mpi, standard)                                                                  \
  _Static_assert((ptrdiff_t)(name) == ABI_VALUE(open_mpi, 0, standard), "the value of " #member);
#endif
#include "tracer/mpi/abi.def"

// The same in all: what wrappers take as it is.
_Static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8 && MPI_SUCCESS == 0,
               "sizes that all have");

// MPICH 4.0 and Open MPI 5 let MPI_Pready_list change the program's list, and MPICH 4.2 to 4.3.0 (so MVAPICH 4.0, too)
// others its requests; what MPI-5 counts by int is MPI_Count in all libraries, but int in the mpi.h that the MPI Forum
// publishes.
#define IS(name, function) (__builtin_strcmp(#name, function) == 0)
#define MAY_CHANGE_AN_ARRAY(name)                                                                                      \
  (IS(name, "Pready_list") || IS(name, "Request_get_status_all") || IS(name, "Request_get_status_any") ||              \
   IS(name, "Request_get_status_some"))
#define DIFFERS(name)                                                                                                  \
  (MAY_CHANGE_AN_ARRAY(name) || (MPI_VERSION >= 5 && (IS(name, "Psend_init") || IS(name, "Precv_init"))))
#define HANDLES(type) type*
#define PROTOTYPE(name, parameters)                                                                                    \
  _Static_assert(DIFFERS(name) || __builtin_types_compatible_p(__typeof__(&MPI_##name), int(*) parameters),            \
                 "MPI_" #name);                                                                                        \
  _Static_assert(DIFFERS(name) || __builtin_types_compatible_p(__typeof__(&PMPI_##name), int(*) parameters),           \
                 "PMPI_" #name);
#include "prototypes.inc"
#if MPI_VERSION >= 4
#include "mpi_4.0_prototypes.inc"
#endif
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#include "mpi_4.1_prototypes.inc"
#endif

// What a header may lack, but if it declares it, must declare alike.
#undef PROTOTYPE
#define PROTOTYPE(name, parameters)                                                                                    \
  int MPI_##name parameters;                                                                                           \
  int PMPI_##name parameters;
// Open MPI 5 says that it is of MPI-3.1, and has what came with MPI-4.0 but for large counts.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 5
#define MPI_Pready_list differs
#define PMPI_Pready_list differs
#include "mpi_4.0_prototypes.inc"
#undef MPI_Pready_list
#undef PMPI_Pready_list
#endif
// MPICH 5.0 and Open MPI 6 lack all of these.
#if MPI_VERSION >= 5
#include "mpi_5.0_prototypes.inc"
#endif

#define MPI_QUERY(name, parameters)                                                                                    \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&PMPI_##name), int(*) parameters), "PMPI_" #name);
#if MPI_VERSION >= 4
#define MPI_QUERY_OF_MPI_4(name, parameters) MPI_QUERY(name, parameters)
#endif
#ifdef ABI_OPEN_MPI
#define MPI_CONVERSION(type, name, parameters)                                                                         \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&PMPI_##name), type(*) parameters), "PMPI_" #name);
#endif
#include "tracer/mpi/used_functions.def"
