#pragma once

#include "trace/codec/definitions/definitions.h"
#include "tracer/handles/communicators.h"
#include "tracer/record/rank/regions.h"
#include "tracer/sites/kernels.h"

#include <cstddef>
#include <string>

namespace timeless::tracer {

/// Which communicators, modules, callers, kernels and regions the journal, and the rank's file, do not hold yet.
///
/// The journal gets them at once, the file before its next block. The tables must outlive it.
class NewDefinitions {
public:
  NewDefinitions(CommunicatorTable& communicators, KernelTable& kernels, RegionTable& regions)
      : communicators_(communicators), kernels_(kernels), regions_(regions) {}

  /// Returns true when something has been defined since the last take_for_journal().
  bool any_for_journal() const {
    return communicators_.defined() + kernels_.modules() + kernels_.callers() + kernels_.kernels() +
               regions_.defined() !=
           logged_;
  }
  /// Returns that, as the payload of a journal's definitions record.
  std::string take_for_journal();

  /// Returns what the file does not hold: gathered until in_file() says that it does.
  const trace::Definitions& for_file();
  /// Forgets them: the file holds them.
  void in_file() { pending_ = {}; }

private:
  CommunicatorTable& communicators_;
  KernelTable& kernels_;
  RegionTable& regions_;
  std::size_t logged_ = 0; ///< sum of the five below
  std::size_t logged_communicators_ = 0;
  std::size_t logged_modules_ = 0;
  std::size_t logged_callers_ = 0;
  std::size_t logged_kernels_ = 0;
  std::size_t logged_regions_ = 0;
  trace::Definitions pending_;
};

} // namespace timeless::tracer
