#include "common/atoms/comment_line.h"

#include <catch2/catch.hpp>
#include <string>

using namespace ipfit;

namespace {

const std::string kFile = "si.xyz";

// The text must outlive the line.
TextLine line_of(const std::string& text) {
  return {text, 2, &kFile};
}

std::string value_of(const std::string& text, const std::string& key) {
  const Result<CommentLine> comment = parse_comment_line(line_of(text));
  REQUIRE(comment);
  const KeyValue* pair = comment->find(key);
  REQUIRE(pair != nullptr);
  return string_value(*pair);
}

std::vector<double> numbers_of(const std::string& text, const std::string& key) {
  const TextLine line = line_of(text);
  const Result<CommentLine> comment = parse_comment_line(line);
  REQUIRE(comment);
  const Result<NumberArray> numbers = number_values(line, *comment->find(key));
  REQUIRE(numbers);
  return numbers->values;
}

Error error_of(const std::string& text) {
  const Result<CommentLine> comment = parse_comment_line(line_of(text));
  REQUIRE_FALSE(comment);
  return comment.error();
}

}  // namespace

TEST_CASE("strings are read bare, quoted and in braces") {
  CHECK(value_of("a=x b=y", "b") == "y");
  CHECK(value_of("a = x\tb=y", "a") == "x");
  CHECK(value_of(R"(a="x = \"y\" \\ [1, {2")", "a") == R"(x = "y" \ [1, {2)");
  CHECK(value_of(R"(a="two\nlines")", "a") == "two\nlines");
  CHECK(value_of("a='single \"double\"' b=1", "a") == "single \"double\"");
  CHECK(value_of("a={slab}", "a") == "slab");
  CHECK(value_of("a={\"slab 1\"}", "a") == "slab 1");
  CHECK(value_of("a=don't", "a") == "don't");
  CHECK(value_of("\"my key\"=5", "my key") == "5");
}

TEST_CASE("arrays are read in quotes, braces and brackets") {
  const std::vector<double> expected{1.0, -2.5, 300.0};
  CHECK(numbers_of("a=\"1 -2.5 3e2\"", "a") == expected);
  CHECK(numbers_of("a='\t1\t-2.5  3d2 '", "a") == expected);
  CHECK(numbers_of("a={1 -2.5 3e2}", "a") == expected);
  CHECK(numbers_of("a=[1, -2.5,3e2]", "a") == expected);
  CHECK(numbers_of("a=[[1], [-2.5], [3e2]]", "a") == expected);
  CHECK(numbers_of("a=-1", "a") == std::vector<double>{-1.0});
}

TEST_CASE("a key without a value is a flag that is true") {
  const std::string text = "relaxed a=1 final";
  const Result<CommentLine> comment = parse_comment_line(line_of(text));
  REQUIRE(comment);
  REQUIRE(comment->pairs.size() == 3);
  CHECK(comment->find("relaxed")->form == ValueForm::kNone);
  CHECK(comment->find("final")->form == ValueForm::kNone);
}

TEST_CASE("values of keys that nobody uses may hold anything that is closed") {
  const std::string text = R"(info={"a": {"b": "}"}} tags=[a, "b ] c", [1, [2]]] js="_JSON {\"x\": [1, 2]}" energy=-1)";
  CHECK(value_of(text, "energy") == "-1");
}

TEST_CASE("Properties is known in any letter case, other keys are not") {
  const std::string text = "properties=species:S:1 Energy=2";
  const Result<CommentLine> comment = parse_comment_line(line_of(text));
  REQUIRE(comment);
  REQUIRE(comment->properties() != nullptr);
  CHECK(comment->properties()->text == "species:S:1");
  CHECK(comment->find("energy") == nullptr);
}

TEST_CASE("a message about the second line points at the character") {
  CHECK(error_of("a=1 b=\"2 3").where == "si.xyz:2:7");
  CHECK(error_of("a=1 b={2 3").where == "si.xyz:2:7");
  CHECK(error_of("a=1 b=[[2, 3]").where == "si.xyz:2:7");
  CHECK(error_of("a=1 b=[\"2]").where == "si.xyz:2:8");
  CHECK(error_of("a=1,2").where == "si.xyz:2:4");
  CHECK(error_of("a=\"1\"b=2").where == "si.xyz:2:6");
  CHECK(error_of("a=1 =2").where == "si.xyz:2:5");
  CHECK(error_of("a= b=2").where == "si.xyz:2:5");
  CHECK(error_of("a=1 b=").where == "si.xyz:2:7");
  CHECK(error_of("a[1]").where == "si.xyz:2:2");
  CHECK(error_of("a=\"1\\\"").where == "si.xyz:2:3");
}

TEST_CASE("a key that is given twice is refused where it comes again") {
  CHECK(error_of("e=1 f=2 e=1").where == "si.xyz:2:9");
  CHECK(error_of("Properties=a properties=b").where == "si.xyz:2:14");
  CHECK_THAT(error_of("e=1 e=2").what, Catch::Contains("given twice"));
}

TEST_CASE("arrays that are none are refused where they are used") {
  for (const std::string value : {"[[1, 2], [3]]", "[[1] [2]]", "[[1], 2]", "[1, , 2]", "[]", "[[1], ]", "[[1, [2]]]",
                                  "\"1, 2\"", "{a b}", "\"1 nan\""}) {
    const std::string text = "a=" + value;
    CAPTURE(text);
    const TextLine line = line_of(text);
    const Result<CommentLine> comment = parse_comment_line(line);
    REQUIRE(comment);
    CHECK_FALSE(number_values(line, *comment->find("a")));
  }
}
