#include "tracer/process/spawned_world.h"

#include "tracer/mpi/program_handles.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace timeless::tracer {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_prefix = "spawned-";

/// Returns the highest number a spawned world has in this host's directory; 0 when there is none.
int highest_number(const fs::path& directory) {
  int highest = 0;
  std::error_code failure;
  for (fs::directory_iterator entry(directory, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(file_prefix)) continue;
    int number = 0;
    std::from_chars(name.data() + std::char_traits<char>::length(file_prefix), name.data() + name.size(), number);
    highest = std::max(highest, number);
  }
  return highest;
}

/// Takes the first free number from `number` on by making its directory, which only one world can.
int take_number(const fs::path& directory, int number) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  while (!failure && !fs::create_directory(directory / (file_prefix + std::to_string(number)), failure))
    ++number;
  return number;
}

} // namespace

fs::path directory_of_world(const fs::path& directory) noexcept {
  OwnHandle<MPI_Comm> parent;
  mpi().Comm_get_parent(parent.place());
  if (parent.value() == mpi().comm_null) return directory;
  int rank = 0;
  mpi().Comm_rank(mpi().comm_world, &rank);
  // Hosts may have directories of their own: the number is to be free in all.
  const int free_here = highest_number(directory) + 1;
  int number = free_here;
  mpi().Reduce(&free_here, &number, 1, mpi().int_type, mpi().max, 0, mpi().comm_world);
  if (rank == 0) number = take_number(directory, number);
  mpi().Bcast(&number, 1, mpi().int_type, 0, mpi().comm_world);
  return directory / (file_prefix + std::to_string(number));
}

} // namespace timeless::tracer
