#include "tools/verbs/model.h"

#include "tools/verbs/verbs.h"

#include <array>
#include <memory>

namespace timeless::tools {

namespace {

/// The models there are, in the order `timeless model --help` lists them.
constexpr std::array models{
    Verb{"wavefront", "Predict a wavefront solver by equations, beside replays and measurements", add_model_wavefront},
};

} // namespace

VerbAction add_model(CLI::App& command) {
  const auto chosen = std::make_shared<VerbAction>();
  for (const Verb& part : models) {
    CLI::App* under = command.add_subcommand(part.name, part.summary);
    under->callback([chosen, perform = part.add(*under)] { *chosen = perform; });
  }
  command.require_subcommand(1);
  command.footer("timeless model PART --help says more.");
  return [chosen] { return (*chosen)(); };
}

} // namespace timeless::tools
