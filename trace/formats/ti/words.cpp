#include "trace/formats/ti/words.h"

#include "trace/formats/common/text_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace timeless::trace::formats::ti {

namespace {

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

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

} // namespace

std::optional<Word> word(std::string_view name) {
  const std::string small = lower(name);
  const auto* const found =
      std::ranges::find(words, std::string_view(small), [](const auto& row) { return row.first; });
  if (found == words.end()) return std::nullopt;
  return found->second;
}

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

bool split_action(std::string_view line, std::vector<std::string_view>& parts) {
  split_words(line, parts);
  if (!parts.empty() && parts.front().starts_with('[')) {
    parts.erase(parts.begin());
    if (parts.size() > 2) parts.pop_back();
  }
  return !parts.empty() && !parts.front().starts_with('#');
}

} // namespace timeless::trace::formats::ti
