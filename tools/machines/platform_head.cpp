#include "tools/machines/platform_head.h"

#include "base/files/text_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace timeless::tools::platforms {

namespace {

/// Writes line breaks and runs of blanks as one blank.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

/// Returns the words behind a mark such as "Trust:", up to the end of the line or the first punctuation; empty without
/// a mark.
std::string words_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + mark.size());
  return one_line(rest.substr(0, rest.find_first_of(",:;.(\n")));
}

std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view mark) {
  const std::string words = words_behind(text, mark);
  std::uint64_t number = 0;
  const auto [rest, error] =
      std::from_chars(words.data() + words.starts_with(' '), words.data() + words.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// Returns each text behind a mark, up to the end of its line.
std::vector<std::string> lines_behind(std::string_view text, std::string_view mark) {
  std::vector<std::string> lines;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::string_view rest = text.substr(at + mark.size());
    lines.push_back(one_line(rest.substr(0, rest.find('\n'))));
  }
  return lines;
}

/// Reads "a loop of 1 ms varied by 7.2 % on a, and one in 20 took 31 % longer."; nothing from another sentence.
std::optional<HeadNoise> noise_in(const std::string& line) {
  double spread = 0;
  double worst = 0;
  std::array<char, 256> host{};
  const int found = std::sscanf(line.c_str(), "a loop of 1 ms varied by %lf %% on %255[^,], and one in 20 took %lf %%",
                                &spread, host.data(), &worst);
  if (found != 3) return std::nullopt;
  return HeadNoise{.spread = spread / 100, .worst = worst / 100, .host = host.data()};
}

std::string first_word(std::string_view text) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return {text.begin(), std::ranges::find_if_not(text, is_letter)};
}

} // namespace

Head head_of(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = 16384;
  std::string text = read_text(file, most_bytes).value_or("");
  text = text.substr(0, text.find("<platform"));
  Head head;
  constexpr std::string_view open = "<!--";
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return head;
  text = text.substr(begin + open.size());
  text = text.substr(0, text.find("-->"));
  head.description = one_line(text.substr(0, text.find("\n\n")));
  head.trust = first_word(words_behind(text, "Trust:"));
  head.overheads = words_behind(text, "Overheads:");
  head.largest_between_nodes = number_behind(text, "Largest message between nodes:");
  for (const std::string& line : lines_behind(text, "\n     Noise:"))
    if (auto noise = noise_in(line)) head.noise.push_back(std::move(*noise));
  for (std::string& line : lines_behind(text, "\n     Not reached:")) {
    if (line.ends_with('.')) line.pop_back();
    head.not_reached.push_back(std::move(line));
  }
  head.largest_within_node = number_behind(text, "Largest message within a node:");
  return head;
}

} // namespace timeless::tools::platforms
