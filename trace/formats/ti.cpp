#include "trace/formats/ti.h"

#include "trace/error.h"
#include "trace/formats/text_lines.h"
#include "trace/formats/ti_datatypes.h"
#include "trace/quoted.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace timeless::trace::formats {

namespace {

/// The actions of the text.
enum class Word : std::uint8_t {
  init,
  finalize,
  nothing,
  compute,
  sleep,
  send,
  isend,
  recv,
  irecv,
  wait,
  test,
  waitall,
  sendrecv,
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  alltoall,
  allgather,
  gather,
  scatter,
  gatherv,
  allgatherv,
  scatterv,
  alltoallv,
  reducescatter,
};

/// What is read where: the seeds of SimGrid's format said rcv, and capitals stood for MPI's.
constexpr std::array<std::pair<std::string_view, Word>, 34> words{{
    {"init", Word::init},
    {"finalize", Word::finalize},
    {"comm_size", Word::nothing},
    {"comm_split", Word::nothing},
    {"comm_dup", Word::nothing},
    {"location", Word::nothing},
    {"compute", Word::compute},
    {"sleep", Word::sleep},
    {"send", Word::send},
    {"isend", Word::isend},
    {"recv", Word::recv},
    {"rcv", Word::recv},
    {"irecv", Word::irecv},
    {"ircv", Word::irecv},
    {"wait", Word::wait},
    {"test", Word::test},
    {"waitall", Word::waitall},
    {"sendrecv", Word::sendrecv},
    {"barrier", Word::barrier},
    {"bcast", Word::bcast},
    {"broadcast", Word::bcast},
    {"reduce", Word::reduce},
    {"allreduce", Word::allreduce},
    {"scan", Word::scan},
    {"exscan", Word::exscan},
    {"alltoall", Word::alltoall},
    {"allgather", Word::allgather},
    {"gather", Word::gather},
    {"scatter", Word::scatter},
    {"gatherv", Word::gatherv},
    {"allgatherv", Word::allgatherv},
    {"scatterv", Word::scatterv},
    {"alltoallv", Word::alltoallv},
    {"reducescatter", Word::reducescatter},
}};

constexpr int any_source_in_text = -555;
constexpr int any_tag_in_text = -444;

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::optional<Word> word(std::string_view name) {
  const std::string small = lower(name);
  const auto* const found =
      std::ranges::find(words, std::string_view(small), [](const auto& row) { return row.first; });
  if (found == words.end()) return std::nullopt;
  return found->second;
}

/// "3" or "p3"; nothing when it is no rank.
std::optional<Rank> rank_word(std::string_view text) {
  if (text.starts_with('p')) text.remove_prefix(1);
  Rank rank = no_rank;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || end != text.data() + text.size() || rank < 0) return std::nullopt;
  return rank;
}

