#include "tools/replaying/sweep/machine_changes.h"

#include "tools/cli/option_checks.h"
#include "tools/machines/named_networks.h"
#include "tools/replaying/factors.h"
#include "tools/replaying/model_words.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/parsing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

constexpr std::size_t most_upgrades = 1000;
constexpr std::size_t most_upgrade_bytes = std::size_t{1} << 20U;

[[noreturn]] void refuse_change(std::string_view word, const std::string& where) {
  throw Error(Failure::usage, fmt::format("'{}' is no change of a machine", word), where,
              "write \"network x2, cpu x1.5\", \"bandwidth x4\", \"latency /2\", \"network=qdr\", "
              "\"network=10Gb/s,5us\", \"platform=graphene\", \"eager-limit=64KiB\", \"collectives=simple\" or "
              "\"ranks-per-node=4\"");
}

/// The parts between commas; a network by its figures, "network=10Gb/s,5us", is one.
std::vector<std::string> change_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) {
    const std::string joined = parts.empty() ? "" : fmt::format("{},{}", parts.back(), trimmed(part));
    const std::size_t sign = joined.find('=');
    if (sign != std::string::npos && trimmed(joined.substr(0, sign)) == "network" &&
        is_pair_of_figures(std::string(trimmed(joined.substr(sign + 1)))))
      parts.back() = joined;
    else
      parts.emplace_back(trimmed(part));
  }
  return parts;
}

/// "cpu x1.5"
bool apply_factor(MachineChange& change, std::string_view subject, double factor) {
  if (subject == "network" || subject == "bandwidth") change.bandwidth *= factor;
  if (subject == "network") change.latency /= factor;
  if (subject == "latency") change.latency *= factor;
  if (subject == "cpu") change.compute /= factor;
  return subject == "network" || subject == "bandwidth" || subject == "latency" || subject == "cpu";
}

/// "network=qdr"
bool apply_value(MachineChange& change, std::string_view subject, std::string_view value) {
  if (value.empty()) return false;
  if (subject == "network") change.network = value;
  if (subject == "platform") change.platform = value;
  if (subject == "eager-limit") {
    change.eager_limit = eager_limit_in(value);
    return change.eager_limit.has_value();
  }
  if (subject == "collectives") {
    change.collectives = collective_model(value);
    return change.collectives.has_value();
  }
  if (subject == "ranks-per-node") {
    change.ranks_per_node = whole_number<std::uint32_t>(value);
    return change.ranks_per_node.value_or(0) > 0;
  }
  return subject == "network" || subject == "platform";
}

bool apply_word(MachineChange& change, std::string_view word) {
  if (const std::size_t sign = word.find('='); sign != std::string_view::npos)
    return apply_value(change, trimmed(word.substr(0, sign)), trimmed(word.substr(sign + 1)));
  const std::size_t blank = word.find_last_of(" \t");
  if (blank == std::string_view::npos) return false;
  const std::optional<double> factor = parse_factor(word.substr(blank + 1));
  return factor && apply_factor(change, trimmed(word.substr(0, blank)), *factor);
}

/// Returns what a part of a change is about: "cpu", or "network=" for another network instead, which factors may
/// follow.
std::string_view subject_of(std::string_view part) {
  const std::size_t sign = part.find('=');
  return sign != std::string_view::npos ? part.substr(0, sign + 1) : trimmed(part.substr(0, part.find_last_of(" \t")));
}

/// Reads a file of priced upgrades line by line; errors name the line.
class UpgradeReader {
public:
  explicit UpgradeReader(std::string file) : file_(std::move(file)) {}

  void read(std::string_view line) {
    ++number_;
    if (trimmed(line).empty() || line.starts_with('#')) return;
    const auto values = csv_values(line);
    if (!values) refuse("a quotation mark without another one", "close it, on the same line");
    if (values->size() != 3) refuse_number_of(*values);
    if (!head_) {
      if (*values != std::vector<std::string>{"name", "price", "change"})
        refuse("the head does not say name,price,change", "write that as the first line");
      head_ = true;
      return;
    }
    add(*values);
  }

