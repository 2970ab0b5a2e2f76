#include "tools/cli/console.h"
#include "tools/platforms/answers.h"
#include "tools/platforms/upgrade.h"

#include "base/error.h"
#include "base/files/new_file.h"

#include <fmt/format.h>

#include <array>
#include <iostream>

namespace timeless::tools::platforms {

namespace {

/// Judges the text beside where it will stand, since it may name files there, and writes it only if it is good.
void write_good(const std::filesystem::path& file, const std::string& text, bool force) {
  NewFile output(file, force ? Existing::replace : Existing::refuse);
  {
    const TemporaryFile draft(directory_of(file), "draft", file);
    write_file(draft.path(), text, Existing::refuse);
    throw_mistake(judge(draft.path()), file, "what would be written is not right: ");
  }
  output.write(text);
  output.finish();
}

void demand_output(const std::filesystem::path& output) {
  if (output.empty()) throw Error(Failure::usage, "nowhere to write the file", "", "give -o FILE");
}

} // namespace

int answer_upgrade(const std::filesystem::path& file, const std::filesystem::path& output, bool force, bool json) {
  demand_output(output);
  demand_output_apart(output, std::array{file});
  const Upgraded upgraded = upgrade(XmlFile::read(file));
  write_good(output, upgraded.text, force);
  if (json) {
    print_json(
        "platform", 1,
        {{"action", "upgrade"}, {"file", file.string()}, {"output", output.string()}, {"changes", upgraded.changes}});
    return 0;
  }
  for (const std::string& change : upgraded.changes)
    print_line("{}", change);
  print_line("{}: format 4.1, {}", output.string(), upgraded.changes.empty() ? "as before" : "and SimGrid loads it");
  return 0;
}

int answer_new(Draft draft, const std::filesystem::path& output, bool ask, bool force, bool json) {
  demand_output(output);
  draft = ask ? ask_for_rest(std::move(draft), std::cin, std::cerr) : with_defaults(std::move(draft));
  write_good(output, platform_text(draft), force);
  if (json)
    print_json("platform", 1, {{"action", "new"}, {"output", output.string()}});
  else
    print_line("{}: written; timeless platform show {} says what is in it", output.string(), output.string());
  return 0;
}

} // namespace timeless::tools::platforms
