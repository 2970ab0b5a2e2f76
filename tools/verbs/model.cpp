#include "tools/verbs/model.h"

#include "tools/verbs/parts.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <array>

namespace timeless::tools {

namespace {

/// The models there are, in the order `timeless model --help` lists them.
constexpr std::array models{
    Verb{"wavefront", "Predict a wavefront solver by equations, beside replays and measurements", add_model_wavefront},
};

} // namespace

VerbAction add_model(CLI::App& command) {
  command.footer("timeless model PART --help says more.\n"
                 "Example: timeless model wavefront --grid 102x102x102 --ranks 4,8,16,32");
  return add_parts(command, models);
}

} // namespace timeless::tools
