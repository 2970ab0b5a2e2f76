#include "ping/ping.h"

#include "base/error.h"
#include "ping/raw.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::ping {

namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

/// The first line of what the library says of itself; only printable characters.
std::string library_version() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING);
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line;
  for (int place = 0; place < length && text[static_cast<std::size_t>(place)] != '\n'; ++place) {
    const char one = text[static_cast<std::size_t>(place)];
    if (one >= ' ' && one <= '~') line += one;
  }
  return line;
}

/// The names of the ranks' hosts, on rank 0.
std::vector<std::string> host_names(MPI_Comm world, int size) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> mine{};
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  std::vector<char> all(mine.size() * static_cast<std::size_t>(size));
  const int each = static_cast<int>(mine.size());
  MPI_Gather(mine.data(), each, MPI_CHAR, all.data(), each, MPI_CHAR, 0, world);
  std::vector<std::string> names;
  for (int rank = 0; rank < size; ++rank)
    names.emplace_back(all.data() + static_cast<std::size_t>(rank) * mine.size());
  return names;
}

} // namespace

std::uint64_t ping(MPI_Comm world, const PingOptions& options) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  ExperimentRunner runner(world, options.plan.most_bytes, options.timing);
  PingPlan plan(options.plan, runner.nodes()); // of which rank 0's decides
  MeasurementContext circumstances{.date = date_now(),
                                   .library = library_version(),
                                   .hosts = host_names(world, size),
                                   .nodes = runner.nodes(),
                                   .seed = options.plan.seed,
                                   .most_bytes = options.plan.most_bytes,
                                   .waiting = options.waiting};
  std::uint64_t measured = 0;
  Order ordered; ///< what `last` is of
  std::vector<Measurement> last;
  bool begun = false;
  std::exception_ptr problem;
  // What fails on rank 0, the others must hear of before it is thrown: they wait for orders.
  const auto decide = [&]() -> std::optional<Order> {
    try {
      if (!std::exchange(begun, true)) options.write(head(circumstances));
      std::string lines;
      for (const Measurement& one : last)
        lines += line(one);
      if (runner.without_common_start() > 0)
        lines += without_common_start(ordered.experiment, runner.without_common_start());
      options.write(lines);
      measured += last.size();
      if (options.progress) options.progress(runner.now(), measured);
      return plan.next(last, runner.now());
    } catch (...) {
      problem = std::current_exception();
      return std::nullopt;
    }
  };
  for (;;) {
    // No order: one without repetitions.
    Order told{.repetitions = 0};
    if (rank == 0) told = decide().value_or(told);
    MPI_Bcast(&told, sizeof told, MPI_BYTE, 0, world);
    if (told.repetitions == 0) break;
    ordered = told;
    try {
      last = runner.carry_out(told);
    } catch (const Error& error) {
      // The others wait for this rank: nobody can end in order.
      std::fprintf(stderr, "rank %d: %s: %s\n", rank, error.description().c_str(), error.advice().c_str());
      MPI_Abort(world, static_cast<int>(error.failure()));
    }
  }
  if (problem) std::rethrow_exception(problem);
  return measured;
}

} // namespace timeless::ping
