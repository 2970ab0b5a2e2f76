#include "trace/archive/rank_dictionary.h"

#include "base/error.h"
#include "trace/codec/relative_ranks.h"

#include <vector>

namespace timeless::trace {

Dictionary rank_dictionary(const Structure& structure, Rank rank, const RankNumbers& numbers, const Run& run) {
  Dictionary dictionary;
  for (const Action& entry : structure.dictionary.entries())
    dictionary.add(entry);
  dictionary.renumber(numbers.communicators, numbers.kernels, numbers.regions);
  if (structure.relative.empty()) return dictionary;

  Dictionary absolute;
  std::vector<Rank> list;
  for (std::size_t entry = 0; entry < dictionary.size(); ++entry) {
    Action action = dictionary[entry];
    if (structure.relative[entry] != 0) {
      if (action.communicator >= run.communicators.size())
        throw Error(Failure::invalid_input, "an action of an undefined communicator");
      make_absolute(action, structure.relative[entry], own_place(run.communicators[action.communicator], rank), list);
    }
    absolute.add(action);
  }
  return absolute;
}

} // namespace timeless::trace
