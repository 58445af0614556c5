#include "common/model/ace/ace_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>

#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_rule.h"
#include "common/model/ace/coupling.h"
#include "common/model/model.h"

namespace ipfit {
namespace {

/// Any basis that a small rule gives, with any numbers in its bonds.
AceSpec any_spec() {
  AceRule rule;
  rule.elements = *rc::gen::elementOf(std::vector<std::vector<std::uint8_t>>{{14}, {15, 49}, {49, 15, 7}});
  rule.cutoff = 3.0 + *rc::gen::inRange(0, 1000) / 300.0;
  rule.pair_cutoffs[{rule.elements[0], rule.elements[0]}] = 2.0 + *rc::gen::inRange(0, 1000) / 700.0;
  rule.radial = *rc::gen::element(RadialFamily::kSBessel, RadialFamily::kChebExpCos, RadialFamily::kChebPow);
  rule.lambda = 1.5 + *rc::gen::inRange(0, 1000) / 300.0;
  rule.orthonormal = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    rule.inner_cutoff = 1.0 / 3.0;
    rule.inner_width = 0.1;
  }
  rule.size = *rc::gen::inRange(1, 150);
  rule.order = *rc::gen::inRange(1, 7);
  if (*rc::gen::arbitrary<bool>()) {
    rule.choice = AceChoice::kLists;
    rule.n_max = {*rc::gen::inRange(1, 9), 2, 1};
    rule.l_max = {0, 2, 3};
  } else if (rule.order == 1) {
    rule.size = std::min(rule.size, 20);
  }
  auto spec = make_ace_spec(rule);
  if (!spec) {
    RC_FAIL(spec.error().text());
  }
  return *spec;
}

bool same_bits(const AceSpec& a, const AceSpec& b) {
  for (std::size_t i = 0; i < a.bonds.size(); ++i) {
    const auto equal = [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    if (!std::ranges::equal(a.bonds[i].transform, b.bonds[i].transform, equal) ||
        !equal(a.bonds[i].cutoff, b.bonds[i].cutoff) || !equal(a.bonds[i].lambda, b.bonds[i].lambda)) {
      return false;
    }
  }
  return true;
}

/// Around indium two pair terms and a few others; the file of the reference page.
AceSpec documented() {
  const AceBond bond{RadialFamily::kSBessel, 5.25, 6.0, 0.3, 0.0, 0.0, 1, {}};
  AceSpec spec;
  spec.elements = {49, 15};
  spec.bonds = {bond, bond, bond};
  spec.bonds[0].size = 2;
  spec.bonds[1].cutoff = 5.0;
  spec.multisets = {{0, {{0, 0, 1}}}, {0, {{0, 0, 2}}}, {0, {{0, 1, 1}}}, {0, {{1, 1, 1}, {1, 1, 1}}},
                    {1, {{0, 0, 1}}}, {1, {{0, 1, 1}}}};
  return spec;
}

std::string good_text() {
  return write_model({documented(), {}, {}});
}

/// The good file with a piece replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = good_text();
  const std::size_t at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const Result<Model> model = read_model(text, "in.potential");
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().kind == ErrorKind::kInput);
  const std::string whole = model.error().text();
  REQUIRE(whole.starts_with("in.potential: basis"));
  return whole.substr(std::string("in.potential: ").size());
}

/// A basis with bonds large enough for anything and these functions around silicon.
std::string with_functions(const std::vector<std::string>& functions) {
  return fmt::format(
      R"({{"format": "ipfit potential", "version": 1, "one_body": {{}}, "basis": {{"kind": "ace", "elements": ["Si"],
      "bonds": [{{"pair": "Si-Si", "radial": "SBessel", "lambda": 5, "cutoff": 5, "cutoff_width": 0.3,
      "inner_cutoff": 0, "inner_width": 0, "size": 99}}], "functions": {{"Si": ["{}"]}}, "columns": ""}}}})",
      fmt::join(functions, "\", \""));
}

