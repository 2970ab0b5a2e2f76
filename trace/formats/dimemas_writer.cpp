#include "trace/formats/dimemas_writer.h"

#include "trace/error.h"
#include "trace/formats/amendments.h"
#include "trace/formats/message_tags.h"
#include "trace/formats/text_output.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace::formats {

namespace {

constexpr int place_digits = 15;

/// Dimemas' numbers of collectives.
std::optional<int> number_of(ActionKind kind) {
  switch (kind) {
  case ActionKind::barrier:
    return 0;
  case ActionKind::broadcast:
    return 1;
  case ActionKind::gather:
    return 2;
  case ActionKind::gatherv:
    return 3;
  case ActionKind::scatter:
    return 4;
  case ActionKind::scatterv:
    return 5;
  case ActionKind::allgather:
    return 6;
  case ActionKind::allgatherv:
    return 7;
  case ActionKind::alltoall:
    return 8;
  case ActionKind::alltoallv:
    return 9;
  case ActionKind::reduce:
    return 10;
  case ActionKind::allreduce:
    return 11;
  case ActionKind::reduce_scatter:
    return 12;
  case ActionKind::reduce_scatter_block:
    return 13;
  case ActionKind::scan:
  case ActionKind::exscan:
    return 14;
  case ActionKind::alltoallw:
    return 15;
  default:
    return std::nullopt;
  }
}

bool rooted(ActionKind kind) {
  return kind == ActionKind::broadcast || kind == ActionKind::reduce || kind == ActionKind::gather ||
         kind == ActionKind::gatherv || kind == ActionKind::scatter || kind == ActionKind::scatterv;
}

/// The lines of a file, and where the next one begins.
class Lines {
public:
  explicit Lines(const std::filesystem::path& path) : out_(path) {}

  void add(const std::string& line) {
    out_.line(line);
    place_ += line.size() + 1;
  }
  std::uint64_t place() const { return place_; }
  std::uint64_t finish() { return out_.finish(); }

private:
  TextOutput out_;
  std::uint64_t place_ = 0;
};

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

class RankWriter {
public:
  RankWriter(const Source& source, Rank rank, const MessageTags& tags, const ExportOptions& options, Lines& lines,
             ExportReport& report)
      : run_(source.run()), rank_(rank), tags_(tags), options_(options), lines_(lines), report_(report),
        amendments_(amendments_of(source, rank)) {}

  void say(const Action& action, std::uint64_t volume) {
    if (!has_volume(action.kind)) last_computation_ = 0;
    carry_out(action, volume);
    ++number_;
    ++report_.actions;
  }

private:
  void lowered(const Action& action, const char* how) { ++report_.lowered[mpi_name(action) + " as " + how]; }
  void lost(const Action& action) { ++report_.lost[mpi_name(action)]; }
  std::string here() const { return "rank " + std::to_string(rank_) + ", action " + std::to_string(number_); }

  void carry_out(const Action& action, std::uint64_t volume) {
    switch (family(action.kind)) {
    case ActionFamily::computation:
      return compute(action, volume);
    case ActionFamily::point_to_point:
      return message(action);
    case ActionFamily::completion:
      return complete(action);
    case ActionFamily::request:
      if (action.kind == ActionKind::request_free) open_.erase(action.request);
      return;
    case ActionFamily::collective:
      return collective(action);
    case ActionFamily::communicator:
      return creation(action);
    case ActionFamily::window:
      lowered(action, "a Barrier");
      return global(0, action.communicator, no_rank, 0, 0);
    case ActionFamily::lifecycle:
      return;
    default:
      return lost(action);
    }
  }

