#pragma once

#include <string>
#include <vector>

namespace timeless::replay::smpi {

/// Returns true when the platform chooses SMPI's collectives itself: some of those want groups of ranks per host.
bool collectives_chosen();

/// Returns the choices that differ from SMPI's default in words: "smpi/coll-selector: ompi, smpi/bcast: NTSL".
std::string chosen_collectives();

/// Puts others in the place of SMPI's algorithms where these are known to fail: those that count bytes in ints, from
/// 2 GiB on, and what SimGrid 3.32 itself chooses against its own conditions. To be called once, before the actors run.
void replace_failing_collectives();

/// Returns what was replaced so far, in words.
std::vector<std::string> replaced_collectives();

} // namespace timeless::replay::smpi
