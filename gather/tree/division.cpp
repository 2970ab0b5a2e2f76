#include "gather/tree/division.h"

#include "base/bytes.h"
#include "base/files/input_file.h"
#include "gather/parts/rank_files.h"
#include "trace/codec/layout.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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
  ByteWriter packed;
  packed.put(files.size());
  for (const SeenFile& file : files) {
    packed.put(file.name);
    packed.put(file.bytes);
    packed.put(file.fingerprint);
  }
  return packed.bytes();
}

std::vector<SeenFile> decode_seen_files(std::string_view bytes) {
  ByteReader packed(bytes, ByteReader::From::process);
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

namespace {

/// Gives files to nodes.
class Division {
public:
  explicit Division(const VisibleFiles& seen) : result_(seen.list_of_node.size()), least_(seen.lists.size()) {
    for (std::size_t node = 0; node < seen.list_of_node.size(); ++node)
      least_[seen.list_of_node[node]].emplace(0, node);
  }

  /// A file as one of the lists has it.
  struct ListedFile {
    std::size_t list;
    std::size_t index;
  };

  std::size_t nodes(const std::vector<ListedFile>& listings) const {
    std::size_t count = 0;
    for (const ListedFile& listed : listings)
      count += least_[listed.list].size();
    return count;
  }

  /// Gives a file to the node that has got the least of those that see it.
  void give(const SeenFile& file, const std::vector<ListedFile>& listings) {
    const ListedFile& listed =
        *std::ranges::min_element(listings, {}, [&](const ListedFile& each) { return *least_[each.list].begin(); });
    auto least = least_[listed.list].extract(least_[listed.list].begin());
    result_[least.value().second].push_back(listed.index);
    least.value().first += file.bytes;
    least_[listed.list].insert(std::move(least));
  }

  std::vector<std::vector<std::size_t>> finish() && {
    for (std::vector<std::size_t>& indices : result_)
      std::ranges::sort(indices);
    return std::move(result_);
  }

private:
  std::vector<std::vector<std::size_t>> result_;
  std::vector<std::set<std::pair<std::uint64_t, std::size_t>>> least_; ///< by list: its nodes by what they have got
};

} // namespace

std::vector<std::vector<std::size_t>> divide(const VisibleFiles& seen) {
  std::map<SeenFile, std::vector<Division::ListedFile>> files;
  for (std::size_t list = 0; list < seen.lists.size(); ++list)
    for (std::size_t index = 0; index < seen.lists[list].size(); ++index)
      files[seen.lists[list][index]].push_back({list, index});
  Division division(seen);
  // First what leaves no choice, so that the choice can even it out.
  for (const bool choice : {false, true})
    for (const auto& [file, listings] : files)
      if ((division.nodes(listings) > 1) == choice) division.give(file, listings);
  return std::move(division).finish();
}

} // namespace timeless::gather
