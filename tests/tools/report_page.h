#pragma once

#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// What tests of reports share.
namespace timeless::tools::test {

/// Returns ranks in a ring that compute, each more than the one before, send to the next and meet.
trace::MemorySource ring(trace::Rank ranks, int rounds = 3, trace::Bytes bytes = 100'000);

/// A page as XML: its style and script, which are none, left out; the figures apart.
struct Page {
  std::string text;
  pugi::xml_document document;
  pugi::xml_parse_result parsed;
  nlohmann::json figures;
  nlohmann::json data_rows = nlohmann::json::object(); ///< by table, what it does not show, as comma-separated values

  explicit Page(std::string html);
  std::size_t elements() const { return document.select_nodes("//*").size(); }
  std::string table_cell(const char* table, const char* machine, int column) const;
  /// Returns the words that a reader sees, with one blank between.
  std::string words() const;
};

/// Expects well-formed HTML with sound references, nothing active in it, and no more than a browser shows quickly.
void expect_sound(const Page& page);

/// Runs `timeless report` on traces in a directory of its own.
class ReportPage : public testing::Test {
protected:
  Outcome report(const std::vector<std::string>& more) {
    std::vector<std::string> words{"report"};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words);
  }
  std::string write(const trace::Source& run, const std::string& name = "run.tia") {
    const std::filesystem::path path = directory_ / name;
    trace::test::write_archive(run, path);
    return path;
  }
  Page page_of(const std::string& trace, std::vector<std::string> more = {}, int status = 0) {
    const std::string file = directory_ / "page.html";
    std::filesystem::remove(file);
    more.insert(more.begin(), {trace, "-o", file});
    const Outcome outcome = report(more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return Page(trace::test::file_bytes(file));
  }

  trace::test::TemporaryDirectory directory_;
};

} // namespace timeless::tools::test
