#include "tools/console.h"
#include "tools/platforms/answers.h"
#include "tools/platforms/upgrade.h"

#include "trace/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace timeless::tools::platforms {

namespace {

void demand_good(const std::filesystem::path& file) {
  throw_mistake(judge(file), file, "the file is written but not right: ");
}

void demand_output(const std::filesystem::path& output) {
  if (output.empty()) throw Error(Failure::usage, "nowhere to write the file", "", "give -o FILE");
}

} // namespace

void write_new_file(const std::filesystem::path& file, const std::string& text, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::exists(file, ignored))
    throw Error(Failure::usage, "the file exists", file.string(), "give --force to replace it");
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw Error(Failure::runtime, "cannot write the file", file.string(), std::strerror(errno));
}

int answer_upgrade(const std::filesystem::path& file, const std::filesystem::path& output, bool force, bool json) {
  demand_output(output);
  const Upgraded upgraded = upgrade(XmlFile::read(file));
  write_new_file(output, upgraded.text, force);
  demand_good(output);
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
  write_new_file(output, platform_text(draft), force);
  demand_good(output);
  if (json)
    print_json("platform", 1, {{"action", "new"}, {"output", output.string()}});
  else
    print_line("{}: written; timeless platform show {} says what is in it", output.string(), output.string());
  return 0;
}

} // namespace timeless::tools::platforms
