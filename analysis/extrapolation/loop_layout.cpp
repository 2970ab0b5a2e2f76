#include "analysis/extrapolation/loop_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace timeless::analysis {

namespace {

using ProgramNodes = std::vector<LoopProgram::Node>;

/// Reads the trips of all runs beside each other.
class LayoutBuilder {
public:
  explicit LayoutBuilder(const std::vector<std::optional<LoopTrips>>& trips) : trips_(trips), next_(trips.size()) {}

  bool add(const ProgramNodes& nodes) {
    return std::ranges::all_of(nodes, [&](const LoopProgram::Node& node) {
      if (!node.loop()) ++made_.slots;
      return !node.loop() || add_loop(node);
    });
  }

  LoopLayout finish() { return std::move(made_); }

private:
  bool add_loop(const LoopProgram::Node& node) {
    VariableLoop loop{.begin = made_.slots};
    std::set<std::uint64_t> different;
    for (std::size_t run = 0; run < trips_.size(); ++run) {
      loop.trips.push_back(trips_[run] ? std::optional((*trips_[run])[next_[run]++]) : std::nullopt);
      if (loop.trips.back()) different.insert(*loop.trips.back());
    }
    if (different.size() == 1) {
      for (std::uint64_t trip = 0; trip < *different.begin(); ++trip)
        if (!add(node.body)) return false;
      return true;
    }
    std::optional<LoopTrips> inside;
    for (std::size_t run = 0; run < trips_.size(); ++run)
      for (std::uint64_t trip = 0; trip < loop.trips[run].value_or(0); ++trip) {
        const std::size_t begin = next_[run];
        skip(node.body, run);
        const LoopTrips here(trips_[run]->begin() + static_cast<std::ptrdiff_t>(begin),
                             trips_[run]->begin() + static_cast<std::ptrdiff_t>(next_[run]));
        if (inside && *inside != here) return false;
        inside = here;
      }
    std::size_t next = 0;
    made_.slots += length(node.body, *inside, next);
    loop.end = made_.slots;
    made_.loops.push_back(std::move(loop));
    return true;
  }

  void skip(const ProgramNodes& nodes, std::size_t run) {
    for (const LoopProgram::Node& node : nodes) {
      if (!node.loop()) continue;
      for (std::uint64_t trips = (*trips_[run])[next_[run]++]; trips > 0; --trips)
        skip(node.body, run);
    }
  }

  static std::size_t length(const ProgramNodes& nodes, const LoopTrips& trips, std::size_t& next) {
    std::size_t sum = 0;
    for (const LoopProgram::Node& node : nodes) {
      if (!node.loop()) {
        ++sum;
        continue;
      }
      for (std::uint64_t left = trips[next++]; left > 0; --left)
        sum += length(node.body, trips, next);
    }
    return sum;
  }

  const std::vector<std::optional<LoopTrips>>& trips_;
  std::vector<std::size_t> next_;
  LoopLayout made_;
};

/// What trips may be a linear function of.
struct TripParameter {
  std::string name;
  std::vector<std::int64_t> values; ///< by run, the target's last
};

std::vector<TripParameter> trip_parameters(const std::vector<RankGrid>& grids) {
  std::vector<TripParameter> all;
  const auto add = [&](const std::string& name, auto value) {
    TripParameter whole{name, {}};
    TripParameter log{fmt::format("log2({})", name), {}};
    for (const RankGrid& grid : grids) {
      const std::uint64_t here = value(grid);
      whole.values.push_back(static_cast<std::int64_t>(here));
      if (std::has_single_bit(here)) log.values.push_back(std::countr_zero(here));
    }
    all.push_back(whole);
    if (log.values.size() == grids.size()) all.push_back(log);
  };
  add("P", [](const RankGrid& grid) { return static_cast<std::uint64_t>(grid.ranks()); });
  if (grids.front().sides.size() > 1)
    for (std::size_t side = 0; side < grids.front().sides.size(); ++side)
      add(fmt::format("p{}", side + 1),
          [side](const RankGrid& grid) { return std::uint64_t{grid.sides[side].extent}; });
  return all;
}

} // namespace

std::optional<LoopLayout> loop_layout(const LoopProgram& program, const std::vector<std::optional<LoopTrips>>& trips) {
  LayoutBuilder builder(trips);
  if (!builder.add(program.nodes())) return std::nullopt;
  return builder.finish();
}

void LoopWalk::settle() {
  while (loop_ < layout_->loops.size()) {
    const VariableLoop& loop = layout_->loops[loop_];
    if (slot_ == loop.begin && trips_[loop_] == 0) {
      slot_ = loop.end;
    } else if (slot_ == loop.end) {
      if (++trip_ < trips_[loop_]) {
        slot_ = loop.begin;
        return;
      }
    } else {
      return;
    }
    trip_ = 0;
    ++loop_;
  }
}

TripLaw trip_law(const VariableLoop& loop, const std::vector<RankGrid>& grids, const RankGrid& target) {
  std::vector<RankGrid> all = grids;
  all.push_back(target);
  TripLaw found;
  std::set<std::int64_t> said;
  for (const TripParameter& parameter : trip_parameters(all)) {
    struct TripsAt {
      std::int64_t at;
      std::int64_t trips;
    };
    std::vector<TripsAt> seen;
    for (std::size_t run = 0; run < grids.size(); ++run)
      if (loop.trips[run]) seen.push_back({parameter.values[run], static_cast<std::int64_t>(*loop.trips[run])});
    const TripsAt first = seen.front();
    const auto other = std::find_if(seen.begin(), seen.end() - 1, [&](const TripsAt& one) { return one.at != first.at; });
    if (seen.size() < 3 || other == seen.end() - 1) continue;
    if ((other->trips - first.trips) % (other->at - first.at) != 0) continue;
    const std::int64_t each = (other->trips - first.trips) / (other->at - first.at);
    const std::int64_t fixed = first.trips - each * first.at;
    if (!std::ranges::all_of(seen, [&](const TripsAt& one) { return fixed + each * one.at == one.trips; })) continue;
    said.insert(fixed + each * parameter.values.back());
    if (found.law.empty())
      found.law = fmt::format("{} {} {}", each == 1 ? parameter.name : fmt::format("{} {}", each, parameter.name),
                              fixed < 0 ? "-" : "+", fixed < 0 ? -fixed : fixed);
  }
  if (said.size() == 1 && *said.begin() >= 0) found.there = static_cast<std::uint64_t>(*said.begin());
  return found;
}

} // namespace timeless::analysis
