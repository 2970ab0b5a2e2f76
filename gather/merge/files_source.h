#pragma once

#include "gather/parts/run_union.h"
#include "trace/model/source.h"

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace timeless::gather {

/// Archives of one run read as one, without writing the merged archive: a directory of rank files can be checked,
/// shown or replayed where it lies.
///
/// Ranks and numbers are those merge() would give. A bounded number of files is open at a time, so reading many ranks
/// in turn opens files again and again; a gathered archive is the better source for a replay.
class FilesSource : public trace::Source {
public:
  /// Throws as RunUnion::add does.
  explicit FilesSource(std::span<const std::filesystem::path> files);
  ~FilesSource() override;

  const trace::Run& run() const override;
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Opens the run at a path: an archive, or a directory of rank files. Throws Error(invalid_input) when it is neither.
std::unique_ptr<trace::Source> open_run(const std::filesystem::path& path);

} // namespace timeless::gather
