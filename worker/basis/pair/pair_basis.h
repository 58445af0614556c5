#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "worker/basis/basis.h"
#include "worker/basis/pair/pair_functions.h"

namespace ipfit {

/// E = 1/2 sum over ordered pairs (i, j) within the cutoff of sum_k c_(pair of elements),k phi_k(r_ij), with the
/// functions of PairFunctions and the columns of PairSpec. Each site adds half the energy and virial of its pairs and
/// the whole force on its centre; since both sites of a pair see the same |r|², the forces on the two are opposite to
/// the last bit.
class PairBasis final : public Basis {
 public:
  /// With coefficients, one per column: the fitted potential.
  explicit PairBasis(const PairSpec& spec, std::vector<double> coefficients = {});

  std::int64_t columns() const override { return coefficients_.empty() ? columns_ : 1; }
  double cutoff() const override { return functions_.cutoff(); }
  void add_site(const Environment& site, const Rows& rows) override;

 private:
  static constexpr int kLanes = PairFunctions::kLanes;
  using Lanes = PairFunctions::Lanes;

  /// Per pair: x y z xx yy zz yz xz xy of r, to be multiplied by dphi/d(r²); in the sums the tenth is the sum of phi
  /// itself.
  static constexpr int kMoments = 10;
  using Moments = Eigen::Matrix<double, kMoments, 1>;
  static constexpr int kEnergy = 9;

  /// Neighbours of one element, collected until there are kLanes of them.
  struct Batch {
    Lanes s;
    Eigen::Matrix<double, kMoments, kLanes> moments;
    int count = 0;
    bool met = false;  ///< this site has neighbours of the element
  };

  /// Sorts the neighbours of the site into batches and calls flush(element) for each one that is full, and at the end
  /// for what is left, filled up with lanes that give zero.
  template <class Flush>
  void for_each_batch(const Environment& site, Flush flush);
  std::int64_t first_column(int element_a, int element_b) const;
  void add_functions(const Environment& site, const Rows& rows);
  void add_potential(const Environment& site, const Rows& rows);

  PairFunctions functions_;
  int elements_;
  std::int64_t columns_;
  std::vector<double> coefficients_;
  double per_cutoff_squared_;
  std::array<int, 256> element_of_{};  ///< atomic number -> index in the specification
  std::vector<Batch> batches_;         ///< per element of the neighbour
  /// Per element of the neighbour: moments x functions, zero between sites.
  std::vector<Eigen::Matrix<double, kMoments, Eigen::Dynamic>> sums_;
};

}  // namespace ipfit
