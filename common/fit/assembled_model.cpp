#include "common/fit/assembled_model.h"

#include <utility>

#include "common/fit/repulsion.h"

namespace ipfit {

Model assembled_model(const FitSpec& spec, BasisSpec basis) {
  Model model{std::move(basis), {}, {}};
  model.zbl = zbl_of(spec.reference, elements_of(model.basis));
  return model;
}

}  // namespace ipfit
