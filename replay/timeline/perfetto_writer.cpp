#include "replay/timeline/writers.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace timeless::replay::timeline {

namespace {

// Numbers of fields in Perfetto's messages (its protos/perfetto/trace/).
namespace trace_field {
constexpr protozero::pbf_tag_type packet = 1;
}
namespace packet_field {
constexpr protozero::pbf_tag_type timestamp = 8;
constexpr protozero::pbf_tag_type sequence = 10;
constexpr protozero::pbf_tag_type track_event = 11;
constexpr protozero::pbf_tag_type interned_data = 12;
constexpr protozero::pbf_tag_type sequence_flags = 13;
constexpr protozero::pbf_tag_type track_descriptor = 60;
} // namespace packet_field
namespace track_field {
constexpr protozero::pbf_tag_type uuid = 1;
constexpr protozero::pbf_tag_type process = 3;
constexpr protozero::pbf_tag_type thread = 4;
constexpr protozero::pbf_tag_type parent = 5;
} // namespace track_field
namespace process_field {
constexpr protozero::pbf_tag_type pid = 1;
constexpr protozero::pbf_tag_type name = 6;
} // namespace process_field
namespace thread_field {
constexpr protozero::pbf_tag_type pid = 1;
constexpr protozero::pbf_tag_type tid = 2;
constexpr protozero::pbf_tag_type name = 5;
} // namespace thread_field
namespace event_field {
constexpr protozero::pbf_tag_type category = 3;
constexpr protozero::pbf_tag_type annotation = 4;
constexpr protozero::pbf_tag_type type = 9;
constexpr protozero::pbf_tag_type name = 10;
constexpr protozero::pbf_tag_type track = 11;
constexpr protozero::pbf_tag_type flow = 47;
constexpr protozero::pbf_tag_type ending_flow = 48;
} // namespace event_field
namespace interned_field {
constexpr protozero::pbf_tag_type categories = 1;
constexpr protozero::pbf_tag_type names = 2;
constexpr protozero::pbf_tag_type annotations = 3;
} // namespace interned_field
namespace annotation_field {
constexpr protozero::pbf_tag_type name = 1;
constexpr protozero::pbf_tag_type integer = 4;
constexpr protozero::pbf_tag_type real = 5;
constexpr protozero::pbf_tag_type text = 6;
} // namespace annotation_field

constexpr std::int32_t begin_of_slice = 1;
constexpr std::int32_t end_of_slice = 2;
constexpr std::uint32_t state_cleared = 1;
constexpr std::uint32_t needs_state = 2;
constexpr std::uint32_t only_sequence = 1;
constexpr std::uint64_t run_track = 1;
constexpr std::int32_t run_process = 1;

enum Category : std::uint64_t { category_computation = 1, category_mpi = 2, category_start = 3 };
enum Annotation : std::uint64_t {
  annotation_action = 1,
  annotation_volume,
  annotation_kernel,
  annotation_bytes,
  annotation_receive_bytes,
  annotation_to,
  annotation_from,
  annotation_root,
  annotation_tag,
  annotation_communicator,
  annotation_requests,
  annotation_wait,
  annotation_latency,
  annotation_bandwidth,
  annotation_files,
};
constexpr std::array annotation_names = {
    "action",    "volume", "kernel",       "bytes",    "bytes received", "to rank",      "from rank",
    "root",      "tag",    "communicator", "requests", "waiting (us)",   "latency (us)", "bytes on their way (us)",
    "files (us)"};

Category category_of(const Event& event) {
  if (event.not_started) return category_start;
  return event.computes ? category_computation : category_mpi;
}

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

constexpr std::int32_t further_threads = 1 << 30; ///< above all ranks

/// A rank's first thread has the rank's track, the others come behind all ranks'.
std::uint64_t track_of(trace::Rank rank, trace::Rank thread) {
  return (static_cast<std::uint64_t>(thread) << 32U) + run_track + 1 + static_cast<std::uint64_t>(rank);
}

/// Perfetto's own format: a track for each rank and each further thread of one, a slice for each action, a flow for
/// each message. Times are rounded to nanoseconds.
class PerfettoWriter : public TimelineWriter {
public:
  PerfettoWriter(NewFile& output, const Labels& labels) : output_(output), labels_(labels) {
    write_names();
    packet([&](protozero::pbf_writer& packet) {
      protozero::pbf_writer track(packet, packet_field::track_descriptor);
      track.add_uint64(track_field::uuid, run_track);
      protozero::pbf_writer process(track, track_field::process);
      process.add_int32(process_field::pid, run_process);
      process.add_string(process_field::name, labels.lane);
    });
    for (const trace::Rank rank : labels.ranks)
      describe(rank, 0);
  }