  std::vector<PricedUpgrade> upgrades() {
    if (upgrades_.empty())
      throw Error(Failure::invalid_input, "no upgrades", file_, "write a line name,price,change, and one for each");
    return std::move(upgrades_);
  }

private:
  void add(const std::vector<std::string>& values) {
    if (upgrades_.size() == most_upgrades) refuse(fmt::format("more than {} upgrades", most_upgrades), "keep fewer");
    if (values[0].empty()) refuse("an upgrade without a name", "write one before the first comma");
    const auto price = whole_number<double>(values[1]);
    constexpr double most = 1e15;
    if (!price || !(*price >= 0) || !(*price <= most))
      refuse(fmt::format("'{}' is no price", values[1]),
             "write a number from 0 to 1e15, without a currency, and without commas between its digits: 1200");
    if (!names_.insert(values[0]).second)
      refuse(fmt::format("a second upgrade named '{}'", values[0]), "give each a name of its own");
    try {
      upgrades_.push_back({values[0], *price, values[2], parse_change(values[2], "")});
    } catch (const Error& error) {
      refuse(error.description(), error.advice());
    }
  }

  [[noreturn]] void refuse_number_of(const std::vector<std::string>& values) const {
    const auto digits = [](const std::string& value) { return whole_number<std::uint32_t>(value).has_value(); };
    const bool thousands = values.size() > 3 && digits(values[1]) && values[2].size() == 3 && digits(values[2]);
    const std::string what = fmt::format("{} values, not 3", values.size());
    if (thousands)
      refuse(fmt::format("{}: '{},{}' is no price", what, values[1], values[2]),
             fmt::format("write {}{}: a comma ends a value", values[1], values[2]));
    const auto apart_by = [&](char separator) {
      return values.size() == 1 && std::ranges::count(values[0], separator) > 1;
    };
    if (apart_by(';') || apart_by('\t'))
      refuse(fmt::format("values apart by {}, not by commas", apart_by(';') ? "semicolons" : "tabs"),
             "write name,price,change");
    refuse(what, "write name,price,change; quote a change with commas");
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& advice) const {
    throw Error(Failure::invalid_input, what, fmt::format("{}: line {}", file_, number_), advice);
  }

  std::string file_;
  std::size_t number_ = 0;
  bool head_ = false;
  std::set<std::string> names_;
  std::vector<PricedUpgrade> upgrades_;
};

} // namespace

MachineChange parse_change(const std::string& text, const std::string& where) {
  MachineChange change;
  std::set<std::string, std::less<>> subjects;
  for (const std::string& part : change_parts(text)) {
    const std::string before = change.network + change.platform;
    if (!apply_word(change, part)) refuse_change(part, where);
    if (!before.empty() && change.network + change.platform != before)
      throw Error(Failure::usage, fmt::format("'{}' names two machines", text), where, "name one network or platform");
    if (!subjects.emplace(subject_of(part)).second)
      throw Error(Failure::usage, fmt::format("'{}' changes the same thing twice", text), where,
                  "say each change once");
  }
  for (const double factor : {change.bandwidth, change.latency, change.compute})
    if (!(factor >= 1 / largest_machine_factor) || !(factor <= largest_machine_factor))
      throw Error(Failure::usage, fmt::format("'{}' changes a machine by more than any is apart from another", text),
                  where,
                  fmt::format("write factors, the product of network and bandwidth or latency too, from {:g} to {:g}",
                              1 / largest_machine_factor, largest_machine_factor));
  return change;
}

std::vector<PricedUpgrade> read_upgrades(const std::filesystem::path& file) {
  const std::optional<std::string> text = read_text(file, most_upgrade_bytes);
  if (!text) throw Error(Failure::invalid_input, "cannot read the file", file.string(), "name a readable file");
  if (text->size() > most_upgrade_bytes)
    throw Error(Failure::invalid_input, "a list of upgrades of more than 1 MiB", file.string(),
                "is this the right file?");
  UpgradeReader reader(file.string());
  for (const std::string_view line : split(*text, '\n'))
    reader.read(line);
  return reader.upgrades();
}

void add_upgrades_option(CLI::App& command, std::string& file) {
  command
      .add_option("--upgrades", file,
                  "A file of comma-separated values, name,price,change: what each gains the first machine, its price "
                  "per per cent, and which are worth a look")
      ->type_name("FILE")
      ->check(some_text());
}

} // namespace timeless::tools
