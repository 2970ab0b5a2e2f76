#include "gather/parts/same_run.h"

#include "base/error.h"

#include <cstdio>

namespace timeless::gather {

namespace {

std::string hexadecimal(std::uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::string words(const trace::Counter& counter) {
  return counter.name + " (" + name(counter.unit) + ", " + name(counter.exactness) + ")";
}

std::string words(const std::vector<std::string>& events) {
  if (events.empty()) return "nothing";
  std::string list;
  for (const std::string& event : events)
    list.append(list.empty() ? "" : ", ").append(event);
  return list;
}

/// Another version of the same counter is no other way of counting.
bool same_measure(const trace::Counter& left, const trace::Counter& right) {
  return left.name == right.name && left.unit == right.unit && left.exactness == right.exactness;
}

} // namespace

void SameRun::demand_agreement(const RunStatement& said) const {
  const RunStatement& first = *first_;
  const std::string both = first.label + " and " + said.label;
  if (said.provenance.run_identity != first.provenance.run_identity)
    throw Error(Failure::invalid_input,
                "files of two runs: " + hexadecimal(first.provenance.run_identity) + " and " +
                    hexadecimal(said.provenance.run_identity),
                both, "record each run into a directory of its own, or move the files of one away");
  if (said.size != first.size)
    throw Error(Failure::invalid_input,
                "the files disagree on the number of ranks: " + std::to_string(first.size) + " and " +
                    std::to_string(said.size),
                both, "move those of one run away");
  if (!same_measure(said.counter, first.counter))
    throw Error(Failure::invalid_input,
                "the ranks were counted differently: rank " + std::to_string(first.rank) + " with " +
                    words(first.counter) + ", rank " + std::to_string(said.rank) + " with " + words(said.counter),
                both, "record again with the same --counter on every node");
  if (said.profile_events != first.profile_events)
    throw Error(Failure::invalid_input,
                "the ranks were profiled differently: rank " + std::to_string(first.rank) + " with " +
                    words(first.profile_events) + ", rank " + std::to_string(said.rank) + " with " +
                    words(said.profile_events),
                both, "record again with the same --profile on every node");
}

void SameRun::add(const trace::Run& run, const std::vector<std::string>& labels) {
  RunStatement said{run.ranks.front().rank, run.size, run.counter, run.provenance, run.profile_events, labels.front()};
  if (!first_) {
    first_ = said;
    lowest_ = said;
  }
  demand_agreement(said);
  if (said.rank < lowest_->rank) lowest_ = said;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const auto [present, fresh] = label_of_rank_.try_emplace(run.ranks[i].rank, labels.at(i));
    if (!fresh)
      throw Error(Failure::invalid_input, "rank " + std::to_string(run.ranks[i].rank) + " stands in two files",
                  present->second + " and " + labels[i], "move one of them away; nothing was changed");
  }
}

} // namespace timeless::gather
