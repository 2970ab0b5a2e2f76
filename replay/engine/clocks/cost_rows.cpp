#include "replay/engine/clocks/cost_rows.h"

#include "base/error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t modes = 4;

/// Rising, each once.
std::vector<Bytes> merge(std::span<const Bytes> thresholds, const Protocol& protocol) {
  std::vector<Bytes> all(thresholds.begin(), thresholds.end());
  std::ranges::copy_if(protocol.eager_limits, std::back_inserter(all),
                       [](Bytes limit) { return limit != no_eager_limit; });
  if (const Bytes below = protocol.departs_at_once_below; below > 0 && below != no_eager_limit)
    all.push_back(below - 1);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

} // namespace

CostRows::CostRows(Network& network, std::size_t padded_lanes, Protocol protocol, bool ideal, bool all_graded)
    : network_(network), lanes_(padded_lanes), protocol_(std::move(protocol)),
      thresholds_(merge(network.thresholds(), protocol_)),
      compute_scale_(padded(network.compute_scale(), "compute scales")),
      memory_copy_(padded(network.memory_copy_byte_time(), "memory copy times")),
      reduction_(padded(network.reduction_byte_time(), "reduction times")), overhead_(list()), all_graded_(all_graded),
      seconds_(list()) {
  std::fill_n(overhead_, network.lanes().size(), 1.0);
  std::fill_n(seconds_, lanes_, 1.0);
  // The lanes that lists are padded with cost nothing at all.
  if (ideal) compute_scale_[network.lanes().size()] = 1;
}

double* CostRows::list() {
  lists_.emplace_back(static_cast<double*>(::operator new[](lanes_ * sizeof(double), std::align_val_t{64})));
  std::fill_n(lists_.back().get(), lanes_, 0.0);
  return lists_.back().get();
}

double* CostRows::padded(std::span<const double> values, const char* what) {
  if (values.size() != network_.lanes().size())
    throw Error(Failure::usage, std::string("the network gives another number of ") + what + " than of lanes");
  double* copy = list();
  std::ranges::copy(values, copy);
  return copy;
}

template <typename Ask>
SecondsRow CostRows::seconds(Ask ask) {
  const std::size_t given = network_.lanes().size();
  double* fixed = list();
  double* per_byte = list();
  ask(LaneSeconds{{fixed, given}, {per_byte, given}});
  return {fixed, per_byte};
}

const double* CostRows::constant(LinkClass link, std::size_t segment) {
  std::vector<double> seconds(network_.lanes().size());
  if (!network_.transfer_constant(link, segment, seconds)) return nullptr;
  return padded(seconds, "constants");
}

const EndsRow* CostRows::ends(LinkClass link, std::size_t segment) {
  if (!network_.overheads_by_lane() && !network_.ports()) return nullptr;
  EndsRow row;
  const auto overhead = [&](Overhead which) {
    return seconds([&](const LaneSeconds& into) { network_.overheads(which, link, segment, into); });
  };
  row.send = overhead(Overhead::send);
  row.nonblocking_send = overhead(Overhead::nonblocking_send);
  row.receive = overhead(Overhead::receive);
  if (network_.ports()) row.port = seconds([&](const LaneSeconds& into) { network_.port(link, segment, into); });
  return &ends_.emplace_back(row);
}

std::size_t CostRows::segment(double bytes) const {
  // Sizes beyond any threshold may not fit an integer.
  return bytes < 0x1p63 ? segment_of(thresholds_, static_cast<Bytes>(bytes)) : thresholds_.size();
}

std::size_t CostRows::networks_segment(std::size_t segment) const {
  const auto thresholds = network_.thresholds();
  return segment < thresholds_.size() ? segment_of(thresholds, thresholds_[segment]) : thresholds.size();
}

std::uint32_t CostRows::row(LinkClass link, double bytes) {
  const std::size_t segment = this->segment(bytes);
  if (link >= by_class_.size()) by_class_.resize(std::size_t{link} + 1);
  auto& segments = by_class_[link];
  if (segments.empty()) segments.resize(thresholds_.size() + 1);
  if (segments[segment] == 0) {
    double* latency = list();
    double* byte_time = list();
    const std::size_t given = network_.lanes().size();
    const std::size_t theirs = networks_segment(segment);
    network_.costs(link, theirs, {latency, given}, {byte_time, given});
    const auto number = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.latency = latency,
                     .byte_time = byte_time,
                     .graded = all_graded_ || network_.scales(link) ? 1.0 : 0.0,
                     .constant = constant(link, theirs),
                     .ends = ends(link, theirs),
                     .envelope = number});
    segments[segment] = number + 1;
  }
  return segments[segment] - 1;
}

