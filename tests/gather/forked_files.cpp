// The C library's calls on files, of which one fails as planned.

#include "tests/gather/forked_processes.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

using timeless::test::error_of_this_step;

extern "C" {

#define NEXT(name) reinterpret_cast<decltype(&name)>(::dlsym(RTLD_NEXT, #name))
#define FAIL_AT_THIS_STEP                                                                                              \
  if (const int error = error_of_this_step(); error != 0) {                                                            \
    errno = error;                                                                                                     \
    return -1;                                                                                                         \
  }

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  FAIL_AT_THIS_STEP
  return NEXT(open)(path, flags, mode);
}
ssize_t pread(int file, void* to, size_t count, off_t offset) {
  FAIL_AT_THIS_STEP
  return NEXT(pread)(file, to, count, offset);
}
ssize_t pwrite(int file, const void* from, size_t count, off_t offset) {
  FAIL_AT_THIS_STEP
  return NEXT(pwrite)(file, from, count, offset);
}
ssize_t write(int file, const void* from, size_t count) {
  FAIL_AT_THIS_STEP
  return NEXT(write)(file, from, count);
}
int ftruncate(int file, off_t length) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(ftruncate)(file, length);
}
int fallocate(int file, int mode, off_t offset, off_t count) {
  FAIL_AT_THIS_STEP
  return NEXT(fallocate)(file, mode, offset, count);
}
int fsync(int file) {
  FAIL_AT_THIS_STEP
  return NEXT(fsync)(file);
}
int renameat2(int from, const char* old, int to, const char* name, unsigned flags) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(renameat2)(from, old, to, name, flags);
}
int unlink(const char* path) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(unlink)(path);
}
int rmdir(const char* path) noexcept {
  FAIL_AT_THIS_STEP
  return NEXT(rmdir)(path);
}

} // extern "C"
