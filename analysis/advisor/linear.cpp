#include "analysis/advisor/linear.h"

#include "base/error.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

LinearFit fit_linear(const Columns& columns, std::span<const double> values) {
  if (values.empty()) throw Error(Failure::usage, "a line through no values", {}, "give it some");
  if (!std::ranges::all_of(columns, [&](const auto& column) { return column.size() == values.size(); }))
    throw Error(Failure::usage, "a variable does not have a value for each row", {}, "give it one each");
  const auto rows = static_cast<Eigen::Index>(values.size());
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(rows, static_cast<Eigen::Index>(columns.size()) + 1);
  for (std::size_t column = 0; column < columns.size(); ++column)
    x.col(static_cast<Eigen::Index>(column) + 1) = Eigen::Map<const Eigen::VectorXd>(columns[column].data(), rows);
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), rows);
  const Eigen::VectorXd beta = x.colPivHouseholderQr().solve(y);
  const double squares = (y - x * beta).squaredNorm();
  return {.intercept = beta(0),
          .coefficients = {beta.data() + 1, beta.data() + beta.size()},
          .deviation = std::sqrt(squares / static_cast<double>(rows))};
}

} // namespace timeless::analysis
