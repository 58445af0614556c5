#include "common/model/model.h"

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace ipfit;

namespace {

/// Any finite double, with all bit patterns: denormal, huge, negative zero.
double any_double(double largest) {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  const double value = std::bit_cast<double>(bits);
  return std::isfinite(value) && std::abs(value) <= largest ? value : static_cast<double>(bits) * 1e-12;
}

Model any_model() {
  PairSpec spec;
  const int elements = *rc::gen::inRange(1, 5);
  for (int e = 0; e < elements; ++e) {
    spec.elements.push_back(static_cast<std::uint8_t>((*rc::gen::inRange(0, 28)) * 4 + e + 1));
  }
  spec.cutoff = 0.1 + 99.0 * std::abs(std::remainder(any_double(1e300), 1.0));
  spec.size = *rc::gen::inRange(1, 10);
  Model model{spec, {}, {}};
  if (*rc::gen::arbitrary<bool>()) {
    for (std::int64_t c = column_count(spec); c > 0; --c) {
      model.coefficients.push_back(any_double(std::numeric_limits<double>::max()));
    }
  }
  for (const std::uint8_t element : spec.elements) {
    model.one_body[element] = any_double(1e9);
  }
  if (*rc::gen::arbitrary<bool>()) {
    const double outer = 0.02 + 19.0 * std::abs(std::remainder(any_double(1e300), 1.0));
    model.zbl = Zbl{outer * *rc::gen::element(0.5, 0.6, 0.99), outer};
  }
  return model;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

const std::string kGood = R"({
 "format": "ipfit potential",
 "version": 1,
 "basis": {"kind": "pair", "elements": ["In", "P"], "cutoff": 6.0, "size": 1},
 "one_body": {"In": -1.5, "P": 4.25},
 "coefficients": [0.5, -0.25, 1e-3]
})";

/// The good file with a piece replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& text) {
  const Result<Model> model = read_model(text, "in.potential");
  REQUIRE_FALSE(model.ok());
  REQUIRE(model.error().kind == ErrorKind::kInput);
  return model.error().text();
}

}  // namespace

TEST_CASE("a model that was written reads back the same, every number to the last bit") {
  REQUIRE(rc::check([] {
    const Model model = any_model();
    const std::string text = write_model(model);
    const Result<Model> back = read_model(text, "text");
    RC_ASSERT(back.ok());
    RC_ASSERT(*back == model);
    RC_ASSERT(same_bits(back->coefficients, model.coefficients));
    for (const auto& [element, energy] : model.one_body) {
      RC_ASSERT(same_bits({back->one_body.at(element)}, {energy}));
    }
    RC_ASSERT(write_model(*back) == text);
  }));
}

TEST_CASE("the potential file of the reference page is read") {
  const Result<Model> model = read_model(kGood, "in.potential");
  REQUIRE(model.ok());
  REQUIRE(*model == Model{PairSpec{{49, 15}, 6.0, 1}, {0.5, -0.25, 1e-3}, {{49, -1.5}, {15, 4.25}}});
  REQUIRE(model->columns() == 1);
}

TEST_CASE("without coefficients a model is a design matrix") {
  const Result<Model> model = read_model(with(",\n \"coefficients\": [0.5, -0.25, 1e-3]", ""), "in.potential");
  REQUIRE(model.ok());
  REQUIRE_FALSE(model->fitted());
  REQUIRE(model->columns() == 3);
}

TEST_CASE("a ZBL repulsion is one more column of the design matrix, and none of a fitted model") {
  const std::string zbl = R"("zbl": {"inner": 1.18, "outer": 2.35}, "coefficients")";
  const Result<Model> fitted = read_model(with("\"coefficients\"", zbl), "in.potential");
  REQUIRE(fitted.ok());
  CHECK(fitted->zbl == Zbl{1.18, 2.35});
  CHECK(fitted->columns() == 1);
  CHECK(fitted->cutoff() == 6.0);
  Model bare = *fitted;
  bare.coefficients.clear();
  CHECK(bare.columns() == column_count(bare.basis) + 1);
  bare.zbl->outer = 7.0;
  CHECK(bare.cutoff() == 7.0);
}