std::optional<double> number_word(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Splits a line of a trace; false for one that says nothing. `[time] rank action values... duration`, SimGrid's print
/// of a replay, loses its times.
bool split_action(std::string_view line, std::vector<std::string_view>& parts) {
  split_words(line, parts);
  if (!parts.empty() && parts.front().starts_with('[')) {
    parts.erase(parts.begin());
    if (parts.size() > 2) parts.pop_back();
  }
  return !parts.empty() && !parts.front().starts_with('#');
}

/// What can only be said of the text as a whole.
struct Dialect {
  bool untagged = false; ///< some messages have no tag, so that three values are partner, size and type
  bool unsized = false;  ///< some receives name no size
  bool finalizes = false;

  void look(Word action, std::size_t values) {
    const bool message = action == Word::send || action == Word::isend || action == Word::recv || action == Word::irecv;
    if (message && values <= 2) untagged = true;
    if (message && values <= 1) unsized = true;
    if (action == Word::finalize) finalizes = true;
  }
};

using Channel = std::tuple<Rank, Rank, Tag>; ///< source, destination, tag

/// Sizes of the messages of a channel, equal ones in a row once.
using Sizes = std::vector<std::pair<Bytes, std::uint64_t>>;

/// Where the lines of a rank stand.
struct Place {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t end = 0; ///< behind the rank's last line's beginning
};

struct Text {
  std::filesystem::path path; ///< as the person gave it
  std::vector<std::filesystem::path> files;
  bool shared = false; ///< one file for all ranks
  Dialect dialect;
  Run run;
  std::vector<Place> places; ///< by rank
  std::map<Channel, Sizes> sizes;
};

/// The values behind an action's name, and complaints about them.
class Values {
public:
  Values(const TextLines& lines, std::span<const std::string_view> parts) : lines_(lines), parts_(parts) {}

  std::size_t count() const { return parts_.size() - 2; }
  bool has(std::size_t index) const { return index < count(); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Failure::invalid_input,
                what + " in '" + std::string(parts_[0].substr(0, 20)) + " " + std::string(parts_[1].substr(0, 40)) +
                    "'",
                lines_.path().string() + ", line " + std::to_string(lines_.number()));
  }

  double number(std::size_t index) const {
    const auto value = number_word(text(index));
    if (!value) refuse("no number: " + quoted(text(index)));
    return *value;
  }

  int integer(std::size_t index) const {
    const double value = number(index);
    if (value != std::trunc(value) || std::abs(value) > std::numeric_limits<int>::max())
      refuse("no such number here: " + quoted(text(index)));
    return static_cast<int>(value);
  }

  Rank peer(std::size_t index, Rank size) const {
    if (const auto rank = rank_word(text(index)); rank && *rank < size) return *rank;
    if (integer(index) == any_source_in_text)
      refuse("a receive from any rank, which no replay but that of the program itself can place,");
    refuse("no rank of the run: " + quoted(text(index)));
  }

  /// How many bytes a value says, of elements of this size.
  Bytes bytes(std::size_t index, std::uint64_t element) const {
    const double value = std::trunc(number(index)) * static_cast<double>(element);
    if (value < 0 || value > most) refuse("no number of elements: " + quoted(text(index)));
    return static_cast<Bytes>(value);
  }

  std::uint64_t volume(std::size_t index) const {
    const double value = number(index);
    if (value < 0 || value > most) refuse("no volume: " + quoted(text(index)));
    return static_cast<std::uint64_t>(std::llround(value));
  }

  /// The size of the datatype at this place, else the default's.
  std::uint64_t element(std::size_t index, std::uint64_t otherwise) const {
    if (!has(index)) return otherwise;
    const int id = integer(index);
    const auto size = ti_datatype_bytes(id);
    if (!size) refuse("no datatype: " + quoted(text(index)));
    return *size;
  }

private:
  static constexpr double most = 0x1p60;

  std::string_view text(std::size_t index) const {
    if (!has(index)) refuse("too few values");
    return parts_[index + 2];
  }

  const TextLines& lines_;
  std::span<const std::string_view> parts_;
};

/// Turns one rank's lines into actions.
class RankParser {
public:
  RankParser(const Text& text, Rank rank) : text_(text), rank_(rank), size_(text.run.size) {}

  /// What a line says, at the end of `block`.
  void parse(const TextLines& lines, std::span<const std::string_view> parts, ActionBlock& block) {
    block_ = &block;
    const auto action = parts.size() > 1 ? word(parts[1]) : std::nullopt;
    if (!action) {
      ++unknown[parts.size() > 1 ? quoted(parts[1]) : std::string("''")];
      return;
    }
    carry_out(*action, Values(lines, parts));
  }

  /// Behind the rank's last line.
  void end(ActionBlock& block) {
    block_ = &block;
    if (!text_.dialect.finalizes) finalize();
  }

