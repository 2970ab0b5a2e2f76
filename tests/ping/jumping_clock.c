/* Preloaded: the monotonic clock is a second ahead from when the file exists that JUMP_ONCE names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  static atomic_uint calls;
  static atomic_int jumped;
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(id, time);
  if (id != CLOCK_MONOTONIC) return result;
  const char* const file = getenv("JUMP_ONCE");
  if (!jumped && file && atomic_fetch_add(&calls, 1) % 1000 == 0 && access(file, F_OK) == 0) jumped = 1;
  if (jumped) time->tv_sec += 1;
  return result;
}
