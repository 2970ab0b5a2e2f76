#include "trace/formats/dimemas/dimemas_writer.h"

#include "trace/formats/common/exported_rank.h"
#include "trace/formats/common/message_tags.h"
#include "trace/formats/common/open_requests.h"
#include "trace/formats/common/text_output.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace::formats {

namespace {

constexpr int place_digits = 15;

/// Dimemas' collectives, in the order of its numbers.
constexpr std::array numbered_collectives{
    ActionKind::barrier,        ActionKind::broadcast,
    ActionKind::gather,         ActionKind::gatherv,
    ActionKind::scatter,        ActionKind::scatterv,
    ActionKind::allgather,      ActionKind::allgatherv,
    ActionKind::alltoall,       ActionKind::alltoallv,
    ActionKind::reduce,         ActionKind::allreduce,
    ActionKind::reduce_scatter, ActionKind::reduce_scatter_block,
    ActionKind::scan,           ActionKind::alltoallw,
};

std::optional<int> number_of(ActionKind kind) {
  const auto found = std::ranges::find(numbered_collectives, kind == ActionKind::exscan ? ActionKind::scan : kind);
  if (found == numbered_collectives.end()) return std::nullopt;
  return static_cast<int>(found - numbered_collectives.begin());
}

template <typename First, typename... Rest>
std::string fields(const First& first, const Rest&... rest) {
  std::string text = std::to_string(first);
  ((text += ":" + std::to_string(rest)), ...);
  return text;
}

/// A receive that a rank has to wait for, or nothing for a send.
struct Open {
  Rank source = no_rank;
  Bytes bytes = 0;
  Tag tag = 0;
  CommunicatorId communicator = world_communicator;
};

/// Writes one rank as a task of Dimemas, record by record.
class DimemasRank : public ExportedRank {
public:
  DimemasRank(ExportJob& job, Rank rank, const MessageTags& tags, TextOutput& lines)
      : ExportedRank(job, rank), tags_(tags), lines_(lines) {}

  /// Writes what every task has, whatever its rank did.
  void finish() {
    if (!begun_) burst(0);
  }

private:
  void say_freed(RequestId request) override { open_.forget(request); }

  void say_window(const Action& action) override {
    lowered(action, "a Barrier");
    global(0, action.communicator, no_rank, 0, 0);
  }

  void say_computation(std::uint64_t volume) override {
    const std::uint64_t time = nanoseconds(volume);
    if (time == 0) return;
    burst(time);
  }

