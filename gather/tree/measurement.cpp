#include "gather/tree/measurement.h"

#include "base/error.h"
#include "base/files/exclusive.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace timeless::gather {

namespace {

constexpr int measuring_tag = 4;
constexpr int most_senders = 8;
constexpr std::size_t message_bytes = std::size_t{1} << 20U;
/// What each part of the measurement should take.
constexpr double part_seconds = 0.04;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// Returns half the time of a small message there and back between members 0 and 1, in seconds.
double latency(const Team& team) {
  std::vector<double> times;
  char byte = 0;
  for (int round = 0; round < 21; ++round) {
    const double start = MPI_Wtime();
    for (int turn = 0; turn < 2; ++turn) {
      if (team.number() == turn) MPI_Send(&byte, 1, MPI_CHAR, 1 - turn, measuring_tag, team.communicator());
      if (team.number() == 1 - turn)
        MPI_Recv(&byte, 1, MPI_CHAR, turn, measuring_tag, team.communicator(), MPI_STATUS_IGNORE);
    }
    times.push_back((MPI_Wtime() - start) / 2);
  }
  return median(times);
}

/// Returns the bytes a second into member 0 when members 1 to `senders` each send it so many messages at once.
double rate(const Team& team, int senders, int messages) {
  std::vector<char> buffer;
  char go = 0;
  if (team.number() > 0) {
    if (team.number() > senders) return 0;
    buffer.resize(message_bytes);
    MPI_Recv(&go, 1, MPI_CHAR, 0, measuring_tag, team.communicator(), MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i)
      MPI_Send(buffer.data(), static_cast<int>(message_bytes), MPI_CHAR, 0, measuring_tag, team.communicator());
    return 0;
  }
  const auto count = static_cast<std::size_t>(senders);
  buffer.resize(message_bytes * count);
  std::vector<MPI_Request> requests(count);
  const double start = MPI_Wtime();
  for (int sender = 1; sender <= senders; ++sender)
    MPI_Send(&go, 1, MPI_CHAR, sender, measuring_tag, team.communicator());
  for (int i = 0; i < messages; ++i) {
    for (std::size_t sender = 0; sender < count; ++sender)
      MPI_Irecv(buffer.data() + sender * message_bytes, static_cast<int>(message_bytes), MPI_CHAR,
                static_cast<int>(sender) + 1, measuring_tag, team.communicator(), &requests[sender]);
    MPI_Waitall(senders, requests.data(), MPI_STATUSES_IGNORE);
  }
  return static_cast<double>(message_bytes) * messages * senders / (MPI_Wtime() - start);
}

/// Returns the bytes a second to the disk, not only to the system's memory.
double disk_rate(const std::filesystem::path& path) {
  const int file = open_exclusively(path, O_WRONLY);
  const auto fail = [&] {
    throw Error(Failure::runtime, std::string("cannot write there: ") + std::strerror(errno), path.string());
  };
  if (file < 0) fail();
  const std::vector<char> bytes(message_bytes, 'x');
  std::size_t written = 0;
  bool well = true;
  const double start = MPI_Wtime();
  double seconds = 0;
  // More and more of them at a time, until one takes long enough to tell.
  for (std::size_t count = 4; well && seconds < part_seconds && count <= 256; count *= 4) {
    for (std::size_t i = 0; well && i < count && MPI_Wtime() - start < 4 * part_seconds; ++i) {
      errno = ENOSPC; // for a write that is cut short
      well = ::write(file, bytes.data(), bytes.size()) == std::ssize(bytes);
      written += bytes.size();
    }
    if (well) well = ::fdatasync(file) == 0 || errno == EINVAL;
    seconds = MPI_Wtime() - start;
  }
  const int code = errno;
  ::close(file);
  ::unlink(path.c_str());
  errno = code;
  if (!well) fail();
  return static_cast<double>(written) / seconds;
}

} // namespace

Speeds measure_speeds(const Team& team, const std::filesystem::path& file) {
  Speeds speeds;
  speeds.latency = latency(team);
  int messages = 2;
  for (int senders = 1; senders <= std::min(most_senders, team.size() - 1); senders *= 2) {
    double bytes_a_second = rate(team, senders, messages);
    // The first is only to know how much to send.
    if (senders == 1) {
      messages = team.from_first(
          static_cast<int>(std::clamp(bytes_a_second * part_seconds / static_cast<double>(message_bytes), 2.0, 100.0)));
      bytes_a_second = rate(team, senders, messages);
    }
    speeds.into_first.emplace_back(senders, bytes_a_second);
    messages = std::max(2, messages / 2);
  }
  team.together([&] {
    if (team.number() == 0) speeds.disk = disk_rate(file);
  });
  return team.number() == 0 ? speeds : Speeds();
}

} // namespace timeless::gather
