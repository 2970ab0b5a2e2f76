#include "gather/merge.h"

#include "gather/reader_pool.h"
#include "gather/run_union.h"
#include "gather/temporary_file.h"
#include "trace/archive/writer.h"
#include "trace/error.h"

#include <algorithm>
#include <utility>

namespace timeless::gather {

namespace {

using Paths = std::span<const std::filesystem::path>;

const std::string& label(const MergeOptions& options, Paths inputs, std::size_t number) {
  return options.labels.empty() ? inputs[number].native() : options.labels.at(number);
}

void demand_output_apart(Paths inputs, const std::filesystem::path& output) {
  for (const std::filesystem::path& input : inputs) {
    std::error_code unknown;
    if (std::filesystem::equivalent(input, output, unknown))
      throw Error(Failure::usage, "the output is one of the inputs", output.string(), "give another name with -o");
  }
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

struct Survey {
  UnitedRun united;
  std::uint64_t file_bytes = 0;
  std::uint64_t block_bytes = 0;
};

Survey survey(Paths inputs, const MergeOptions& options) {
  RunUnion all;
  Survey result;
  for (std::size_t number = 0; number < inputs.size(); ++number) {
    const trace::ArchiveReader archive(inputs[number]);
    all.add(archive, label(options, inputs, number));
    result.file_bytes += archive.file_bytes();
    for (const trace::BlockPlace& place : archive.blocks()) {
      result.block_bytes += place.header.stored_bytes;
      if (const auto times = archive.times_of(place)) result.block_bytes += times->header.stored_bytes;
    }
  }
  result.united = all.finish();
  return result;
}

/// Copies a rank's blocks and appends their headers to `headers`. What a program that is still running has added since
/// the survey is left out.
void copy_rank(const trace::ArchiveReader& archive, const trace::RankRecord& record, trace::ArchiveWriter& writer,
               std::vector<trace::BlockHeader>& headers, const std::function<void(std::uint64_t)>& copied) {
  const auto places =
      std::ranges::equal_range(archive.blocks(), record.rank, {}, [](const auto& place) { return place.header.rank; });
  const auto copy = [&](const trace::BlockPlace& place) {
    writer.copy(place.header, archive.payload(place));
    headers.push_back(place.header);
    copied(place.header.stored_bytes);
  };
  for (const trace::BlockPlace& place : places) {
    const std::uint64_t first = place.header.first_action;
    if (first >= record.actions) break;
    if (first + place.header.actions <= record.actions) {
      copy(place);
      if (const auto times = archive.times_of(place)) copy(*times);
    } else {
      trace::ActionBlock block;
      archive.read(place, block);
      writer.write(record.rank, part(block, 0, static_cast<std::size_t>(record.actions - first)));
      headers.push_back(writer.last_block());
      copied(place.header.stored_bytes);
    }
  }
}

std::vector<trace::BlockHeader> write(Paths inputs, const Survey& survey, const std::filesystem::path& path,
                                      const MergeOptions& options) {
  const UnitedRun& united = survey.united;
  trace::ArchiveWriter writer(path);
  trace::Definitions definitions = definitions_of(united.run);
  std::ranges::copy_if(united.numbers, std::back_inserter(definitions.numbers), [](const trace::RankNumbers& numbers) {
    return !numbers.communicators.empty() || !numbers.kernels.empty() || !numbers.regions.empty();
  });
  writer.define(definitions);

  std::vector<trace::BlockHeader> headers;
  std::uint64_t done = 0;
  const auto copied = [&](std::uint64_t bytes) {
    done += bytes;
    if (options.progress) options.progress(done, survey.block_bytes);
  };
  ReaderPool archives({inputs.begin(), inputs.end()});
  for (std::size_t i = 0; i < united.run.ranks.size(); ++i)
    copy_rank(*archives.open(united.inputs[i]), united.run.ranks[i], writer, headers, copied);
  writer.finish();
  return headers;
}

/// Reads back what was written: a disk that lies is found before anybody deletes the sources.
void verify(const std::filesystem::path& path, const trace::Run& run, const std::vector<trace::BlockHeader>& headers) {
  const trace::ArchiveReader written(path);
  std::vector<trace::BlockHeader> found;
  for (const trace::BlockPlace& place : written.blocks()) {
    found.push_back(place.header);
    if (const auto times = written.times_of(place)) found.push_back(times->header);
  }
  const bool same_blocks = found == headers;
  if (!written.finished() || !written.damage().empty() || definitions_of(written.run()) != definitions_of(run) ||
      !same_blocks)
    throw Error(Failure::runtime, "the archive just written does not read as what was to be written", path.string(),
                "the sources are untouched; try another disk");
}

} // namespace

void demand_free_output(const std::filesystem::path& output, bool force) {
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(output, unknown);
  if (std::filesystem::is_directory(std::filesystem::status(output, unknown)))
    throw Error(Failure::usage, "the output is a directory", output.string(), "give a file name with -o");
  if (std::filesystem::exists(status) && !force)
    throw Error(Failure::usage, "the output exists already", output.string(),
                "give another name with -o, or --force to replace it");
}

Merged merge(Paths inputs, const std::filesystem::path& output, const MergeOptions& options) {
  demand_free_output(output, options.force);
  demand_output_apart(inputs, output);
  const Survey survey = gather::survey(inputs, options);
  TemporaryFile partial(directory_of(output), "merge");
  const auto headers = write(inputs, survey, partial.path(), options);
  verify(partial.path(), survey.united.run, headers);
  const std::uint64_t output_bytes = std::filesystem::file_size(partial.path());
  partial.keep_as(output, options.force);
  return {.run = survey.united.run,
          .input_bytes = survey.file_bytes,
          .output_bytes = output_bytes,
          .blocks = static_cast<std::uint64_t>(
              std::ranges::count(headers, trace::BlockType::actions, &trace::BlockHeader::type))};
}

} // namespace timeless::gather
