#include "known_loop.h"

#include <stdio.h>
#include <stdlib.h>

/* In assembly, so that it is the same instructions whatever the compiler. */
__asm__("  .text\n"
        "  .p2align 4\n"
        "  .globl known_loop_body\n"
        "  .type known_loop_body, @function\n"
        "known_loop_body:\n"
        "  dec %rdi\n"
        "  jne known_loop_body\n"
        "  ret\n"
        "  .size known_loop_body, . - known_loop_body\n");
void known_loop_body(long iterations);

void known_loop(long iterations) {
  if (iterations > 0) known_loop_body(iterations);
}

/* A pretended counter counts iterations: it is told where the loop begins. */
__attribute__((constructor)) static void tell_address(void) {
  char address[32];
  if (getenv("FAKE_PMU") == NULL) return;
  snprintf(address, sizeof address, "%p", (void*)(long)known_loop_body);
  setenv("FAKE_PMU_ADDRESS", address, 1);
}
