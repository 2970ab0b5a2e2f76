// Gathering on nodes that are simulated by SimGrid: compiled with smpicxx together with gather/, whose code for the
// tree, the stream and all that is collective runs as it is. Disks are simulated (a node's loopback link is its disk),
// and so are sizes: everything is smaller by a factor, messages, files, links and disks, so that times are the same.
//
// gather_simulation ARITY SCALE BYTES_PER_NODE DISK MESSAGE_BYTES [SENDERS]
//   ARITY: of the tree; 0 for a flat gather, all nodes sending to the first at once; -1 for copying from one after the
//   other SCALE: the factor; the platform's links must have been made slower by it. The other sizes and rates are the
//   real ones. DISK: bytes a second, as the platform has it; only copying from one after the other needs to be told
//   SENDERS: how many send to one node at a time; the arity, unless a flat gather shall take them in smaller groups
// Prints the seconds that gathering takes.

#include "gather/tree/machine.h"
#include "gather/tree/messages.h"
#include "gather/tree/stream.h"
#include "gather/tree/subtree.h"
#include "gather/tree/team.h"
#include "gather/tree/tree.h"

#include <mpi.h>
#include <simgrid/s4u/Actor.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

namespace timeless::gather {
namespace {

void take_time(double seconds) {
  simgrid::s4u::this_actor::sleep_for(seconds);
}

/// A node's disk is its loopback link: what is read or written is a message to itself, so that MPI can wait for both.
/// Work is done when it is submitted, and finished when so many bytes as it says have passed through the disk.
class SimulatedQueue : public DiskQueue {
public:
  explicit SimulatedQueue(const std::uint64_t& bytes) : bytes_(bytes) {}

  void submit(std::function<void()> work) override {
    work();
    waiting_.push_back(bytes_);
    start();
  }
  bool finished() const override { return finished_ > 0; }
  std::optional<std::exception_ptr> take_finished() override {
    if (finished_ == 0) return std::nullopt;
    --finished_;
    return std::exception_ptr();
  }

  /// Returns the messages under way.
  std::array<MPI_Request, 2>& requests() const { return requests_; }
  void completed() const {
    if (waiting_.empty() || requests_[0] != MPI_REQUEST_NULL || requests_[1] != MPI_REQUEST_NULL) return;
    waiting_.pop_front();
    ++finished_;
    busy_ = false;
    start();
  }

private:
  void start() const {
    if (busy_ || waiting_.empty()) return;
    busy_ = true;
    content_.resize(std::max<std::size_t>(waiting_.front(), 1));
    into_.resize(content_.size());
    const int size = static_cast<int>(content_.size());
    MPI_Irecv(into_.data(), size, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests_[0]);
    MPI_Isend(content_.data(), size, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests_[1]);
  }

  const std::uint64_t& bytes_;
  mutable std::deque<std::uint64_t> waiting_;
  mutable std::array<MPI_Request, 2> requests_ = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  mutable std::string content_;
  mutable std::string into_;
  mutable bool busy_ = false;
  mutable int finished_ = 0;
};

/// A machine in SMPI's simulated time: disks take the time of their bytes, verifying takes none.
class SimulatedMachine : public Machine {
public:
  std::unique_ptr<DiskQueue> disk_queue() override { return std::make_unique<SimulatedQueue>(bytes); }
  /// Verifying takes a tenth of the time of the fastest link here, and is left out.
  std::uint64_t checksum(std::string_view message) override { return message.size(); }

  std::vector<std::pair<int, MPI_Status>> wait(std::vector<MPI_Request>& requests,
                                               const std::vector<const DiskQueue*>& queues) override {
    for (const DiskQueue* queue : queues)
      if (queue->finished()) return {};
    std::vector<MPI_Request> all = requests;
    for (const DiskQueue* queue : queues)
      for (const MPI_Request request : static_cast<const SimulatedQueue*>(queue)->requests())
        all.push_back(request);
    // SMPI's MPI_Waitsome would let time pass for each request that has not completed.
    int index = MPI_UNDEFINED;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(all.size()), all.data(), &index, &status);
    std::vector<std::pair<int, MPI_Status>> completed;
    if (index != MPI_UNDEFINED && static_cast<std::size_t>(index) < requests.size())
      completed.emplace_back(index, status);
    std::copy_n(all.begin(), requests.size(), requests.begin());
    std::size_t next = requests.size();
    for (const DiskQueue* queue : queues) {
      const auto* const disk = static_cast<const SimulatedQueue*>(queue);
      for (MPI_Request& request : disk->requests())
        request = all[next++];
      disk->completed();
    }
    return completed;
  }

  /// Of the work just done.
  std::uint64_t bytes = 0;
};

/// So many bytes of a process's own, read in chunks; tells the disk how many each was.
class SimulatedSource : public ChunkSource {
public:
  SimulatedSource(std::uint64_t bytes, std::uint64_t& read) : left_(bytes), read_(read), content_(1 << 12, 'x') {}

