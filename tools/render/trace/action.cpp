#include "tools/render/trace/action.h"

#include "base/escaping.h"
#include "tools/render/csv.h"
#include "trace/model/collective_bytes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Action;
using trace::ActionKind;

/// Returns a number, or the word for what MPI has a constant for.
nlohmann::ordered_json peer_json(trace::Rank peer) {
  if (peer == trace::any_rank) return "any";
  if (peer == trace::root_of_remote_group) return "root";
  if (peer == trace::no_rank) return "none";
  return peer;
}

nlohmann::ordered_json tag_json(trace::Tag tag) {
  if (tag == trace::any_tag) return "any";
  return tag;
}

/// Adds the ranks that take part: of a neighbourhood collective, whose tag counts its sources, those it receives from
/// and those it sends to.
void add_ranks(const Action& action, nlohmann::ordered_json& json) {
  const std::size_t sources = action.tag > 0 ? static_cast<std::size_t>(action.tag - 1) : 0;
  if (!trace::neighbourhood(action.kind) || action.tag <= 0 || sources > action.ranks.size()) {
    if (!action.ranks.empty()) json["ranks"] = action.ranks;
    return;
  }
  json["sources"] = action.ranks.first(sources);
  json["destinations"] = action.ranks.subspan(sources);
}

/// Returns the fields an action uses, in the order of Action, as (name, value).
nlohmann::ordered_json fields(const ActionAnswer& answer) {
  const Action& action = answer.action;
  auto json = nlohmann::ordered_json::object();
  if (has_volume(action.kind)) {
    json["volume"] = answer.volume;
    json["kernel"] = action.kernel;
    return json;
  }
  const trace::ActionFamily of = family(action.kind);
  if (names_communicator(action.kind)) json["communicator"] = action.communicator;
  const trace::UsedSizes sizes = used_sizes(action, answer.run, answer.rank);
  const bool exchange = exchanges_messages(action.kind);
  if (exchange || rooted(action.kind) || action.peer != trace::no_rank) json["peer"] = peer_json(action.peer);
  if (of == trace::ActionFamily::point_to_point || action.kind == ActionKind::resolved)
    json["tag"] = tag_json(action.tag);
  if (sizes.bytes || action.bytes != 0) json["bytes"] = action.bytes;
  if (exchange) {
    json["receive_peer"] = peer_json(action.receive_peer);
    json["receive_tag"] = tag_json(action.receive_tag);
  }
  if (sizes.receive_bytes || action.receive_bytes != 0) json["receive_bytes"] = action.receive_bytes;
  if (action.element_bytes != 0) json["element_bytes"] = action.element_bytes;
  if (action.request != trace::no_request) json["request"] = action.request;
  if (action.new_communicator != trace::no_communicator) json["new_communicator"] = action.new_communicator;
  if (!action.requests.empty()) json["requests"] = action.requests;
  if (!action.counts.empty()) json["counts"] = action.counts;
  if (!action.receive_counts.empty()) json["receive_counts"] = action.receive_counts;
  if (action.region != trace::no_region) json["region"] = answer.run.regions.at(action.region);
  add_ranks(action, json);
  return json;
}

std::vector<std::string> flag_names(const Action& action) {
  static constexpr std::pair<trace::ActionFlag, const char*> names[] = {
      {trace::flag_persistent, "persistent"},
      {trace::flag_matched, "matched"},
      {trace::flag_in_place, "in_place"},
      {trace::flag_user_operation, "user_operation"},
      {trace::flag_noncommutative, "noncommutative"},
      {trace::flag_wildcard, "wildcard"},
      {trace::flag_exclusive, "exclusive"},
      {trace::flag_no_check, "no_check"},
      {trace::flag_no_precede, "no_precede"},
      {trace::flag_no_succeed, "no_succeed"},
      {trace::flag_replace, "replace"},
      {trace::flag_no_operation, "no_operation"},
      {trace::flag_truncated, "truncated"},
  };
  std::vector<std::string> present;
  for (const auto& [flag, name] : names)
    if ((action.flags & flag) != 0) present.emplace_back(name);
  return present;
}

void add_times(const ActionAnswer& answer, nlohmann::ordered_json& json) {
  if (answer.times == nullptr) return;
  json["entry_ns"] = answer.times->entry;
  json["exit_ns"] = answer.times->exit;
}

constexpr std::string_view csv_columns[] = {"rank",          "action",      "call",
                                            "volume",        "kernel",      "communicator",
                                            "peer",          "tag",         "bytes",
                                            "receive_peer",  "receive_tag", "receive_bytes",
                                            "element_bytes", "request",     "new_communicator",
                                            "requests",      "counts",      "receive_counts",
                                            "region",        "ranks",       "sources",
                                            "destinations",  "flags",       "entry_ns",
                                            "exit_ns"};

} // namespace

std::string to_text(const ActionAnswer& answer) {
  std::string text = fmt::format("{} {} {}", answer.rank, answer.ordinal, mpi_name(answer.action));
  nlohmann::ordered_json values = fields(answer);
  add_times(answer, values);
  for (const auto& [key, value] : values.items())
    text += fmt::format(" {}={}", key, value.is_string() ? escaped(value.get<std::string>()) : value.dump());
  for (const std::string& flag : flag_names(answer.action))
    text += " " + flag;
  return text + "\n";
}

nlohmann::ordered_json to_json(const ActionAnswer& answer) {
  nlohmann::ordered_json json{{"rank", answer.rank}, {"action", answer.ordinal}, {"call", mpi_name(answer.action)}};
  json.update(fields(answer));
  if (answer.action.flags != 0) json["flags"] = flag_names(answer.action);
  add_times(answer, json);
  return json;
}

std::string action_csv_head() {
  return csv_head(csv_columns);
}

std::string to_csv(const ActionAnswer& answer) {
  return csv_row(to_json(answer), csv_columns);
}

} // namespace timeless::tools
