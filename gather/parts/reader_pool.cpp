#include "gather/parts/reader_pool.h"

#include <utility>

namespace timeless::gather {

ReaderPool::ReaderPool(std::vector<std::filesystem::path> paths, std::size_t most_open)
    : paths_(std::move(paths)), most_open_(most_open) {}

std::shared_ptr<const trace::ArchiveReader> ReaderPool::open(std::size_t number) {
  const std::lock_guard lock(turn_);
  const auto found = places_.find(number);
  if (found != places_.end()) {
    open_.splice(open_.begin(), open_, found->second);
    return open_.front().second;
  }
  if (open_.size() >= most_open_) {
    places_.erase(open_.back().first);
    open_.pop_back();
  }
  open_.emplace_front(number, std::make_shared<trace::ArchiveReader>(paths_.at(number)));
  places_[number] = open_.begin();
  return open_.front().second;
}

} // namespace timeless::gather
