#include "common/atoms/number_text.h"

#include <rapidcheck.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

using namespace ipfit;

TEST_CASE("real numbers are read in all the forms that the specification allows") {
  const std::pair<std::string, double> cases[] = {{"1", 1.0},
                                                  {"-7", -7.0},
                                                  {"+1.", 1.0},
                                                  {".5", 0.5},
                                                  {"-.5", -0.5},
                                                  {"0.4E1", 4.0},
                                                  {"1e-05", 1e-5},
                                                  {"1.0D-03", 1e-3},
                                                  {"4.0d0", 4.0},
                                                  {"-1.25D+01", -12.5},
                                                  {"+2.5e-1", 0.25},
                                                  {"007.5", 7.5},
                                                  {"-0.", -0.0},
                                                  {"-2.5e-300", -2.5e-300},
                                                  {"4.9e-324", 4.9e-324}};
  for (const auto& [text, value] : cases) {
    CAPTURE(text);
    REQUIRE(parse_real(text));
    CHECK(std::bit_cast<std::uint64_t>(*parse_real(text)) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("what is no finite real number is refused, with the reason") {
  for (const std::string text : {"",     "+",        "-",   ".",    "-.",  "e5",  "1.0x",  "1.0.0",      "1e",
                                 "1d",   "1e5d3",    "1 ",  "0x10", "1,0", "NaN", "nan",   "-nan",       "inf",
                                 "-inf", "Infinity", "+-1", "++1",  "--1", "T",   "1_000", "0.1234-310", "d"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_real(text));
    CHECK(why_not_real(text) == "'" + text + "' is not a number");
  }
  for (const std::string text : {"1e400", "-1d999", "1e99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_real(text));
    CHECK(why_not_real(text) == "'" + text + "' is outside the range of double precision");
  }
}

TEST_CASE("a double written in its shortest form is read back to the bit") {
  REQUIRE(rc::check("shortest form round trip", [](std::uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    RC_PRE(std::isfinite(value));
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::optional<double> read = parse_real({digits.data(), end});
    RC_ASSERT(read.has_value());
    RC_ASSERT(std::bit_cast<std::uint64_t>(*read) == bits);
  }));
}

TEST_CASE("decimal texts are read as the C library reads them") {
  REQUIRE(rc::check("agrees with strtod", [](std::int64_t mantissa) {
    const int exponent = *rc::gen::inRange(-280, 280);
    const std::string text = std::to_string(mantissa) + "e" + std::to_string(exponent);
    RC_ASSERT(parse_real(text) == std::strtod(text.c_str(), nullptr));
  }));
}

TEST_CASE("integers use all of their 64 bits and nothing more") {
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807LL);
  CHECK(parse_integer("-5") == -5);
  CHECK(parse_integer("+4294967296") == 4294967296LL);
  for (const std::string text : {"", "+", "9223372036854775808", "1.5", "1.0", "1e3", "two", "1 ", "+-1", "0x1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("logical values are T and F, true and false, 1 and 0") {
  for (const std::string text : {"T", "True", "true", "TRUE", "1"}) {
    CHECK(parse_logical(text) == true);
  }
  for (const std::string text : {"F", "False", "false", "FALSE", "0"}) {
    CHECK(parse_logical(text) == false);
  }
  for (const std::string text : {"", "t", "f", "tRuE", "2", ".true.", "yes", "TT"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_logical(text));
  }
}
