#pragma once

#include "tracer/storage/journal.h"

namespace timeless::tracer {

/// Remembers how the process treats signals before MPI is initialised: what differs afterwards is MPI's own doing.
void remember_signals();

/// Notes in the journal which signal ends the process, from now on; each signal then has the effect it would have had.
/// Only where a signal would end the process, or is treated by Open MPI or the Fortran library, which report and end
/// it: never where the program has its own handler, nor where it ignores the signal.
void watch_signals(Journal& journal);

/// True while there is a journal for that, and this process is the rank.
bool noting_ends() noexcept;
/// Notes in the journal that MPI ends the process with this status.
void note_end_by_mpi(int status) noexcept;

/// The journal is to be left alone from now on: at its end, and in forked children.
void forget_journal() noexcept;

} // namespace timeless::tracer
