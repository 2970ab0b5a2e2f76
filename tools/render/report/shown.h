#pragma once

#include "tools/render/report/words.h"

#include <cstddef>
#include <string>
#include <vector>

/// Which of many runs and machines the verdict and the page show, so that they can be taken in: all are in the data.
namespace timeless::tools {

/// Returns places in Report::machines, in their order: all where they are few, else the one that the report is about
/// and those that save most in its place; those on which the program does not end come last.
std::vector<std::size_t> shown_machines(const Report& report);
/// Returns what is offered of these: "e100g in place of e10g".
std::vector<std::string> shown_offers(const Report& report);

/// Returns places in Report::traces, in their order: all where they are few, else the run that the report is about, and
/// of the others some that lie evenly among them, by program and number of ranks.
std::vector<std::size_t> shown_runs(const Report& report);
/// Says of rows whether they are shown: all where they are few, else of each of these runs whether the best of the
/// other machines and faster processors pay.
void choose_shown(std::vector<RunRow>& rows, const Report& report);

/// Returns true of a place that is one of these.
bool holds(const std::vector<std::size_t>& places, std::size_t place);

/// Returns places of at most `most` of `count` things, that lie evenly among them: the first and the last, too.
std::vector<std::size_t> evenly(std::size_t count, std::size_t most);

} // namespace timeless::tools
