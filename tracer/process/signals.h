#pragma once

#include "tracer/storage/journal.h"

#include <csignal>

namespace timeless::tracer {

/// Remembers how the process treats signals before MPI is initialised: what differs afterwards is MPI's own doing.
void remember_signals();

/// Notes in the journal which signal ends the process, from now on; each signal then has the effect it would have had.
/// Only where a signal would end the process, or is treated by Open MPI or the Fortran library, which report and end
/// it: never where the program has its own handler, nor where it ignores the signal.
void watch_signals(Journal& journal);

/// Returns what the program has set for the signal and the recorder's handler has replaced; null where `now` is not the
/// recorder's handler. A program that asks who handles a signal is told this.
const struct sigaction* behind_own_handler(int number, void (*now)(int)) noexcept;
/// Notes the signal's end again, as the program has given it its default effect.
void watch_again(int number) noexcept;

/// Returns true while there is a journal for that, and this process is the rank.
bool noting_ends() noexcept;
/// Notes in the journal that MPI ends the process with this status.
void note_end_by_mpi(int status) noexcept;
/// Notes in the journal that the program has called quick_exit, if it does.
void await_quick_exit() noexcept;

/// Leaves the journal alone from now on: at its end, and in forked children.
void forget_journal() noexcept;

} // namespace timeless::tracer
