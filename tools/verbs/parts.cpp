#include "tools/verbs/parts.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace timeless::tools {

VerbAction add_parts(CLI::App& verb, std::span<const Verb> parts) {
  const auto chosen = std::make_shared<VerbAction>();
  for (const Verb& part : parts) {
    CLI::App* under = verb.add_subcommand(part.name, part.summary);
    under->callback([chosen, perform = part.add(*under)] { *chosen = perform; });
  }
  verb.require_subcommand(1);
  return [chosen] { return (*chosen)(); };
}

} // namespace timeless::tools
