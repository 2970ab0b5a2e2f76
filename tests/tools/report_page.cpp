#include "tests/tools/report_page.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <set>
#include <string_view>
#include <utility>

namespace timeless::tools::test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

/// What base 64 and gzip make smaller.
std::string unpacked(const std::string& text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  for (std::size_t i = 0; i < text.size() && text[i] != '='; ++i) {
    group = (group << 6U | static_cast<unsigned>(digits.find(text[i]))) & 0xffffffU;
    if (i % 4 != 0) bytes += static_cast<char>(group >> (6 - 2 * (i % 4)) & 0xffU);
  }
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string all(100 * bytes.size() + 1000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(all.data());
  stream.avail_out = static_cast<uInt>(all.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  all.resize(stream.total_out);
  inflateEnd(&stream);
  return all;
}

} // namespace

trace::MemorySource ring(trace::Rank ranks, int rounds, trace::Bytes bytes) {
  static std::uint64_t rings = 0;
  trace::MemorySource run(ranks);
  run.description().provenance = {.tool_version = "timeless test",
                                  .mpi_library = "",
                                  .program = "/home/me/ring",
                                  .date = "2026-11-23T00:00:00Z",
                                  .run_identity = ++rings};
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    for (int round = 0; round < rounds; ++round) {
      run.compute(rank, 1'000'000 + 1000 * static_cast<std::uint64_t>(rank % 97));
      if (ranks > 1) {
        run.add(rank, {.kind = trace::ActionKind::send, .peer = (rank + 1) % ranks, .bytes = bytes});
        run.add(rank, {.kind = trace::ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = bytes});
      }
      run.add(rank, {.kind = trace::ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  run.finalize();
  return run;
}

Page::Page(std::string html) : text(std::move(html)) {
  std::string markup = text;
  for (const std::string_view element : {"style", "script"})
    for (std::size_t at = 0; (at = markup.find("<" + std::string(element), at)) != std::string::npos;) {
      const std::size_t begin = markup.find('>', at) + 1;
      const std::size_t end = markup.find("</" + std::string(element) + ">", begin);
      const std::string_view tag = std::string_view(markup).substr(at, begin - at);
      const std::string inside = markup.substr(begin, end - begin);
      if (tag.find("\"data-rows\"") != std::string_view::npos)
        data_rows = json::parse(inside, nullptr, false);
      else if (tag.find("application/json") != std::string_view::npos)
        figures = json::parse(inside, nullptr, false);
      if (tag.find("application/gzip") != std::string_view::npos)
        figures = json::parse(unpacked(inside), nullptr, false);
      markup.erase(begin, end - begin);
      at = begin;
    }
  parsed = document.load_string(markup.c_str(), pugi::parse_default | pugi::parse_doctype);
}

std::string Page::table_cell(const char* table, const char* machine, int column) const {
  const std::string path = "//table[@id='" + std::string(table) + "']/tbody/tr[@data-machine='" + machine + "']/*[" +
                           std::to_string(column) + "]";
  return document.select_node(path.c_str()).node().attribute("data-v").value();
}

std::string Page::words() const {
  std::string all;
  for (const pugi::xpath_node& node : document.select_nodes("//body//text()"))
    all += std::string(node.node().value()) + " ";
  return all;
}

namespace {

/// Returns how many columns the cells of a row take.
unsigned columns(const pugi::xpath_node& row) {
  unsigned all = 0;
  for (const pugi::xpath_node& cell : row.node().select_nodes("th | td"))
    all += cell.node().attribute("colspan").as_uint(1);
  return all;
}

void expect_whole_rows(const Page& page) {
  for (const pugi::xpath_node& table : page.document.select_nodes("//table[thead]")) {
    const unsigned head = columns(table.node().select_node("thead/tr[last()]"));
    for (const pugi::xpath_node& row : table.node().select_nodes("tbody/tr"))
      EXPECT_EQ(columns(row), head) << "of a row of " << table.node().attribute("id").value();
  }
}

} // namespace

void expect_sound(const Page& page) {
  ASSERT_TRUE(page.parsed) << page.parsed.description() << " at "
                           << page.text.substr(static_cast<std::size_t>(page.parsed.offset), 200);
  EXPECT_TRUE(page.text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_EQ(page.document.select_nodes("//h1").size(), 1U);
  EXPECT_FALSE(std::string(page.document.select_node("//title").node().text().get()).empty());
  std::set<std::string> ids;
  for (const pugi::xpath_node& node : page.document.select_nodes("//*[@id]"))
    EXPECT_TRUE(ids.insert(node.node().attribute("id").value()).second) << node.node().attribute("id").value();
  for (const char* reference : {"aria-labelledby", "for", "data-table"})
    for (const pugi::xpath_node& node : page.document.select_nodes(("//*[@" + std::string(reference) + "]").c_str()))
      EXPECT_TRUE(ids.contains(node.node().attribute(reference).value())) << node.node().attribute(reference).value();
  for (const pugi::xpath_node& node : page.document.select_nodes("//a"))
    EXPECT_TRUE(ids.contains(std::string(node.node().attribute("href").value()).substr(1)));
  EXPECT_EQ(page.document.select_nodes("//@style | //@onclick | //@onload | //@onerror | //@src").size(), 0U);
  expect_whole_rows(page);
  EXPECT_LE(page.text.size(), 2'000'000U);
  EXPECT_LE(page.elements(), 5000U);
  EXPECT_TRUE(page.figures.is_object());
  for (const pugi::xpath_node& node : page.document.select_nodes("//svg//@d | //svg//@x | //svg//@y | //svg//@width"))
    for (const char* none : {"nan", "inf"})
      EXPECT_THAT(node.attribute().value(), Not(HasSubstr(none)));
}

} // namespace timeless::tools::test
