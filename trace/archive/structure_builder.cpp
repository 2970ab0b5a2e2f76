#include "trace/archive/structure_builder.h"

#include "base/error.h"
#include "trace/codec/entry_codec.h"

#include <utility>

namespace timeless::trace {

namespace {

// A structure as stored may have 16 MiB; one segment more than these, in the worst case, still fits.
constexpr std::size_t most_items = std::size_t{1} << 17U;
constexpr std::size_t most_dictionary_bytes = std::size_t{1} << 20U;

} // namespace

StructureBuilder::StructureBuilder(const ArchiveReader& archive, Rank rank, const RankNumbers& numbers)
    : numbers_(numbers) {
  const auto& communicators = archive.run().communicators;
  const auto& own = archive.numbers(rank).communicators;
  const std::size_t count = own.empty() ? communicators.size() : own.size();
  for (std::size_t number = 0; number < count; ++number)
    places_.push_back(own_place(communicators[own.empty() ? number : own[number]], rank));
}

void StructureBuilder::append(const Structure& segment) {
  if (folder_.items() > most_items || dictionary_bytes_ > most_dictionary_bytes) end();
  translation_.clear();
  for (const Action& entry : segment.dictionary.entries())
    translation_.push_back(number(translated(entry)));
  folder_.append(segment.sequence, translation_);
}

Action StructureBuilder::translated(const Action& action) const {
  Action result = action;
  const auto translate = [](const std::vector<std::uint32_t>& numbers, std::uint32_t& id, std::uint32_t none) {
    if (numbers.empty() || id == none) return;
    if (id >= numbers.size()) throw Error(Failure::invalid_input, "an action of an undefined kernel or region");
    id = numbers[id];
  };
  translate(numbers_.kernels, result.kernel, no_kernel);
  translate(numbers_.regions, result.region, no_region);
  return result;
}

/// Returns the action's number in the dictionary.
std::uint32_t StructureBuilder::number(const Action& action) {
  if (action.communicator >= places_.size())
    throw Error(Failure::invalid_input, "an action of an undefined communicator");
  Action entry = action;
  const std::uint8_t relative = make_relative(entry, places_[action.communicator], list_);
  // Entries that differ only in what is relative are kept apart by their absolute form.
  const std::uint32_t number = absolute_.intern(action);
  if (number == structure_.dictionary.size()) {
    structure_.dictionary.add(entry);
    structure_.relative.push_back(relative);
    entry_.clear();
    encode_entry(entry, entry_, relative);
    dictionary_bytes_ += entry_.size();
  }
  return number;
}

void StructureBuilder::append_shared(const Structure& structure) {
  end();
  std::string bytes;
  Structure result;
  for (const Action& entry : structure.dictionary.entries())
    result.dictionary.add(translated(entry));
  result.relative = structure.relative;
  result.sequence = structure.sequence;
  encode(result, bytes);
  finished_.push_back(std::move(bytes));
}

void StructureBuilder::end() {
  folder_.finish(structure_.sequence);
  if (structure_.sequence.size() > 0) {
    std::string bytes;
    encode(structure_, bytes);
    finished_.push_back(std::move(bytes));
  }
  structure_.dictionary.clear();
  structure_.relative.clear();
  absolute_.clear();
  dictionary_bytes_ = 0;
}

std::vector<std::string> StructureBuilder::finish() {
  end();
  return std::exchange(finished_, {});
}

} // namespace timeless::trace
