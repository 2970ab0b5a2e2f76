#include "trace/formats/ti/ti_writer.h"

#include "base/error.h"
#include "trace/formats/common/text_output.h"
#include "trace/formats/ti/ti_rank.h"

#include <algorithm>
#include <string>
#include <utility>

namespace timeless::trace::formats {

namespace {

std::filesystem::path folder_of(const std::filesystem::path& output) {
  return std::filesystem::absolute(output).string() + "_files";
}

std::string file_name(Rank rank) {
  return "rank-" + std::to_string(rank) + ".txt";
}

std::filesystem::path text_of(const std::filesystem::path& output, Rank rank) {
  return folder_of(output) / file_name(rank);
}

/// A list has a name in each line.
void require_listable(const std::filesystem::path& output) {
  const std::string name = text_of(output, 0);
  if (std::ranges::none_of(name, [](unsigned char letter) { return letter < ' '; })) return;
  throw Error(Failure::usage, "SimGrid's list of files cannot hold a name with line breaks or tabs", output.string(),
              "give another name");
}

/// The folder of the ranks' files: it gets its name when all are written. Of one that exists, a forced output replaces
/// these files, and nothing else that lies in it.
class Folder {
public:
  Folder(const std::filesystem::path& output, const ExportOptions& options)
      : name_(folder_of(output)), part_(name_.parent_path(), "ti", name_) {
    std::error_code unknown;
    if (!options.force && std::filesystem::exists(std::filesystem::symlink_status(name_, unknown)))
      throw Error(Failure::usage, "the output exists already", name_.string(),
                  "give another name, or --force to replace it");
    part_.create_directory();
  }

  std::filesystem::path part(Rank rank) const { return part_.path() / file_name(rank); }

  void keep(Rank ranks) {
    std::error_code unknown;
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(name_, unknown)))
      return part_.keep_as(name_, Existing::replace);
    for (Rank rank = 0; rank < ranks; ++rank)
      TemporaryFile(part(rank)).keep_as(name_ / file_name(rank), Existing::replace, Durable::no);
    std::error_code ignored;
    for (Rank rank = ranks; std::filesystem::remove(name_ / file_name(rank), ignored); ++rank) {
    }
  }

private:
  std::filesystem::path name_;
  TemporaryFile part_;
};

} // namespace

ExportReport write_ti(const Source& source, const std::filesystem::path& output, const ExportOptions& options) {
  ExportJob job(source, options, "SimGrid waits for all");
  const Run& run = source.run();
  const TiTags tags(source);
  require_listable(output);
  TextOutput list(output, existing(options));
  Folder folder(output, options);
  ExportReport& report = job.report;
  report.files.push_back(output);
  if (run.counter.unit == VolumeUnit::nanoseconds)
    ++report.lowered["all computation: ns as operations of a host of speed 1Gf"];
  for (const RankRecord& record : run.ranks) {
    TextOutput out(folder.part(record.rank), Existing::refuse, Durable::no);
    write_ti_rank(job, record.rank, tags, out);
    report.bytes += out.finish();
    report.files.push_back(text_of(output, record.rank));
    list.line(report.files.back().string());
  }
  folder.keep(static_cast<Rank>(run.ranks.size()));
  report.bytes += list.finish();
  return std::move(report);
}

} // namespace timeless::trace::formats
