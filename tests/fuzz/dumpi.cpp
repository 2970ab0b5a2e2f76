// Two ranks' DUMPI files. The first byte says whether the input is the files, or only their records; the next two how
// much of the rest is the first one's.
#include "trace/formats/dumpi/dumpi.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/memory_file.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace {

using timeless::fuzz::MemoryFile;

/// A directory with the names that an import looks for.
struct Trace {
  Trace() {
    std::string name = (std::filesystem::temp_directory_path() / "timeless-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    directory = name;
    for (int rank = 0; rank < 2; ++rank)
      std::filesystem::create_symlink(files[rank].path(), directory / ("run-000" + std::to_string(rank) + ".bin"));
  }
  ~Trace() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  MemoryFile files[2];
  std::filesystem::path directory;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Trace trace;
  if (size < 3) return 0;
  const std::string_view rest = timeless::fuzz::text(data + 3, size - 3);
  const std::size_t first = std::min<std::size_t>(data[1] * 256U + data[2], rest.size());
  const std::string beginning = (data[0] & 1U) != 0 ? std::string("\xff\xaa\xdd\x44UMPI\0\0\0\0\0\0\0\0", 16) : "";
  trace.files[0].hold(beginning + std::string(rest.substr(0, first)));
  trace.files[1].hold(beginning + std::string(rest.substr(first)));
  timeless::fuzz::read_import([] { return timeless::trace::formats::open_dumpi(trace.directory / "run"); });
  return 0;
}
