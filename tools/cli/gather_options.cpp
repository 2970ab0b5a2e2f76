#include "tools/cli/gather_options.h"

#include "tools/cli/offered_words.h"
#include "trace/codec/format.h"

#include <CLI/CLI.hpp>

namespace timeless::tools {

namespace {

constexpr const char* auto_word = "auto";

} // namespace

std::string default_output(const std::filesystem::path& directory) {
  std::filesystem::path name = directory.lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  if (name.empty() || name == "." || name == "..")
    name = std::filesystem::weakly_canonical(std::filesystem::absolute(directory));
  name += trace::archive_extension;
  return name.string();
}

void add_arity_option(CLI::App& command, std::optional<int>& arity, const std::string& description) {
  const auto parse = [&arity](const std::string& text) {
    arity.reset();
    int number = 0;
    if (text == auto_word) return true;
    if (!CLI::detail::lexical_cast(text, number) || number < 1) return false;
    arity = number;
    return true;
  };
  CLI::Option* const option = command
                                  .add_option_function<std::string>(
                                      "-k,--arity",
                                      [parse](const std::string& text) {
                                        if (!parse(text))
                                          throw CLI::ValidationError("-k", "expected a positive number or auto");
                                      },
                                      description)
                                  ->type_name("N|auto")
                                  ->default_str(arity ? std::to_string(*arity) : auto_word);
  offer_words(*option, {auto_word});
}

} // namespace timeless::tools
