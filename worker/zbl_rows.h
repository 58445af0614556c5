#pragma once

#include "common/model/zbl.h"
#include "worker/basis/basis.h"

namespace ipfit {

/// Adds the ZBL repulsion of a site to one column of the rows of its structure, in eV and eV/Å: half the energy and
/// virial of its pairs and the whole force on its centre, so that the sum over all sites is the whole (as PairBasis
/// does). Neighbours beyond zbl.outer are passed over.
void add_zbl(const Zbl& zbl, const Environment& site, std::int64_t column, const Rows& rows);

}  // namespace ipfit
