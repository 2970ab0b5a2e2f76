#pragma once

#include "base/error.h"
#include "base/processes/child.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace timeless {

/// What the child of run_apart() tells its parent.
class ChildReport {
public:
  explicit ChildReport(int descriptor) : descriptor_(descriptor) {}
  /// Reports how far the work is.
  void progress(std::uint64_t done, std::uint64_t total) const;
  /// Hands over a part of the answer ahead of it.
  void part(std::string_view bytes) const;
  /// Ends the child at once with this answer; for callbacks that have nobody to return it to.
  [[noreturn]] void finish(std::string_view answer) const;
  /// Ends the child at once; run_apart() throws the same error.
  [[noreturn]] void fail(const std::exception& error) const;

private:
  int descriptor_;
};

/// The work to do apart; returns its answer as bytes.
using ChildWork = std::function<std::string(const ChildReport& report)>;
using ChildProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
using ChildPart = std::function<void(std::string_view bytes)>;

/// How to name a child that died without an answer.
struct ChildDeath {
  Failure failure = Failure::runtime;
  std::string what = {};
  std::string where = {};
  std::string advice = {};
  /// Returns what it died of, from the end of what it printed and its exit status; empty where nothing tells.
  std::string (*reason)(std::string_view log, ExitStatus status) = nullptr;
};

/// Returns the signal that a child died of; empty where it died of none.
std::string died_of(std::string_view log, ExitStatus status);

/// Runs work in a forked child and returns its answer, or throws the error the child ended with.
///
/// `progress` and `part` are told what the child reports, in this process and while the child works.
///
/// For libraries that answer mistakes by aborting, or whose state is global to a process: the child's end is an Error
/// and nothing of it remains. What it prints is caught.
std::string run_apart(const ChildWork& work, const ChildDeath& death, const ChildProgress& progress = {},
                      const ChildPart& part = {});

} // namespace timeless
