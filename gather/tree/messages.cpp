#include "gather/tree/messages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace timeless::gather {

namespace {

constexpr int tag_text = 3;
/// MPI counts in int.
constexpr std::size_t most_at_once = std::size_t{1} << 28U;

} // namespace

void send_text(MPI_Comm communicator, int receiver, std::string_view text) {
  const std::uint64_t size = text.size();
  MPI_Send(&size, sizeof size, MPI_BYTE, receiver, tag_text, communicator);
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), most_at_once)))
    MPI_Send(text.data(), static_cast<int>(std::min(text.size(), most_at_once)), MPI_BYTE, receiver, tag_text,
             communicator);
}

std::string receive_text(MPI_Comm communicator, int sender) {
  std::uint64_t size = 0;
  MPI_Recv(&size, sizeof size, MPI_BYTE, sender, tag_text, communicator, MPI_STATUS_IGNORE);
  std::string text(size, '\0');
  for (std::size_t done = 0; done < text.size(); done += most_at_once)
    MPI_Recv(text.data() + done, static_cast<int>(std::min(text.size() - done, most_at_once)), MPI_BYTE, sender,
             tag_text, communicator, MPI_STATUS_IGNORE);
  return text;
}

} // namespace timeless::gather
