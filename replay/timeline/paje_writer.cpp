#include "replay/timeline/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::replay::timeline {

namespace {

constexpr std::string_view header = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Type string
%  Name string
%EndEventDef
%EventDef PajePushState 6
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePopState 9
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeStartLink 7
%  Time date
%  Type string
%  Container string
%  Value string
%  StartContainer string
%  Key string
%EndEventDef
%EventDef PajeEndLink 8
%  Time date
%  Type string
%  Container string
%  Value string
%  EndContainer string
%  Key string
%EndEventDef
0 run 0 "run"
0 rank run "rank"
1 state rank "state"
2 message run rank rank "message"
3 sent message "message" "0.6 0.6 0.6"
)";

struct Color {
  std::string_view call;
  std::string_view color; ///< red, green and blue
};
// The same call has the same colour in all files: sends are blue, what waits for messages warm, collectives from purple
// to teal.
constexpr std::array<Color, 20> colors = {
    {{"compute", "0.60 0.78 0.45"},   {"Send", "0.25 0.45 0.80"},      {"Isend", "0.45 0.65 0.95"},
     {"Ssend", "0.10 0.25 0.60"},     {"Recv", "0.80 0.25 0.20"},      {"Irecv", "0.95 0.60 0.55"},
     {"Sendrecv", "0.75 0.45 0.10"},  {"Wait", "0.90 0.60 0.15"},      {"Waitall", "0.95 0.75 0.25"},
     {"Waitany", "0.85 0.80 0.45"},   {"Barrier", "0.45 0.45 0.45"},   {"Allreduce", "0.55 0.35 0.70"},
     {"Reduce", "0.70 0.50 0.85"},    {"Bcast", "0.75 0.35 0.60"},     {"Alltoall", "0.15 0.60 0.60"},
     {"Alltoallv", "0.35 0.75 0.75"}, {"Allgather", "0.10 0.45 0.45"}, {"Allgatherv", "0.25 0.55 0.50"},
     {"Gather", "0.85 0.55 0.75"},    {"Scatter", "0.60 0.25 0.45"}}};
constexpr std::array<std::string_view, 6> other_colors = {"0.55 0.45 0.30", "0.70 0.62 0.50", "0.42 0.50 0.22",
                                                          "0.62 0.62 0.62", "0.78 0.70 0.62", "0.38 0.33 0.28"};

/// Returns the colour of a call that is the number-th of those without one of their own.
std::string_view color_of(std::string_view call, std::size_t& others) {
  const auto* const known = std::ranges::find(colors, call, &Color::call);
  return known != colors.end() ? known->color : other_colors[others++ % other_colors.size()];
}

/// Returns a name between quotation marks.
std::string in_quotes(std::string name) {
  std::ranges::replace(name, '"', '\'');
  return name;
}

/// The format of Paje's trace files (Schnorr, de Oliveira Stein, Chassin de Kergommeaux: "Paje trace file format"),
/// which wants all in the order of time. An action's end comes after other actions' starts: it waits in a queue, which
/// holds at most one action of each rank and those of no length.
class PajeWriter : public TimelineWriter {
public:
  PajeWriter(NewFile& output, const Labels& labels) : output_(output), links_(labels.messages) {
    output_.write(header);
    std::size_t others = 0;
    for (std::size_t call = 0; call < labels.calls.size(); ++call)
      put("3 c{} state \"{}\" \"{}\"\n", call, in_quotes(labels.calls[call]), color_of(labels.calls[call], others));
    put("4 0 all run 0 \"{}\"\n", in_quotes(labels.lane));
    for (const trace::Rank rank : labels.ranks)
      put("4 0 r{} rank all \"rank {}\"\n", rank, rank);
    ranks_ = labels.ranks;
  }

  void event(const Event& event, std::span<const std::uint64_t> received) override {
    if (event.marks) return;
    emit_until(event.start);
    const RankThread thread{event.rank, event.thread};
    if (event.thread != 0 && threads_.emplace(thread).second)
      put("4 {:.12f} {} rank all \"rank {}, thread {}\"\n", event.start, name(thread), event.rank, event.thread);
    put("6 {:.12f} state {} c{}\n", event.start, name(thread), event.call);
    if (event.sent != 0 && has_both_ends(event.sent))
      put("7 {:.12f} message all sent {} m{:x}\n", event.start, name(thread), event.sent);
    endings_.push({event.end, thread, {received.begin(), received.end()}});
  }

  std::uint64_t end() override {
    emit_until(std::numeric_limits<double>::infinity());
    for (const trace::Rank rank : ranks_)
      put("5 {:.12f} rank r{}\n", last_, rank);
    for (const RankThread& thread : threads_)
      put("5 {:.12f} rank {}\n", last_, name(thread));
    put("5 {:.12f} run all\n", last_);
    return 0;
  }

private:
  using RankThread = std::pair<trace::Rank, trace::Rank>; ///< rank and thread
  struct Ending {
    double end = 0;
    RankThread thread{};
    std::vector<std::uint64_t> received;
    bool operator>(const Ending& other) const { return std::tie(end, thread) > std::tie(other.end, other.thread); }
  };

  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), format, std::forward<Values>(values)...);
    output_.write(line_);
  }

  static std::string name(const RankThread& thread) {
    return thread.second == 0 ? fmt::format("r{}", thread.first) : fmt::format("r{}t{}", thread.first, thread.second);
  }

  bool has_both_ends(std::uint64_t message) const { return !links_ || std::ranges::binary_search(*links_, message); }

  /// Ends what ends before something else begins at this time.
  void emit_until(double time) {
    for (; !endings_.empty() && endings_.top().end <= time; endings_.pop()) {
      const Ending& ending = endings_.top();
      for (const std::uint64_t message : ending.received)
        if (has_both_ends(message))
          put("8 {:.12f} message all sent {} m{:x}\n", ending.end, name(ending.thread), message);
      put("9 {:.12f} state {}\n", ending.end, name(ending.thread));
      last_ = ending.end;
    }
  }

  NewFile& output_;
  const std::optional<std::vector<std::uint64_t>>& links_;
  std::vector<trace::Rank> ranks_;
  std::set<RankThread> threads_; ///< beyond the ranks' first
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  double last_ = 0;
  std::string line_;
};

} // namespace

std::unique_ptr<TimelineWriter> paje_writer(NewFile& output, const Labels& labels) {
  return std::make_unique<PajeWriter>(output, labels);
}

} // namespace timeless::replay::timeline
