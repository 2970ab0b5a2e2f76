#include "replay/network/description.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "replay/network/file_kind.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace timeless::replay {

namespace {

constexpr std::size_t most_items = 4096;
constexpr std::size_t most_depth = 16;
constexpr std::size_t most_characters = 200;

std::string content(const std::filesystem::path& file, std::size_t most_bytes) {
  const std::optional<std::string> text = read_text(file, most_bytes);
  if (!text) throw Error(Failure::invalid_input, "cannot read the file", file.string(), "name a readable file");
  if (const auto kind = text->size() > most_bytes ? file_kind(*text) : std::nullopt; kind && !text->starts_with('{'))
    throw Error(Failure::invalid_input, fmt::format("this is {}, and a description was asked for", kind->what),
                file.string(), kind->advice);
  if (text->size() > most_bytes)
    throw Error(Failure::invalid_input, fmt::format("a description of more than {} MiB", most_bytes >> 20U),
                file.string(), "descriptions are short: is this the right file?");
  return *text;
}

/// Returns "line 3, column 7" of a place in a text.
std::string line_and_column(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, std::min(place, text.size()));
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'), std::max<std::size_t>(column, 1));
}

/// Parses, and refuses what a parser lets pass: keys that come twice and depths no description has.
class Checker {
public:
  explicit Checker(std::string file) : file_(std::move(file)) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (static_cast<std::size_t>(depth) > most_depth)
      throw Error(Failure::invalid_input, "lists and objects too deep in one another", file_,
                  "write it as networks.md of the documentation shows");
    if (event == nlohmann::json::parse_event_t::object_start) keys_.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) keys_.pop_back();
    if (event == nlohmann::json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw Error(Failure::invalid_input, "a key that comes twice in one object", file_ + ": " + parsed.dump(),
                  "keep one of them");
    return true;
  }

private:
  std::string file_;
  std::vector<std::set<std::string>> keys_;
};

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

} // namespace

Description Description::read(const std::filesystem::path& file, std::size_t most_bytes) {
  const std::string text = content(file, most_bytes);
  nlohmann::json value;
  try {
    value = nlohmann::json::parse(text, Checker(file.string()));
  } catch (const nlohmann::json::parse_error& error) {
    if (const auto kind = file_kind(text); kind && !text.starts_with('{'))
      throw Error(Failure::invalid_input, fmt::format("this is {}, and a description was asked for", kind->what),
                  file.string(), kind->advice);
    throw Error(Failure::invalid_input, "this is no JSON", file.string() + ": " + line_and_column(text, error.byte),
                "a comma, a quote or a bracket is missing or too many, or a text is not UTF-8");
  } catch (const nlohmann::json::exception&) {
    throw Error(Failure::invalid_input, "a number too large for any computer", file.string(), "check the numbers");
  }
  if (!value.is_object())
    throw Error(Failure::invalid_input, "the description is not an object", file.string(), "write { \"key\": ... }");
  return {std::move(value), file.string(), {}};
}

std::string Description::place(std::string_view key) const {
  std::string path = path_;
  if (!path.empty() && !key.empty()) path += '.';
  path += key;
  return path.empty() ? file_ : file_ + ": " + path;
}

void Description::refuse(std::string_view key, const std::string& what, const std::string& advice) const {
  throw Error(Failure::invalid_input, what, place(key), advice);
}

void Description::demand_format(std::string_view format) const {
  const auto kind_of = [&] { return file_kind(value_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)); };
  if (!has("format")) {
    if (const auto kind = kind_of()) refuse("", fmt::format("this is {}, not {}", kind->what, format), kind->advice);
    refuse("format", "'format' is missing", fmt::format("add it: \"{}\"", format));
  }
  const std::string said = word("format");
  if (said == format) return;
  const std::string_view family = format.substr(0, format.find('/') + 1);
  if (said.starts_with(family))
    refuse("format", fmt::format("'{}' is another version of this format, and this Timeless reads {}", said, format),
           "read it with the Timeless that wrote it, or write it again with this one");
  if (const auto kind = file_kind(fmt::format("{{\"format\": \"{}\"}}", said)))
    refuse("format", fmt::format("this is {}, not {}", kind->what, format), kind->advice);
  refuse("format", fmt::format("'{}' is no format that Timeless knows", said),
         fmt::format("files of this kind have \"{}\"", format));
}

const nlohmann::json* Description::find(std::string_view key) const {
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

const nlohmann::json& Description::get(std::string_view key) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) refuse(key, fmt::format("'{}' is missing", key), "add it");
  return *found;
}

bool Description::is_word(std::string_view key, std::string_view word) const {
  const nlohmann::json* value = find(key);
  return value != nullptr && value->is_string() && value->get_ref<const std::string&>() == word;
}

