#include "trace/archive/rank_dictionary.h"

#include "base/error.h"
#include "trace/codec/entry_codec.h"
#include "trace/codec/relative_ranks.h"

#include <vector>

namespace timeless::trace {

Dictionary rank_dictionary(const std::shared_ptr<const Structure>& structure, Rank rank, const RankNumbers& numbers,
                           const Run& run) {
  const auto entries = structure->dictionary.entries();
  Dictionary dictionary(entries.size(), structure);
  std::vector<Rank> list;
  for (std::size_t entry = 0; entry < entries.size(); ++entry) {
    Action action = entries[entry];
    renumber(action, numbers.communicators, numbers.kernels, numbers.regions);
    const std::uint8_t relative = structure->relative.empty() ? 0 : structure->relative[entry];
    if (relative != 0) {
      if (action.communicator >= run.communicators.size())
        throw Error(Failure::invalid_input, "an action of an undefined communicator");
      make_absolute(action, relative, own_place(run.communicators[action.communicator], rank), list);
    }
    if ((relative & relative_ranks) != 0)
      dictionary.add(action);
    else
      dictionary.borrow(action);
  }
  return dictionary;
}

} // namespace timeless::trace
