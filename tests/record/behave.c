/* An MPI program that does what its first argument says; what it prints is its own, whatever runs it.
 *
 *   arguments ...       prints its arguments, argv[0] included, in brackets
 *   environment         prints the variables a recording may touch, but for its own
 *   again HOW           executes itself as /proc/self/exe before MPI_Init, by execv, execlp or posix_spawn
 *   input               copies stdin to stdout
 *   exit N              ends with this status, after MPI_Finalize
 *   signal N            sends itself this signal, between MPI_Init and MPI_Finalize
 *   wait                prints a line, then waits for a signal it does not survive
 *   avx512              executes an instruction of AVX-512
 *   hang                rank 1 waits for a message from rank 0, all others for each other
 *   chatter N [BYTES]   makes this many calls, no two alike; its files may grow to so many bytes
 *   memory N            has so many MiB resident for a moment
 *   remove DIRECTORY    removes a directory between two calls
 *   nothing             only starts and ends MPI */
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void print_arguments(int argc, char** argv) {
  for (int i = 0; i < argc; ++i)
    printf("[%s]", argv[i]);
  char directory[4096];
  printf(" in %s\n", getcwd(directory, sizeof directory) != NULL ? directory : "?");
}

static void print_environment(void) {
  const char* const touched[] = {"VALGRIND", "HWLOC", "GLIB", "TIMELESS_ICOUNT_"};
  for (char** each = environ; *each != NULL; ++each)
    for (size_t i = 0; i < sizeof touched / sizeof *touched; ++i)
      if (strncmp(*each, touched[i], strlen(touched[i])) == 0) puts(*each);
  const char* preload = getenv("LD_PRELOAD");
  if (preload != NULL && strstr(preload, "vgpreload") != NULL) puts(preload);
}

/* Returns the status of the program that it becomes, or that it waits for. */
static int begin_again(const char* how, char** argv) {
  static const char self[] = "/proc/self/exe";
  char* const arguments[] = {argv[0], (char*)"arguments", NULL};
  if (strcmp(how, "execv") == 0) execv(self, arguments);
  if (strcmp(how, "execlp") == 0) execlp(self, argv[0], "arguments", (char*)NULL);
  pid_t child;
  int status = 3;
  if (strcmp(how, "posix_spawn") != 0 || posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child)
    return 3;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static void copy_input(void) {
  for (int letter = getchar(); letter != EOF; letter = getchar())
    putchar(letter);
}

static void wait_for_the_end(void) {
  puts("waiting");
  fflush(stdout);
  for (;;)
    pause();
}

static void hang(void) {
  int rank, value;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  puts("hanging");
  fflush(stdout);
  if (rank == 1) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 41, MPI_COMM_WORLD, &request);
    MPI_Recv(&value, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void limit_files(int bytes) {
  const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void chatter(int calls) {
  static char buffer[1 << 20];
  unsigned random = 1;
  for (int i = 0; i < calls; ++i) {
    random = random * 1103515245u + 12345u;
    MPI_Bcast(buffer, (int)(random >> 12), MPI_CHAR, 0, MPI_COMM_SELF);
  }
  puts("chattered");
}

static void remove_directory(const char* directory) {
  char command[4096];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  printf("removed: %d\n", system(command));
}

/* Has so many MiB resident for a moment. */
static void use_memory(int size) {
  const size_t bytes = (size_t)size << 20U;
  char* const memory = malloc(bytes);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 1, bytes);
  MPI_Bcast(memory, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  free(memory);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "nothing";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "again") == 0) return begin_again(argv[2], argv);
  if (strcmp(what, "arguments") == 0) print_arguments(argc, argv);
  if (strcmp(what, "environment") == 0) print_environment();
  MPI_Init(&argc, &argv);
  if (strcmp(what, "environment") == 0) print_environment();
  if (strcmp(what, "input") == 0) copy_input();
  if (strcmp(what, "signal") == 0) {
    signal(number, SIG_DFL);
    raise(number);
  }
  if (strcmp(what, "wait") == 0) wait_for_the_end();
  if (strcmp(what, "hang") == 0) hang();
  if (strcmp(what, "chatter") == 0) {
    if (argc > 3) limit_files(atoi(argv[3]));
    chatter(number);
  }
  if (strcmp(what, "memory") == 0) use_memory(number);
  if (strcmp(what, "remove") == 0) remove_directory(argv[2]);
  if (strcmp(what, "avx512") == 0) __asm__ volatile(".byte 0x62, 0xf1, 0x75, 0x48, 0xfe, 0xd0");
  MPI_Finalize();
  return strcmp(what, "exit") == 0 ? number : 0;
}