const double* CostRows::agreement(LinkClass link, std::size_t segment, const double* held) {
  std::vector<double> seconds(network_.lanes().size());
  if (!network_.handshake_overhead(link, segment, seconds)) return nullptr;
  for (std::size_t lane = 0; lane < seconds.size(); ++lane)
    if (held[lane] == 0) seconds[lane] = 0;
  return padded(seconds, "times to agree");
}

/// In which lanes messages of a size wait for their receive, and their senders with them: 1 there, else 0.
struct CostRows::Waiting {
  double* message = nullptr; ///< null when none waits anywhere
  double* sender = nullptr;
  bool any_sender = false;
  bool any_without_sender = false;
};

CostRows::Waiting CostRows::waiting(std::size_t segment, trace::SendMode mode) {
  // Sizes of a segment are all above a limit, or none is.
  const auto above = [&](Bytes limit) { return segment == thresholds_.size() || thresholds_[segment] > limit; };
  const bool synchronous = mode == trace::SendMode::synchronous;
  const Bytes below = protocol_.departs_at_once_below;
  const bool all = synchronous || (below != no_eager_limit && (below == 0 || above(below - 1)));
  Waiting waiting{list(), list(), false, false};
  bool any = false;
  for (std::size_t lane = 0; lane < network_.lanes().size(); ++lane) {
    const Bytes limit = protocol_.eager_limits.empty() ? no_eager_limit : protocol_.eager_limits[lane];
    const bool rendezvous = mode != trace::SendMode::buffered && limit != no_eager_limit && above(limit);
    waiting.sender[lane] = synchronous || rendezvous ? 1 : 0;
    waiting.message[lane] = all || rendezvous ? 1 : 0;
    waiting.any_sender = waiting.any_sender || waiting.sender[lane] != 0;
    waiting.any_without_sender = waiting.any_without_sender || waiting.message[lane] != waiting.sender[lane];
    any = any || waiting.message[lane] != 0;
  }
  if (!any) waiting.message = nullptr;
  return waiting;
}

std::uint32_t CostRows::rendezvous(Rank from, Rank to, double bytes, trace::SendMode mode) {
  if (mode == trace::SendMode::ready) mode = trace::SendMode::standard;
  const LinkClass link = network_.link(from, to);
  const std::uint32_t eager = row(link, bytes);
  const std::size_t segment = this->segment(bytes);
  const std::size_t given = network_.lanes().size();
  if (link >= rendezvous_.size()) rendezvous_.resize(std::size_t{link} + 1);
  auto& segments = rendezvous_[link];
  if (segments.empty()) segments.resize(modes * (thresholds_.size() + 1));
  std::uint32_t& known = segments[modes * segment + static_cast<std::size_t>(mode)];
  if (known != 0) return known - 1;

  const auto [held, sender_held, keeps_sender, sender_goes_on] = waiting(segment, mode);
  if (held == nullptr) {
    known = eager + 1;
    return eager;
  }
  const CostRow plain = rows_[eager];
  double* handshake = list();
  if (protocol_.handshake)
    std::transform(plain.latency, plain.latency + given, handshake, [&](double a) { return *protocol_.handshake * a; });
  else
    network_.handshake(link, networks_segment(segment), {handshake, given});
  const double* agreement = this->agreement(link, networks_segment(segment), held);
  double* latency = list();
  double* sender_latency = list();
  double* sender_byte_time = list();
  double* sender_constant = plain.constant != nullptr ? list() : nullptr;
  for (std::size_t lane = 0; lane < given; ++lane) {
    latency[lane] = held[lane] != 0 ? plain.latency[lane] + handshake[lane] : plain.latency[lane];
    sender_latency[lane] = sender_held[lane] != 0 ? latency[lane] : 0;
    sender_byte_time[lane] = sender_held[lane] != 0 ? plain.byte_time[lane] : 0;
    if (sender_constant != nullptr) sender_constant[lane] = sender_held[lane] != 0 ? plain.constant[lane] : 0;
  }
  const auto departure = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({.latency = sender_latency,
                   .byte_time = sender_byte_time,
                   .graded = plain.graded,
                   .constant = sender_constant,
                   .ends = plain.ends,
                   .held = sender_held,
                   .handshake = handshake,
                   .envelope = departure,
                   .sender_goes_on = sender_goes_on});
  rows_.push_back({.latency = latency,
                   .byte_time = plain.byte_time,
                   .graded = plain.graded,
                   .constant = plain.constant,
                   .ends = plain.ends,
                   .held = held,
                   .agreement = agreement,
                   .envelope = eager,
                   .departure = departure,
                   .keeps_sender = keeps_sender,
                   .mode = mode});
  known = departure + 2;
  return departure + 1;
}

} // namespace timeless::replay
