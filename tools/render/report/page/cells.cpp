// Cells that are more than one column of CSV.
#include "tools/render/report/page/parts.h"
#include "tools/render/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace timeless::tools {

namespace {

const char* answer_style(const analysis::Change& change) {
  if (change.worth == analysis::Worth::ruled_out) return "ruled-out";
  return change.worth == analysis::Worth::pays && !is_limit(change.kind) ? "pays" : "undecided";
}

/// By which answers are sorted: from no to yes, and what depends between them.
double rank_of(const analysis::Change& change) {
  if (change.worth == analysis::Worth::ruled_out) return ruled_out_rank;
  if (change.worth == analysis::Worth::undecided) return ruled_out_rank + 1;
  return ruled_out_rank + (is_limit(change.kind) ? 2 : 3);
}

} // namespace

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.17g}", value) : "";
}

TableColumn interval_column(const std::string& text, const std::string& what) {
  return {text, {what + " least", what + " most"}};
}

TableCell interval_cell(const std::optional<analysis::Interval>& interval) {
  TableCell cell(interval ? interval_words(interval) : "-");
  cell.csv = {interval ? csv_number(interval->low) : "", interval ? csv_number(interval->high) : ""};
  return cell;
}

TableColumn answer_column(const std::string& text) {
  return {text, {text, text + " of recorded part"}};
}

TableCell answer_cell(const analysis::Change& change, const ComputeBasis& compute) {
  TableCell cell(answer_words(change, compute), rank_of(change), answer_style(change));
  cell.csv = {cell.text, change.recorded_part ? "yes" : "no"};
  return cell;
}

TableColumn saves_column(const std::string& text) {
  return {text, {text, text + " least", text + " most"}};
}

TableCell saves_cell(const analysis::Change& change) {
  TableCell cell(saving_words(change), change.saving.expected);
  cell.csv = {csv_number(change.saving.expected), csv_number(change.saving.least), csv_number(change.saving.most)};
  return cell;
}

TableColumn confidence_column(const std::string& text) {
  return {text, {text, text + " reasons"}};
}

TableCell confidence_cell(const analysis::Trust& trust, const std::string& shown) {
  TableCell cell(shown, static_cast<double>(trust.confidence));
  cell.csv = {name(trust.confidence), fmt::format("{}", fmt::join(trust.words(), " | "))};
  return cell;
}

} // namespace timeless::tools
