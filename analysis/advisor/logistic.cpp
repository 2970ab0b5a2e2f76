#include "analysis/advisor/logistic.h"

#include "base/error.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

double logistic_of(double eta) {
  return eta >= 0 ? 1 / (1 + std::exp(-eta)) : std::exp(eta) / (1 + std::exp(eta));
}

/// Returns log(1 + exp(eta)).
double softplus(double eta) {
  return eta > 0 ? eta + std::log1p(std::exp(-eta)) : std::log1p(std::exp(eta));
}

/// Rows with weights: those of the data, and those that stand for the prior.
struct WeightedRows {
  Eigen::MatrixXd x; ///< the first column is the intercept's
  Eigen::VectorXd y;
  Eigen::VectorXd weight;

  double log_likelihood(const Eigen::VectorXd& beta, Eigen::Index rows) const {
    const Eigen::VectorXd eta = x.topRows(rows) * beta;
    double sum = 0;
    for (Eigen::Index row = 0; row < rows; ++row)
      sum += weight(row) * (y(row) * eta(row) - softplus(eta(row)));
    return sum;
  }
};

WeightedRows weighted_rows(const Columns& columns, const std::vector<bool>& answers, Penalty penalty) {
  const auto rows = static_cast<Eigen::Index>(answers.size());
  const auto variables = static_cast<Eigen::Index>(columns.size());
  const Eigen::Index all = rows + (penalty == Penalty::log_f ? 2 * variables : 0);
  WeightedRows data{Eigen::MatrixXd::Zero(all, variables + 1), Eigen::VectorXd::Zero(all), Eigen::VectorXd::Ones(all)};
  for (Eigen::Index row = 0; row < rows; ++row) {
    data.x(row, 0) = 1;
    data.y(row) = answers[static_cast<std::size_t>(row)] ? 1 : 0;
    for (Eigen::Index variable = 0; variable < variables; ++variable)
      data.x(row, variable + 1) = columns[static_cast<std::size_t>(variable)][static_cast<std::size_t>(row)];
  }
  for (Eigen::Index row = rows; row < all; ++row) {
    data.x(row, 1 + (row - rows) / 2) = 1;
    data.y(row) = (row - rows) % 2 == 0 ? 0 : 1;
    data.weight(row) = 0.5;
  }
  return data;
}

} // namespace

double LogisticFit::probability(std::span<const double> values) const {
  double eta = intercept;
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    eta += coefficients[i] * values[i];
  return logistic_of(eta);
}

LogisticFit fit_logistic(const Columns& columns, const std::vector<bool>& answers, Penalty penalty) {
  if (answers.empty()) throw Error(Failure::usage, "a regression without rows", {}, "give it some");
  if (!std::ranges::all_of(columns, [&](const auto& column) { return column.size() == answers.size(); }))
    throw Error(Failure::usage, "a variable does not have a value for each row", {}, "give it one each");
  const WeightedRows data = weighted_rows(columns, answers, penalty);
  const auto rows = static_cast<Eigen::Index>(answers.size());
  Eigen::VectorXd beta = Eigen::VectorXd::Zero(data.x.cols());
  double now = data.log_likelihood(beta, data.x.rows());
  LogisticFit fit;
  constexpr int most_steps = 50;
  for (int step = 0; step < most_steps && !fit.converged; ++step) {
    const Eigen::VectorXd p = (data.x * beta).unaryExpr([](double eta) { return logistic_of(eta); });
    const Eigen::VectorXd gradient = data.x.transpose() * data.weight.cwiseProduct(data.y - p);
    const Eigen::VectorXd curvature = data.weight.cwiseProduct(p.cwiseProduct(Eigen::VectorXd::Ones(p.size()) - p));
    const Eigen::MatrixXd information = data.x.transpose() * curvature.asDiagonal() * data.x;
    // A parted variable's information goes to nothing: the least ridge keeps the step finite.
    constexpr double least = 1e-10;
    const Eigen::MatrixXd solvable =
        information + least * Eigen::MatrixXd::Identity(information.rows(), information.cols());
    Eigen::VectorXd change = solvable.ldlt().solve(gradient);
    double next = data.log_likelihood(beta + change, data.x.rows());
    for (int halved = 0; halved < 30 && !(next >= now); ++halved) {
      change *= 0.5;
      next = data.log_likelihood(beta + change, data.x.rows());
    }
    if (!(next >= now)) break;
    beta += change;
    fit.converged = next - now < 1e-10 * (1 + std::abs(next));
    now = next;
  }
  fit.intercept = beta(0);
  fit.coefficients.assign(beta.data() + 1, beta.data() + beta.size());
  fit.log_likelihood = data.log_likelihood(beta, rows);
  return fit;
}

} // namespace timeless::analysis
