/* What a counting tool meets besides loops: "key value" lines. */
#include "tracer/icount/icount.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void loop(unsigned long iterations) {
  __asm__ volatile("1: dec %0\n\tjne 1b" : "+r"(iterations) : : "cc");
}

static void* loop_then_wait(void* barrier) {
  loop(1000000);
  pthread_barrier_wait(barrier);
  pthread_barrier_wait(barrier);
  return NULL;
}

/* A forked child goes on from its parent's counts, other threads' included. */
static void fork_beside_a_thread(void) {
  pthread_barrier_t barrier;
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  if (pthread_create(&thread, NULL, loop_then_wait, &barrier) != 0) return;
  pthread_barrier_wait(&barrier);
  fflush(stdout);
  const unsigned long process = ICOUNT_PROCESS();
  const unsigned long own = ICOUNT_THREAD();
  if (fork() == 0) {
    printf("child_process_advance %lu\n", ICOUNT_PROCESS() - process);
    printf("child_thread_advance %lu\n", ICOUNT_THREAD() - own);
    const unsigned long before = ICOUNT_PROCESS();
    loop(1000);
    printf("child_loop %lu\n", ICOUNT_PROCESS() - before);
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  printf("process_of_thread_loop %lu\n", ICOUNT_PROCESS() - ICOUNT_THREAD());
}

/* Code that is written, run, overwritten and run again. */
static void self_modifying(void) {
  unsigned char code[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* mov $1, %eax; ret */
  unsigned char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  memcpy(page, code, sizeof code);
  int (*function)(void);
  memcpy(&function, &page, sizeof function);
  const int first = function();
  page[1] = 2;
  const int second = function();
  printf("self_modifying %d\n", 10 * first + second);
}

static sigjmp_buf back;
static void on_signal(int signal) {
  siglongjmp(back, signal);
}

/* A signal in the middle, its handler does not return; on with counting. */
static void signal_and_go_on(void) {
  signal(SIGSEGV, on_signal);
  const unsigned long before = ICOUNT_THREAD();
  if (sigsetjmp(back, 1) == 0) {
    loop(500000);
    raise(SIGSEGV);
  }
  const unsigned long counted = ICOUNT_THREAD() - before;
  printf("signal_and_loop_500000 %lu\n", counted);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "avx512") == 0) {
    __asm__ volatile(".byte 0x62, 0xf1, 0x75, 0x48, 0xfe, 0xd0"); /* vpaddd %zmm0, %zmm1, %zmm2 */
    return 0;
  }
  self_modifying();
  signal_and_go_on();
  fork_beside_a_thread();
  return 0;
}
