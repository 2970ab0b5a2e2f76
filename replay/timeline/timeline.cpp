#include "replay/timeline/timeline.h"

#include "base/error.h"
#include "replay/timeline/writers.h"
#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace timeless::replay::timeline {

using trace::ActionFamily;

namespace {

/// Returns where a scratch file has room: beside a file, but not beside a device. Another process's directory may not
/// be here.
std::filesystem::path scratch_of(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(directory_of(file), unknown)) return std::filesystem::temp_directory_path();
  const auto status = std::filesystem::status(file, unknown);
  const bool special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  return special ? std::filesystem::temp_directory_path() : directory_of(file);
}

bool has_root(const trace::Action& action) {
  return family(action.kind) == ActionFamily::collective && action.peer >= 0;
}

bool has_bytes(const trace::Action& action) {
  switch (family(action.kind)) {
  case ActionFamily::point_to_point:
  case ActionFamily::collective:
  case ActionFamily::one_sided:
  case ActionFamily::file:
  case ActionFamily::file_collective:
    return action.kind != trace::ActionKind::barrier;
  default:
    return false;
  }
}

/// Returns whether messages are shown by both of their ends, in the order of time: the other formats can tell by
/// themselves.
bool links_need_both_ends(TimelineFormat format) {
  return format == TimelineFormat::paje || format == TimelineFormat::otf2;
}

/// Makes the output, but for OTF2: that is a directory, which its writer makes.
std::unique_ptr<NewFile> output_of(const TimelineOptions& options) {
  if (!options.writes) return nullptr;
  if (options.format == TimelineFormat::otf2) {
    check_otf2_directory(options.file, options.existing);
    return nullptr;
  }
  return std::make_unique<NewFile>(options.file, options.existing);
}

std::unique_ptr<TimelineWriter> writer(TimelineFormat format, NewFile& output, const Labels& labels) {
  switch (format) {
  case TimelineFormat::paje:
    return paje_writer(output, labels);
  case TimelineFormat::csv:
    return csv_writer(output, labels);
  case TimelineFormat::text:
    return text_writer(output, labels);
  case TimelineFormat::otf2:
  case TimelineFormat::perfetto:
    break;
  }
  return perfetto_writer(output, labels);
}

/// Returns the messages that are sent and taken by what was not left out, rising.
std::vector<std::uint64_t> with_both_ends(std::vector<std::uint64_t> sent, std::vector<std::uint64_t> taken) {
  std::ranges::sort(sent);
  std::ranges::sort(taken);
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(sent, taken, std::back_inserter(both));
  return both;
}

} // namespace

Timeline::Timeline(TimelineOptions options)
    : options_(std::move(options)), output_(output_of(options_)),
      sorter_(options_.format == TimelineFormat::text ? Order::by_end : Order::by_start, scratch_of(options_.file),
              options_.memory) {}

Timeline::~Timeline() = default;

std::size_t Timeline::lane(std::span<const std::string> lanes) {
  const std::string& asked = options_.lane;
  const auto named = std::ranges::find(lanes, asked);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  if (named != lanes.end())
    lane_ = static_cast<std::size_t>(named - lanes.begin());
  else if (asked.empty() || (problem == std::errc() && end == asked.data() + asked.size() && number < lanes.size()))
    lane_ = number;
  else
    throw Error(Failure::usage, fmt::format("there is no configuration '{}' to show", asked), {},
                fmt::format("name one of the {} that are replayed, such as '{}', or give its number, from 0",
                            lanes.size(), lanes.front()));
  return lane_;
}

void Timeline::begin(const trace::Run& run) {
  if (options_.format == TimelineFormat::otf2) communicators_ = run.communicators;
  sorter_.clear();
  calls_.clear();
  ranks_.clear();
  left_out_ = false;
}

bool Timeline::wanted(trace::Rank rank) const {
  return options_.ranks.empty() || std::ranges::any_of(options_.ranks, [rank](const auto& some) {
           return some.first <= rank && rank <= some.second;
         });
}

std::uint32_t Timeline::number_of(std::string name) {
  return calls_.try_emplace(std::move(name), static_cast<std::uint32_t>(calls_.size())).first->second;
}

void Timeline::start(trace::Rank rank, double seconds) {
  if (seconds < options_.from || !wanted(rank)) {
    left_out_ = true;
    return;
  }
  ranks_.insert(rank);
  sorter_.add({.end = seconds, .rank = rank, .call = number_of(std::string(not_started_name)), .not_started = true},
              {});
}

void Timeline::observe(const ObservedAction& observed) {
  if (observed.end < options_.from || observed.start > options_.to || !wanted(observed.rank)) {
    left_out_ = true;
    return;
  }
  const trace::Action& action = observed.action;
  const bool computes = trace::has_volume(action.kind);
  trace::CollectiveBytes bytes{action.bytes, action.receive_bytes};
  // OTF2's records say what a member gives and gets in all.
  if (options_.format == TimelineFormat::otf2 && family(action.kind) == ActionFamily::collective)
    bytes = trace::collective_bytes(action, communicators_.at(action.communicator), observed.rank);
  ranks_.insert(observed.rank);
  sorter_.add(
      {.start = observed.start,
       .end = observed.end,
       .wait = observed.wait,
       .latency = observed.latency,
       .bandwidth = observed.bandwidth,
       .files = observed.files,
       .ordinal = observed.ordinal,
       .volume = observed.volume,
       .bytes = bytes.given,
       .receive_bytes = bytes.got,
       .sent = observed.sent,
       .rank = observed.rank,
       .thread = observed.thread,
       .destination = observed.destination,
       .source = observed.source,
       .root = has_root(action) ? action.peer : trace::no_rank,
       .tag = observed.destination == trace::no_rank && action.receive_peer != trace::no_rank ? action.receive_tag
                                                                                              : action.tag,
       .communicator = action.communicator,
       .call = number_of(trace::mpi_name(action)),
       .kernel = action.kernel,
       .requests =
           family(action.kind) == ActionFamily::completion ? static_cast<std::uint32_t>(action.requests.size()) : 0,
       .computes = computes,
       .has_bytes = has_bytes(action),
       .marks = family(action.kind) == ActionFamily::mark && observed.start == observed.end},
      observed.received);
}

