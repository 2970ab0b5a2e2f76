#include "replay/simgrid/simgrid_factors.h"

#include "base/error.h"
#include "base/parsing.h"
#include "replay/simgrid/quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace timeless::replay {

namespace {

double number(std::string_view text, std::string_view name, std::string_view whole) {
  text = trimmed(text);
  const auto value = whole_number<double>(text);
  if (!value || !std::isfinite(*value))
    throw Error(Failure::invalid_input, "'" + std::string(text) + "' is not a number", std::string(name),
                "write \"" + std::string(whole) + "\" as size:value;size:value;...");
  return *value;
}

} // namespace

PiecewiseSetting PiecewiseSetting::parse(std::string_view text, std::string_view name) {
  PiecewiseSetting setting;
  for (const std::string_view part : split(text, ';')) {
    if (trimmed(part).empty()) continue;
    const auto numbers = split(part, ':');
    if (numbers.size() < 2)
      throw Error(Failure::invalid_input, "'" + std::string(part) + "' has no value", std::string(name));
    Piece piece{.above = std::floor(number(numbers[0], name, text)), .fixed = number(numbers[1], name, text)};
    if (numbers.size() > 2) piece.per_byte = number(numbers[2], name, text);
    setting.pieces_.push_back(piece);
  }
  std::ranges::sort(setting.pieces_, {}, &Piece::above);
  return setting;
}

const PiecewiseSetting::Piece* PiecewiseSetting::piece(double bytes) const {
  // The last piece whose size is below: a size equal to a threshold belongs to the piece before it.
  const auto after = std::ranges::lower_bound(pieces_, bytes, {}, &Piece::above);
  return after == pieces_.begin() ? nullptr : &*(after - 1);
}

double PiecewiseSetting::factor(double bytes) const {
  const Piece* found = piece(bytes);
  return found == nullptr ? 1 : found->fixed;
}

double PiecewiseSetting::seconds(double bytes) const {
  if (pieces_.empty()) return 0;
  const Piece* found = piece(bytes);
  if (found == nullptr) found = &pieces_.front();
  return found->fixed + found->per_byte * bytes;
}

SecondsBySize by_size(const PiecewiseSetting& overhead, std::optional<trace::Bytes> below) {
  if (below == trace::Bytes{0}) return {};
  const trace::Bytes last = below ? *below - 1 : std::numeric_limits<trace::Bytes>::max();
  const auto pieces = overhead.pieces();
  std::vector<SecondsBySize::Piece> all;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    // A piece reaches up to where the next one begins.
    const double end = piece + 1 < pieces.size() ? pieces[piece + 1].above : 0x1p64;
    if (end < 0) continue;
    const trace::Bytes up_to = end < 0x1p64 ? std::min(static_cast<trace::Bytes>(end), last) : last;
    all.push_back({up_to, {pieces[piece].fixed, pieces[piece].per_byte}});
    if (up_to == last) break;
  }
  if (below && !all.empty()) all.push_back({std::numeric_limits<trace::Bytes>::max(), {}});
  return SecondsBySize(std::move(all));
}

std::vector<trace::Bytes> segment_thresholds(const SmpiSettings& settings) {
  std::vector<trace::Bytes> sizes;
  for (const PiecewiseSetting* setting : {&settings.latency_factor, &settings.bandwidth_factor})
    for (const PiecewiseSetting::Piece& piece : setting->pieces())
      if (piece.above >= SmpiSettings::envelope_bytes)
        sizes.push_back(static_cast<trace::Bytes>(piece.above - SmpiSettings::envelope_bytes));
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

} // namespace timeless::replay
