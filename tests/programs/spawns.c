/* Starts two further processes of itself, speaks with them in every way, and parts from them; nothing depends on timing.
 *
 *     spawns          prints what the parents and the children got; run on any number of ranks
 *     spawns many     the same through MPI_Comm_spawn_multiple, of two commands with a process each */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

#define CHILDREN 2

static int rank, size;

/* Messages between member i of one group and member i of the other, as far as both have one. */
static int exchange(MPI_Comm others) {
  int count;
  int given = 100 + rank;
  int taken = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Comm_remote_size(others, &count);
  if (rank >= count) return 0;
  MPI_Irecv(&taken, 1, MPI_INT, MPI_ANY_SOURCE, 1, others, &request);
  MPI_Send(&given, 1, MPI_INT, rank, 1, others);
  MPI_Wait(&request, &status);
  MPI_Sendrecv_replace(&given, 1, MPI_INT, rank, 2, rank, 2, others, MPI_STATUS_IGNORE);
  return 1000 * status.MPI_SOURCE + taken + given;
}

static int meet(MPI_Comm others, int high) {
  MPI_Comm all;
  MPI_Comm halves;
  int sum = 0;
  int half_sum = 0;
  int place;
  int members;
  MPI_Barrier(others);
  MPI_Intercomm_merge(others, high, &all);
  MPI_Comm_rank(all, &place);
  MPI_Comm_size(all, &members);
  MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, all);
  /* Neighbours in the merged communicator, some of one world, some of two. */
  int token = place;
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (place + 1) % members, 3, (place + members - 1) % members, 3, all,
                       MPI_STATUS_IGNORE);
  MPI_Comm_split(all, place % 2, place, &halves);
  MPI_Allreduce(&place, &half_sum, 1, MPI_INT, MPI_SUM, halves);
  MPI_Comm_free(&halves);
  MPI_Comm_free(&all);
  return 100 * sum + 10 * half_sum + token;
}

static void parent(MPI_Comm* others, const char* program, int many) {
  int codes[CHILDREN];
  char first[] = "first argument";
  char second[] = "second";
  char* arguments[] = {first, second, NULL};
  char** both_arguments[] = {arguments, arguments};
  char* commands[] = {(char*)program, (char*)program};
  int one_each[] = {1, 1};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  if (many)
    MPI_Comm_spawn_multiple(2, commands, both_arguments, one_each, infos, 0, MPI_COMM_WORLD, others,
                            rank == 0 ? codes : MPI_ERRCODES_IGNORE);
  else
    MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, others,
                   rank == 0 ? codes : MPI_ERRCODES_IGNORE);
  if (rank == 0 && (codes[0] != MPI_SUCCESS || codes[1] != MPI_SUCCESS)) MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char** argv) {
  MPI_Comm others;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&others);
  const int child = others != MPI_COMM_NULL;
  if (child && (argc != 3 || strcmp(argv[1], "first argument") != 0)) MPI_Abort(MPI_COMM_WORLD, 2);
  if (!child) parent(&others, argv[0], argc == 2);
  const int messages = exchange(others);
  const int together = meet(others, child);
  int root = child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  int news = child ? 0 : 4711;
  MPI_Bcast(&news, 1, MPI_INT, root, others);
  /* The children tell the parents, and these alone print. */
  int mine[3] = {messages, together, news};
  int theirs[3 * CHILDREN] = {0};
  int ours[3 * 64] = {0};
  MPI_Gather(mine, child ? 3 : 0, MPI_INT, theirs, 3, MPI_INT, root, others);
  MPI_Comm_disconnect(&others);
  MPI_Gather(mine, 3, MPI_INT, ours, 3, MPI_INT, 0, MPI_COMM_WORLD);
  if (!child && rank == 0) {
    for (int i = 0; i < size; ++i)
      printf("parent %d: %d %d %d\n", i, ours[3 * i], ours[3 * i + 1], ours[3 * i + 2]);
    for (int i = 0; i < CHILDREN; ++i)
      printf("child %d: %d %d %d\n", i, theirs[3 * i], theirs[3 * i + 1], theirs[3 * i + 2]);
  }
  MPI_Finalize();
  return 0;
}
