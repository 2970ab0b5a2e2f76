/* Named regions of a program, for Timeless.
 *
 *     #include <timeless.h>
 *
 *     timeless_begin("assembly");
 *     ...
 *     timeless_end("assembly");
 *
 * Nothing has to be linked: where the program is not being recorded, both calls find nobody and return. Regions may be
 * nested, overlap and be entered again. An end without its begin, or a begin without its end, is recorded as it is;
 * `timeless check` says so. `timeless info --regions` lists what each region computes and sends.
 *
 * The calls are to be made by a thread that may call MPI; those before MPI_Init and after MPI_Finalize are ignored.
 */
#ifndef TIMELESS_H
#define TIMELESS_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inlined even where nothing else is: the address a mark returns to says where in the program it stands. */
#define TIMELESS_INLINE static __inline__ __attribute__((always_inline))

/* Calls a function of the recorder if there is one, looked up once: `*known` is then the function, or, where there is
 * none, its own address. */
TIMELESS_INLINE void timeless_call_(void** known, const char* function, const char* region) {
  void* found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!found) {
    found = dlsym(0, function); /* in everything the process has loaded */
    if (!found) found = (void*)known;
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
  }
  if (found != (void*)known) {
    void (*call)(const char*);
    __builtin_memcpy(&call, &found, sizeof call);
    call(region);
  }
}

/* The program enters the region of this name. */
TIMELESS_INLINE void timeless_begin(const char* region) {
  static void* known;
  timeless_call_(&known, "timeless_region_begin", region);
}

/* The program leaves the region of this name. */
TIMELESS_INLINE void timeless_end(const char* region) {
  static void* known;
  timeless_call_(&known, "timeless_region_end", region);
}

#ifdef __cplusplus
}
#endif

#endif
