/* Preloaded, it stands for a processor with counters: the hardware event that PAPI asks the kernel for becomes one that
 * every kernel can count exactly. FAKE_PMU says which:
 *   breakpoint   executions of the instruction at the address FAKE_PMU_ADDRESS
 *   page-faults  something, but no instructions
 *   EACCES, ENOENT  the kernel refuses
 * FAKE_PMU_EVENTS is how many events may be open at once, before it refuses with EMFILE; FAKE_PMU_READS how many times
 * they can be read before that fails with EIO. Without them, there is no end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_hardware(const struct perf_event_attr* event) {
  return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_RAW;
}

/* Returns an error number, or 0 with the event replaced. */
static int replace(struct perf_event_attr* event) {
  const char* kind = getenv("FAKE_PMU");
  const char* address = getenv("FAKE_PMU_ADDRESS");
  if (kind == NULL || strcmp(kind, "ENOENT") == 0) return ENOENT;
  if (strcmp(kind, "EACCES") == 0) return EACCES;
  event->config1 = event->config2 = 0;
  if (strcmp(kind, "page-faults") == 0) {
    event->type = PERF_TYPE_SOFTWARE;
    event->config = PERF_COUNT_SW_PAGE_FAULTS;
  } else if (strcmp(kind, "breakpoint") == 0 && address != NULL) {
    event->type = PERF_TYPE_BREAKPOINT;
    event->config = 0;
    event->bp_type = HW_BREAKPOINT_X;
    event->bp_addr = strtoull(address, NULL, 0);
    event->bp_len = sizeof(long);
    event->exclude_kernel = 1;
  }
  return 0;
}

enum { most_descriptors = 1024 };
static atomic_bool is_event[most_descriptors];

static atomic_long events_open;
static atomic_long reads;

/* True as long as the variable allows one more than have been used. */
static int allowed(const char* variable, long used) {
  const char* most = getenv(variable);
  return most == NULL || used < atol(most);
}

static long real_syscall(long number, const long* arguments) {
  static long (*real)(long, ...);
  if (real == NULL) {
    void* found = dlsym(RTLD_NEXT, "syscall");
    memcpy(&real, &found, sizeof real);
  }
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

ssize_t read(int descriptor, void* buffer, size_t size) {
  const int event = descriptor >= 0 && descriptor < most_descriptors && is_event[descriptor];
  if (event && !allowed("FAKE_PMU_READS", reads++)) {
    errno = EIO;
    return -1;
  }
  return real_syscall(SYS_read, (long[6]){descriptor, (long)buffer, (long)size});
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < most_descriptors && atomic_exchange(&is_event[descriptor], 0)) --events_open;
  return (int)real_syscall(SYS_close, (long[6]){descriptor});
}

static long open_event(long* arguments) {
  struct perf_event_attr event;
  memcpy(&event, (void*)arguments[0], sizeof event);
  event.size = sizeof event;
  const int error = allowed("FAKE_PMU_EVENTS", events_open) ? replace(&event) : EMFILE;
  if (error != 0) {
    errno = error;
    return -1;
  }
  arguments[0] = (long)&event;
  const long descriptor = real_syscall(SYS_perf_event_open, arguments);
  if (descriptor >= 0 && descriptor < most_descriptors && !atomic_exchange(&is_event[descriptor], 1)) ++events_open;
  return descriptor;
}

long syscall(long number, ...) {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    arguments[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_perf_event_open && arguments[0] != 0 && is_hardware((struct perf_event_attr*)arguments[0]))
    return open_event(arguments);
  return real_syscall(number, arguments);
}
