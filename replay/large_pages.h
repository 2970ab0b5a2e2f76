#pragma once

namespace timeless::replay {

/// Asks the system for pages of 2 MiB for what is allocated from now on. A replay touches a few bytes at many places
/// for every rank, more places than a processor keeps the addresses of pages of 4 KiB. For programs, at their start;
/// does nothing where that is not known how, and what is asked for may be refused.
void prefer_large_pages();

} // namespace timeless::replay