  void burst(std::uint64_t time) {
    const std::string fraction = std::to_string(time % 1'000'000'000);
    lines_.line(fields(1, rank(), 0, time / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction);
    begun_ = true;
  }

  /// Dimemas leaves out tasks that do not begin with computation.
  void add(const std::string& line) {
    if (!begun_) burst(0);
    lines_.line(line);
  }

  void send(Rank to, Bytes bytes, Tag tag, CommunicatorId communicator, int how) {
    add(fields(2, rank(), 0, to, bytes, tag, communicator + 1, how));
  }
  void receive(const Open& one, int how) {
    add(fields(3, rank(), 0, one.source, one.bytes, one.tag, one.communicator + 1, how));
  }
  static constexpr int blocking_receive = 0;
  static constexpr int begun_receive = 1;
  static constexpr int awaited_receive = 2;
  /// Returns how a send is made: 1 waits for the receive, 2 is nonblocking, 3 both.
  static int how_sent(const Action& action, bool immediate) {
    return (action.mode == SendMode::synchronous ? 1 : 0) + (immediate ? 2 : 0);
  }

  void say_send(const Action& action) override {
    send(world(action, action.peer), action.bytes, action.tag, action.communicator,
         how_sent(action, action.request != no_request));
  }

  void say_receive(const Action& action) override {
    const Open one{world(action, action.peer), action.bytes, action.tag, action.communicator};
    receive(one, action.request == no_request ? blocking_receive : begun_receive);
    if (action.request != no_request) open_.begin(action.request, {one});
  }

  void say_exchange(const Action& action) override {
    lowered(action, "irecv, send and wait");
    std::optional<Open> one;
    if (action.receive_peer != no_rank)
      one = {world(action, action.receive_peer), action.receive_bytes, action.receive_tag, action.communicator};
    if (one) receive(*one, begun_receive);
    if (action.peer != no_rank)
      send(world(action, action.peer), action.bytes, action.tag, action.communicator, how_sent(action, false));
    if (one) receive(*one, awaited_receive);
  }

  void say_completion(const Action& action) override {
    if (action.kind != ActionKind::wait && action.kind != ActionKind::wait_all)
      lowered(action, "waits for what it completed");
    // Of sends nobody waits.
    open_.complete(action, [&](const Open& one) { receive(one, awaited_receive); });
  }

  /// A collective's bytes are numbers of 32 bits in Dimemas.
  int bytes_of(Bytes bytes) {
    constexpr Bytes most = std::numeric_limits<int>::max();
    if (bytes > most) ++report().lowered["collectives of 2 GiB or more as of 2 GiB less a byte"];
    return static_cast<int>(std::min(bytes, most));
  }

  void global(int number, CommunicatorId communicator, Rank root, Bytes sent, Bytes received) {
    constexpr int reduce = 10;
    // Without a root of its own, the first member is it.
    const auto& members = known_communicator(communicator).members;
    const Rank at = root == no_rank ? members.front() : root;
    const Rank says = number == reduce ? at : (at == rank() ? 1 : 0);
    add(fields(10, rank(), 0, number, communicator + 1, says, 0, bytes_of(sent), bytes_of(received), 1));
  }

  void say_collective(const Action& action) override {
    const auto number = number_of(action.kind);
    const Communicator& communicator = known_communicator(action.communicator);
    if (!number || nonblocking(action) || !communicator.remote_members.empty())
      return as_messages(action, action.communicator);
    if (action.kind == ActionKind::exscan) lowered(action, "Scan");
    const Rank root = rooted(action.kind) ? world(action, action.peer) : no_rank;
    const CollectiveBytes bytes = collective_bytes(action, communicator, rank());
    global(*number, action.communicator, root, bytes.given, bytes.got);
  }

  void as_messages(const Action& action, CommunicatorId where) {
    std::vector<Open> begun;
    const auto say_step = [&](const LoweredStep& step) {
      const Tag tag = tags_.collective(where, calls_[where]);
      if (step.from != no_rank) {
        begun.push_back({step.from, step.receive_bytes, tag, world_communicator});
        receive(begun.back(), begun_receive);
      }
      if (step.to != no_rank) send(step.to, step.bytes, tag, world_communicator, 2);
    };
    if (!lower(action, say_step)) return;
    ++calls_[where];
    lowered(action, "messages that all start at once");
    if (nonblocking(action)) return open_.begin(action.request, std::move(begun));
    for (const Open& one : begun)
      receive(one, awaited_receive);
  }

  void say_creation(const Action& action, CommunicatorId where) override {
    if (nonblocking(action) || !known_communicator(where).remote_members.empty()) return as_messages(action, where);
    lowered(action, "an Allreduce of two integers");
    global(*number_of(ActionKind::allreduce), where, no_rank, 8, 8);
  }

  const MessageTags& tags_;
  TextOutput& lines_;
  OpenRequests<Open> open_;
  std::unordered_map<CommunicatorId, std::uint64_t> calls_; ///< collectives that became messages
  bool begun_ = false;                                      ///< with computation
};

std::string head(const Run& run, const std::filesystem::path& output, std::uint64_t places) {
  std::string name = output.filename().string();
  std::ranges::replace(name, '"', '\'');
  std::ranges::replace_if(
      name, [](unsigned char letter) { return letter < ' '; }, '_');
  const std::string digits = std::to_string(places);
  std::string text = "#DIMEMAS:\"" + name + "\":1," + std::string(place_digits - digits.size(), '0') + digits + ":" +
                     std::to_string(run.size) + "(";
  for (Rank rank = 0; rank < run.size; ++rank)
    text += rank == 0 ? "1" : ",1";
  return text + ")," + std::to_string(run.communicators.size()) + ",0";
}

void define_communicators(const Run& run, TextOutput& lines) {
  for (CommunicatorId id = 0; id < run.communicators.size(); ++id) {
    std::vector<Rank> members = run.communicators[id].members;
    const auto& remote = run.communicators[id].remote_members;
    members.insert(members.end(), remote.begin(), remote.end());
    std::erase(members, foreign_rank);
    std::string line = "d:" + fields(1, id + 1, members.size());
    for (const Rank member : members)
      line += ":" + std::to_string(member);
    lines.line(line);
  }
}

} // namespace

ExportReport write_dimemas(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  ExportJob job(source, options, "Dimemas waits for all");
  require_rate(options);
  const Run& run = source.run();
  const MessageTags tags(source);
  ExportReport& report = job.report;
  report.files.push_back(output);
  if (run.counter.unit == VolumeUnit::instructions || run.counter.unit == VolumeUnit::events)
    ++report.lowered["all computation as seconds, of 1 / rate each"];
  TextOutput lines(output, existing(options));
  lines.line(head(run, output, 0));
  define_communicators(run, lines);
  std::vector<std::uint64_t> places;
  for (const RankRecord& record : run.ranks) {
    places.push_back(lines.place());
    DimemasRank task(job, record.rank, tags, lines);
    task.say_all();
    task.finish();
  }
  const std::uint64_t table = lines.place();
  for (std::size_t task = 0; task < places.size(); ++task)
    lines.line("s:" + fields(task, places[task]));
  // Now it is known where the places stand.
  lines.overwrite(0, head(run, output, table));
  report.bytes = lines.finish();
  return std::move(report);
}

} // namespace timeless::trace::formats
