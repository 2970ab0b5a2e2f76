#include "replay/timeline/writers.h"

#include <fmt/format.h>

namespace timeless::replay::timeline {

namespace {

/// Times with all their digits: what is read again has the same bits.
class CsvWriter : public TimelineWriter {
public:
  CsvWriter(NewFile& output, const Labels& labels) : output_(output), labels_(labels) {
    output_.write("rank,action,call,start,end,duration,wait,latency,bandwidth,files,volume,kernel,bytes,receive_bytes,"
                  "destination,source,root,tag,communicator,requests,thread\n");
  }

  void event(const Event& event, std::span<const std::uint64_t> /*received*/) override {
    line_.clear();
    const auto out = std::back_inserter(line_);
    fmt::format_to(out, "{},", event.rank);
    add(!event.not_started, event.ordinal);
    fmt::format_to(out, "{},{},{},{},{},{},{},{},", labels_.calls[event.call], event.start, event.end,
                   event.end - event.start, event.wait, event.latency, event.bandwidth, event.files);
    add(event.computes, event.volume);
    add(event.computes && event.kernel != trace::no_kernel, event.kernel);
    add(event.has_bytes, event.bytes);
    add(event.receive_bytes > 0, event.receive_bytes);
    add(event.destination != trace::no_rank, event.destination);
    add(event.source != trace::no_rank, event.source);
    add(event.root != trace::no_rank, event.root);
    const bool matched = event.destination != trace::no_rank || event.source != trace::no_rank;
    add(matched, event.tag);
    add(matched || event.has_bytes, event.communicator);
    add(event.requests > 0, event.requests);
    if (event.thread != 0) fmt::format_to(out, "{}", event.thread);
    line_ += '\n';
    output_.write(line_);
  }

private:
  template <typename Number>
  void add(bool has, Number number) {
    if (has) fmt::format_to(std::back_inserter(line_), "{}", number);
    line_ += ',';
  }

  NewFile& output_;
  const Labels& labels_;
  std::string line_;
};

} // namespace

std::unique_ptr<TimelineWriter> csv_writer(NewFile& output, const Labels& labels) {
  return std::make_unique<CsvWriter>(output, labels);
}

} // namespace timeless::replay::timeline
