/* Programs that meet without having started one another, each of two halves of MPI_COMM_WORLD being one.
 *
 *     meets           the even ranks accept what the odd ranks connect to; then ranks 0 and 1 join through a socket
 *
 * Run on an even number of ranks; every rank prints through rank 0 what its partner sent. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>

static int rank, size;

/* A connected socket between ranks 0 and 1. */
static int connected(void) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  int end = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (rank == 0) {
    bind(end, (struct sockaddr*)&address, sizeof address);
    listen(end, 1);
    getsockname(end, (struct sockaddr*)&address, &length);
    MPI_Send(&address.sin_port, 2, MPI_BYTE, 1, 8, MPI_COMM_WORLD);
    const int accepted = accept(end, NULL, NULL);
    close(end);
    return accepted;
  }
  MPI_Recv(&address.sin_port, 2, MPI_BYTE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  connect(end, (struct sockaddr*)&address, sizeof address);
  return end;
}

static int talk(MPI_Comm others, int member) {
  int token = 10 * rank + 1;
  MPI_Sendrecv_replace(&token, 1, MPI_INT, member, 1, member, 1, others, MPI_STATUS_IGNORE);
  return token;
}

int main(int argc, char** argv) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half;
  MPI_Comm others;
  int got[2] = {0, 0};
  int all[2 * 64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, sizeof port, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(port, sizeof port, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank % 2 == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &others);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &others);
  got[0] = talk(others, rank / 2);
  MPI_Comm_disconnect(&others);
  if (rank == 0) MPI_Close_port(port);
  if (argc == 2 && rank < 2) {
    const int end = connected();
    MPI_Comm_join(end, &others);
    got[1] = talk(others, 0);
    MPI_Comm_disconnect(&others);
    close(end);
  }
  MPI_Comm_free(&half);
  MPI_Gather(got, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < size; ++i)
      printf("rank %d: %d %d\n", i, all[2 * i], all[2 * i + 1]);
  MPI_Finalize();
  return 0;
}
