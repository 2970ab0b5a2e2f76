#include "trace/formats/dumpi/file_names.h"

#include "base/error.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace timeless::trace::formats::dumpi {

namespace {

namespace fs = std::filesystem;

constexpr const char* what_to_name =
    "name DIR/PREFIX of DIR/PREFIX.meta and DIR/PREFIX-0000.bin, or one of these files";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool begins_trace(const fs::path& prefix) {
  return is_file(rank_path(prefix, 0)) || is_file(prefix.string() + ".meta");
}

/// Returns PREFIX of PREFIX.meta, PREFIX-0000.bin and PREFIX-1234567.bin.
std::optional<fs::path> prefix_of_file(const fs::path& file) {
  std::string name = file.filename().string();
  if (name.starts_with("._")) return std::nullopt; // what macOS puts beside a file into archives
  if (name.ends_with(".meta")) return fs::path(file).replace_extension();
  if (!name.ends_with(".bin")) return std::nullopt;
  name.resize(name.size() - 4);
  const std::size_t digits = name.size() - 1 - std::min(name.find_last_not_of("0123456789"), name.size() - 1);
  if (digits < 4 || digits == name.size() || name[name.size() - digits - 1] != '-') return std::nullopt;
  return file.parent_path() / name.substr(0, name.size() - digits - 1);
}

fs::path only_prefix_in(const fs::path& directory) {
  std::set<std::string> prefixes;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (const auto prefix = prefix_of_file(entry.path())) prefixes.insert(prefix->filename().string());
  if (prefixes.size() == 1) return directory / *prefixes.begin();
  if (prefixes.empty())
    throw Error(Failure::invalid_input, "the directory holds no DUMPI trace", directory.string(), what_to_name);
  throw Error(Failure::invalid_input, "the directory holds " + std::to_string(prefixes.size()) + " DUMPI traces",
              directory.string(), "name one of them, such as " + (directory / *prefixes.begin()).string());
}

/// Returns what the text beside the files says of a key; empty where it does not.
std::string meta_value(const fs::path& prefix, std::string_view key) {
  const fs::path path = prefix.string() + ".meta";
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {}; // a pipe would be waited for
  std::ifstream meta(path);
  std::string line;
  for (int lines = 0; lines < 1000 && std::getline(meta, line); ++lines)
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
      return line.substr(key.size() + 1);
  return {};
}

} // namespace

fs::path rank_path(const fs::path& prefix, Rank rank) {
  std::string digits = std::to_string(rank);
  digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
  return prefix.string() + "-" + digits + ".bin";
}

fs::path prefix_of(const fs::path& named) {
  std::error_code ignored;
  if (fs::is_directory(named, ignored)) return only_prefix_in(named);
  if (begins_trace(named)) return named;
  const bool there = is_file(named);
  if (const auto prefix = prefix_of_file(named); prefix && (there || begins_trace(*prefix))) return *prefix;
  // As far as the files' names agree: PREFIX-, PREFIX-00, and without the .meta.
  const std::string text = named.string();
  const std::string stem = text.substr(0, text.find_last_not_of("0123456789.") + 1);
  if (stem.ends_with('-') && begins_trace(stem.substr(0, stem.size() - 1))) return stem.substr(0, stem.size() - 1);
  if (text.ends_with('.') && begins_trace(text.substr(0, text.size() - 1))) return text.substr(0, text.size() - 1);
  if (there) throw Error(Failure::invalid_input, "no file of a DUMPI trace", text, what_to_name);
  throw Error(Failure::invalid_input, "there is no such DUMPI trace", text, what_to_name);
}

Rank ranks_of(const fs::path& prefix) {
  constexpr Rank most = 1 << 22;
  const std::string said = meta_value(prefix, "numprocs");
  Rank ranks = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), ranks);
  Rank there = 0;
  std::error_code ignored;
  while (there < most && fs::exists(rank_path(prefix, there), ignored))
    ++there;
  if (error != std::errc{}) ranks = there;
  if (there == 0 || ranks <= 0 || ranks > most)
    throw Error(Failure::invalid_input, "no DUMPI trace: no " + rank_path(prefix, 0).filename().string(),
                prefix.string(), what_to_name);
  // Of a trace that lost its last files the .meta still knows; one whose .meta promises millions does not.
  if (ranks > there + 1024 && ranks > 2 * there)
    throw Error(Failure::invalid_input,
                "most of the " + std::to_string(ranks) + " ranks' files are missing: there are " +
                    std::to_string(there),
                prefix.string());
  return ranks;
}

} // namespace timeless::trace::formats::dumpi