/// All products of `rank` factors with n = 1, ..., n_max and l = 0, ..., 10, in the order of the columns.
std::vector<std::string> everything_of(std::size_t rank, int n_max) {
  std::vector<AceMultiset> all{{0, {}}};
  for (std::size_t t = 0; t < rank; ++t) {
    std::vector<AceMultiset> longer;
    for (const AceMultiset& multiset : all) {
      for (std::uint8_t l = 0; l <= AceSpec::kLargestDegree; ++l) {
        for (std::uint8_t n = 1; n <= n_max; ++n) {
          const AceLabel label{l, 0, n};
          if (multiset.labels.empty() || multiset.labels.back() <= label) {
            longer.push_back(multiset);
            longer.back().labels.push_back(label);
          }
        }
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [](const AceMultiset& multiset) { return coupling_count(shape_of(multiset)) == 0; });
  std::ranges::sort(all, [](const auto& a, const auto& b) { return column_order(a, b) < 0; });
  std::vector<std::string> texts;
  for (const AceMultiset& multiset : all) {
    std::string text;
    for (const AceLabel& label : multiset.labels) {
      text += fmt::format("{}Si({},{})", text.empty() ? "" : " ", label.n, label.l);
    }
    texts.push_back(text);
  }
  return texts;
}

/// All products of four different factors with l = 10 and n up to n_max: 21 columns each.
std::vector<std::string> fours_of_degree_ten(int n_max) {
  std::vector<std::string> texts;
  for (int a = 1; a <= n_max; ++a) {
    for (int b = a + 1; b <= n_max; ++b) {
      for (int c = b + 1; c <= n_max; ++c) {
        for (int d = c + 1; d <= n_max; ++d) {
          texts.push_back(fmt::format("Si({},10) Si({},10) Si({},10) Si({},10)", a, b, c, d));
        }
      }
    }
  }
  return texts;
}

}  // namespace

TEST_CASE("an ACE model that was written reads back the same, every number to the last bit") {
  REQUIRE(rc::check([] {
    Model model{any_spec(), {}, {{14, -1.5}}};
    if (*rc::gen::arbitrary<bool>()) {
      for (std::int64_t c = column_count(model.basis); c > 0; --c) {
        model.coefficients.push_back(1.0 / static_cast<double>(c));
      }
    }
    const std::string text = write_model(model);
    const Result<Model> back = read_model(text, "text");
    if (!back) {
      RC_FAIL(back.error().text());
    }
    RC_ASSERT(*back == model);
    RC_ASSERT(same_bits(std::get<AceSpec>(back->basis), std::get<AceSpec>(model.basis)));
    RC_ASSERT(write_model(*back) == text);
  }));
}

TEST_CASE("the ACE basis of the reference page is read") {
  std::ifstream file("docs/reference/potential-file.md");
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t kind = page.find("\"kind\": \"ace\"");
  REQUIRE(kind != std::string::npos);
  const std::size_t begin = page.rfind("```json\n", kind) + 8;
  const std::string basis = page.substr(begin, page.find("```", begin) - begin);
  const Result<Model> model =
      read_model(R"({"format": "ipfit potential", "version": 1, "one_body": {}, "basis": )" + basis + "}", "page");
  if (!model) {
    FAIL(model.error().text());
  }
  CHECK(*model == Model{documented(), {}, {}});
}

TEST_CASE("products are written as a chemist reads them, a line for each") {
  const std::string text = good_text();
  CHECK(text.find("\n    \"P(1,1) P(1,1)\"\n") != std::string::npos);
}

TEST_CASE("what is wrong with an ACE basis is said in words") {
  CHECK(complaint(with("\"In\",\n   \"P\"", "\"In\"")) == "basis: \"bonds\" has 3 entries, expected at most 1");
  CHECK(complaint(with("\"pair\": \"In-P\"", "\"pair\": \"P-In\"")) ==
        "basis: bonds[1]: \"pair\" must be \"In-P\": pairs stand in the order of the elements");
  CHECK(complaint(with("SBessel", "Bessel")) ==
        "basis: bonds[0]: \"radial\" is none of the families \"SBessel\", \"ChebExpCos\" and \"ChebPow\"");
  CHECK(complaint(with("\"size\": 2", "\"size\": 100")) ==
        "basis: bonds[0]: \"size\" is 100, expected an integer from 1 to 99");
  CHECK(complaint(with("\"size\": 2", "\"size\": 1")) ==
        "basis: functions: entry 2 of \"In\", \"In(2,0)\", has n = 2, but this bond has 1 radial functions");
  CHECK(complaint(with("\"cutoff\": 5.0", "\"cutoff\": 0.0")) ==
        "basis: bonds[1]: \"cutoff\" is 0.0, expected a number from 0.1 to 100");
  CHECK(complaint(with("\"inner_width\": 0.0", "\"inner_width\": 0.5")).starts_with("basis: bonds[0]: inner_width is"));
  CHECK(
      complaint(with("\"inner_cutoff\": 0.0", "\"inner_cutoff\": 7")).starts_with("basis: bonds[0]: inner_cutoff is"));
  CHECK(complaint(with("\"size\": 2", "\"size\": 2, \"transform\": [1, 2]")) ==
        "basis: bonds[0]: \"transform\" has 2 numbers, expected the 3 of a lower triangle of 2 rows");
  CHECK(complaint(with("\"size\": 2", "\"size\": 2, \"transform\": [1, 2, 0]")) ==
        "basis: bonds[0]: row 2 of \"transform\" ends with 0, expected a number above 0");
  CHECK(complaint(with("\"size\": 2", "\"size\": 2, \"transform\": [1, null, 1]")) ==
        "basis: bonds[0]: entry 2 of \"transform\" is null, expected a finite number");
  CHECK(complaint(with("\"functions\": {\n   \"In\"", "\"functions\": {\n   \"Si\"")) ==
        "basis: functions: \"In\" is missing");
  CHECK(complaint(with("\"functions\": {", "\"functions\": {\"Si\": [],")) ==
        "basis: functions: 3 keys, expected one for each of the 2 elements");
  CHECK(complaint(with("\"kind\": \"ace\"", "\"kind\": \"ace\", \"size\": 3")) ==
        "basis: unknown key \"size\"; known are kind, elements, bonds, functions, columns");
}

TEST_CASE("a product that is no product, or in the wrong place, is said in words") {
  const auto wrong = [](const std::string& function) {
    return complaint(with("\"P(1,1) P(1,1)\"", "\"" + function + "\""));
  };
  for (const std::string text : {"",
                                 " ",
                                 "P",
                                 "P(",
                                 "P(1",
                                 "P(1,",
                                 "P(1,1",
                                 "P(1,1)  P(1,1)",
                                 "P(1,1) ",
                                 " P(1,1)",
                                 "P(1;1)",
                                 "P(-1,1)",
                                 "P(+1,1)",
                                 "P(0,1)",
                                 "P(1,11)",
                                 "P(100,1)",
                                 "P(999999999999,1)",
                                 "p(1,1)",
                                 "Si(1,1)",
                                 "P(1,1)P(1,1)",
                                 "P( 1,1)",
                                 "(1,1)",
                                 "P(1,1) P(1,1) P(1,1) P(1,1) P(1,1) P(1,1) P(1,1)",
                                 "P(1,1)\\u0000"}) {
    INFO(text);
    CHECK(wrong(text).starts_with("basis: functions: entry 4 of \"In\" is \""));
  }
  CHECK(wrong("P(1,1) In(1,1)") ==
        "basis: functions: entry 4 of \"In\", \"P(1,1) In(1,1)\", does not have its factors in ascending order of l, "
        "element and n");
  CHECK(wrong("P(1,0)") ==
        "basis: functions: entry 4 of \"In\", \"P(1,0)\", does not come after the one before in the order of the "
        "columns");
  CHECK(wrong("In(1,0)").find("does not come after") != std::string::npos);
  CHECK(wrong("In(1,0) P(1,1)") ==
        "basis: functions: entry 4 of \"In\", \"In(1,0) P(1,1)\", has no invariant coupling");
  CHECK(complaint(with("\"P(1,1) P(1,1)\"", "3")) ==
        "basis: functions: entry 4 of \"In\" is 3, expected 1 to 6 factors as in \"In(1,0) In(2,0)\"");
}

TEST_CASE("a file whose columns are others than this version makes of it is refused") {
  const std::string what =
      "basis: \"columns\" does not belong to these functions, or another version of ipfit orders them otherwise; use "
      "the "
      "version of ipfit that wrote the file";
  CHECK(complaint(with("\"P(1,1) P(1,1)\"", "\"P(1,2) P(1,2)\"")) == what);
  CHECK(complaint(with("\"columns\": \"", "\"columns\": \"0")) == what);
  CHECK(complaint(with("\"P\"\n  ],\n  \"bonds\"", "\"As\"\n  ],\n  \"bonds\"")) !=
        what);  // its bonds are of phosphorus
}

TEST_CASE("an ACE basis cannot ask for more columns than any fit has, or for couplings without end") {
  CHECK(complaint(with_functions(fours_of_degree_ten(36))).find("is too much: up to here there are 1000020 columns") !=
        std::string::npos);
  CHECK(complaint(with_functions(everything_of(6, 1))).find("is too much: up to here the couplings have") !=
        std::string::npos);
}

TEST_CASE("reading a hostile ACE basis takes no longer than reading a large one") {
  // Many shapes, each of which has to be counted; 0.1 s on an idle core.
  const std::string text = with_functions(everything_of(5, 2));
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(read_model(text, "hostile").ok());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("an ACE model that lost a piece is an error or another model") {
  const std::string good = good_text();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const std::size_t lost : {1U, 2U, 3U, 5U, 8U, 13U}) {
      std::string text = good;
      text.erase(at, lost);
      if (const Result<Model> model = read_model(text, "damaged")) {
        const Result<Model> again = read_model(write_model(*model), "again");
        INFO(text);
        REQUIRE(again.ok());
        REQUIRE(*again == *model);
      }
    }
  }
}