  bool finalized = false;
  std::uint64_t never_waited_for = 0;
  std::map<std::string, std::uint64_t> unknown; ///< lines of actions that cannot be read, by name
  /// Told of each send: destination, tag, bytes.
  std::function<void(Rank, Tag, Bytes)> sent = {};

private:
  struct Open {
    RequestId id;
    Rank source;
    Rank destination;
    Tag tag;
  };

  void carry_out(Word action, const Values& values) {
    switch (action) {
    case Word::init:
      default_ = values.has(0) ? 8 : 1;
      return;
    case Word::finalize:
      return finalize();
    case Word::nothing:
      return;
    case Word::compute:
      return compute(values.volume(0));
    case Word::sleep:
      ++unknown["sleep"];
      return;
    case Word::send:
    case Word::isend:
      return send(values, action == Word::isend);
    case Word::recv:
    case Word::irecv:
      return receive(values, action == Word::irecv);
    case Word::wait:
      return wait(values);
    case Word::test: // done or not, nobody knows: a later wait, or the end, completes the request
      return;
    case Word::waitall:
      return wait_all(ActionKind::wait_all);
    case Word::sendrecv:
      return exchange(values);
    default:
      return collective(action, values);
    }
  }

  void compute(std::uint64_t volume) {
    if (volume > 0) block_->append_compute(0, volume);
  }

  struct Message {
    Rank peer;
    Tag tag = 0;
    std::optional<Bytes> bytes;
  };

  Message message(const Values& values) const {
    Message read{.peer = values.peer(0, size_), .tag = 0, .bytes = {}};
    const bool tagged = values.count() >= 4 || (values.count() == 3 && !text_.dialect.untagged);
    std::size_t next = 1;
    if (tagged) {
      read.tag = values.integer(next++);
      if (read.tag == any_tag_in_text) values.refuse("a receive of any tag, which only the program itself can place,");
    }
    if (values.has(next) && values.number(next) >= 0)
      read.bytes = values.bytes(next, values.element(next + 1, default_));
    return read;
  }

  void send(const Values& values, bool nonblocking) {
    const Message read = message(values);
    if (!read.bytes) values.refuse("a message of no size");
    if (sent) sent(read.peer, read.tag, *read.bytes);
    block_->append({.kind = ActionKind::send,
                    .peer = read.peer,
                    .tag = read.tag,
                    .bytes = *read.bytes,
                    .request = nonblocking ? open(rank_, read.peer, read.tag) : no_request});
  }

  void receive(const Values& values, bool nonblocking) {
    const Message read = message(values);
    const Bytes size = size_of(read);
    block_->append({.kind = ActionKind::receive,
                    .peer = read.peer,
                    .tag = read.tag,
                    .bytes = size,
                    .request = nonblocking ? open(read.peer, rank_, read.tag) : no_request});
  }

  /// A receive's size is its own, or that of the send it gets.
  Bytes size_of(const Message& read) {
    if (!text_.dialect.unsized) return read.bytes.value_or(0);
    const Channel channel{read.peer, rank_, read.tag};
    const auto sizes = text_.sizes.find(channel);
    auto& [run, used] = received_[channel];
    if (sizes == text_.sizes.end() || run == sizes->second.size()) return read.bytes.value_or(0);
    const auto [bytes, count] = sizes->second[run];
    if (++used == count) {
      ++run;
      used = 0;
    }
    return read.bytes.value_or(bytes);
  }

  RequestId open(Rank source, Rank destination, Tag tag) {
    RequestId id = next_request_;
    if (free_.empty()) {
      ++next_request_;
    } else {
      id = free_.back();
      free_.pop_back();
    }
    open_.push_back({id, source, destination, tag});
    return id;
  }

