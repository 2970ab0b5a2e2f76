#include "gather/division.h"

#include "gather/packing.h"
#include "gather/rank_files.h"
#include "trace/archive/input_file.h"
#include "trace/archive/layout.h"

#include <algorithm>
#include <map>

namespace timeless::gather {

namespace {

constexpr std::size_t fingerprint_bytes = 4096;

} // namespace

SeenFile see(const std::filesystem::path& path) {
  const trace::InputFile file(path);
  std::string bytes = file.read(0, fingerprint_bytes);
  if (file.size() > fingerprint_bytes)
    bytes += file.read(file.size() - std::min<std::uint64_t>(fingerprint_bytes, file.size() - fingerprint_bytes),
                       fingerprint_bytes);
  return {.name = path.filename().string(), .bytes = file.size(), .fingerprint = trace::checksum(bytes)};
}

std::vector<SeenFile> see_files(const std::filesystem::path& directory) {
  std::vector<SeenFile> files;
  for (const RankFile& file : list_rank_files(directory))
    files.push_back(see(file.path));
  std::ranges::sort(files);
  return files;
}

std::string encode(const std::vector<SeenFile>& files) {
  Packer packed;
  packed.put(files.size());
  for (const SeenFile& file : files) {
    packed.put(file.name);
    packed.put(file.bytes);
    packed.put(file.fingerprint);
  }
  return packed.bytes();
}

std::vector<SeenFile> decode_seen_files(std::string_view bytes) {
  Unpacker packed(bytes);
  std::vector<SeenFile> files;
  for (std::uint64_t count = packed.number(); count > 0; --count) {
    SeenFile file;
    file.name = packed.text();
    file.bytes = packed.number();
    file.fingerprint = packed.number();
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<std::vector<std::size_t>> divide(const std::vector<std::vector<SeenFile>>& seen) {
  struct Sight {
    std::size_t node;
    std::size_t index;
  };
  std::map<SeenFile, std::vector<Sight>> sights;
  for (std::size_t node = 0; node < seen.size(); ++node)
    for (std::size_t index = 0; index < seen[node].size(); ++index)
      sights[seen[node][index]].push_back({node, index});

  std::vector<std::vector<std::size_t>> result(seen.size());
  std::vector<std::uint64_t> bytes(seen.size());
  const auto give = [&](const SeenFile& file, const Sight& to) {
    result[to.node].push_back(to.index);
    bytes[to.node] += file.bytes;
  };
  // First what leaves no choice, so that the choice can even it out.
  for (const auto& [file, nodes] : sights)
    if (nodes.size() == 1) give(file, nodes.front());
  for (const auto& [file, nodes] : sights)
    if (nodes.size() > 1)
      give(file, *std::ranges::min_element(nodes, {}, [&](const Sight& sight) { return bytes[sight.node]; }));
  for (std::vector<std::size_t>& indices : result)
    std::ranges::sort(indices);
  return result;
}

} // namespace timeless::gather
