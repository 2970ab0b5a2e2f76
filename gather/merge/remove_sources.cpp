#include "gather/merge/remove_sources.h"

#include "base/bytes.h"
#include "gather/merge/removal.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace timeless::gather {

namespace {

/// What tells whether two files hold the same.
using Content = std::pair<SeenFile, std::uint64_t>;

std::string encode(const std::vector<Content>& contents) {
  ByteWriter packed;
  for (const auto& [file, headers_checksum] : contents) {
    packed.put(encode(std::vector<SeenFile>{file}));
    packed.put(headers_checksum);
  }
  return packed.bytes();
}

std::vector<Content> decode(std::string_view bytes) {
  std::vector<Content> contents;
  for (ByteReader packed(bytes, ByteReader::From::process); !packed.empty();) {
    const SeenFile file = decode_seen_files(packed.text()).at(0);
    contents.emplace_back(file, packed.number());
  }
  return contents;
}

/// Files that are still there although somebody has removed those that were gathered: copies, or another's.
std::vector<Content> copies_left(const std::filesystem::path& directory, const std::vector<SeenFile>& seen,
                                 const std::vector<std::size_t>& gathered) {
  const std::set<std::size_t> own(gathered.begin(), gathered.end());
  std::vector<Content> copies;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!own.contains(i))
      if (const auto sum = headers_checksum(directory / seen[i].name)) copies.emplace_back(seen[i], *sum);
  return copies;
}

/// Returns whether somebody has gathered what is in these files; collective.
std::vector<bool> known(const Team& team, const std::vector<Content>& gathered, const std::vector<Content>& copies) {
  const auto all_gathered = team.collect(encode(gathered));
  const auto all_copies = team.collect(encode(copies));
  std::set<Content> there;
  for (const std::string& member : all_gathered)
    std::ranges::move(decode(member), std::inserter(there, there.end()));
  std::vector<std::string> answers;
  for (const std::string& member : all_copies) {
    std::string& answer = answers.emplace_back();
    for (const Content& copy : decode(member))
      answer += there.contains(copy) ? 'y' : 'n';
  }
  std::vector<bool> result;
  for (const char answer : team.distribute(answers))
    result.push_back(answer == 'y');
  return result;
}

} // namespace

std::uint64_t remove_sources(const Team& team, const std::filesystem::path& directory,
                             const std::vector<SeenFile>& seen, const std::vector<std::size_t>& gathered) {
  std::vector<Content> contents;
  for (const std::size_t index : gathered)
    if (const auto sum = headers_checksum(directory / seen[index].name)) contents.emplace_back(seen[index], *sum);
  std::uint64_t removed = 0;
  const auto remove = [&](const SeenFile& file) {
    if (remove_rank_file(directory / file.name, file)) ++removed;
  };
  team.together([&] {
    for (const auto& [file, sum] : contents)
      remove(file);
  });
  std::vector<Content> copies;
  team.together([&] { copies = copies_left(directory, seen, gathered); });
  const auto same = known(team, contents, copies);
  team.together([&] {
    for (std::size_t i = 0; i < copies.size(); ++i)
      if (same[i]) remove(copies[i].first);
    if (removed > 0) remove_if_empty(directory);
  });
  return team.sum(removed);
}

} // namespace timeless::gather
