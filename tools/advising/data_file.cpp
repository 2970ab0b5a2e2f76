#include "tools/advising/data_file.h"

#include "analysis/advisor/features.h"
#include "base/error.h"
#include "base/files/text_file.h"
#include "base/parsing.h"
#include "tools/render/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::AdvisorRow;

constexpr std::size_t most_data_bytes = std::size_t{1} << 28U; // a quarter of a million rows
constexpr std::size_t most_line_bytes = std::size_t{1} << 16U;

/// A column that is no feature.
struct DataColumn {
  std::string_view name;
  std::string (*written)(const AdvisorRow& row);
  bool (*read)(AdvisorRow& row, const std::string& value);
};

bool read_number(const std::string& text, double& value) {
  value = whole_number<double>(text).value_or(std::numeric_limits<double>::quiet_NaN());
  return std::isfinite(value);
}

template <double AdvisorRow::*Figure>
constexpr DataColumn figure(std::string_view name) {
  return {
      name, [](const AdvisorRow& row) { return fmt::format("{}", row.*Figure); },
      [](AdvisorRow& row, const std::string& value) { return read_number(value, row.*Figure) && row.*Figure >= 0; }};
}

template <std::string AdvisorRow::*Text>
constexpr DataColumn text_column(std::string_view name) {
  return {name, [](const AdvisorRow& row) { return csv_text(row.*Text); },
          [](AdvisorRow& row, const std::string& value) {
            row.*Text = value;
            return !value.empty();
          }};
}

constexpr std::array data_columns{
    text_column<&AdvisorRow::program>("program"),
    text_column<&AdvisorRow::trace>("trace"),
    text_column<&AdvisorRow::platform>("platform"),
    text_column<&AdvisorRow::mapping>("mapping"),
    figure<&AdvisorRow::compute>("compute"),
    DataColumn{"synthetic", [](const AdvisorRow& row) { return std::string(row.synthetic ? "1" : "0"); },
               [](AdvisorRow& row, const std::string& value) {
                 row.synthetic = value == "1";
                 return value == "1" || value == "0";
               }},
    figure<&AdvisorRow::model_seconds>("model_seconds"),
    figure<&AdvisorRow::smpi_seconds>("smpi_seconds"),
    figure<&AdvisorRow::unshared_seconds>("unshared_seconds"),
    figure<&AdvisorRow::model_cpu_seconds>("model_cpu_seconds"),
    figure<&AdvisorRow::smpi_cpu_seconds>("smpi_cpu_seconds"),
    DataColumn{"actions", [](const AdvisorRow& row) { return fmt::to_string(row.actions); },
               [](AdvisorRow& row, const std::string& value) {
                 const auto actions = whole_number<std::uint64_t>(value);
                 row.actions = actions.value_or(0);
                 return actions.has_value();
               }},
};

/// Reads one value into a row.
using ColumnReader = std::function<bool(AdvisorRow& row, const std::string& value)>;

ColumnReader reader_of(const std::string& column, const std::string& where) {
  for (const DataColumn& one : data_columns)
    if (one.name == column) return one.read;
  try {
    const std::size_t place = analysis::feature_place(column);
    return [place](AdvisorRow& row, const std::string& value) { return read_number(value, row.features[place]); };
  } catch (const Error& error) {
    throw Error(Failure::invalid_input, "no column of training data is called '" + column + "'", where, error.advice());
  }
}

std::vector<ColumnReader> readers_of(const std::vector<std::string>& columns, const std::string& where) {
  std::vector<ColumnReader> readers;
  for (const std::string& column : columns)
    readers.push_back(reader_of(column, where));
  const auto demand = [&](std::string_view name) {
    if (std::ranges::count(columns, name) != 1)
      throw Error(Failure::invalid_input, fmt::format("no single column '{}'", name), where,
                  "give a file that timeless advise collect has written");
  };
  for (const DataColumn& one : data_columns)
    demand(one.name);
  for (const analysis::Feature& feature : analysis::features())
    if (!feature.derived) demand(feature.name);
  return readers;
}

} // namespace

