/* Run under the icount tool, it prints what the tool counts in loops whose length is known; natively, 0s.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tracer/icount/icount.h"

#include <stdio.h>

/* Two instructions an iteration. */
static void loop(unsigned long iterations) {
  __asm__ volatile("1: dec %0\n\tjne 1b" : "+r"(iterations) : : "cc");
}

static unsigned long count_of_loop(unsigned long iterations) {
  const unsigned long begin = ICOUNT_THREAD();
  loop(iterations);
  return ICOUNT_THREAD() - begin;
}

int main(void) {
  printf("%lx %lu %lu\n", ICOUNT_ABI(), count_of_loop(1000), count_of_loop(2000));
  return 0;
}
