#include "common/fit/assembly_model.h"

#include "common/fit/repulsion.h"

namespace ipfit {

Result<Model> assembly_model(const FitSpec& spec) {
  auto basis = resolve_basis(spec.basis);
  if (!basis) {
    return basis.errors();
  }
  return Model{std::move(*basis), {}, {}, zbl_of(spec.reference, elements_of(spec.basis))};
}

}  // namespace ipfit
