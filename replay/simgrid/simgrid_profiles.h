#pragma once

#include <pugixml.hpp>

#include <string>
#include <vector>

namespace timeless::replay {

/// A part of a machine that changes while SimGrid simulates it.
struct Profile {
  std::string changed; ///< "host 'a'" or "link 'l'"
  std::string kind;    ///< "state" (fails and comes back), "speed", "bandwidth" or "latency"
  pugi::xml_node node; ///< where the file says so
  std::string source;  ///< the name of the file, or else of the <trace>, that holds its values
  bool in_file = true;
};

/// Returns all of a platform file of format 4.1, in its order.
std::vector<Profile> profiles_in(const pugi::xml_document& platform);

/// Returns what the model makes of a kind of profile, beginning with whose it is.
std::string profile_sentence(const Profile& profile);

/// Returns a sentence for each kind of profile of a file, for who reads a result.
std::vector<std::string> profile_notes(const pugi::xml_document& platform);

} // namespace timeless::replay