EventLabels Timeline::labels() {
  EventLabels labels{
      .calls = std::vector<std::string>(calls_.size()), .ranks = {ranks_.begin(), ranks_.end()}, .left_out = left_out_};
  for (const auto& [name, number] : calls_)
    labels.calls[number] = name;
  const bool all_wanted = options_.ranks.empty() && !(options_.from > 0) && std::isinf(options_.to);
  if (!links_need_both_ends(options_.format) || all_wanted) return labels;
  sorter_.for_each([&](const Event& event, std::span<const std::uint64_t> received) {
    if (event.sent != 0) labels.sent.push_back(event.sent);
    labels.taken.insert(labels.taken.end(), received.begin(), received.end());
  });
  return labels;
}

/// Brings the events of several processes into one order.
class Timeline::Merger {
public:
  Merger(const EventSorter& order, TimelineWriter& writer, const std::map<std::string, std::uint32_t>& places)
      : order_(order), writer_(writer), places_(places) {}

  /// Returns where the names of a process's calls are in the file.
  std::vector<std::uint32_t> places(const EventLabels& labels) const {
    std::vector<std::uint32_t> all;
    for (const std::string& call : labels.calls)
      all.push_back(places_.at(call));
    return all;
  }

  void add(const Other& other) {
    Head head{.stream = other.events.get(), .place = places(other.labels), .event = {}, .received = {}};
    if (head.stream->next(head.event, head.received)) heads_.push_back(std::move(head));
  }

  /// Writes what comes before this event.
  void up_to(const Event& event) {
    for (Head* head = first(); head && order_.before(head->event, event); head = first())
      write(*head);
  }
  void rest() {
    for (Head* head = first(); head; head = first())
      write(*head);
  }

private:
  struct Head {
    EventStream* stream;
    std::vector<std::uint32_t> place;
    Event event;
    std::vector<std::uint64_t> received;
  };

  Head* first() {
    const auto head = std::ranges::min_element(
        heads_, [this](const Head& left, const Head& right) { return order_.before(left.event, right.event); });
    return head == heads_.end() ? nullptr : &*head;
  }

  void write(Head& head) {
    head.event.call = head.place.at(head.event.call);
    writer_.event(head.event, head.received);
    if (!head.stream->next(head.event, head.received)) heads_.erase(heads_.begin() + (&head - heads_.data()));
  }

  const EventSorter& order_;
  TimelineWriter& writer_;
  const std::map<std::string, std::uint32_t>& places_;
  std::vector<Head> heads_;
};

std::uint64_t Timeline::finish(const Result& result, std::vector<Other> others) {
  const LaneResult& lane = result.lanes.at(lane_);
  if (lane.deadlock)
    throw Error(Failure::invalid_input, "the ranks come to wait for each other, so there is no timeline", lane.name,
                "choose another configuration, or a larger --eager-limit");
  const EventLabels own = labels();
  std::set<trace::Rank> ranks(own.ranks.begin(), own.ranks.end());
  // In the order of their names, not as ranks were run.
  std::map<std::string, std::uint32_t> places;
  for (const std::string& call : own.calls)
    places[call] = 0;
  bool whole = !own.left_out;
  std::vector<std::uint64_t> sent = own.sent;
  std::vector<std::uint64_t> taken = own.taken;
  for (const Other& other : others) {
    sent.insert(sent.end(), other.labels.sent.begin(), other.labels.sent.end());
    taken.insert(taken.end(), other.labels.taken.begin(), other.labels.taken.end());
    for (const std::string& call : other.labels.calls)
      places[call] = 0;
    ranks.insert(other.labels.ranks.begin(), other.labels.ranks.end());
    whole = whole && !other.labels.left_out;
  }
  Labels labels{.calls = {}, .kernel = options_.kernel, .ranks = {ranks.begin(), ranks.end()}, .lane = lane.name};
  for (auto& [name, place] : places) {
    place = static_cast<std::uint32_t>(labels.calls.size());
    labels.calls.push_back(name);
  }
  if (!whole && links_need_both_ends(options_.format))
    labels.messages = with_both_ends(std::move(sent), std::move(taken));
  labels.communicators = std::move(communicators_);
  const auto to = options_.format == TimelineFormat::otf2 ? otf2_writer(options_.file, options_.existing, labels)
                                                          : writer(options_.format, *output_, labels);
  Merger merger(sorter_, *to, places);
  for (const Other& other : others)
    merger.add(other);
  const std::vector<std::uint32_t> place = merger.places(own);
  sorter_.for_each([&](Event event, std::span<const std::uint64_t> received) {
    merger.up_to(event);
    event.call = place[event.call];
    to->event(event, received);
  });
  merger.rest();
  const std::uint64_t bytes = to->end();
  return output_ ? output_->finish() : bytes;
}

} // namespace timeless::replay::timeline
