/* What the memory model of icount is to see: "key value" lines, counted from "now" to "now". */
#include "tracer/icount/icount.h"
#include "tracer/icount/memory_events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long Values[MEMORY_EVENTS];

static unsigned long lines(const unsigned long* values, unsigned first) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < MEMORY_CLASSES; ++i)
    sum += values[first + i];
  return sum;
}

static void print(const char* name, Values before, Values after) {
  for (unsigned i = 0; i < MEMORY_EVENTS; ++i)
    after[i] -= before[i];
  printf("%s_instructions %lu\n%s_loads %lu\n%s_stores %lu\n", name, after[MEMORY_INSTRUCTIONS], name,
         after[MEMORY_LOADS], name, after[MEMORY_STORES]);
  printf("%s_divisions %lu\n%s_waits %lu\n%s_misguesses %lu\n", name, after[MEMORY_DIVISIONS], name,
         after[MEMORY_WAITS], name, after[MEMORY_MISGUESSES]);
  printf("%s_sequential %lu\n%s_random %lu\n%s_chained %lu\n", name, lines(after, MEMORY_SEQUENTIAL), name,
         lines(after, MEMORY_RANDOM), name, lines(after, MEMORY_CHAINED));
}

enum { words = 1 << 18 }; /* 2 MiB, 32768 lines */
static unsigned long* memory;

static void read_in_order(void) {
  __asm__ volatile("xor %%ecx, %%ecx\n1: mov (%0,%%rcx,8), %%rax\n\tinc %%rcx\n\tcmp %1, %%rcx\n\tjne 1b"
                   :
                   : "r"(memory), "r"((unsigned long)words)
                   : "rax", "rcx", "cc", "memory");
}

/* A line each time, far from the last; the next does not wait for what is read. */
static void read_far_apart(void) {
  for (unsigned long i = 0; i < words / 8; ++i)
    __asm__ volatile("mov (%0), %%rax" : : "r"(memory + i * 4093 * 8 % words) : "rax", "memory");
}

static void follow(void) {
  unsigned long at = 0;
  __asm__ volatile("mov %2, %%ecx\n1: mov (%1,%0,8), %0\n\tdec %%ecx\n\tjne 1b"
                   : "+r"(at)
                   : "r"(memory), "i"(words / 8)
                   : "ecx", "cc", "memory");
}

static void divide(void) {
  double x = 3;
  for (int i = 0; i < 1000; ++i)
    __asm__ volatile("divsd %1, %0" : "+x"(x) : "x"(1.5));
}

static void guess(void) {
  unsigned long taken = 0;
  static unsigned long random = 88172645463325252UL; /* other outcomes each time */
  for (int i = 0; i < 10000; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    __asm__ volatile("test $1, %1\n\tje 1f\n\tinc %0\n1:" : "+r"(taken) : "r"(random) : "cc");
  }
}

static void measure(const char* name, void (*work)(void)) {
  Values before;
  Values after;
  ICOUNT_MEMORY_GO_ON(before);
  work();
  ICOUNT_MEMORY_GO_ON(before);
  work();
  ICOUNT_MEMORY_PAUSE(after);
  print(name, before, after);
}

/* Another thread has lines of its own. */
static void* in_thread(void* unused) {
  measure("thread", read_in_order);
  return unused;
}

/* What is done meanwhile evicts nothing. */
static void read_while_paused(void) {
  Values ignored;
  ICOUNT_MEMORY_PAUSE(ignored);
  for (int i = 0; i < 3; ++i)
    read_far_apart();
  ICOUNT_MEMORY_GO_ON(ignored);
}

int main(void) {
  Values values;
  memory = aligned_alloc(4096, words * sizeof *memory);
  if (memory == NULL || ICOUNT_MEMORY_FORGET(values) != MEMORY_EVENTS) {
    printf("no_model 1\n");
    return 0;
  }
  memset(memory, 0, words * sizeof *memory);
  measure("in_order", read_in_order);
  measure("far_apart", read_far_apart);
  for (unsigned long line = 0; line < words / 8; ++line)
    memory[line * 8] = (line + 4093) * 8 % words;
  measure("follow", follow);
  measure("divide", divide);
  measure("guess", guess);
  measure("paused", read_while_paused);
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) == 0) pthread_join(thread, NULL);
  return 0;
}
