#include "tools/platforms/writing.h"

#include "tools/platforms/judgement.h"
#include "tools/platforms/upgrade.h"

#include "base/error.h"
#include "base/files/new_file.h"

#include <array>
#include <iostream>
#include <utility>

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

WrittenPlatform write_upgraded(const std::filesystem::path& file, const std::filesystem::path& output, bool force) {
  demand_output(output);
  demand_output_apart(output, std::array{file});
  Upgraded upgraded = upgrade(XmlFile::read(file));
  write_good(output, upgraded.text, force);
  return {.output = output, .from = file, .changes = std::move(upgraded.changes)};
}

WrittenPlatform write_new(Draft draft, const std::filesystem::path& output, bool ask, bool force) {
  demand_output(output);
  draft = ask ? ask_for_rest(std::move(draft), std::cin, std::cerr) : with_defaults(std::move(draft));
  write_good(output, platform_text(draft), force);
  return {.output = output};
}

void write_text(const std::filesystem::path& output, const std::string& text, bool force) {
  write_good(output, text, force);
}

} // namespace timeless::tools::platforms
