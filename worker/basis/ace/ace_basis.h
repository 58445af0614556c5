#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/model/ace/ace_spec.h"
#include "common/model/ace/radial.h"
#include "worker/basis/ace/ace_plan.h"
#include "worker/basis/ace/kernel_choice.h"
#include "worker/basis/ace/line_buffer.h"
#include "worker/basis/basis.h"

namespace ipfit {

/// Atomic cluster expansion (docs/explanation/ace-basis.md). Per site: radial functions and harmonics of all
/// neighbours, the densities A and their derivatives by the neighbours; the products of the A and their derivatives by
/// the A; and the product of the two tables of derivatives, which is where the time goes. A fitted potential needs no
/// such product: the derivatives of the energy by the A are as many as the A, whatever the number of functions.
class AceBasis final : public Basis {
 public:
  /// With coefficients, one per column: the fitted potential.
  explicit AceBasis(const AceSpec& spec, std::vector<double> coefficients = {},
                    const SiteKernel& kernel = site_kernel());

  std::int64_t columns() const override { return coefficients_.empty() ? plan_->columns : 1; }
  double cutoff() const override { return cutoff_; }
  void add_site(const Environment& site, const Rows& rows) override;

 private:
  /// The neighbours of one element around the present site.
  struct Neighbours {
    std::vector<std::int32_t> found;  ///< indices in the environment
    std::vector<std::int32_t> atom;   ///< NeighboursView::atom
    std::vector<std::int32_t> atoms;  ///< the atoms of the structure that forces act on
    LineBuffer numbers;
    LineBuffer derivatives;
    NeighboursView view{};
    std::int64_t stride = 0;  ///< of `derivatives`
  };

  void collect(const Environment& site);
  void number_atoms(const Environment& site, Neighbours& neighbours);
  void prepare(const Environment& site, std::size_t centre, std::size_t element);
  void add_functions(const Environment& site, const CentrePlan& plan, const Rows& rows);
  void add_products(const Environment& site, std::size_t element, const CentrePlan& plan, const Rows& rows);
  void add_potential(const Environment& site, std::size_t centre, const Rows& rows);

  AceSpec spec_;
  std::unique_ptr<const AcePlan> plan_;
  std::vector<double> coefficients_;
  std::vector<std::vector<double>> couplings_;           ///< per centre: summed_couplings
  std::vector<std::vector<const double*>> coupling_of_;  ///< per centre and batch: where they begin
  std::vector<RadialFunctions> radial_;                  ///< per bond
  std::vector<double> recursion_;
  double cutoff_ = 0.0;
  const SiteKernel& kernel_;
  std::array<int, 256> element_of_{};         ///< atomic number -> index in the specification
  std::vector<Neighbours> neighbours_;        ///< per element
  std::vector<std::int32_t> number_of_atom_;  ///< -1 but while atoms are being numbered
  LineBuffer densities_;
  LineBuffer values_;
  LineBuffer gradients_;
  LineBuffer scratch_;
  std::vector<double*> targets_;
};

}  // namespace ipfit
