#pragma once

#include "trace/archive/reader.h"

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace timeless::gather {

/// Archives by number, of which the few last used are open: a run of thousands of rank files would otherwise need as
/// many file descriptors. Threads may share a pool.
class ReaderPool {
public:
  explicit ReaderPool(std::vector<std::filesystem::path> paths, std::size_t most_open = 64);

  /// Returns the archive, opened if need be; it stays open at least while the caller holds the pointer.
  std::shared_ptr<const trace::ArchiveReader> open(std::size_t number);

private:
  using Entry = std::pair<std::size_t, std::shared_ptr<const trace::ArchiveReader>>;

  std::vector<std::filesystem::path> paths_;
  std::size_t most_open_;
  std::mutex turn_;       ///< of the rest
  std::list<Entry> open_; ///< the last used first
  std::unordered_map<std::size_t, std::list<Entry>::iterator> places_;
};

} // namespace timeless::gather
