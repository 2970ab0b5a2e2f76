// Templates, inlined functions and lambdas that call MPI.
#include <mpi.h>

#include <cstdlib>

namespace mesh {

volatile double state = 1;

[[gnu::noinline]] void compute(long steps) {
  for (long i = 0; i < steps; ++i)
    state = state * 0.999 + 0.001;
}

[[gnu::always_inline]] inline double sum(double part) {
  double all = 0;
  MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // site: sum
  return all;
}

template <typename Value, int order>
class Field {
public:
  [[gnu::noinline]] double advance(Value by, long steps) const {
    compute(steps);
    return sum(static_cast<double>(by) * order);
  }
};

} // namespace mesh

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const mesh::Field<float, 3> field;
  double result = 0;
  for (int round = 0; round < 3; ++round)
    result += field.advance(1.5F, 50000);
  const auto wait = [] {
    mesh::compute(50000);
    MPI_Barrier(MPI_COMM_WORLD); // site: lambda
  };
  wait();
  MPI_Finalize();
  return result > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
