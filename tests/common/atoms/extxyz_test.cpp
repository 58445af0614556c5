#include "common/atoms/extxyz.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "common/atoms/cell.h"

using namespace ipfit;

namespace {

Result<std::vector<Structure>> read_text(const std::string& text, const LabelKeys& keys = {}) {
  ExtxyzReader reader = ExtxyzReader::from_text(text, keys, "a.xyz");
  std::vector<Structure> out;
  while (true) {
    Result<std::optional<Structure>> structure = reader.next();
    if (!structure) {
      return structure.error();
    }
    if (!*structure) {
      return out;
    }
    out.push_back(std::move(**structure));
  }
}

Structure read_one(const std::string& text, const LabelKeys& keys = {}) {
  Result<std::vector<Structure>> structures = read_text(text, keys);
  if (!structures) {
    FAIL(structures.error().text());
  }
  REQUIRE(structures->size() == 1);
  return structures->front();
}

Error refusal(const std::string& text, const LabelKeys& keys = {}) {
  const Result<std::vector<Structure>> structures = read_text(text, keys);
  REQUIRE_FALSE(structures);
  CHECK(structures.error().kind == ErrorKind::kInput);
  CHECK_FALSE(structures.error().remedy.empty());
  return structures.error();
}

const std::string kCube = "Lattice=\"2 0 0 0 3 0 0 0 5\" Properties=species:S:1:pos:R:3 ";  // volume 30

/// One atom in a cell of 30 Å³, with further keys.
std::string one_atom(const std::string& keys) {
  return "1\n" + kCube + keys + "\nGe 0 0 0\n";
}

Voigt virial_of(const std::string& keys, const LabelKeys& names = {}) {
  const Structure structure = read_one(one_atom(keys), names);
  REQUIRE(structure.labels.virial);
  return *structure.labels.virial;
}

}  // namespace

TEST_CASE("a frame gives species, positions, cell, labels, group and where it stands") {
  const std::string text =
      "1\n" + kCube +
      "\nGe 0 0 0\n2\nLattice=\"2 0 0 0.5 3 0 0 0 5\" Properties=species:S:1:pos:R:3:forces:R:3 energy=-3.5 "
      "config_type=melt virial=\"1 2 3 2 4 5 3 5 6\" pbc=\"T T T\"\nGa 0 0 1 0.1 0.2 0.3\nAs 1 1 1 -0.1 -0.2 -0.3\n";
  const Result<std::vector<Structure>> structures = read_text(text);
  REQUIRE(structures);
  REQUIRE(structures->size() == 2);
  const Structure& s = (*structures)[1];
  CHECK(s.species == std::vector<std::uint8_t>{31, 33});
  CHECK(s.positions[1] == Vec3(1, 1, 1));
  CHECK(s.cell.row(1) == Eigen::RowVector3d(0.5, 3, 0));
  CHECK(s.labels.energy == -3.5);
  CHECK(s.labels.forces[0] == Vec3(0.1, 0.2, 0.3));
  CHECK(*s.labels.virial == Voigt{1, 4, 6, 5, 3, 2});
  CHECK(s.config_type == "melt");
  CHECK(s.source.file == "a.xyz");
  CHECK(s.source.frame == 2);
  CHECK(s.source.line == 4);
  const Structure& first = structures->front();
  CHECK_FALSE(first.labels.energy);
  CHECK(first.labels.forces.empty());
  CHECK_FALSE(first.labels.virial);
  CHECK(first.config_type == "default");
  CHECK(first.fully_periodic());
}

TEST_CASE("CRLF line ends, tabs, padding and blank lines at the end change nothing") {
  const Structure s =
      read_one(" 1 \r\n\t" + kCube + "\tconfig_type=dos\t energy=-1 \r\n\tGe\t0  1\t2 \r\n\r\n \t\r\n\n");
  CHECK(s.config_type == "dos");
  CHECK(s.labels.energy == -1.0);
  CHECK(s.positions[0] == Vec3(0, 1, 2));
}

TEST_CASE("the last line needs no newline") {
  CHECK(read_one("1\n" + kCube + "\nGe 0 0 0.5").positions[0] == Vec3(0, 0, 0.5));
}

