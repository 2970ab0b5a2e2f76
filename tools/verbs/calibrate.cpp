#include "tools/verbs/calibrate.h"

#include "tools/verbs/parts.h"
#include "tools/verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <array>

namespace timeless::tools {

namespace {

/// What can be calibrated, in the order `timeless calibrate --help` lists it.
constexpr std::array calibrations{
    Verb{"network", "Measure what messages cost, and write the network as a file", add_calibrate_network},
    Verb{"compute", "Measure how fast a program computes, and write the rates of its kernels", add_calibrate_compute},
    Verb{"machine", "Measure what computation costs, whatever the program, with micro-kernels", add_calibrate_machine},
    Verb{"show", "Show measurements beside what was fitted to them", add_calibrate_show},
};

} // namespace

VerbAction add_calibrate(CLI::App& command) {
  command.footer("timeless calibrate PART --help says more.\n"
                 "Example: timeless calibrate network --from raw.csv -o mine.json");
  return add_parts(command, calibrations);
}

} // namespace timeless::tools
