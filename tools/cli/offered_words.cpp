#include "tools/cli/offered_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace timeless::tools {

namespace {

// CLI11 keeps nothing of an option but its validators; those that are not active check nothing, and are not in the
// help.
constexpr const char* validator_names[] = {"offered words", "offered words and files",
                                           "offered lists of words and files"};

CLI::Validator* note_of(CLI::Option& option, const char* name) {
  try {
    return option.get_validator(name);
  } catch (const CLI::OptionNotFound&) {
    return nullptr;
  }
}

/// Returns what stands in braces in the type's name: "TEXT:{model,smpi}".
std::vector<std::string> words_in_braces(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

} // namespace

void offer_words(CLI::Option& option, const std::vector<std::string>& words, AlsoAccepts also) {
  CLI::Validator note([](std::string&) { return std::string(); }, fmt::format("{}", fmt::join(words, ",")),
                      validator_names[static_cast<std::size_t>(also)]);
  note.active(false);
  option.check(note);
}

OfferedWords offered_words(CLI::Option& option) {
  OfferedWords offered{.words = {}, .list = option.get_delimiter() != '\0', .files = false};
  std::vector<std::string> words = words_in_braces(option.get_type_name());
  for (const AlsoAccepts also : {AlsoAccepts::nothing, AlsoAccepts::files, AlsoAccepts::files_in_lists})
    if (const CLI::Validator* note = note_of(option, validator_names[static_cast<std::size_t>(also)])) {
      words = CLI::detail::split(CLI::Validator(*note).active(true).get_description(), ',');
      offered.files = also != AlsoAccepts::nothing;
      offered.list = offered.list || also == AlsoAccepts::files_in_lists;
    }
  for (std::string& word : words) {
    if (word.find(' ') != std::string::npos) continue; // "by name" is what is done anyway
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) word.resize(colon + 1);
    offered.words.push_back(std::move(word));
  }
  return offered;
}

} // namespace timeless::tools
