// Writes the seeds of message_fuzz and structure_fuzz: one of each message, a few structures. Run it again after a
// change of proto/ipfit.capnp: fuzz_seeds tests/fuzz/corpus

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "proto/convert.h"
#include "proto/structure_codec.h"

namespace {

using namespace ipfit;

void write(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Message> messages() {
  const TaskId task{1, Phase::kAssembly, 7};
  const Error error{ErrorKind::kInput, "si.xyz:12", "not a number", "mend it"};
  FitStatus fit;
  fit.id = "si-1";
  fit.name = "silicon";
  fit.state = FitState::kFailed;
  fit.quarantined = {"si.xyz frame 12 (line 1482): killed its evaluator twice"};
  fit.errors = {error};
  Hello hello;
  hello.build = "0123456789ab";
  hello.worker = "00112233445566778899aabbccddeeff";
  hello.host = "lab7";
  hello.self_test = {1.0, -0.5};
  hello.crash = CrashReport{task, 3};
  hello.holding = {task};
  hello.key = "ffeeddccbbaa99887766554433221100";
  WorkerStatus worker;
  worker.host = "lab7";
  return {hello,
          Heartbeat{{task}, 3},
          BlockChunk{task, 0, 1024, 99},
          Commit{task, 1024, 99, 0.25, true},
          TaskFailed{task, 3, "atoms 1 and 2 are on top of each other"},
          HandBack{{task}},
          Bye{},
          Welcome{"manager"},
          Reject{"builds differ", "update"},
          ModelMessage{"hash"},
          TaskMessage{task,
                      "hash",
                      5,
                      {{{true, true, false}, false}, {{true, false, true}, true}},
                      99,
                      false,
                      Place{"/fit/system/blocks.f64", {2049, 77}, 4096}},
          Ack{task},
          Forget{{task}},
          Who{},
          Alive{},
          Drain{},
          Submit{"0123456789ab", "silicon", "[data]\n", 4096, "hash"},
          Upload{"si-1", 0, 99},
          List{},
          StatusRequest{"si-1"},
          Cancel{"si-1"},
          Fetch{"si-1", "fit.toml", 0},
          Accepted{"si-1", 4096},
          Failure{{error}},
          FitList{{fit}},
          StatusReply{fit, {worker}},
          Files{{{"fit.toml", 100}}},
          FileChunk{0, 99}};
}

Structure dimer() {
  Structure s;
  s.species = {14, 8};
  s.positions = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.5}};
  s.source = {"sio.xyz", 1, 1};
  return s;
}

Structure crystal() {
  Structure s = dimer();
  s.cell = 5.4 * Mat3::Identity();
  s.pbc = {true, true, true};
  s.labels.energy = -10.8;
  s.labels.forces = {{0.1, 0.0, 0.0}, {-0.1, 0.0, 0.0}};
  s.labels.virial = Voigt{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  s.weights = {.energy = 0.5, .forces = {1.0, 0.0}, .virial = 2.0};
  s.set = DataSet::kValidation;
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const Message& message : messages()) {
    write(folder / "message" / ("kind-" + std::to_string(message.index())), encode(message));
  }
  auto both = encode_structure(dimer());
  write(folder / "structure" / "dimer", both);
  const auto second = encode_structure(crystal());
  write(folder / "structure" / "crystal", second);
  both.insert(both.end(), second.begin(), second.end());
  write(folder / "structure" / "both", both);
}