TEST_CASE("columns come in any order, and unknown ones are passed over") {
  const Structure s = read_one(
      "2\nProperties=tag:S:2:forces:R:3:fixed:L:1:pos:R:3:Z:I:1:n:I:2 Lattice=\"4 0 0 0 4 0 0 0 4\"\n"
      "x 1 .5 0 0 T 0 0 0 32 1 2\nnan - -.5 0 0 0 1 1 1 14 -1 0\n");
  CHECK(s.species == std::vector<std::uint8_t>{32, 14});
  CHECK(s.labels.forces[1] == Vec3(-0.5, 0, 0));
  CHECK(s.positions[1] == Vec3(1, 1, 1));
}

TEST_CASE("positions and forces that are written as integers are numbers") {
  const Structure s = read_one("1\nProperties=species:S:1:pos:I:3:forces:I:3\nH 1 2 3 0 0 0.5\n");
  CHECK(s.positions[0] == Vec3(1, 2, 3));
  CHECK(s.labels.forces[0] == Vec3(0, 0, 0.5));
}

TEST_CASE("a structure is periodic where Lattice and pbc say so") {
  using Flags = std::array<bool, 3>;
  CHECK(read_one("1\nProperties=species:S:1:pos:R:3\nH 0 0 0\n").pbc == Flags{false, false, false});
  CHECK(read_one(one_atom("")).pbc == Flags{true, true, true});
  CHECK(read_one(one_atom("pbc=\"T F T\"")).pbc == Flags{true, false, true});
  CHECK(read_one(one_atom("pbc=[True, false, 1]")).pbc == Flags{true, false, true});
  CHECK(read_one(one_atom("pbc={F F 0}")).pbc == Flags{false, false, false});
}

TEST_CASE("a cell may be flat in a direction that is not periodic") {
  const std::string slab = "1\nLattice=\"2 0 0 0 3 0 0 0 0\" Properties=species:S:1:pos:R:3 pbc=\"T T F\"\nH 0 0 0\n";
  CHECK(read_one(slab).cell(1, 1) == 3.0);
  CHECK_THAT(refusal("1\nLattice=\"2 0 0 4 0 0 0 0 1\" Properties=species:S:1:pos:R:3 pbc=\"T T F\"\nH 0 0 0\n").what,
             Catch::Contains("no volume"));
}

TEST_CASE("a plain file has species and positions, and its second line is free text") {
  const Structure s = read_one("2\nenergy = -3, \"a dimer {of sorts} relaxed\nGe 0 0 0 7 7\n14 0 0 2.4 not read\n");
  CHECK(s.species == std::vector<std::uint8_t>{32, 14});
  CHECK(s.positions[1] == Vec3(0, 0, 2.4));
  CHECK_FALSE(s.labels.energy);
  CHECK_FALSE(read_one("1\nenergy=-3 config_type=a\nH 0 0 0\n").labels.energy);
  CHECK(read_one("1\n\nH 0 0 0\n").size() == 1);
  CHECK(read_one("1\nLattice constant and Properties unknown\nH 0 0 0\n").size() == 1);
}

TEST_CASE("a second line that has a cell or columns and cannot be taken apart is never free text") {
  CHECK(refusal("1\nLattice=\"4 0 0 0 4 0 0 0 4\" energy=-1\nH 0 0 0\n").where == "a.xyz:2:1");
  CHECK(refusal("1\nLattice=\"4 0 0 0 4 0 0 0 4 energy=-1\nH 0 0 0\n").where == "a.xyz:2:9");
  CHECK(refusal("1\nproperties = species:S:1:pos:R:3 a=1,2\nH 0 0 0\n").where == "a.xyz:2:37");
}

TEST_CASE("keys that are the cell's but for their letter case are refused") {
  CHECK(refusal("1\nlattice=\"4 0 0 0 4 0 0 0 4\" Properties=species:S:1:pos:R:3\nH 0 0 0\n").where == "a.xyz:2:1");
  CHECK_THAT(refusal(one_atom("PBC=\"T T F\"")).remedy, Catch::Contains("pbc"));
}