  void wait(const Values& values) {
    if (open_.empty()) {
      ++unknown["wait for no request"];
      return;
    }
    auto which = std::prev(open_.end()); // one that names no message waits for the newest, as SimGrid did
    if (values.count() >= 3) {
      const Rank source = values.peer(0, size_);
      const Rank destination = values.peer(1, size_);
      const Tag tag = values.integer(2);
      which = std::ranges::find_if(open_, [&](const Open& one) {
        return one.source == source && one.destination == destination && one.tag == tag;
      });
      if (which == open_.end()) {
        ++unknown["wait for no request"];
        return;
      }
    }
    const std::array ids{which->id};
    open_.erase(which);
    complete(ActionKind::wait, ids);
  }

  void wait_all(ActionKind kind) {
    if (open_.empty()) return;
    ids_.clear();
    for (const Open& one : open_)
      ids_.push_back(one.id);
    open_.clear();
    complete(kind, ids_);
  }

  void complete(ActionKind kind, std::span<const RequestId> ids) {
    block_->append({.kind = kind, .requests = ids});
    free_.insert(free_.end(), ids.begin(), ids.end());
  }

  void finalize() {
    if (finalized) return;
    never_waited_for += open_.size();
    wait_all(ActionKind::wait_all);
    block_->append({.kind = ActionKind::finalize});
    finalized = true;
  }

  void exchange(const Values& values) {
    const Rank destination = values.peer(1, size_);
    const Bytes bytes = values.bytes(0, values.element(4, default_));
    if (sent) sent(destination, 0, bytes);
    const Bytes receive_bytes = values.bytes(2, values.element(5, default_));
    const Rank source = values.peer(3, size_);
    size_of({.peer = source, .tag = 0, .bytes = receive_bytes});
    block_->append({.kind = ActionKind::exchange,
                    .peer = destination,
                    .bytes = bytes,
                    .receive_peer = source,
                    .receive_bytes = receive_bytes});
  }

  Rank root(const Values& values, std::size_t index) const { return values.has(index) ? values.peer(index, size_) : 0; }

