// Platform files, as `timeless platform` reads, checks and upgrades them: their text, without SimGrid.
#include "replay/simgrid/platform_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tools/platforms/catalogue.h"
#include "tools/platforms/findings.h"
#include "tools/platforms/upgrade.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace timeless;
using namespace timeless::tools;

const std::vector<std::string> settings{"network/model", "network/TCP-gamma", "smpi/bw-factor", "smpi/lat-factor",
                                        "smpi/async-small-thresh"};

std::optional<platforms::Upgraded> upgraded(const fuzz::MemoryFile& file) {
  std::optional<platforms::Upgraded> made;
  fuzz::reads([&] { made = platforms::upgrade(platforms::XmlFile::read(file.path())); });
  return made;
}

/// What SimGrid is given can be read again, and sets nothing that a file may not set.
void look_at_what_simgrid_gets(const fuzz::MemoryFile& file) {
  fuzz::reads([&] {
    const auto text = replay::PlatformText::read(file.path());
    const auto given = replay::XmlFile::read(text.path_for_simgrid());
    given.visit([](const pugi::xml_node& node) {
      if (std::string_view(node.name()) != "prop" || std::string_view(node.parent().name()) != "config") return;
      fuzz::demand(replay::may_be_set_by_a_file(node.attribute("id").value()), "only figures are set");
      const std::string_view value = node.attribute("value").value();
      fuzz::demand(value.find_first_of(" \t\n,") == std::string_view::npos, "one setting at a time");
    });
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  static fuzz::MemoryFile after;
  file.hold(fuzz::text(data, size));
  fuzz::reads([] {
    const platforms::XmlFile xml = platforms::XmlFile::read(file.path());
    for (const platforms::Finding& finding : platforms::check_text(xml, settings))
      fuzz::demand(!finding.what.empty(), "a finding says what");
  });
  look_at_what_simgrid_gets(file);
  const auto once = upgraded(file);
  if (!once) return 0;
  after.hold(once->text);
  const auto twice = upgraded(after);
  fuzz::demand(twice.has_value(), "what an upgrade has written can be read");
  fuzz::demand(twice->changes.empty() && twice->text == once->text, "and needs no upgrade");
  return 0;
}
