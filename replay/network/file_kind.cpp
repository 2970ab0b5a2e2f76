#include "replay/network/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace timeless::replay {

namespace {

/// What begins the name of a format, or a file, and what that is.
struct KindOfFile {
  std::string_view begin;
  std::string_view what;
  std::string_view advice;
};

constexpr std::array<KindOfFile, 3> described{{
    {"timeless.network/", "a network", "give it with --network"},
    {"timeless.rates/", "a file of a program's rates", "give it with --rates"},
    {"timeless.machine/", "a calibrated machine", "give it with --machine"},
}};

constexpr std::array<KindOfFile, 4> beginnings{{
    {"# format: timeless.ping/", "a file of measurements of a network",
     "fit them first: timeless calibrate network --from FILE -o mine.json"},
    {"# format: timeless.machine-raw/", "a file of measurements of a machine",
     "fit them first: timeless calibrate machine --from FILE -o machine.json"},
    {"TIMELESS", "a recording", "name it as the trace"},
    {"<", "a platform, or other XML", "give a platform with --platform; a verb without it takes a network in JSON"},
}};

/// Returns the word behind a key of JSON, the first of its name.
std::string_view word_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n:"), rest.size()));
  if (!rest.starts_with('"')) return {};
  rest.remove_prefix(1);
  const std::string_view word = rest.substr(0, rest.find('"'));
  const bool plain = std::ranges::all_of(word, [](char c) { return c > ' ' && c < '\x7f'; });
  return plain && word.size() <= 40 ? word : std::string_view();
}

} // namespace

std::optional<FileKind> file_kind(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text.size()));
  for (const KindOfFile& one : beginnings)
    if (text.starts_with(one.begin)) return FileKind{std::string(one.what), std::string(one.advice)};
  if (!text.starts_with('{')) return std::nullopt;
  const std::string_view format = word_behind(text, "\"format\"");
  for (const KindOfFile& one : described)
    if (format.starts_with(one.begin))
      return FileKind{fmt::format("{} ({})", one.what, format), std::string(one.advice)};
  const std::string_view schema = word_behind(text, "\"schema\"");
  if (schema.starts_with("timeless."))
    return FileKind{fmt::format("an answer of Timeless ({})", schema), "name the file that a command wrote with -o"};
  return std::nullopt;
}

} // namespace timeless::replay