  void compute(const Action& action, std::uint64_t volume) {
    if (action.kind == ActionKind::workers_sum) return;
    std::uint64_t more = volume;
    if (action.kind == ActionKind::workers_maximum) {
      lowered(action, "more computation of its rank");
      more = volume > last_computation_ ? volume - last_computation_ : 0;
    } else {
      last_computation_ = volume;
    }
    const bool is_time = run_.counter.unit == VolumeUnit::nanoseconds;
    const double time = static_cast<double>(more) * (is_time ? 1 : 1e9 / options_.rate) + carried_;
    if (!(time < 0x1p60))
      throw Error(Failure::missing_capability, "a computation of more than 2^60 ns", here(), "give a higher --rate");
    // What rounding to nanoseconds takes from one burst the next one gets.
    const auto whole = static_cast<std::uint64_t>(time);
    carried_ = time - static_cast<double>(whole);
    if (whole == 0) return;
    const std::string fraction = std::to_string(whole % 1'000'000'000);
    lines_.add(fields(1, rank_, 0, whole / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction);
  }

  const std::vector<Rank>& peers(CommunicatorId id) const {
    const Communicator& communicator = run_.communicators.at(id);
    const bool inter = !communicator.remote_members.empty();
    const bool in_first = !inter || std::ranges::find(communicator.members, rank_) != communicator.members.end();
    return inter && in_first ? communicator.remote_members : communicator.members;
  }

  Rank world(const Action& action, Rank peer) const {
    const auto& all = peers(action.communicator);
    if (peer < 0 || static_cast<std::size_t>(peer) >= all.size())
      throw Error(Failure::invalid_input, "a " + mpi_name(action) + " with a rank that its communicator does not have",
                  here());
    if (all[static_cast<std::size_t>(peer)] == foreign_rank)
      throw Error(Failure::missing_capability, "messages to processes of another MPI_COMM_WORLD", here());
    return all[static_cast<std::size_t>(peer)];
  }

  void send(Rank to, Bytes bytes, Tag tag, CommunicatorId communicator, int how) {
    lines_.add(fields(2, rank_, 0, to, bytes, tag, communicator + 1, how));
  }
  void receive(const Open& one, int how) {
    lines_.add(fields(3, rank_, 0, one.source, one.bytes, one.tag, one.communicator + 1, how));
  }
  static constexpr int blocking_receive = 0;
  static constexpr int begun_receive = 1;
  static constexpr int awaited_receive = 2;
  /// Of sends: 1 waits for the receive, 2 is nonblocking, 3 both.
  static int how_sent(const Action& action, bool immediate) {
    return (action.mode == SendMode::synchronous ? 1 : 0) + (immediate ? 2 : 0);
  }

  void message(Action action) {
    const auto later = amendments_.find(number_);
    if (later != amendments_.end()) {
      if (later->second.cancelled) return;
      action.peer = later->second.peer;
      action.tag = later->second.tag;
      action.bytes = std::max(action.bytes, later->second.bytes);
    }
    switch (action.kind) {
    case ActionKind::send:
      if (action.peer == no_rank) return;
      send(world(action, action.peer), action.bytes, action.tag, action.communicator,
           how_sent(action, action.request != no_request));
      return;
    case ActionKind::receive: {
      if (action.peer == no_rank) return;
      if (action.peer == any_rank || action.tag == any_tag)
        throw Error(Failure::missing_capability, "a receive of which the trace does not say what it received", here());
      const Open one{world(action, action.peer), action.bytes, action.tag, action.communicator};
      receive(one, action.request == no_request ? blocking_receive : begun_receive);
      if (action.request != no_request) open_[action.request] = {one};
      return;
    }
    case ActionKind::exchange:
    case ActionKind::exchange_replace:
      return exchange(action);
    default:
      return lost(action);
    }
  }

  void exchange(const Action& action) {
    lowered(action, "irecv, send and wait");
    std::optional<Open> one;
    if (action.receive_peer != no_rank)
      one = {world(action, action.receive_peer), action.receive_bytes, action.receive_tag, action.communicator};
    if (one) receive(*one, begun_receive);
    if (action.peer != no_rank)
      send(world(action, action.peer), action.bytes, action.tag, action.communicator, how_sent(action, false));
    if (one) receive(*one, awaited_receive);
  }

  void complete(const Action& action) {
    if (action.kind != ActionKind::wait && action.kind != ActionKind::wait_all)
      lowered(action, "waits for what it completed");
    for (const RequestId request : action.requests) {
      const auto found = open_.find(request);
      if (found == open_.end()) continue; // of sends nobody waits
      for (const Open& one : found->second)
        receive(one, awaited_receive);
      open_.erase(found);
    }
  }

  /// A collective's bytes are numbers of 32 bits in Dimemas.
  int bytes_of(Bytes bytes) {
    constexpr Bytes most = std::numeric_limits<int>::max();
    if (bytes > most) ++report_.lowered["collectives of 2 GiB or more as of 2 GiB less a byte"];
    return static_cast<int>(std::min(bytes, most));
  }

  void global(int number, CommunicatorId communicator, Rank root, Bytes sent, Bytes received) {
    constexpr int reduce = 10;
    // Without a root of its own, the first member is it.
    const auto& members = run_.communicators.at(communicator).members;
    const Rank at = root == no_rank ? members.front() : root;
    const Rank says = number == reduce ? at : (at == rank_ ? 1 : 0);
    lines_.add(fields(10, rank_, 0, number, communicator + 1, says, 0, bytes_of(sent), bytes_of(received), 1));
  }

  void collective(const Action& action) {
    const auto number = number_of(action.kind);
    const Communicator& communicator = run_.communicators.at(action.communicator);
    if (!number || nonblocking(action) || !communicator.remote_members.empty())
      return as_messages(action, action.communicator);
    if (action.kind == ActionKind::exscan) lowered(action, "Scan");
    const Rank root = rooted(action.kind) ? world(action, action.peer) : no_rank;
    const Bytes sent = std::accumulate(action.counts.begin(), action.counts.end(), action.bytes);
    const Bytes received =
        std::accumulate(action.receive_counts.begin(), action.receive_counts.end(), action.receive_bytes);
    switch (action.kind) {
    case ActionKind::broadcast:
      return global(*number, action.communicator, root, root == rank_ ? sent : 0, root == rank_ ? 0 : sent);
    case ActionKind::reduce:
      return global(*number, action.communicator, root, sent, root == rank_ ? sent : 0);
    case ActionKind::allreduce:
    case ActionKind::scan:
    case ActionKind::exscan:
      return global(*number, action.communicator, root, sent, sent);
    default:
      return global(*number, action.communicator, root, sent, received);
    }
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
    if (!options_.lower || !options_.lower(run_, rank_, action, say_step)) return lost(action);
    ++calls_[where];
    lowered(action, "messages that all start at once");
    if (nonblocking(action)) {
      if (!begun.empty()) open_[action.request] = std::move(begun);
      return;
    }
    for (const Open& one : begun)
      receive(one, awaited_receive);
  }

  void creation(const Action& action) {
    if (action.kind == ActionKind::comm_free || action.kind == ActionKind::comm_disconnect) return lost(action);
    const bool by_new_members =
        action.kind == ActionKind::comm_create_group || action.kind == ActionKind::intercomm_create;
    const CommunicatorId where = by_new_members ? action.new_communicator : action.communicator;
    if (where == no_communicator) return;
    if (nonblocking(action) || !run_.communicators.at(where).remote_members.empty()) return as_messages(action, where);
    lowered(action, "an Allreduce of two integers");
    global(*number_of(ActionKind::allreduce), where, no_rank, 8, 8);
  }

  const Run& run_;
  Rank rank_;
  const MessageTags& tags_;
  const ExportOptions& options_;
  Lines& lines_;
  ExportReport& report_;
  Amendments amendments_;
  std::unordered_map<RequestId, std::vector<Open>> open_;
  std::unordered_map<CommunicatorId, std::uint64_t> calls_; ///< collectives that became messages
  std::uint64_t number_ = 0;                                ///< of the action
  std::uint64_t last_computation_ = 0;
  double carried_ = 0; ///< nanoseconds
};

void check(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  if (!source.run().missing_ranks().empty())
    throw Error(Failure::invalid_input, "ranks are missing: Dimemas waits for all", {},
                "gather the files of all ranks");
  if (!(options.rate > 0) || !std::isfinite(options.rate))
    throw Error(Failure::usage, "no rate of computation above zero", "--rate");
  std::error_code ignored;
  if (!options.force && std::filesystem::exists(output, ignored))
    throw Error(Failure::usage, "the output exists", output.string(), "name another one, or give --force");
}

std::string head(const Run& run, const std::filesystem::path& output, std::uint64_t places) {
  std::string name = output.filename().string();
  std::ranges::replace(name, '"', '\'');
  const std::string digits = std::to_string(places);
  std::string text = "#DIMEMAS:\"" + name + "\":1," + std::string(place_digits - digits.size(), '0') + digits + ":" +
                     std::to_string(run.size) + "(";
  for (Rank rank = 0; rank < run.size; ++rank)
    text += rank == 0 ? "1" : ",1";
  return text + ")," + std::to_string(run.communicators.size()) + ",0";
}

void define_communicators(const Run& run, Lines& lines) {
  for (CommunicatorId id = 0; id < run.communicators.size(); ++id) {
    std::vector<Rank> members = run.communicators[id].members;
    const auto& remote = run.communicators[id].remote_members;
    members.insert(members.end(), remote.begin(), remote.end());
    std::erase(members, foreign_rank);
    std::string line = "d:" + fields(1, id + 1, members.size());
    for (const Rank member : members)
      line += ":" + std::to_string(member);
    lines.add(line);
  }
}

} // namespace

ExportReport write_dimemas(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  check(source, output, options);
  const Run& run = source.run();
  const MessageTags tags(source);
  ExportReport report;
  report.files.push_back(output);
  std::uint64_t total = 0;
  for (const RankRecord& record : run.ranks)
    total += record.actions;
  if (run.counter.unit == VolumeUnit::instructions || run.counter.unit == VolumeUnit::events)
    ++report.lowered["all computation as seconds, of 1 / rate each"];
  Lines lines(output);
  lines.add(head(run, output, 0));
  define_communicators(run, lines);
  std::vector<std::uint64_t> places;
  for (const RankRecord& record : run.ranks) {
    places.push_back(lines.place());
    RankWriter writer(source, record.rank, tags, options, lines, report);
    ActionBlock block;
    for (const auto stream = source.open(record.rank); stream->next(block);) {
      for_each_action(block, [&](const Action& action, std::uint64_t volume) { writer.say(action, volume); });
      if (options.progress) options.progress(report.actions, total);
    }
    if (lines.place() == places.back()) lines.add(fields(0, record.rank, 0));
  }
  const std::uint64_t table = lines.place();
  for (std::size_t task = 0; task < places.size(); ++task)
    lines.add("s:" + fields(task, places[task]));
  report.bytes = lines.finish();
  // Now it is known where the places stand.
  std::fstream file(output, std::ios::in | std::ios::out | std::ios::binary);
  file << head(run, output, table);
  file.close();
  if (!file) throw Error(Failure::runtime, "cannot write the file", output.string());
  return report;
}

} // namespace timeless::trace::formats