  void counts(const Values& values, std::size_t first, std::uint64_t element, std::vector<Bytes>& list) const {
    list.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i)
      list.push_back(values.bytes(first + i, element));
  }

  /// The text names no operation, and SimGrid then takes a prefix sum for one that must wait in order.
  static std::uint16_t order_of(ActionKind kind) {
    const bool ordered = kind == ActionKind::scan || kind == ActionKind::exscan || kind == ActionKind::reduce_scatter;
    return ordered ? static_cast<std::uint16_t>(flag_noncommutative) : std::uint16_t{0};
  }

  void reduction(ActionKind kind, const Values& values, Rank root, std::size_t type) {
    const std::uint64_t element = values.element(type, default_);
    const std::uint64_t flops = values.volume(1);
    block_->append({.kind = kind,
                    .flags = order_of(kind),
                    .peer = root,
                    .bytes = values.bytes(0, element),
                    .element_bytes = static_cast<std::uint32_t>(element)});
    compute(flops);
  }

  void collective(Word action, const Values& values) {
    const auto members = static_cast<std::size_t>(size_);
    switch (action) {
    case Word::barrier:
      block_->append({.kind = ActionKind::barrier});
      return;
    case Word::bcast:
      block_->append({.kind = ActionKind::broadcast,
                      .peer = root(values, 1),
                      .bytes = values.bytes(0, values.element(2, default_))});
      return;
    case Word::reduce:
      return reduction(ActionKind::reduce, values, root(values, 2), 3);
    case Word::allreduce:
      return reduction(ActionKind::allreduce, values, no_rank, 2);
    case Word::scan:
      return reduction(ActionKind::scan, values, no_rank, 2);
    case Word::exscan:
      return reduction(ActionKind::exscan, values, no_rank, 2);
    case Word::alltoall:
    case Word::allgather:
      block_->append({.kind = action == Word::alltoall ? ActionKind::alltoall : ActionKind::allgather,
                      .bytes = values.bytes(0, values.element(2, default_)),
                      .receive_bytes = values.bytes(1, values.element(3, default_))});
      return;
    case Word::gather: {
      const Rank at = root(values, 2);
      block_->append({.kind = ActionKind::gather,
                      .peer = at,
                      .bytes = values.bytes(0, values.element(3, default_)),
                      .receive_bytes = at == rank_ ? values.bytes(1, values.element(4, default_)) : 0});
      return;
    }
    case Word::scatter: {
      const Rank at = root(values, 2);
      block_->append({.kind = ActionKind::scatter,
                      .peer = at,
                      .bytes = at == rank_ ? values.bytes(0, values.element(3, default_)) : 0,
                      .receive_bytes = values.bytes(1, values.element(4, default_))});
      return;
    }
    case Word::gatherv: {
      const Rank at = root(values, members + 1);
      counts(values, 1, values.element(members + 3, default_), in_);
      block_->append({.kind = ActionKind::gatherv,
                      .peer = at,
                      .bytes = values.bytes(0, values.element(members + 2, default_)),
                      .receive_counts = at == rank_ ? std::span<const Bytes>(in_) : std::span<const Bytes>()});
      return;
    }
    case Word::scatterv: {
      const Rank at = root(values, members + 1);
      counts(values, 0, values.element(members + 2, default_), out_);
      block_->append({.kind = ActionKind::scatterv,
                      .peer = at,
                      .receive_bytes = values.bytes(members, values.element(members + 3, default_)),
                      .counts = at == rank_ ? std::span<const Bytes>(out_) : std::span<const Bytes>()});
      return;
    }
    case Word::allgatherv:
      return all_gather(values, members);
    case Word::alltoallv: {
      counts(values, 1, values.element(2 * members + 2, default_), out_);
      counts(values, members + 2, values.element(2 * members + 3, default_), in_);
      block_->append({.kind = ActionKind::alltoallv, .counts = out_, .receive_counts = in_});
      return;
    }
    default: {
      const std::uint64_t element = values.element(members + 1, default_);
      counts(values, 0, element, out_);
      block_->append({.kind = ActionKind::reduce_scatter,
                      .flags = order_of(ActionKind::reduce_scatter),
                      .element_bytes = static_cast<std::uint32_t>(element),
                      .counts = out_});
      compute(values.volume(members));
    }
    }
  }

  /// Types stand behind the counts unless displacements stand there alone.
  void all_gather(const Values& values, std::size_t members) {
    const bool typed = values.count() <= members + 3 || values.count() > 2 * members + 1;
    const std::uint64_t out = typed ? values.element(members + 1, default_) : default_;
    const std::uint64_t in = typed ? values.element(members + 2, default_) : default_;
    counts(values, 1, in, in_);
    block_->append({.kind = ActionKind::allgatherv, .bytes = values.bytes(0, out), .receive_counts = in_});
  }

  const Text& text_;
  Rank rank_;
  Rank size_;
  ActionBlock* block_ = nullptr;
  std::uint64_t default_ = 1; ///< bytes of the datatype where none is named
  std::vector<Open> open_;    ///< in the order they were begun
  std::vector<RequestId> free_;
  RequestId next_request_ = 0;
  std::map<Channel, std::pair<std::size_t, std::uint64_t>> received_; ///< how far the sizes are used up
  std::vector<RequestId> ids_;
  std::vector<Bytes> out_;
  std::vector<Bytes> in_;
};

/// Whose line this is: in a shared file by its first word, in a rank's own file that rank's.
class Scanner {
public:
  explicit Scanner(std::filesystem::path path) {
    text_.path = std::move(path);
    find_files();
  }

  Text scan() {
    find_ranks();
    describe();
    parse_all();
    return std::move(text_);
  }

private:
  [[noreturn]] void refuse(const std::string& what, const std::filesystem::path& where) const {
    throw Error(Failure::invalid_input, what, where.string(),
                "name SimGrid's list of the ranks' files, or one file with the lines of all ranks");
  }

