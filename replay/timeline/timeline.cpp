#include "replay/timeline/timeline.h"

#include "replay/timeline/output.h"
#include "replay/timeline/writers.h"
#include "trace/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace timeless::replay::timeline {

using trace::ActionFamily;

namespace {

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Where a scratch file has room: beside a file, but not beside a device.
std::filesystem::path scratch_of(const std::filesystem::path& file) {
  std::error_code unknown;
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

std::unique_ptr<TimelineWriter> writer(TimelineFormat format, Output& output, const Labels& labels) {
  switch (format) {
  case TimelineFormat::paje:
    return paje_writer(output, labels);
  case TimelineFormat::csv:
    return csv_writer(output, labels);
  case TimelineFormat::text:
    return text_writer(output, labels);
  case TimelineFormat::perfetto:
    break;
  }
  return perfetto_writer(output, labels);
}

/// The messages that are sent and taken by what was not left out, rising.
std::vector<std::uint64_t> messages_with_both_ends(EventSorter& sorter) {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> taken;
  sorter.for_each([&](const Event& event, std::span<const std::uint64_t> received) {
    if (event.sent != 0) sent.push_back(event.sent);
    taken.insert(taken.end(), received.begin(), received.end());
  });
  std::ranges::sort(sent);
  std::ranges::sort(taken);
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(sent, taken, std::back_inserter(both));
  return both;
}

} // namespace

Timeline::Timeline(TimelineOptions options)
    : options_(std::move(options)), output_(std::make_unique<Output>(options_.file)),
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

void Timeline::begin(const trace::Run& /*run*/) {
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

void Timeline::observe(const ObservedAction& observed) {
  if (observed.end < options_.from || observed.start > options_.to || !wanted(observed.rank)) {
    left_out_ = true;
    return;
  }
  const trace::Action& action = observed.action;
  const bool computes = trace::has_volume(action.kind);
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
       .bytes = action.bytes,
       .receive_bytes = action.receive_bytes,
       .sent = observed.sent,
       .rank = observed.rank,
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

void Timeline::finish(const Result& result) {
  const LaneResult& lane = result.lanes.at(lane_);
  if (lane.deadlock)
    throw Error(Failure::invalid_input, "the ranks come to wait for each other, so there is no timeline", lane.name,
                "choose another configuration, or a larger --eager-limit");
  Labels labels{.calls = {}, .kernel = options_.kernel, .ranks = {ranks_.begin(), ranks_.end()}, .lane = lane.name};
  // In the order of their names, not in that of the ranks' turns.
  std::vector<std::uint32_t> place(calls_.size());
  for (const auto& [name, number] : calls_) {
    place[number] = static_cast<std::uint32_t>(labels.calls.size());
    labels.calls.push_back(name);
  }
  // Paje's links need both of their ends, in the order of time; the others can tell by themselves.
  if (left_out_ && options_.format == TimelineFormat::paje) labels.messages = messages_with_both_ends(sorter_);
  const auto to = writer(options_.format, *output_, labels);
  sorter_.for_each([&](Event event, std::span<const std::uint64_t> received) {
    event.call = place[event.call];
    to->event(event, received);
  });
  to->end();
  output_->finish();
}

} // namespace timeless::replay::timeline
