#include "manager/output/committee_file.h"

#include <catch2/catch.hpp>

#include "manager/output/solution_files.h"
#include "tests/support/small_fit.h"

namespace ipfit {
namespace {

Model potential() {
  Model model = test::small_model();
  model.coefficients.assign(static_cast<std::size_t>(column_count(model.basis)), 0.5);
  model.one_body = {{14, -2.0}};
  return model;
}

std::string file_of(const Model& model, int members, bool own_energies) {
  Solution solution;
  solution.coefficients = Eigen::Map<const Eigen::VectorXd>(model.coefficients.data(),
                                                            static_cast<Eigen::Index>(model.coefficients.size()));
  solution.committee = Eigen::MatrixXd::Random(solution.coefficients.size(), members);
  std::vector<std::map<std::uint8_t, double>> one_body;
  for (int i = 0; own_energies && i < members; ++i) {
    one_body.push_back({{14, -2.0 + 0.25 * i}});
  }
  return coefficients_json(column_labels(model.basis), solution, {}, model.one_body, "inputs", one_body);
}

/// The file with a piece replaced, and without the checksum, which would notice.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t seal = text.find(",\n \"checksum\"");
  REQUIRE(seal != std::string::npos);
  text.replace(seal, std::string::npos, "\n}\n");
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("members of a committee are potentials that differ in coefficients and one-body energies") {
  for (const bool own : {false, true}) {
    const auto members = read_committee(file_of(potential(), 4, own), "coefficients.json", potential());
    REQUIRE(members.ok());
    REQUIRE(members->size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const Model& member = (*members)[i];
      CHECK(member.basis == potential().basis);
      CHECK(member.coefficients.size() == potential().coefficients.size());
      CHECK(member.coefficients != potential().coefficients);
      CHECK(member.one_body.at(14) == (own ? -2.0 + 0.25 * static_cast<double>(i) : -2.0));
    }
  }
}

TEST_CASE("a file without a committee, of another potential or with other numbers is refused in words") {
  const auto complaint = [](const std::string& text) {
    const auto members = read_committee(text, "coefficients.json", potential());
    REQUIRE_FALSE(members.ok());
    return members.error().text();
  };
  CHECK(complaint(file_of(potential(), 0, false)).find("has no committee") != std::string::npos);
  Model other = potential();
  other.coefficients[0] = 1.0;
  CHECK(complaint(file_of(other, 2, false)).find("does not belong to the potential") != std::string::npos);
  const std::string good = file_of(potential(), 2, true);
  CHECK(complaint(changed(good, "\"committee\": [\n  [", "\"committee\": [\n  [true, "))
            .find("committee[0] is no list") != std::string::npos);
  CHECK(complaint(changed(good, "\"committee_one_body\": [\n  {", "\"committee_one_body\": [{},\n  {"))
            .find("not one entry for each member") != std::string::npos);
  CHECK(complaint(changed(good, "\"Si\": -1.75", "\"Xx\": -1.75")).find("committee_one_body[1]") != std::string::npos);
}

}  // namespace
}  // namespace ipfit