std::string to_csv(const analysis::AdvisorData& data) {
  std::string text;
  for (const DataColumn& column : data_columns)
    text += fmt::format("{}{}", text.empty() ? "" : ",", column.name);
  for (const analysis::Feature& feature : analysis::features())
    if (!feature.derived) text += fmt::format(",{}", feature.name);
  text += '\n';
  for (const AdvisorRow& row : data.rows) {
    std::string line;
    for (const DataColumn& column : data_columns)
      line += (line.empty() ? "" : ",") + column.written(row);
    for (std::size_t place = 0; place < row.features.size(); ++place)
      if (!analysis::features()[place].derived)
        line += fmt::format(",{:.8g}", row.features[place]); // more says nothing, and makes files long
    text += line + '\n';
  }
  return text;
}

analysis::AdvisorData read_advisor_data(const std::filesystem::path& file) {
  const std::optional<std::string> read = read_text(file, most_data_bytes);
  if (!read)
    throw Error(Failure::invalid_input, "cannot read the file", file.string(),
                "name one that timeless advise collect has written");
  if (read->size() > most_data_bytes)
    throw Error(Failure::invalid_input, "more than 256 MiB are no training data", file.string(),
                "give a file that timeless advise collect has written");
  const std::string& text = *read;
  analysis::AdvisorData data;
  std::vector<std::string> columns;
  std::vector<ColumnReader> readers;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string where = fmt::format("{}:{}", file.string(), ++number);
    if (line.size() > most_line_bytes)
      throw Error(Failure::invalid_input, "a line of more than 64 KiB", where,
                  "give a file that timeless advise collect has written");
    const auto read_values = csv_values(line);
    if (!read_values)
      throw Error(Failure::invalid_input, "a quotation mark without another one", where,
                  "the line was cut off, or edited: take it out");
    const std::vector<std::string>& values = *read_values;
    if (columns.empty()) {
      columns = values;
      readers = readers_of(columns, where);
      continue;
    }
    if (values.size() != columns.size())
      throw Error(Failure::invalid_input, fmt::format("{} values for {} columns", values.size(), columns.size()), where,
                  "the line was cut off, or edited: take it out");
    AdvisorRow row;
    row.features.resize(analysis::features().size());
    for (std::size_t column = 0; column < columns.size(); ++column)
      if (!readers[column](row, values[column]))
        throw Error(Failure::invalid_input, fmt::format("'{}' is no value of {}", values[column], columns[column]),
                    where, "take the line out, and collect it again");
    analysis::derive_features(row.features);
    data.rows.push_back(std::move(row));
  }
  if (columns.empty())
    throw Error(Failure::invalid_input, "this is no training data", file.string(),
                "give a file that timeless advise collect has written");
  return data;
}

TrainingData read_training_data(const std::filesystem::path& file, analysis::AdvisorLabel label) {
  TrainingData read{.data = read_advisor_data(file)};
  std::vector<AdvisorRow>& rows = read.data.rows;
  if (const auto without = std::ranges::find_if_not(rows, [](const AdvisorRow& row) { return row.simulated(); });
      without != rows.end())
    throw Error(Failure::invalid_input,
                fmt::format("{} on {} was not simulated: whether that was needed is not known", without->trace,
                            without->platform),
                file.string(), "run timeless advise collect with this output, which simulates what is missing");
  read.without_label = std::erase_if(rows, [&](const AdvisorRow& row) { return !row.simulated(label); });
  if (rows.empty() && read.without_label > 0)
    throw Error(Failure::invalid_input, "no row was simulated without links that are shared", file.string(),
                "run timeless advise collect --contention with this output, which adds that");
  return read;
}

} // namespace timeless::tools