void Description::allow_only(std::span<const std::string_view> keys) const {
  for (const auto& item : value_.items()) {
    const std::string& key = item.key();
    if (std::ranges::find(keys, key) != keys.end()) continue;
    refuse(key.substr(0, most_characters), "this key means nothing here",
           fmt::format("known: {}", fmt::join(keys, ", ")));
  }
}

double Description::checked_number(const nlohmann::json& value, std::string_view key) const {
  if (!value.is_number()) refuse(key, "not a number", "write a number without quotes, in the unit of the key's name");
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0) refuse(key, fmt::format("{:g} is not possible", number), "write 0 or more");
  return number;
}

double Description::number(std::string_view key) const {
  return checked_number(get(key), key);
}

double Description::signed_number(std::string_view key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    refuse(key, "not a number", "write a number without quotes, in the unit of the key's name");
  return value.get<double>();
}

double Description::positive(std::string_view key) const {
  const double value = number(key);
  if (!(value > 0) || !std::isfinite(1 / value))
    refuse(key, fmt::format("{:g} is not possible", value), "write a number above 0");
  return value;
}

void Description::demand_rate(double rate, std::string_view key) const {
  constexpr double least = 1e-6;
  constexpr double most = 1e18;
  if (!(rate >= least && rate <= most))
    refuse(key, fmt::format("{:g} is no rate that a processor has", rate), "write units per second, 1e-6 to 1e18");
}

double Description::rate(std::string_view key) const {
  const double value = number(key);
  demand_rate(value, key);
  return value;
}

std::vector<double> Description::rates(std::string_view key) const {
  std::vector<double> values = numbers(key);
  for (const double value : values)
    demand_rate(value, key);
  return values;
}

void Description::demand_interval(std::string_view key) const {
  if (!has(key) || get(key).is_null()) return;
  const std::vector<double> ends = numbers(key);
  if (ends.size() != 2 || !(ends.front() <= ends.back()))
    refuse(key, "no interval", "write its lower end, then its upper one");
}

std::uint64_t Description::counted(std::string_view key) const {
  const std::uint64_t value = whole_number(key);
  if (value == 0) refuse(key, "0 is not possible", "write 1 or more");
  return value;
}

std::uint64_t Description::whole_number(std::string_view key) const {
  const nlohmann::json& value = get(key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  refuse(key, "not a whole number, 0 or more", "write it without quotes, point or exponent");
}

bool Description::flag(std::string_view key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_boolean()) refuse(key, "neither true nor false", "write true or false without quotes");
  return value.get<bool>();
}

std::string Description::word(std::string_view key) const {
  return checked_word(get(key), key);
}

std::string Description::checked_word(const nlohmann::json& value, std::string_view key) const {
  if (!value.is_string()) refuse(key, "not a text", "write it in quotes");
  std::string text = value.get<std::string>();
  if (text.empty() || text.size() > most_characters || !printable(text))
    refuse(key, "empty, longer than 200 characters, or not printable", "write a short text");
  return text;
}

Description Description::object(std::string_view key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_object()) refuse(key, "not an object", "write { \"key\": ... }");
  return {value, file_, path_.empty() ? std::string(key) : path_ + "." + std::string(key)};
}

const nlohmann::json& Description::list(std::string_view key) const {
  const nlohmann::json& value = get(key);
  if (!value.is_array()) refuse(key, "not a list", "write [ ... ]");
  if (value.empty() || value.size() > most_items)
    refuse(key, fmt::format("a list of {}", value.size()), fmt::format("write between 1 and {}", most_items));
  return value;
}

std::vector<Description> Description::objects(std::string_view key) const {
  std::vector<Description> all;
  for (const nlohmann::json& value : list(key)) {
    const std::string item = fmt::format("{}[{}]", key, all.size());
    if (!value.is_object()) refuse(item, "not an object", "write { \"key\": ... }");
    all.push_back({value, file_, path_.empty() ? item : path_ + "." + item});
  }
  return all;
}

std::vector<Description::Pair> Description::pairs(std::string_view key) const {
  std::vector<Pair> all;
  for (const nlohmann::json& value : list(key)) {
    const std::string item = fmt::format("{}[{}]", key, all.size());
    if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() || !value[1].is_number())
      refuse(item, "not a whole number and a number", "write [size, value]");
    all.push_back({value[0].get<std::uint64_t>(), value[1].get<double>()});
  }
  return all;
}

std::vector<double> Description::numbers(std::string_view key) const {
  std::vector<double> all;
  for (const nlohmann::json& value : list(key))
    all.push_back(checked_number(value, fmt::format("{}[{}]", key, all.size())));
  return all;
}

std::vector<std::string> Description::words(std::string_view key) const {
  std::vector<std::string> all;
  for (const nlohmann::json& value : list(key))
    all.push_back(checked_word(value, fmt::format("{}[{}]", key, all.size())));
  return all;
}

std::vector<std::string> Description::keys() const {
  std::vector<std::string> all;
  for (const auto& item : value_.items())
    all.push_back(item.key());
  return all;
}

} // namespace timeless::replay