TEST_CASE("any damage to an ACE model is an error or another model, never a crash") {
  REQUIRE(rc::check([] {
    std::string text = good_text();
    const int changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes && !text.empty(); ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      if (*rc::gen::arbitrary<bool>()) {
        text[at] = *rc::gen::arbitrary<char>();
      } else {
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
      }
    }
    const Result<Model> model = read_model(text, "damaged");
    if (model) {
      const Result<Model> again = read_model(write_model(*model), "again");
      RC_ASSERT(again.ok());
      RC_ASSERT(*again == *model);
    }
  }));
}

TEST_CASE("the number of weights that is foretold is that of the couplings, mirror images aside") {
  for (const AceShape& shape :
       {AceShape{{0}, {false}}, AceShape{{2, 2}, {false, true}}, AceShape{{1, 1, 2, 2}, {false, false, false, true}},
        AceShape{{3, 3, 3, 3}, {false, true, true, true}},
        AceShape{{1, 2, 2, 2, 3}, {false, false, false, true, false}}}) {
    const auto weights = static_cast<double>(coupling_of(shape).weights.size());
    // Half of the products are mirror images of the others, but for those that are their own.
    CHECK(coupling_weights(shape) <= weights);
    CHECK(2.0 * coupling_weights(shape) >= weights);
  }
}

}  // namespace ipfit