TEST_CASE("what is wrong with a potential file is said in words") {
  const std::string at = "in.potential: ";
  CHECK(complaint("{") == at + "not valid JSON at byte 2");
  CHECK(complaint("[]") == at + "\"format\" is missing");
  CHECK(complaint(with("ipfit potential", "table")) ==
        at + "not a potential file: \"format\" must be \"ipfit potential\"");
  CHECK(complaint(with("\"version\": 1", "\"version\": 2")) ==
        at + "version 2 of the format, expected 1; use the version of ipfit that wrote it, or a newer one");
  CHECK(complaint(with("\"kind\": \"pair\"", "\"kind\": \"magic\"")) ==
        at + "basis: \"kind\" is \"magic\", which this version does not know; it knows \"ace\" and \"pair\"; use a "
             "version of ipfit that has this basis");
  CHECK(complaint(with("\"kind\": \"pair\"", "\"kind\": \"\""))
            .starts_with(at + "basis: \"kind\" is \"\", which this version does not know"));
  CHECK(complaint(with("\"coefficients\"", R"("zbl": {"inner": 2.0, "outer": 2.0}, "coefficients")")) ==
        at + "zbl: \"inner\" is 2, expected less than \"outer\", which is 2");
  CHECK(complaint(with("\"coefficients\"", R"("zbl": {"inner": 0, "outer": 2.0}, "coefficients")")) ==
        at + "zbl: \"inner\" is 0, expected a number from 0.01 to 20");
  CHECK(complaint(with("\"coefficients\"", R"("zbl": 1, "coefficients")")) == at + "\"zbl\" is 1, expected an object");
  CHECK(complaint(with("\"kind\": \"pair\", ", "")) == at + "basis: \"kind\" is missing");
  CHECK(complaint(with("[\"In\", \"P\"]", "[]")) == at + "basis: \"elements\" is empty, expected at least one");
  CHECK(complaint(with("[\"In\", \"P\"]", "[\"In\", \"in\"]")) ==
        at + "basis: \"in\" is not the symbol of an element, such as \"Si\"");
  CHECK(complaint(with("[\"In\", \"P\"]", "[\"In\", 15]")) ==
        at + "basis: \"\" is not the symbol of an element, such as \"Si\"");
  CHECK(complaint(with("[\"In\", \"P\"]", "[\"In\", \"In\"]")) == at + "basis: In stands twice in \"elements\"");
  CHECK(complaint(with("6.0", "-6.0")) == at + "basis: \"cutoff\" is -6.0, expected a number from 0.1 to 100");
  CHECK(complaint(with("6.0", "null")) == at + "basis: \"cutoff\" is null, expected a number from 0.1 to 100");
  CHECK(complaint(with("6.0", "1e999")) == at + "not valid JSON: a number is too large for a double");
  CHECK(complaint(with("\"size\": 1", "\"size\": 1.5")) ==
        at + "basis: \"size\" is 1.5, expected an integer from 1 to 1000");
  CHECK(complaint(with("\"size\": 1", "\"size\": 18446744073709551615")) ==
        at + "basis: \"size\" is 18446744073709551615, expected an integer from 1 to 1000");
  CHECK(complaint(with("\"size\": 1", "\"size\": 1, \"scale\": 3")) ==
        at + "basis: unknown key \"scale\"; known are kind, elements, cutoff, size");
  CHECK(complaint(with("{\"In\": -1.5", "{\"Xx\": -1.5")) ==
        at + "one_body: \"Xx\" is not the symbol of an element, such as \"Si\"");
  CHECK(complaint(with("-1.5", "\"-1.5\"")) ==
        at + "one_body: \"In\" is \"-1.5\", expected a number from -1000000000 to 1000000000");
  CHECK(complaint(with("[0.5, -0.25, 1e-3]", "[0.5, -0.25]")) ==
        at + "2 coefficients, expected 3, one per column of the basis");
  CHECK(complaint(with("[0.5, -0.25, 1e-3]", "[]")) == at + "0 coefficients, expected 3, one per column of the basis");
  CHECK(complaint(with("-0.25", "{}")) ==
        at + "entry 2 of \"coefficients\" is an object of 0 entries, expected a finite number");
  CHECK(complaint(with("\"version\": 1,", "\"version\": 1, \"colour\": 2,")) ==
        at + "unknown key \"colour\"; known are format, version, basis, one_body, zbl, coefficients, checksum");
}

TEST_CASE("a potential file that lost a piece is refused, or is another that can be written and read") {
  for (std::size_t at = 0; at < kGood.size(); ++at) {
    for (std::size_t lost = 1; lost < 20; ++lost) {
      std::string text = kGood;
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

TEST_CASE("all mistakes are reported at once, but no more than a person reads") {
  const Result<Model> two = read_model(with("6.0, \"size\": 1", "-1, \"size\": 0"), "in.potential");
  REQUIRE(two.errors().size() == 2);
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += "\"x" + std::to_string(i) + "\": 1, ";
  }
  REQUIRE(read_model(with("\"version\"", many + "\"version\""), "in.potential").errors().size() == 20);
}

TEST_CASE("a model cannot ask for more columns than any fit has") {
  std::string elements;
  for (const char* symbol :
       {"H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",
        "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn",
        "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh"}) {
    elements += std::string(elements.empty() ? "\"" : ", \"") + symbol + "\"";
  }
  const std::string text = R"({"format": "ipfit potential", "version": 1, "one_body": {}, "basis": {"kind": "pair",
    "cutoff": 5, "size": 1000, "elements": [)" +
                           elements + "]}}";
  REQUIRE(complaint(text) == "in.potential: the basis has 1035000 columns, expected at most 1000000");
}

TEST_CASE("any damage to a potential file is an error or another model, never a crash") {
  REQUIRE(rc::check([] {
    std::string text = kGood;
    const int changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      if (*rc::gen::arbitrary<bool>()) {
        text[at] = *rc::gen::arbitrary<char>();
      } else {
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
      }
      if (text.empty()) {
        break;
      }
    }
    const Result<Model> model = read_model(text, "damaged");
    if (!model) {
      RC_ASSERT(!model.errors().empty());
      return;
    }
    const Result<Model> again = read_model(write_model(*model), "again");
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == *model);
  }));
}
