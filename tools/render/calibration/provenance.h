#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// A network file that calibrate wrote, and what its figures rest on.
struct ProvenanceAnswer {
  std::string file;
  nlohmann::ordered_json network;
};

nlohmann::ordered_json to_json(const ProvenanceAnswer& answer);
std::string to_text(const ProvenanceAnswer& answer);

/// Returns a table of half round trips by size, as sizes_json() has them. Throws nlohmann::json::exception where it is
/// none such.
std::string sizes_text(const nlohmann::ordered_json& sizes);

/// Returns lines for what the provenance of a network holds beside its curves: eager limits, collectives, rates, what
/// travels at once, how quiet the hosts were, and what was not reached. Throws nlohmann::json::exception where it is
/// none that calibrate writes.
std::string beside_curves_text(const nlohmann::ordered_json& provenance);

/// Returns the line of a noise as files have it.
std::string noise_line(const nlohmann::ordered_json& noise);

} // namespace timeless::tools
