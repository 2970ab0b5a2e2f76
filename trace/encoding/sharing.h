#pragma once

#include "trace/encoding/folded_sequence.h"

namespace timeless::trace {

/// The same symbols with every stretch of items that comes in several places stored once, as a body, and with the loops
/// that shows: a program that alternates irregularly between some kinds of step takes an item or two a step.
///
/// It is Re-Pair (Larsson and Moffat, Off-line dictionary-based compression, Proc. IEEE 88, 2000) on the items: the
/// most frequent pair of neighbours becomes a body until no pair comes twice; bodies that do not pay are put back. A
/// sequence that gains nothing stays as it is. Takes some 100 ns and 100 bytes an item; for whole runs, not while
/// recording.
FoldedSequence share_repeats(const FoldedSequence& sequence);

} // namespace timeless::trace
