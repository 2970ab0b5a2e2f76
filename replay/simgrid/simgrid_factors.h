#pragma once

#include "replay/network/network.h"
#include "trace/model/ids.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::replay {

/// SMPI's piecewise settings: `size:value;size:value;...` (factors) or `size:fixed:per_byte;...` (overheads).
///
/// A piece holds sizes larger than its own and up to the next one's, which still belongs to it: the value at 1420 in
/// "0:1;1420:2" is 1. Semantics as in SimGrid 3.32: NetworkSmpiModel::get_bandwidth_factor, smpi::Host::osend.
class PiecewiseSetting {
public:
  /// Makes a setting without pieces: `value_before_first` everywhere.
  PiecewiseSetting() = default;
  /// Throws Error(invalid_input) where the text is not of that form; `name` says which setting it is.
  static PiecewiseSetting parse(std::string_view text, std::string_view name);

  struct Piece {
    double above = 0; ///< bytes
    double fixed = 0;
    double per_byte = 0;
  };
  /// Makes a setting of the pieces that another setting has.
  explicit PiecewiseSetting(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  std::span<const Piece> pieces() const { return pieces_; }

  /// Returns the value as a factor: 1 for sizes up to the first piece's.
  double factor(double bytes) const;
  /// Returns the value as an overhead: fixed + per_byte * bytes, seconds; sizes up to the first piece's take the first
  /// piece.
  double seconds(double bytes) const;

private:
  const Piece* piece(double bytes) const;
  std::vector<Piece> pieces_;
};

/// Returns an overhead's seconds() of every size; with `below`, of smaller ones, and nothing from there on.
SecondsBySize by_size(const PiecewiseSetting& overhead, std::optional<trace::Bytes> below = {});

/// What a platform file says of SMPI's own costs and protocols.
struct SmpiSettings {
  /// SMPI adds its envelope to every message on the network; factors are looked up with it, overheads without.
  static constexpr double envelope_bytes = 16;

  PiecewiseSetting latency_factor;
  PiecewiseSetting bandwidth_factor;
  PiecewiseSetting send_overhead;
  PiecewiseSetting isend_overhead;
  PiecewiseSetting receive_overhead;
  /// Messages smaller than this start on their way when they are sent, whether or not their receive is posted.
  trace::Bytes asynchronous_below = 0;
  /// Messages smaller than this do not keep their sender; from here on both ends meet (rendezvous).
  trace::Bytes detached_below = 65536;
  /// Bytes in flight at most: no message goes faster than this / (2 * latency).
  double tcp_window = 4194304;
  /// A message loads the links of its way back with this share of its rate.
  double cross_traffic = 0.05;
};

/// Returns the message sizes, without envelope, up to which each segment of constant factors reaches
/// (Network::thresholds).
std::vector<trace::Bytes> segment_thresholds(const SmpiSettings& settings);

} // namespace timeless::replay
