#pragma once

#include "replay/engine/core/core.h"
#include "replay/engine/rendezvous/rendezvous.h"

#include <cstdint>

/// What an observer is told of an action.
namespace timeless::replay {

/// Notes what is known only before an action: to be called each time it is performed.
void expect(Core& core, const Rendezvous& rendezvous, RankState& rank, std::uint32_t number,
            const Operation& operation);
/// Tells the observer of an action that has ended.
void observe(Core& core, RankState& rank, std::uint32_t number, std::uint32_t position, std::uint64_t volume);

} // namespace timeless::replay