TEST_CASE("a virial is minus volume times stress, in every unit") {
  const double v = -30.0 * 0.01;
  const auto check = [&](const std::string& stress, StressUnit unit) {
    LabelKeys keys;
    keys.stress_unit = unit;
    const Voigt virial = virial_of("stress=\"" + stress + "\"", keys);
    for (std::size_t i = 0; i < 6; ++i) {
      // One multiplication by a constant that is itself rounded, and one by the volume: a few roundings.
      CHECK(virial[i] == Approx(static_cast<double>(i + 1) * v).epsilon(8 * 2.3e-16));
    }
  };
  check("0.01 0.06 0.05 0.06 0.02 0.04 0.05 0.04 0.03", StressUnit::kEvPerCubicAngstrom);
  check("1.602176634 3.204353268 4.806529902 6.408706536 8.01088317 9.613059804", StressUnit::kGpa);
  check("16.02176634 32.04353268 48.06529902 64.08706536 80.1088317 96.13059804", StressUnit::kKbar);
  check("16021.76634 32043.53268 48065.29902 64087.06536 80108.8317 96130.59804", StressUnit::kBar);
}

TEST_CASE("six numbers are read in the order that is asked for") {
  LabelKeys keys;
  CHECK(virial_of("virial=\"1 2 3 4 5 6\"", keys) == Voigt{1, 2, 3, 4, 5, 6});
  keys.stress_order = StressOrder::kVasp;  // xx yy zz xy yz xz
  CHECK(virial_of("virial=\"1 2 3 6 4 5\"", keys) == Voigt{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a left-handed cell has a positive volume") {
  const Structure s = read_one(
      "1\nLattice=\"0 3 0 2 0 0 0 0 5\" Properties=species:S:1:pos:R:3 stress=\"1 0 0 0 1 0 0 0 1\"\nH 0 0 0\n");
  CHECK((*s.labels.virial)[0] == -30.0);
}

TEST_CASE("virial and stress must agree where both are there, and the virial is taken") {
  CHECK(virial_of("stress=\"0.1 0 0 0 0.2 0 0 0 0.3\" virial=\"-3.00001 0 0 0 -6 0 0 0 -9\"")[0] == -3.00001);
  const Error wrong_sign = refusal(one_atom("stress=\"0.1 0 0 0 0.2 0 0 0 0.3\" virial=\"3 0 0 0 6 0 0 0 9\""));
  CHECK_THAT(wrong_sign.what, Catch::Contains("disagree"));
  CHECK(wrong_sign.where == "a.xyz:2:93");
  CHECK_THAT(refusal(one_atom("stress=\"0.1 0 0 0 0.2 0 0 0 0.3\" virial=\"-3 0.01 0 0.01 -6 0 0 0 -9\"")).what,
             Catch::Contains("disagree"));
}

TEST_CASE("a tensor that is symmetric but for rounding is made symmetric, others are refused") {
  CHECK(virial_of("virial=\"10 1.0001 0 1.0003 10 0 0 0 10\"")[5] == Approx(1.0002).epsilon(1e-15));
  CHECK_THAT(refusal(one_atom("virial=\"10 1.01 0 1.03 10 0 0 0 10\"")).what, Catch::Contains("not symmetric"));
}

TEST_CASE("a virial counts only where all directions are periodic") {
  for (const std::string key : {"virial", "stress"}) {
    const Structure slab = read_one(one_atom(key + "=\"1 0 0 0 1 0 0 0 1\" pbc=\"T T F\" energy=-2"));
    CHECK_FALSE(slab.labels.virial);
    REQUIRE(slab.labels.ignored_virial);
    CHECK((*slab.labels.ignored_virial)[1] == (key == "virial" ? 1.0 : -30.0));
    CHECK(slab.labels.energy == -2.0);
  }
  CHECK_FALSE(read_one(one_atom("")).labels.ignored_virial);
  CHECK_FALSE(read_one(one_atom("virial=\"1 0 0 0 1 0 0 0 1\"")).labels.ignored_virial);
}

TEST_CASE("only the keys that are named are labels") {
  const std::string text =
      "1\nLattice=\"2 0 0 0 3 0 0 0 5\" Properties=species:S:1:pos:R:3:my_f:R:3:forces:R:3 energy=-1 my_e=-2 "
      "free_energy=-3 "
      "virial=\"1 0 0 0 1 0 0 0 1\" my_w=\"2 0 0 0 2 0 0 0 2\" stress=\"9 0 0 0 9 0 0 0 9\" config_type=a my_g=b\n"
      "Ge 0 0 0 1 1 1 2 2 2\n";
  LabelKeys keys;
  keys.energy = "my_e";
  keys.forces = "my_f";
  keys.virial = "my_w";
  keys.group = "my_g";
  const Structure s = read_one(text, keys);
  CHECK(s.labels.energy == -2.0);
  CHECK(s.labels.forces[0] == Vec3(1, 1, 1));
  CHECK((*s.labels.virial)[0] == 2.0);
  CHECK(s.config_type == "b");
  keys.energy = keys.forces = "absent";
  const Structure none = read_one(text, keys);
  CHECK_FALSE(none.labels.energy);
  CHECK(none.labels.forces.empty());
}

TEST_CASE("free_energy and a column called energy are never the energy") {
  const Structure s = read_one("1\nProperties=species:S:1:pos:R:3:energy:R:1 free_energy=-3\nH 0 0 0 -1\n");
  CHECK_FALSE(s.labels.energy);
}

TEST_CASE("a broken frame is refused with line and column") {
  const std::string head = "Properties=species:S:1:pos:R:3:forces:R:3 energy=-1\n";
  const auto where = [&](const std::string& text) { return refusal(text).where; };
  CHECK(where("") == "a.xyz");
  CHECK(where("\n\n1\n" + head + "H 0 0 0 0 0 0\n") == "a.xyz:1:1");
  CHECK(where(" two\n" + head) == "a.xyz:1:2");
  CHECK(where("0\n" + head) == "a.xyz:1:1");
  CHECK(where("-1\n" + head) == "a.xyz:1:1");
  CHECK(where("1.0\n" + head) == "a.xyz:1:1");
  CHECK(where("99999999999999999999\n" + head) == "a.xyz:1:1");
  CHECK(where("1") == "a.xyz:2:1");
  CHECK(where("2\n" + head + "H 0 0 0 0 0 0\n") == "a.xyz:4:1");
  CHECK(where("1\n" + head + "H 0 0 0 0 0\n") == "a.xyz:3:12");
  CHECK(where("1\n" + head + "H 0 0 0 0 0 0 8 9\n") == "a.xyz:3:15");
  CHECK(where("1\n" + head + "\n") == "a.xyz:3:1");
  CHECK(where("1\n" + head + "Qq 0 0 0 0 0 0\n") == "a.xyz:3:1");
  CHECK(where("1\n" + head + "H 0 0 O 0 0 0\n") == "a.xyz:3:7");
  CHECK(where("1\n" + head + "H 0 0 0 0 inf 0\n") == "a.xyz:3:11");
  CHECK(where("1\n" + head + "H 0 0 0 0 0 0\n\n1\n" + head + "H 0 0 0 0 0 0\n") == "a.xyz:4:1");
  CHECK(where("1\nProperties=species:S:1:pos:R:3:n:I:1\nH 0 0 0 1.5\n") == "a.xyz:3:9");
  CHECK(where("1\nProperties=species:S:1:pos:R:3:n:L:1\nH 0 0 0 maybe\n") == "a.xyz:3:9");
  CHECK(where("1\nProperties=species:S:1:Z:I:1:pos:R:3\nH 2 0 0 0\n") == "a.xyz:3:3");
  CHECK(where("1\nProperties=Z:I:1:pos:R:3\n119 0 0 0\n") == "a.xyz:3:1");
  CHECK(where("1\nfree text\nH 0 0\n") == "a.xyz:3:6");
  CHECK(where("1\nfree text\n0 0 0 0\n") == "a.xyz:3:1");
}

TEST_CASE("a message names the atom, what was found and what was expected") {
  const std::string head = "1\nProperties=species:S:1:pos:R:3:forces:R:3\n";
  CHECK(refusal(head + "H 0 0 0 0 0\n").what == "atom 1: 7 columns expected by Properties, 6 found");
  CHECK(refusal(head + "H 0 0 0 0 NaN 0\n").what == "forces of atom 1: 'NaN' is not a number");
  CHECK(refusal(head + "0 0 0 0 0 0\n").what == "atom 1: 7 columns expected by Properties, 6 found");
  CHECK(refusal(head + "h 0 0 0 0 0 0\n").what == "species of atom 1: 'h' is not a chemical symbol");
  CHECK(refusal(head + "H 0 0 0 0 1e999 0\n").what ==
        "forces of atom 1: '1e999' is outside the range of double precision");
  CHECK(refusal("3\n" + head.substr(2) + "H 0 0 0 0 0 0\n").what ==
        "the file ends here: 3 atoms announced on line 1, 1 found");
}

TEST_CASE("Properties that cannot be meant are refused") {
  for (const std::string properties : {"species:S:1:pos:R",
                                       "species:S:1:pos",
                                       "species:S:1:pos:R:3:",
                                       "species:S:1:pos:R:0",
                                       "species:S:1:pos:R:-3",
                                       "species:S:1:pos:R:x",
                                       "species:S:1:pos:Q:3",
                                       "species:S:1:pos:r:3",
                                       "species:S:1:pos:R:2",
                                       "species:S:2:pos:R:3",
                                       "species:I:1:pos:R:3",
                                       "Z:S:1:pos:R:3",
                                       "pos:R:3",
                                       "species:S:1",
                                       "species:S:1:pos:R:3:a:R:1:a:R:1",
                                       "\"\"",
                                       "species:S:1:pos:R:3:forces:R:1",
                                       "species:S:1:pos:R:3:forces:S:3",
                                       "::",
                                       "species:S:1:pos:R:3:a:R:99999999999999999999",
                                       "species:S:1:pos:R:3:a:R:9999999999999"}) {
    CAPTURE(properties);
    const Error error = refusal("1\nProperties=" + properties + "\nH 0 0 0\n");
    CHECK_THAT(error.what, Catch::Contains("Properties"));
    CHECK_THAT(error.where, Catch::StartsWith("a.xyz:2:"));
  }
}

TEST_CASE("labels that cannot be meant are refused") {
  for (const std::string keys : {"energy=unknown",
                                 "energy=T",
                                 "energy",
                                 "energy=\"1 2\"",
                                 "energy=nan",
                                 "energy=inf",
                                 "energy=1e999",
                                 "energy=\"\"",
                                 "virial=1",
                                 "virial=\"1 2 3\"",
                                 "virial=\"1 0 0 0 1 0 0 0 x\"",
                                 "virial=[[1,0,0,0,1,0,0,0,1]]",
                                 "virial=[[1,2,3],[4,5,6]]",
                                 "stress=\"1 0.5 0 0 1 0 0 0 1\"",
                                 "stress=\"1e308 0 0 0 1e308 0 0 0 1e308\"",
                                 "stress=\"1 0 0 0 nan 0 0 0 1\"",
                                 "pbc=\"T T\"",
                                 "pbc=\"T T T T\"",
                                 "pbc=\"T T 2\"",
                                 "pbc=T",
                                 "pbc",
                                 "config_type",
                                 "config_type=\"a\\nb\"",
                                 "config_type=\xc3\xa9"}) {
    CAPTURE(keys);
    CHECK_THAT(refusal(one_atom(keys)).where, Catch::StartsWith("a.xyz:2:"));
  }
  CHECK_THAT(refusal(one_atom("config_type=" + std::string(201, 'a'))).what, Catch::Contains("201 characters"));
}

TEST_CASE("cells that cannot be meant are refused") {
  for (const std::string lattice :
       {"\"1 2\"", "\"4 0 0 0 4 0 0 0\"", "\"4 0 0 0 4 0 0 0 4 0\"", "[[4, 0, 0]]", "\"4 0 0 0 4 0 4 4 0\"",
        "\"0 0 0\"", "\"4 0 0 0 4 0 0 0 nan\"", "\"1e200 1e200 1e200\"", "\"1e-200 1e-200 1e-200\"",
        "[[4, 0, 0], [0, 4, 0], [0, 0, a]]", "4"}) {
    CAPTURE(lattice);
    const std::string text = "1\nLattice=" + lattice + " Properties=species:S:1:pos:R:3\nH 0 0 0\n";
    CHECK_THAT(refusal(text).where, Catch::StartsWith("a.xyz:2:"));
  }
  CHECK_THAT(refusal("1\nProperties=species:S:1:pos:R:3 pbc=\"T T T\"\nH 0 0 0\n").what, Catch::Contains("no Lattice"));
}

TEST_CASE("after an error the same error comes again") {
  ExtxyzReader reader = ExtxyzReader::from_text("1\nx\nH 0 0 0\nnone\n1\nx\nH 0 0 0\n", {});
  REQUIRE(reader.next());
  const Result<std::optional<Structure>> first = reader.next();
  const Result<std::optional<Structure>> second = reader.next();
  REQUIRE_FALSE(first);
  REQUIRE_FALSE(second);
  CHECK(first.error() == second.error());
}

TEST_CASE("what a hostile file announces costs nothing") {
  // Run with a limit on memory, these would fail if the announced sizes were believed.
  CHECK_THAT(refusal("1000000000000000000\nfree\nH 0 0 0\n").what,
             Catch::Contains("1000000000000000000 atoms announced on line 1, 1 found"));
  CHECK_THAT(refusal("1\nProperties=species:S:1:pos:R:3:x:R:16777216\nH 0 0 0\n").what,
             Catch::Contains("16777220 columns expected"));
  std::string keys;
  for (int i = 0; i < 100000; ++i) {
    keys += " k" + std::to_string(i) + "=1";
  }
  CHECK(read_one(one_atom(keys)).size() == 1);
  CHECK_THAT(refusal(one_atom("a=" + std::string(100000, '['))).what, Catch::Contains("not closed"));
  CHECK(read_one(one_atom("a=" + std::string(100000, '[') + std::string(100000, ']'))).size() == 1);
}

namespace {

/// A path that is removed at the end.
class ScratchFile {
 public:
  ScratchFile() : path_(std::filesystem::temp_directory_path() / ("ipfit-extxyz-" + std::to_string(::getpid()))) {}
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string path() const { return path_.string(); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

 private:
  std::filesystem::path path_;
};

std::string many_frames(int frames) {
  std::string text;
  for (int i = 0; i < frames; ++i) {
    text += "2\nProperties=species:S:1:pos:R:3 energy=-" + std::to_string(i) + "\nH 0 0 0." + std::to_string(i) +
            "\nH 1 1 1\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a file larger than the reading buffer is read as the text is") {
  const ScratchFile file;
  const std::string text = many_frames(60000);  // about 4 MB
  file.write(text);
  const Result<std::vector<Structure>> from_file = read_extxyz(file.path(), {});
  const Result<std::vector<Structure>> from_text = read_text(text);
  REQUIRE(from_file);
  REQUIRE(from_text);
  REQUIRE(from_file->size() == 60000);
  bool same = true;
  for (std::size_t i = 0; i < from_text->size(); ++i) {
    const Structure& a = (*from_file)[i];
    const Structure& b = (*from_text)[i];
    same = same && a.labels.energy == b.labels.energy && a.positions == b.positions && a.source.line == b.source.line &&
           a.labels.energy == -static_cast<double>(i);
  }
  CHECK(same);
}

TEST_CASE("structures come through a pipe as they come from a file") {
  const ScratchFile fifo;
  REQUIRE(::mkfifo(fifo.path().c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(fifo.path(), std::ios::binary) << many_frames(30000); });
  const Result<std::vector<Structure>> structures = read_extxyz(fifo.path(), {});
  writer.join();
  REQUIRE(structures);
  CHECK(structures->size() == 30000);
}

TEST_CASE("a line that never ends is refused before it fills the memory") {
  const ScratchFile file;
  file.write("1\n" + std::string(LineSource::kMaxLineBytes + 10, 'x') + "\nH 0 0 0\n");
  const Result<std::vector<Structure>> structures = read_extxyz(file.path(), {});
  REQUIRE_FALSE(structures);
  CHECK_THAT(structures.error().what, Catch::Contains("longer than"));
  CHECK(structures.error().where == file.path() + ":2:1");
}

TEST_CASE("a file that is missing or a folder is named with the reason") {
  const Result<std::vector<Structure>> missing = read_extxyz("/no/such/file.xyz", {});
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().text(), Catch::Contains("/no/such/file.xyz: cannot be read: No such file"));
  const Result<std::vector<Structure>> folder = read_extxyz(std::filesystem::temp_directory_path().string(), {});
  REQUIRE_FALSE(folder);
  CHECK_THAT(folder.error().what, Catch::Contains("directory"));
}
