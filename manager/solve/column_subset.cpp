#include "manager/solve/column_subset.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace ipfit {
namespace {

using Eigen::Index;

std::size_t largest_rank(const AceSpec& spec) {
  std::size_t rank = 1;
  for (const AceMultiset& multiset : spec.multisets) {
    rank = std::max(rank, multiset.labels.size());
  }
  return rank;
}

/// The choice of the first so many functions of such a basis.
BasisChoice first_of(const BasisChoice& choice, const BasisSpec& basis, int functions) {
  if (const auto* pair = std::get_if<PairSpec>(&choice)) {
    PairSpec smaller = *pair;
    smaller.size = std::min(smaller.size, functions);
    return smaller;
  }
  AceRule smaller = std::get<AceRule>(choice);
  smaller.choice = AceChoice::kSize;
  smaller.size = functions;
  smaller.order = static_cast<int>(largest_rank(std::get<AceSpec>(basis)));
  smaller.degree.clear();
  smaller.n_max.clear();
  smaller.l_max.clear();
  return smaller;
}

Eigen::MatrixXd rows_among(const Eigen::MatrixXd& some, const std::vector<Index>& columns, Index count) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(some.cols() == 0 ? 0 : count, some.cols());
  if (some.cols() > 0) {
    all(columns, Eigen::all) = some;
  }
  return all;
}

}  // namespace

Result<std::vector<Index>> first_functions(const BasisChoice& choice, const BasisSpec& basis, int functions) {
  const std::vector<std::string> labels = column_labels(basis);
  std::vector<Index> columns;
  std::set<std::string> wanted(labels.begin(), labels.end());
  if (functions < static_cast<int>(labels.size())) {
    const auto smaller = resolve_basis(first_of(choice, basis, functions));
    if (!smaller) {
      return smaller.errors();
    }
    const std::vector<std::string> first = column_labels(*smaller);
    wanted = {first.begin(), first.end()};
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (wanted.contains(labels[i])) {
      columns.push_back(static_cast<Index>(i));
    }
  }
  return columns;
}

Solution among_all(Solution solution, const std::vector<Index>& columns, Index count) {
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(count);
  coefficients(columns) = solution.coefficients;
  solution.coefficients = std::move(coefficients);
  if (solution.precisions.size() > 0) {
    Eigen::VectorXd precisions = Eigen::VectorXd::Constant(count, std::numeric_limits<double>::infinity());
    precisions(columns) = solution.precisions;
    solution.precisions = std::move(precisions);
  }
  solution.covariance_factor = rows_among(solution.covariance_factor, columns, count);
  solution.committee = rows_among(solution.committee, columns, count);
  return solution;
}

}  // namespace ipfit
