#include "tools/replaying/model_words.h"

#include "tools/cli/option_checks.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace timeless::tools {

namespace {

constexpr std::array collective_models{replay::CollectiveModel::mpich, replay::CollectiveModel::simple,
                                       replay::CollectiveModel::schedule, replay::CollectiveModel::measured};

} // namespace

std::optional<trace::Bytes> eager_limit_in(std::string_view text) {
  return text == no_eager_limit_word ? replay::no_eager_limit : bytes_in(text);
}

std::optional<trace::Bytes> parse_eager_limit(const std::string& text, const std::string& option) {
  if (text.empty()) return std::nullopt;
  const std::optional<trace::Bytes> limit = eager_limit_in(text);
  if (!limit)
    throw Error(Failure::usage, fmt::format("'{}' is not a size", text), option,
                "write a whole number of bytes, or as 64KiB or 64kB, or none");
  return limit;
}

std::vector<std::string> collective_model_names() {
  std::vector<std::string> names;
  for (const replay::CollectiveModel model : collective_models)
    names.emplace_back(name(model));
  return names;
}

std::optional<replay::CollectiveModel> collective_model(std::string_view name_) {
  const auto found =
      std::ranges::find(collective_models, name_, [](auto model) { return std::string_view(name(model)); });
  return found == collective_models.end() ? std::nullopt : std::optional(*found);
}

std::vector<replay::MeasuredAlgorithm> measured_collectives(std::span<const replay::NetworkDescription> networks) {
  for (const replay::NetworkDescription& one : networks) {
    if (one.collectives.empty())
      throw Error(Failure::usage, "no algorithm of a collective was measured on this network, or none was told apart",
                  one.name,
                  "measure with 4 ranks or more (timeless calibrate network), or take --collectives schedule: MPICH's");
    if (one.collectives != networks.front().collectives)
      throw Error(Failure::usage, "other algorithms were measured on this network than on " + networks.front().name,
                  one.name, "replay on one of them at a time");
  }
  return networks.empty() ? std::vector<replay::MeasuredAlgorithm>() : networks.front().collectives;
}

std::string collectives_note(const std::vector<replay::MeasuredAlgorithm>& measured) {
  std::vector<std::string> names;
  std::set<std::uint32_t> members;
  for (const replay::MeasuredAlgorithm& one : measured) {
    members.insert(one.members);
    const std::string name(trace::name(one.collective));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format(
      "collectives: algorithms as measured with {} ranks for {}, as far as sizes were told apart; MPICH's "
      "for all else",
      fmt::join(members, ", "), fmt::join(names, ", "));
}

void refuse_measured_collectives_of_platforms(const std::string& where) {
  throw Error(Failure::usage, "measured algorithms of collectives stand in network files, not in platforms", where,
              "name a file of timeless calibrate network with --network");
}

} // namespace timeless::tools
