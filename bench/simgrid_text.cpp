#include "simgrid_text.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/os.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace timeless::bench {

namespace {

using trace::Action;
using trace::ActionKind;

constexpr int byte_type = 6; // SimGrid's number for MPI_BYTE

/// A directory that goes when this does.
class Folder {
public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("timeless-simgrid-{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

std::string line(trace::Rank rank, const Action& action, std::uint64_t volume) {
  const char* const prefix = action.request == trace::no_request ? "" : "i";
  switch (action.kind) {
  case ActionKind::compute:
    return fmt::format("{} compute {}\n", rank, volume);
  case ActionKind::send:
    return fmt::format("{} {}send {} {} {} {}\n", rank, prefix, action.peer, action.tag, action.bytes, byte_type);
  case ActionKind::receive:
    return fmt::format("{} {}recv {} {} {} {}\n", rank, prefix, action.peer, action.tag, action.bytes, byte_type);
  case ActionKind::wait_all:
    return fmt::format("{} waitall\n", rank);
  case ActionKind::allreduce:
    return fmt::format("{} allreduce {} 0 {}\n", rank, action.bytes, byte_type);
  case ActionKind::finalize:
    return fmt::format("{} finalize\n", rank);
  default:
    throw Error(Failure::usage, "this benchmark writes no " + trace::mpi_name(action) + " for SimGrid");
  }
}

void write_rank(const trace::Source& source, trace::Rank rank, const std::filesystem::path& path) {
  auto out = fmt::output_file(path.string());
  out.print("{} init\n", rank);
  trace::ActionBlock block;
  for (const auto stream = source.open(rank); stream->next(block);)
    trace::for_each_action(
        block, [&](const Action& action, std::uint64_t volume) { out.print("{}", line(rank, action, volume)); });
}

double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

double simgrid_text_seconds(const trace::Source& source, const std::filesystem::path& platform,
                            const replay::Mapping& mapping) {
  const Folder folder;
  {
    auto list = fmt::output_file((folder / "traces").string());
    auto hosts = fmt::output_file((folder / "hosts").string());
    for (trace::Rank rank = 0; rank < source.run().size; ++rank) {
      const std::filesystem::path path = folder / fmt::format("rank-{}", rank);
      write_rank(source, rank, path);
      list.print("{}\n", path.string());
      hosts.print("{}\n", mapping.nodes[mapping.node_of_rank[static_cast<std::size_t>(rank)]]);
    }
  }
  const std::string command =
      fmt::format("smpirun -np {} -platform '{}' -hostfile '{}' -replay '{}' --log=root.thres:error >'{}' 2>&1",
                  source.run().size, std::filesystem::absolute(platform).string(), (folder / "hosts").string(),
                  (folder / "traces").string(), (folder / "output").string());
  const double before = children_seconds();
  if (std::system(command.c_str()) != 0)
    throw Error(Failure::runtime, "SimGrid's replay of text failed", command, "run it by hand to see why");
  return children_seconds() - before;
}

} // namespace timeless::bench
