#pragma once

#include "base/bytes.h"
#include "replay/engine/ending.h"
#include "replay/engine/explanation/path_tracer.h"
#include "replay/engine/steady/cut_agreement.h"
#include "replay/replay.h"

#include <exception>

/// What processes report to process 0, as words.
namespace timeless::replay {

void write(ByteWriter& words, const Ending& ending);
Ending read_ending(ByteReader& words);

void write(ByteWriter& words, const CutStanding& standing);
CutStanding read_standing(ByteReader& words);

void write(ByteWriter& words, const CutComparison& comparison);
CutComparison read_comparison(ByteReader& words);

void write(ByteWriter& words, const Findings& findings);
Findings read_findings(ByteReader& words);

/// Writes what is said of one rank of a process, in all lanes.
void write_rank(ByteWriter& words, const Result& result, std::size_t place, trace::Rank rank);
/// Puts it where it belongs in `all`, whose lanes have room for all ranks.
void read_rank(ByteReader& words, Result& all);

void write(ByteWriter& words, const Attribution& attribution);
/// Adds what another process's was to `all`.
void read_attribution(ByteReader& words, Attribution& all);

/// Writes, for every lane, the makespan of this process's ranks if communication is free; read_ideal() sets `all` to
/// the largest.
void write_ideal(ByteWriter& words, const Result& result);
void read_ideal(ByteReader& words, Result& all);

void write(ByteWriter& words, const PathPiece& piece);
PathPiece read_path_piece(ByteReader& words);

/// Writes an error and its kind; of a ReplayProblem the mismatches, all that one process alone can find.
void write(ByteWriter& words, const std::exception_ptr& problem);
std::exception_ptr read_problem(ByteReader& words);

} // namespace timeless::replay
