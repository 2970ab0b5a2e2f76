#include "trace/formats/common/format.h"
#include "trace/formats/dimemas/dimemas_writer.h"
#include "trace/formats/dumpi/dumpi.h"
#include "trace/formats/goal/goal.h"
#include "trace/formats/ti/ti.h"
#include "trace/formats/ti/ti_writer.h"

#include "base/error.h"
#include "base/files/input_file.h"

#include <algorithm>
#include <array>
#include <string>

namespace timeless::trace::formats {

namespace {

bool looks_like_dimemas(std::string_view beginning) {
  return beginning.starts_with("#DIMEMAS:");
}

constexpr std::array table{
    Format{.name = "dimemas",
           .description = "Dimemas' traces: a .dim file",
           .open = nullptr,
           .write = write_dimemas,
           .looks_like = looks_like_dimemas},
    Format{.name = "dumpi",
           .description =
               "DUMPI's binary traces: DIR/PREFIX of DIR/PREFIX-0000.bin, one of these files, the .meta file, "
               "or a directory",
           .open = open_dumpi,
           .timed = true,
           .write = nullptr,
           .looks_like = looks_like_dumpi},
    Format{.name = "goal",
           .description =
               "GOAL, the schedules of LogGOPSim and ATLAHS: a file of its text, or (when read) of txt2bin's "
               "binary form",
           .open = open_goal,
           .write = write_goal,
           .looks_like = looks_like_goal},
    Format{.name = "goal-binary",
           .description = "GOAL as txt2bin makes it and LogGOPSim runs it: a file",
           .open = open_goal,
           .write = write_goal_binary,
           .looks_like = nullptr},
    Format{.name = "ti",
           .description = "SimGrid's time-independent text, also of older SimGrids and converters: the file that lists "
                          "the ranks' files, or one file of all ranks",
           .open = open_ti,
           .write = write_ti,
           .looks_like = looks_like_ti},
};

std::string names(bool (*which)(const Format&)) {
  std::string all;
  for (const Format& format : table)
    if (which(format)) all += (all.empty() ? "" : ", ") + std::string(format.name);
  return all;
}

const Format& find(std::string_view name, const char* verb, bool (*which)(const Format&)) {
  const auto found = std::ranges::find(table, name, &Format::name);
  if (found != table.end() && which(*found)) return *found;
  const std::string other =
      found == table.end() ? "" : "; this one is only " + std::string(found->open ? "read" : "written");
  throw Error(Failure::usage, "no format that can be " + std::string(verb) + ": " + std::string(name), {},
              "there are " + names(which) + other + "; archives need none");
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

const Format* recognised_format(const std::filesystem::path& path) {
  constexpr std::size_t enough = 4096;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return nullptr;
  const std::string beginning = InputFile(path).read(0, enough);
  for (const Format& format : table)
    if (format.looks_like != nullptr && format.looks_like(beginning)) return &format;
  return nullptr;
}

} // namespace timeless::trace::formats
