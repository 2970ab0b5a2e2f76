#include "tracer/record/rank/new_definitions.h"

#include "trace/journal/segment_log.h"

#include <iterator>
#include <utility>

namespace timeless::tracer {

namespace {

template <typename Value>
void append(std::vector<Value>& list, std::vector<Value> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

std::string NewDefinitions::take_for_journal() {
  trace::JournalDefinitions unlogged;
  trace::Definitions& definitions = unlogged.definitions;
  // Numbers are those of the file, which has everything from the first on.
  definitions.communicators = communicators_.new_ones(logged_communicators_);
  definitions.modules = kernels_.new_modules(logged_modules_);
  definitions.callers = kernels_.new_callers(logged_callers_);
  definitions.kernels = kernels_.new_kernels(logged_kernels_);
  definitions.regions = regions_.new_ones(logged_regions_);
  unlogged.first_communicator = communicators_.defined() - definitions.communicators.size();
  unlogged.first_module = kernels_.modules() - definitions.modules.size();
  unlogged.first_caller = kernels_.callers() - definitions.callers.size();
  unlogged.first_kernel = kernels_.kernels() - definitions.kernels.size();
  unlogged.first_region = regions_.defined() - definitions.regions.size();
  logged_communicators_ = communicators_.defined();
  logged_modules_ = kernels_.modules();
  logged_callers_ = kernels_.callers();
  logged_kernels_ = kernels_.kernels();
  logged_regions_ = regions_.defined();
  logged_ = logged_communicators_ + logged_modules_ + logged_callers_ + logged_kernels_ + logged_regions_;
  return encode(unlogged);
}

const trace::Definitions& NewDefinitions::for_file() {
  append(pending_.communicators, communicators_.take_new());
  append(pending_.modules, kernels_.take_new_modules());
  append(pending_.callers, kernels_.take_new_callers());
  append(pending_.kernels, kernels_.take_new_kernels());
  append(pending_.regions, regions_.take_new());
  return pending_;
}

} // namespace timeless::tracer
