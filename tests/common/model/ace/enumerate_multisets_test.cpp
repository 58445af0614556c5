#include "common/model/ace/enumerate_multisets.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "common/model/ace/coupling.h"

using namespace ipfit;

namespace {

using Sum = std::pair<int, int>;

MultisetRange box(int elements, int rank, int n_max, int l_max) {
  MultisetRange range;
  range.elements = elements;
  range.rank = rank;
  range.n_max = n_max;
  range.l_max = l_max;
  range.sum_n = [=](int) { return Sum(rank, rank * n_max); };
  return range;
}

std::vector<AceMultiset> list_of(const MultisetRange& range) {
  std::vector<AceMultiset> found;
  for_each_multiset(range, [&](const AceMultiset& multiset, std::int32_t count) {
    CHECK(count == coupling_count(shape_of(multiset)));
    found.push_back(multiset);
    return true;
  });
  return found;
}

// Every tuple of labels in the box, sorted, each once, and of these the ones that are wanted.
std::vector<AceMultiset> dumb_list(const MultisetRange& range) {
  std::vector<AceMultiset> all{{static_cast<std::uint8_t>(range.centre), {}}};
  for (int t = 0; t < range.rank; ++t) {
    std::vector<AceMultiset> longer;
    for (const AceMultiset& multiset : all) {
      for (int l = 0; l <= range.l_max; ++l) {
        for (int element = 0; element < range.elements; ++element) {
          for (int n = 1; n <= range.n_max; ++n) {
            const AceLabel label{static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(element),
                                 static_cast<std::uint8_t>(n)};
            if (multiset.labels.empty() || multiset.labels.back() <= label) {
              longer.push_back(multiset);
              longer.back().labels.push_back(label);
            }
          }
        }
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const AceMultiset& multiset) {
    int n = 0, l = 0;
    std::set<int> elements{range.centre};
    for (const AceLabel& label : multiset.labels) {
      n += label.n;
      l += label.l;
      elements.insert(label.element);
    }
    const auto [least, largest] = range.sum_n(l);
    return n < least || n > largest || coupling_count(shape_of(multiset)) == 0 ||
           (range.max_elements > 0 && static_cast<int>(elements.size()) > range.max_elements);
  });
  return all;
}

void check_same(std::vector<AceMultiset> found, std::vector<AceMultiset> expected) {
  const auto before = [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; };
  std::sort(found.begin(), found.end(), before);
  std::sort(expected.begin(), expected.end(), before);
  CHECK(found == expected);
}

}  // namespace

TEST_CASE("the multisets in a range are those of a search through its box") {
  for (const auto& [elements, rank, n_max, l_max] :
       {std::tuple(1, 1, 5, 0), std::tuple(3, 2, 3, 3), std::tuple(1, 3, 3, 3), std::tuple(2, 3, 2, 3),
        std::tuple(2, 4, 2, 2), std::tuple(1, 5, 2, 2), std::tuple(1, 6, 2, 1)}) {
    CAPTURE(elements, rank, n_max, l_max);
    MultisetRange range = box(elements, rank, n_max, l_max);
    check_same(list_of(range), dumb_list(range));
    range.sum_n = [rank = rank](int sum_l) { return Sum(rank, 2 * rank + 1 - sum_l); };
    check_same(list_of(range), dumb_list(range));
    range.sum_n = [rank = rank](int sum_l) { return Sum(rank + 3 - sum_l, rank + 3 - sum_l); };
    check_same(list_of(range), dumb_list(range));
    range.centre = elements - 1;
    for (range.max_elements = 1; range.max_elements <= 3; ++range.max_elements) {
      CAPTURE(range.max_elements);
      check_same(list_of(range), dumb_list(range));
    }
  }
}

TEST_CASE("boxes of one element have the known numbers of multisets and functions") {
  struct Row {
    int rank, n_max, l_max;
    std::int64_t multisets, functions;
  };
  const Row rows[] = {{2, 1, 3, 4, 4},     {2, 4, 4, 50, 50},     {3, 2, 2, 26, 26},   {3, 4, 4, 548, 548},
                      {4, 1, 3, 17, 23},   {4, 2, 1, 19, 20},     {4, 3, 3, 609, 939}, {4, 4, 4, 3863, 7311},
                      {5, 2, 2, 126, 192}, {5, 3, 3, 2049, 5838}, {6, 1, 3, 42, 110},  {6, 3, 3, 6018, 35996}};
  for (const Row& row : rows) {
    CAPTURE(row.rank, row.n_max, row.l_max);
    std::int64_t multisets = 0;
    std::int64_t functions = 0;
    for_each_multiset(box(1, row.rank, row.n_max, row.l_max), [&](const AceMultiset&, std::int32_t count) {
      ++multisets;
      functions += count;
      return true;
    });
    CHECK(multisets == row.multisets);
    CHECK(functions == row.functions);
  }
}

TEST_CASE("the listing stops when it is told to") {
  int calls = 0;
  for_each_multiset(box(4, 6, 99, 10), [&](const AceMultiset&, std::int32_t) { return ++calls < 5; });
  CHECK(calls == 5);
}