  void find_files() {
    std::error_code ignored;
    if (std::filesystem::is_directory(text_.path, ignored)) refuse("a directory", text_.path);
    TextLines lines(text_.path);
    std::string_view line;
    std::vector<std::string_view> parts;
    while (lines.next(line)) {
      if (!split_action(line, parts)) continue;
      if (text_.files.empty() && parts.size() > 1 && rank_word(parts[0]) && word(parts[1])) {
        text_.files.push_back(text_.path);
        text_.shared = true;
        return;
      }
      if (text_.files.size() == most_ranks) refuse("more than a million files", text_.path);
      text_.files.push_back(found(std::string(line.substr(line.find_first_not_of(" \t")))));
    }
    if (text_.files.empty()) refuse("no action, and no file's name", text_.path);
    text_.shared = text_.files.size() == 1;
  }

  std::filesystem::path found(std::string name) const {
    name.erase(name.find_last_not_of(" \t") + 1);
    const std::filesystem::path beside = text_.path.parent_path() / name;
    std::error_code ignored;
    // The last: where the list and the files were moved together.
    const std::filesystem::path moved = text_.path.parent_path() / beside.parent_path().filename() / beside.filename();
    for (const std::filesystem::path& candidate : {beside, std::filesystem::path(name), moved})
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    refuse("neither an action nor a file: " + trace::quoted(std::string_view(name)), text_.path);
  }

  /// Who has lines where, and in what dialect.
  void find_ranks() {
    std::vector<std::string_view> parts;
    std::map<Rank, Place> places;
    std::map<Rank, std::uint64_t> lines_of_others;
    for (std::size_t file = 0; file < text_.files.size(); ++file) {
      TextLines lines(text_.files[file]);
      std::string_view line;
      if (!text_.shared) places[static_cast<Rank>(file)] = {file, 0, std::numeric_limits<std::uint64_t>::max()};
      while (lines.next(line)) {
        if (!split_action(line, parts)) continue;
        const auto rank = rank_word(parts[0]);
        if (!rank)
          throw Error(Failure::invalid_input, "no rank at the beginning: " + quoted(parts[0]),
                      lines.path().string() + ", line " + std::to_string(lines.number()));
        if (const auto action = parts.size() > 1 ? word(parts[1]) : std::nullopt)
          text_.dialect.look(*action, parts.size() - 2);
        if (!text_.shared) continue;
        const auto [place, is_new] = places.try_emplace(*rank, Place{file, lines.offset(), 0});
        place->second.end = lines.offset() + 1;
        if (is_new && places.size() > most_ranks) refuse("more than a million ranks", lines.path());
      }
    }
    if (places.empty()) refuse("no action", text_.files.front());
    Rank expected = 0;
    for (const auto& [rank, place] : places) {
      if (rank != expected++)
        refuse("rank " + std::to_string(expected - 1) + " has no line, but rank " + std::to_string(rank) + " has",
               text_.files.front());
      text_.places.push_back(place);
    }
  }

  void describe() {
    Run& run = text_.run;
    run.size = static_cast<Rank>(text_.places.size());
    run.counter = {.name = "SimGrid text",
                   .version = {},
                   .unit = VolumeUnit::instructions,
                   .exactness = Exactness::inexact,
                   .threads = "not said"};
    run.provenance.program = text_.path.filename().string();
    run.provenance.mpi_library = "not said: read from SimGrid's text";
    Communicator world;
    world.members.resize(static_cast<std::size_t>(run.size));
    std::iota(world.members.begin(), world.members.end(), 0);
    run.communicators.push_back(std::move(world));
    run.modules.push_back({.path = text_.path.filename().string(), .build_id = {}});
    run.kernels.push_back({});
    for (Rank rank = 0; rank < run.size; ++rank) {
      run.hosts.push_back({.name = "rank-" + std::to_string(rank), .cpu_model = {}});
      run.ranks.push_back({.rank = rank, .host = static_cast<std::uint32_t>(rank)});
    }
  }