  void event(const Event& event, std::span<const std::uint64_t> received) override {
    if (event.marks) return;
    if (event.thread != 0 && threads_.emplace(event.rank, event.thread).second) describe(event.rank, event.thread);
    packet([&](protozero::pbf_writer& packet) {
      packet.add_uint64(packet_field::timestamp, nanoseconds(event.start));
      packet.add_uint32(packet_field::sequence_flags, needs_state);
      protozero::pbf_writer slice(packet, packet_field::track_event);
      slice.add_int32(event_field::type, begin_of_slice);
      slice.add_uint64(event_field::track, track_of(event.rank, event.thread));
      slice.add_uint64(event_field::name, event.call + std::uint64_t{1});
      slice.add_uint64(event_field::category, category_of(event));
      if (event.sent != 0) slice.add_fixed64(event_field::flow, event.sent);
      annotate(slice, event);
    });
    packet([&](protozero::pbf_writer& packet) {
      packet.add_uint64(packet_field::timestamp, nanoseconds(event.end));
      packet.add_uint32(packet_field::sequence_flags, needs_state);
      protozero::pbf_writer slice(packet, packet_field::track_event);
      slice.add_int32(event_field::type, end_of_slice);
      slice.add_uint64(event_field::track, track_of(event.rank, event.thread));
      // A flow must begin before it ends, and a receive often begins before its message is sent.
      for (const std::uint64_t message : received)
        slice.add_fixed64(event_field::ending_flow, message);
    });
  }

private:
  template <typename Fill>
  void packet(const Fill& fill) {
    content_.clear();
    {
      protozero::pbf_writer trace(content_);
      protozero::pbf_writer packet(trace, trace_field::packet);
      packet.add_uint32(packet_field::sequence, only_sequence);
      fill(packet);
    }
    output_.write(content_);
  }

  /// Writes before anything else what numbers in later packets stand for.
  void write_names() {
    packet([&](protozero::pbf_writer& packet) {
      packet.add_uint32(packet_field::sequence_flags, state_cleared);
      protozero::pbf_writer names(packet, packet_field::interned_data);
      const auto add = [&](protozero::pbf_tag_type field, std::uint64_t number, const std::string& name) {
        protozero::pbf_writer entry(names, field);
        entry.add_uint64(1, number);
        entry.add_string(2, name);
      };
      add(interned_field::categories, category_computation, "computation");
      add(interned_field::categories, category_mpi, "MPI");
      add(interned_field::categories, category_start, "start");
      for (std::size_t call = 0; call < labels_.calls.size(); ++call)
        add(interned_field::names, call + 1, labels_.calls[call]);
      for (std::size_t number = 0; number < annotation_names.size(); ++number)
        add(interned_field::annotations, number + 1, annotation_names[number]);
    });
  }

  void describe(trace::Rank rank, trace::Rank thread_number) {
    packet([&](protozero::pbf_writer& packet) {
      protozero::pbf_writer track(packet, packet_field::track_descriptor);
      track.add_uint64(track_field::uuid, track_of(rank, thread_number));
      track.add_uint64(track_field::parent, run_track);
      protozero::pbf_writer thread(track, track_field::thread);
      thread.add_int32(thread_field::pid, run_process);
      // A thread with its process's number would be shown as the process's own.
      const auto further = static_cast<std::int32_t>(threads_.size());
      thread.add_int32(thread_field::tid, thread_number == 0 ? run_process + 1 + rank : further_threads + further);
      thread.add_string(thread_field::name, thread_number == 0
                                                ? fmt::format("rank {}", rank)
                                                : fmt::format("rank {}, thread {}", rank, thread_number));
    });
  }

  void annotate(protozero::pbf_writer& slice, const Event& event) {
    const auto integer = [&](bool has, Annotation name, std::int64_t value) {
      if (!has) return;
      protozero::pbf_writer annotation(slice, event_field::annotation);
      annotation.add_uint64(annotation_field::name, name);
      annotation.add_int64(annotation_field::integer, value);
    };
    const auto microseconds = [&](Annotation name, double seconds) {
      if (seconds == 0) return;
      protozero::pbf_writer annotation(slice, event_field::annotation);
      annotation.add_uint64(annotation_field::name, name);
      annotation.add_double(annotation_field::real, seconds * 1e6);
    };
    integer(!event.not_started, annotation_action, static_cast<std::int64_t>(event.ordinal));
    integer(event.computes, annotation_volume, static_cast<std::int64_t>(event.volume));
    if (event.computes && event.kernel != trace::no_kernel) {
      protozero::pbf_writer annotation(slice, event_field::annotation);
      annotation.add_uint64(annotation_field::name, annotation_kernel);
      annotation.add_string(annotation_field::text, kernel(event.kernel));
    }
    integer(event.has_bytes, annotation_bytes, static_cast<std::int64_t>(event.bytes));
    integer(event.receive_bytes > 0, annotation_receive_bytes, static_cast<std::int64_t>(event.receive_bytes));
    integer(event.destination != trace::no_rank, annotation_to, event.destination);
    integer(event.source != trace::no_rank, annotation_from, event.source);
    integer(event.root != trace::no_rank, annotation_root, event.root);
    const bool matched = event.destination != trace::no_rank || event.source != trace::no_rank;
    integer(matched, annotation_tag, event.tag);
    integer(matched || event.has_bytes, annotation_communicator, event.communicator);
    integer(event.requests > 0, annotation_requests, event.requests);
    microseconds(annotation_wait, event.wait);
    microseconds(annotation_latency, event.latency);
    microseconds(annotation_bandwidth, event.bandwidth);
    microseconds(annotation_files, event.files);
  }

  const std::string& kernel(trace::KernelId id) {
    const auto [known, added] = kernels_.try_emplace(id);
    if (added) known->second = labels_.kernel ? labels_.kernel(id) : fmt::format("kernel {}", id);
    return known->second;
  }

  NewFile& output_;
  const Labels& labels_;
  std::map<trace::KernelId, std::string> kernels_;
  std::set<std::pair<trace::Rank, trace::Rank>> threads_; ///< beyond the ranks' first, that have been described
  std::string content_;
};

} // namespace

std::unique_ptr<TimelineWriter> perfetto_writer(NewFile& output, const Labels& labels) {
  return std::make_unique<PerfettoWriter>(output, labels);
}

} // namespace timeless::replay::timeline
