#include "gather/merge/conversion.h"

#include "base/error.h"
#include "gather/merge/files_source.h"
#include "gather/parts/output_file.h"
#include "gather/parts/rank_files.h"
#include "gather/parts/segment_rewriter.h"
#include "gather/parts/volume_rounding.h"
#include "trace/archive/writer.h"
#include "trace/codec/volumes/volume_codec.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::gather {

namespace {

std::uint64_t bytes_of(const std::filesystem::path& input) {
  if (!std::filesystem::is_directory(input)) return std::filesystem::file_size(input);
  std::uint64_t bytes = 0;
  for (const RankFile& file : list_rank_files(input))
    bytes += std::filesystem::file_size(file.path);
  return bytes;
}

/// Returns the error of volumes rounded once and then again; what is not a whole part counts as one.
std::uint64_t together(std::uint64_t first, std::uint64_t second) {
  if (first > billion || second > billion) return std::max(first, second);
  return first + second + (first * second + billion - 1) / billion;
}

/// Rounds the volumes of one rank, segment by segment, where that makes them smaller.
class RankRounding {
public:
  RankRounding(std::uint64_t error, Conversion& conversion) : rounding_(error), conversion_(conversion) {}

  void expect(const trace::ActionBlock& block) {
    for_each_action(block, [this](const trace::Action& action, std::uint64_t volume) {
      if (has_volume(action.kind)) rounding_.expect({action.kind, action.kernel}, volume);
    });
  }

  void round(std::span<const VolumeOwner> owners, std::span<std::uint64_t> volumes) {
    std::map<VolumeOwner, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < owners.size(); ++i)
      places[owners[i]].push_back(i);
    for (const auto& [owner, which] : places)
      round(owner, which, volumes);
  }

private:
  void round(VolumeOwner owner, std::span<const std::size_t> places, std::span<std::uint64_t> volumes) {
    exact_.clear();
    for (const std::size_t place : places)
      exact_.push_back(volumes[place]);
    rounded_ = exact_;
    rounding_.round(owner, rounded_);
    if (size(rounded_) >= size(exact_) && rounding_.keep_instead(owner, exact_, rounded_)) return;
    for (std::size_t i = 0; i < places.size(); ++i) {
      volumes[places[i]] = rounded_[i];
      if (rounded_[i] == exact_[i]) continue;
      ++conversion_.rounded;
      const auto [low, high] = std::minmax(rounded_[i], exact_[i]);
      conversion_.largest_error =
          std::max(conversion_.largest_error, static_cast<double>(high - low) / static_cast<double>(exact_[i]));
    }
  }

  std::size_t size(const std::vector<std::uint64_t>& volumes) {
    payload_.clear();
    encoder_.encode(std::array{std::span<const std::uint64_t>(volumes)}, payload_);
    return payload_.size();
  }

  VolumeRounding rounding_;
  Conversion& conversion_;
  trace::VolumeEncoder encoder_;
  std::string payload_;
  std::vector<std::uint64_t> exact_;
  std::vector<std::uint64_t> rounded_;
};

/// Writes all of a run, rank by rank, into an archive that is not gathered yet.
class Rewriting {
public:
  Rewriting(const trace::Source& source, const ConversionOptions& options, Conversion& conversion)
      : source_(source), options_(options), conversion_(conversion), timed_(has_times(source)) {
    for (const trace::RankRecord& record : source.run().ranks)
      total_ += record.actions * (options.volume_error > 0 ? 2 : 1);
  }

  void write(const std::filesystem::path& path) {
    trace::ArchiveWriter writer(path);
    writer.define(definitions_of(source_.run()));
    for (const trace::RankRecord& record : source_.run().ranks)
      write(record.rank, writer);
    if (conversion_.rounded > 0)
      writer.define({.volume_error = together(source_.run().volume_error, options_.volume_error)});
    writer.finish();
  }

private:
  void write(trace::Rank rank, trace::ArchiveWriter& writer) {
    std::optional<RankRounding> rounding;
    if (options_.volume_error > 0) {
      rounding.emplace(options_.volume_error, conversion_);
      read(rank, false, [&](const trace::ActionBlock& block) { rounding->expect(block); });
    }
    SegmentRewriter rewriter(writer, rank, [&](auto owners, auto volumes) {
      conversion_.volumes += volumes.size();
      if (rounding) rounding->round(owners, volumes);
    });
    read(rank, timed_, [&](const trace::ActionBlock& block) { rewriter.add(block); });
    rewriter.finish();
  }

  template <typename Use>
  void read(trace::Rank rank, bool timed, Use use) {
    const auto stream = source_.open(rank);
    while (stream->next(block_)) {
      if (timed) stream->read_times(block_);
      use(block_);
      done_ += block_.size();
      if (options_.progress) options_.progress(done_, total_);
    }
  }

  const trace::Source& source_;
  const ConversionOptions& options_;
  Conversion& conversion_;
  bool timed_;
  trace::ActionBlock block_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

} // namespace

Conversion convert(const trace::Source& source, const std::string& label, const std::filesystem::path& output,
                   const ConversionOptions& options) {
  if (options.volume_error >= billion)
    throw Error(Failure::usage, "a volume error of 100 % or more", label, "give a smaller one, such as 0.2%");
  OutputFile file(output, options.force);
  Conversion conversion;
  const TemporaryFile rewritten = file.beside();
  Rewriting(source, options, conversion).write(rewritten.path());
  const std::array inputs{rewritten.path()};
  conversion.merged = merge(inputs, file, {.labels = {label}});
  conversion.merged.input_bytes = 0;
  return conversion;
}

Conversion convert(const std::filesystem::path& input, const std::filesystem::path& output,
                   const ConversionOptions& options) {
  const auto source = open_run(input);
  Conversion conversion = convert(*source, input.string(), output, options);
  conversion.merged.input_bytes = bytes_of(input);
  return conversion;
}

} // namespace timeless::gather
