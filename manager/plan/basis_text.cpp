#include "manager/plan/basis_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/atoms/element.h"
#include "common/model/ace/ace_labels.h"
#include "common/model/ace/radial_names.h"
#include "common/text_table.h"

namespace ipfit {
namespace {

std::string text_of(const PairSpec& pair) {
  return fmt::format("basis    pair: {} functions of the distance for each pair of elements\ncutoff   {:.4g} Å\n\n",
                     pair.size, pair.cutoff);
}

/// Functions, and the products that they are couplings of where these are fewer.
std::string counts_text(std::int64_t functions, std::int64_t products) {
  return functions == 0          ? "-"
         : functions == products ? fmt::format("{}", functions)
                                 : fmt::format("{} ({})", functions, products);
}

std::string rank_table(const AceSpec& ace, const std::vector<AceRankCount>& counts) {
  int ranks = 1;
  for (const AceRankCount& count : counts) {
    ranks = std::max(ranks, count.rank);
  }
  std::vector<std::string> header{"functions (products) around"};
  for (int rank = 1; rank <= ranks; ++rank) {
    header.push_back(fmt::format("rank {}", rank));
  }
  header.emplace_back("all");
  TextTable table(header);
  for (std::size_t centre = 0; centre < ace.elements.size(); ++centre) {
    std::vector<std::string> row(header.size(), "-");
    row[0] = element_symbol(ace.elements[centre]);
    std::int64_t functions = 0;
    std::int64_t products = 0;
    for (const AceRankCount& count : counts) {
      if (count.centre == centre) {
        row[static_cast<std::size_t>(count.rank)] = counts_text(count.functions, count.multisets);
        functions += count.functions;
        products += count.multisets;
      }
    }
    row.back() = counts_text(functions, products);
    table.add_row(row);
  }
  return table.text();
}

/// "6.2 Å" where all pairs have the same, else each with its pair.
std::string cutoffs_text(const AceSpec& ace) {
  const bool same =
      std::ranges::all_of(ace.bonds, [&](const AceBond& bond) { return bond.cutoff == ace.bonds.front().cutoff; });
  if (same) {
    return fmt::format("{:.4g} Å", ace.bonds.front().cutoff);
  }
  std::string out;
  for (std::size_t a = 0; a < ace.elements.size(); ++a) {
    for (std::size_t b = a; b < ace.elements.size(); ++b) {
      out += fmt::format("{}{} {:.4g} Å", out.empty() ? "" : ", ", pair_text(ace.elements[a], ace.elements[b]),
                         ace.bonds[ace.bond_index(a, b)].cutoff);
    }
  }
  return out;
}

std::string text_of(const AceSpec& ace) {
  std::int32_t radial = 0;
  int l = 0;
  for (const AceBond& bond : ace.bonds) {
    radial = std::max(radial, bond.size);
  }
  for (const AceMultiset& multiset : ace.multisets) {
    l = std::max<int>(l, multiset.labels.back().l);
  }
  return fmt::format("basis    ace: {} functions, {} with n up to {}, harmonics with l up to {}\ncutoff   {}\n\n{}\n",
                     column_count(ace), radial_name(ace.bonds.front().family), radial, l, cutoffs_text(ace),
                     rank_table(ace, functions_by_rank(ace)));
}

}  // namespace

std::string basis_text(const BasisSpec& basis) {
  return std::visit([](const auto& kind) { return text_of(kind); }, basis);
}

}  // namespace ipfit
