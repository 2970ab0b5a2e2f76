#include "trace/formats/common/export_job.h"

#include "base/error.h"

#include <cmath>
#include <string>
#include <system_error>

namespace timeless::trace::formats {

ExportJob::ExportJob(const Source& from, const ExportOptions& how, std::string_view who_needs_all)
    : source(from), options(how) {
  const Run& run = source.run();
  if (!run.missing_ranks().empty())
    throw Error(Failure::invalid_input, "ranks are missing: " + std::string(who_needs_all), {},
                "gather the files of all ranks");
  for (const RankRecord& record : run.ranks)
    actions += record.actions;
}

void require_rate(const ExportOptions& options) {
  if (!(options.rate > 0) || !std::isfinite(options.rate))
    throw Error(Failure::usage, "no rate of computation above zero", "--rate");
}

Existing existing(const ExportOptions& options) {
  return options.force ? Existing::replace : Existing::refuse;
}

} // namespace timeless::trace::formats
