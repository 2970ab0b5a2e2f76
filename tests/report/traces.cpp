// Writes the traces whose reports are looked at in a browser: report_traces DIRECTORY.
#include "tests/trace/samples.h"

#include <filesystem>
#include <string>

namespace {

using namespace timeless::trace;

/// Messages of 100,000 bytes wait for their receives on most platforms, for ever.
MemorySource ring(Rank ranks, Bytes bytes = 100'000) {
  MemorySource run(ranks);
  run.description().provenance.program = "/home/me/ring";
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int round = 0; round < 3; ++round) {
      run.compute(rank, 1'000'000 + 10'000 * static_cast<std::uint64_t>(rank % 97));
      if (ranks > 1) {
        run.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % ranks, .bytes = bytes});
        run.add(rank, {.kind = ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = bytes});
      }
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  run.finalize();
  return run;
}

} // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::filesystem::path directory = words[1];
  test::write_archive(ring(8), directory / "ring.tia");
  test::write_archive(ring(4), directory / "four.tia");
  test::write_archive(ring(1), directory / "one.tia");
  for (const Rank ranks : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    test::write_archive(ring(ranks, 4000), directory / ("run-" + std::to_string(ranks) + ".tia"));
  test::write_archive(ring(16384), directory / "many.tia");
  MemorySource hostile = ring(4);
  hostile.description().provenance.program = "/x/</script><img src=x onerror=document.title='owned'>";
  test::write_archive(hostile, directory / "hostile.tia");
  MemorySource partial = ring(4);
  partial.description().ranks[3].ending = Ending::unknown;
  test::write_archive(partial, directory / "partial.tia");
}