  bool fill(Chunk& chunk) override {
    read_ = 0;
    while (left_ > 0) {
      const std::size_t taken = chunk.add(Space::blocks, offset_, std::string_view(content_).substr(0, left_));
      if (taken == 0) break;
      offset_ += taken;
      left_ -= taken;
      read_ += taken;
    }
    return left_ > 0;
  }

private:
  std::uint64_t left_;
  std::uint64_t offset_ = 0;
  std::uint64_t& read_;
  std::string content_;
};

/// Counts what arrives; tells the disk how many bytes each chunk had.
class SimulatedSink : public ChunkSink {
public:
  explicit SimulatedSink(std::uint64_t& written) : written_(written) {}
  void take(const Chunk& chunk) override {
    written_ = chunk.message().size();
    arrived_ += written_;
  }
  std::uint64_t arrived() const { return arrived_; }

private:
  std::uint64_t& written_;
  std::uint64_t arrived_ = 0;
};

struct Options {
  int arity = 4;
  double scale = 1;
  double bytes = 0;
  double disk = 0;
  std::size_t message_bytes = 0;
  int senders = 0; ///< 0: the arity
};

/// Returns what a node's one rank file would say.
std::vector<Inventory> inventory_of(int node, int nodes, std::uint64_t bytes) {
  Inventory inventory;
  inventory.file_bytes = bytes;
  inventory.part.run.size = nodes;
  inventory.part.run.provenance.run_identity = 1;
  inventory.part.run.hosts = {{.name = "node" + std::to_string(node)}};
  inventory.part.run.communicators = {{.members = {0}, .identity = 1}};
  inventory.part.run.modules = {{.path = "program"}};
  inventory.part.run.kernels = {{.begin = {.module = 0, .offset = 16}, .end = {.module = 0, .offset = 32}}};
  inventory.part.run.ranks = {{.rank = node, .actions = 1}};
  inventory.part.numbers = {{.rank = node}};
  inventory.part.labels = {"node" + std::to_string(node)};
  inventory.ranks = {{.rank = node, .bytes = bytes}};
  std::vector<Inventory> inventories;
  inventories.push_back(std::move(inventory));
  return inventories;
}

/// Gathers as `timeless-mpi gather` does, with the files' sizes instead of the files.
void gather_simulated(const Team& team, const Options& options) {
  const int arity = options.arity > 0 ? options.arity : std::max(team.size() - 1, 1);
  const auto plan = tree_plan(team.number(), team.size(), arity);
  const auto bytes = static_cast<std::uint64_t>(options.bytes / options.scale);
  auto inventories = inventory_of(team.number(), team.size(), bytes);
  const Subtree subtree = unite(team, plan, inventories);
  auto tasks = spread(team, plan, subtree, team.number() == 0 ? lay_out(subtree.blocks) : std::vector<RankPlace>());
  // As many roles as a grid of processes has: corners, edges and the inside.
  const std::vector<std::vector<StructureName>> structures = {
      {{.high = 0, .low = static_cast<std::uint64_t>(team.number() % 9), .bytes = 1000}}};
  share_structures(team, plan, subtree, structures, tasks);
  SimulatedMachine machine;
  SimulatedSource source(tasks.front().place.blocks.bytes, machine.bytes);
  SimulatedSink sink(machine.bytes);
  StreamPart part{.communicator = team.communicator(), .words = team.words()};
  for (const TreeStep& step : plan)
    if (step.send_to) part.parent = step.send_to;
  part.children = subtree.children(plan);
  part.most_senders = options.senders > 0 ? options.senders : arity;
  part.source = &source;
  part.chunk_bytes = static_cast<std::size_t>(static_cast<double>(options.message_bytes) / options.scale);
  if (team.number() == 0) part.sink = &sink;
  team.together([&] { stream(part, machine); });
  if (team.number() == 0 && sink.arrived() < bytes * static_cast<std::uint64_t>(team.size()))
    throw Error(Failure::runtime, "not all has arrived");
}

/// Copies each file in turn, read, sent and written at once, after the half second that logging in takes.
void copy_in_turn(const Team& team, const Options& options) {
  constexpr double log_in = 0.5;
  const auto messages = static_cast<int>(options.bytes / static_cast<double>(options.message_bytes)) + 1;
  std::string buffer(static_cast<std::size_t>(options.bytes / messages / options.scale), 'x');
  const double write = static_cast<double>(buffer.size()) / (options.disk / options.scale);
  const int size = static_cast<int>(buffer.size());
  char go = 0;
  if (team.number() > 0) {
    MPI_Recv(&go, 1, MPI_CHAR, 0, 1, team.communicator(), MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i)
      MPI_Send(buffer.data(), size, MPI_CHAR, 0, 1, team.communicator());
    return;
  }
  for (int other = 1; other < team.size(); ++other) {
    take_time(log_in);
    MPI_Send(&go, 1, MPI_CHAR, other, 1, team.communicator());
    for (int i = 0; i < messages; ++i) {
      const double start = MPI_Wtime();
      MPI_Recv(buffer.data(), size, MPI_CHAR, other, 1, team.communicator(), MPI_STATUS_IGNORE);
      take_time(std::max(0.0, write - (MPI_Wtime() - start)));
    }
  }
}

} // namespace
} // namespace timeless::gather

int main(int argc, char** argv) {
  using namespace timeless::gather;
  MPI_Init(&argc, &argv);
  if (argc != 6 && argc != 7) {
    std::fprintf(stderr, "usage: gather_simulation ARITY SCALE BYTES_PER_NODE DISK MESSAGE_BYTES [SENDERS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const Options options{.arity = std::atoi(argv[1]),
                        .scale = std::atof(argv[2]),
                        .bytes = std::atof(argv[3]),
                        .disk = std::atof(argv[4]),
                        .message_bytes = static_cast<std::size_t>(std::atof(argv[5])),
                        .senders = argc > 6 ? std::atoi(argv[6]) : 0};
  {
    const Team team = Team::of_nodes(MPI_COMM_WORLD);
    MPI_Barrier(team.communicator());
    const double start = MPI_Wtime();
    if (options.arity < 0)
      copy_in_turn(team, options);
    else
      gather_simulated(team, options);
    if (team.number() == 0) std::printf("%.6f\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}
