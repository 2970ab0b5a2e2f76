#include "trace/formats/dimemas_writer.h"
#include "trace/formats/dumpi/dumpi.h"
#include "trace/formats/format.h"
#include "trace/formats/goal/goal.h"
#include "trace/formats/ti/ti.h"
#include "trace/formats/ti/ti_writer.h"

#include "trace/error.h"

#include <array>
#include <string>

namespace timeless::trace::formats {

namespace {

constexpr std::array table{
    Format{.name = "dimemas", .description = "Dimemas' traces: a .dim file", .open = nullptr, .write = write_dimemas},
    Format{.name = "dumpi",
           .description = "DUMPI's binary traces: DIR/PREFIX of DIR/PREFIX-0000.bin, its .meta file, or a directory",
           .open = open_dumpi,
           .write = nullptr},
    Format{.name = "goal",
           .description =
               "GOAL, the schedules of LogGOPSim and ATLAHS: a file of its text, or (when read) of txt2bin's "
               "binary form",
           .open = open_goal,
           .write = write_goal},
    Format{.name = "goal-binary",
           .description = "GOAL as txt2bin makes it and LogGOPSim runs it: a file",
           .open = open_goal,
           .write = write_goal_binary},
    Format{.name = "ti",
           .description =
               "SimGrid's time-independent text, also of older SimGrids and of akypuera: the file that lists "
               "the ranks' files, or one file of all ranks",
           .open = open_ti,
           .write = write_ti},
};

std::string names(bool (*which)(const Format&)) {
  std::string all;
  for (const Format& format : table)
    if (which(format)) all += (all.empty() ? "" : ", ") + std::string(format.name);
  return all;
}

const Format& find(std::string_view name, const char* verb, bool (*which)(const Format&)) {
  for (const Format& format : table)
    if (format.name == name && which(format)) return format;
  throw Error(Failure::usage, "no format that can be " + std::string(verb) + ": " + std::string(name), {},
              "there are " + names(which));
}

} // namespace

std::span<const Format> formats() {
  return table;
}

const Format& readable_format(std::string_view name) {
  return find(name, "read", [](const Format& format) { return format.open != nullptr; });
}

const Format& writable_format(std::string_view name) {
  return find(name, "written", [](const Format& format) { return format.write != nullptr; });
}

} // namespace timeless::trace::formats