  /// Counts actions, finds what is wrong with them, and notes the sizes of messages where they must be looked up.
  void parse_all() {
    std::vector<RankParser> parsers;
    for (Rank rank = 0; rank < text_.run.size; ++rank) {
      parsers.emplace_back(text_, rank);
      if (text_.dialect.unsized)
        parsers.back().sent = [this, rank](Rank to, Tag tag, Bytes bytes) {
          Sizes& sizes = text_.sizes[{rank, to, tag}];
          if (sizes.empty() || sizes.back().first != bytes) sizes.emplace_back(bytes, 0);
          ++sizes.back().second;
        };
    }
    ActionBlock block;
    const auto count = [&](std::size_t rank) {
      text_.run.ranks[rank].actions += block.size();
      block.clear();
    };
    std::vector<std::string_view> parts;
    for (std::size_t file = 0; file < text_.files.size(); ++file) {
      TextLines lines(text_.files[file]);
      std::string_view line;
      while (lines.next(line)) {
        if (!split_action(line, parts)) continue;
        const auto rank = static_cast<std::size_t>(rank_word(parts[0]).value_or(no_rank));
        if (!text_.shared && rank != file) {
          ++text_.run.ranks[file].unrecorded_calls["line of another rank"];
          continue;
        }
        if (rank >= parsers.size()) continue; // the file has grown
        parsers[rank].parse(lines, parts, block);
        count(rank);
      }
    }
    for (std::size_t rank = 0; rank < parsers.size(); ++rank) {
      parsers[rank].end(block);
      count(rank);
      conclude(parsers[rank], text_.run.ranks[rank]);
    }
  }

  static void conclude(const RankParser& parser, RankRecord& record) {
    record.ending = parser.finalized ? Ending::finalized : Ending::unknown;
    if (!parser.finalized) record.ending_reason = "its text has no finalize";
    for (const auto& [name, times] : parser.unknown)
      record.unrecorded_calls[name] += times;
    if (parser.never_waited_for > 0)
      record.notes.push_back("requests that the text never waits for are waited for at the end");
  }

  static constexpr std::size_t most_ranks = std::size_t{1} << 20;
  Text text_;
};

class TiStream : public RankStream {
public:
  TiStream(const Text& text, Rank rank)
      : place_(text.places[static_cast<std::size_t>(rank)]), shared_(text.shared), rank_(rank), parser_(text, rank),
        lines_(text.files[place_.file], place_.offset) {}

  bool next(ActionBlock& block) override {
    constexpr std::size_t actions = 4096;
    block.clear();
    std::string_view line;
    while (!done_ && block.size() < actions) {
      if (!lines_.next(line) || lines_.offset() >= place_.end) {
        parser_.end(block);
        done_ = true;
      } else if (split_action(line, parts_) && rank_word(parts_[0]) == rank_) {
        parser_.parse(lines_, parts_, block);
      }
    }
    return !block.empty();
  }

private:
  Place place_;
  bool shared_;
  Rank rank_;
  RankParser parser_;
  TextLines lines_;
  std::vector<std::string_view> parts_;
  bool done_ = false;
};

class TiRun : public ImportedRun {
public:
  explicit TiRun(Text text) : text_(std::move(text)) {}

  const Run& run() const override { return text_.run; }

  std::unique_ptr<RankStream> open(Rank rank) const override {
    if (text_.run.find(rank) == nullptr)
      throw Error(Failure::invalid_input, "no such rank", "rank " + std::to_string(rank));
    return std::make_unique<TiStream>(text_, rank);
  }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> all = text_.files;
    if (all.front() != text_.path) all.insert(all.begin(), text_.path);
    return all;
  }

private:
  Text text_;
};

} // namespace

std::unique_ptr<ImportedRun> open_ti(const std::filesystem::path& path) {
  return std::make_unique<TiRun>(Scanner(path).scan());
}

} // namespace timeless::trace::formats
