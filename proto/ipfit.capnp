# What ipfit's manager, workers and clients say to each other, and how a structure is stored and sent.
# This file is the specification; docs/reference/protocol.md tells the conversation.
#
# On the wire a message is: frame 0, an `Envelope` as a flat Cap'n Proto message of exactly one segment, then the payload
# in frames of at most 1 MiB (1 048 576 bytes), none where the payload is empty. No frame is longer than 2 MiB; a payload
# is at most 64 MiB. Payload numbers are little-endian; floating-point numbers are IEEE 754 binary64.
#
# "At most" is a limit that the receiver enforces: a message that breaks it is refused whole. "Cut at" is a limit that
# the sender keeps by shortening a text (between two characters) or a list (dropping its end), and the receiver enforces.
# Unless said otherwise a text is UTF-8 of at most 256 bytes, a floating-point number is finite, and a duration is in
# seconds and not negative.
#
# Rules for evolving:
# - Change nothing that an older peer could misread without raising kProtocolVersion in proto/message.h.
# - Never renumber or reuse an ordinal; add fields and members at the end, with a default that means "as before".
# - Value 0 of every enum and member 0 of every union is `invalid`, so an empty or zeroed message is never taken for one.
# - Envelope.magic, Envelope.protocol, the members hello and reject, and the fields of Hello and Reject with their limits
#   stay as they are in all versions: peers of two versions must be able to refuse each other in words.

@0xd1f5a1f0c0de1f17;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("ipfit::wire");

struct Envelope {
  magic @0 :UInt32;     # 0x74696670, the bytes "pfit"; anything else is not a message of ours
  protocol @1 :UInt32;  # the sender's protocol version, from 1

  union {
    invalid @2 :Void;

    # worker -> manager
    hello @3 :Hello;
    heartbeat @4 :Heartbeat;
    blockChunk @5 :BlockChunk;
    commit @6 :Commit;
    taskFailed @7 :TaskFailed;
    handBack @8 :TaskIds;
    bye @9 :Void;

    # manager -> worker
    welcome @10 :Welcome;
    reject @11 :Reject;
    model @12 :Model;
    task @13 :Task;
    ack @14 :TaskId;
    forget @15 :TaskIds;
    who @16 :Void;
    alive @17 :Void;
    drain @18 :Void;

    # client -> manager
    submit @19 :Submit;
    upload @20 :Upload;
    list @21 :Void;
    statusRequest @22 :FitId;
    cancel @23 :FitId;
    fetch @24 :Fetch;

    # manager -> client
    accepted @25 :Accepted;
    failure @26 :Failure;
    fitList @27 :FitList;
    statusReply @28 :StatusReply;
    files @29 :Files;
    fileChunk @30 :FileChunk;
  }
}

# ---- shared ----------------------------------------------------------------------------------------------------------

enum Phase {
  invalid @0;
  assembly @1;  # rows of the design matrix
  errors @2;    # the fitted potential on the train and test structures
  dimers @3;    # the fitted potential on two atoms at many distances
}

struct TaskId {
  fit @0 :UInt64;  # the manager's number for the fit while it runs
  phase @1 :Phase;
  task @2 :UInt32;  # from 0
}

struct TaskIds {
  tasks @0 :List(TaskId);  # at most 4096
}

# ---- worker -> manager -----------------------------------------------------------------------------------------------

struct Hello {
  # First word of an evaluator, repeated after `who`. Its protocol version is that of the envelope.
  build @0 :Text;        # build id
  worker @1 :Text;       # random id of the supervisor: 32 hexadecimal digits
  slot @2 :UInt32;       # from 0
  incarnation @3 :UInt32;  # how often this slot was started
  host @4 :Text;
  pid @5 :UInt64;
  memoryBytes @6 :UInt64;  # of the machine
  credit @7 :UInt32;       # tasks that it is willing to hold at a time
  selfTest @8 :List(Float64);  # values of the built-in probe; at most 4096; NaN and infinity allowed, the manager refuses them in words
  crash @9 :CrashReport;       # null: the process before this one did not die at a structure
  holding @10 :List(TaskId);   # blocks not yet acknowledged and tasks not yet finished; at most 4096
  key @11 :Text;  # what the manager gave to the worker that it started itself; empty: it started by somebody else
}

struct CrashReport {
  task @0 :TaskId;
  structure @1 :UInt32;  # index in the data set of the fit
}

struct Heartbeat {
  holding @0 :List(TaskId);  # at most 4096
  structure @1 :UInt32;      # index in the data set of the structure being evaluated, of the first task in `holding`
}

struct BlockChunk {
  # Payload: `bytes` bytes of a block, row-major binary64.
  task @0 :TaskId;
  offset @1 :UInt64;    # bytes from the start of the block; a multiple of 1 MiB
  bytes @2 :UInt64;     # a multiple of 8, 8 to 1 MiB; less than 1 MiB only in the last chunk
  checksum @3 :UInt64;  # XXH3-64 of the payload
}

struct Commit {
  task @0 :TaskId;
  bytes @1 :UInt64;     # of the whole block: rows x columns x 8; may be 0
  checksum @2 :UInt64;  # XXH3-64 of the little-endian list of the checksums of the chunks
  seconds @3 :Float64;  # spent evaluating
  inPlace @4 :Bool;     # the rows stand at the place of the task, not yet synced; no chunks were sent
  leftOut @5 :UInt32;   # how many structures of the task are not in it, since it said that they are excluded
}

struct TaskFailed {
  task @0 :TaskId;
  structure @1 :UInt32;  # index in the data set of the fit
  reason @2 :Text;       # cut at 4096 bytes
}

# ---- manager -> worker -----------------------------------------------------------------------------------------------

struct Welcome {
  manager @0 :Text;  # random id of the manager process
}

struct Reject {
  reason @0 :Text;  # cut at 4096 bytes
  remedy @1 :Text;  # cut at 4096 bytes
}

struct Model {
  # Payload: the model file, not empty.
  hash @0 :Text;  # fingerprint of the payload: XXH3-128, 32 hexadecimal digits
}

struct Task {
  # Payload: the structures as records (see `Structure`), in order; not empty.
  task @0 :TaskId;
  model @1 :Text;            # hash, as in `Model`
  firstStructure @2 :UInt32;  # index in the data set of the fit
  structures @3 :List(TaskStructure);  # 1 to 65536
  payloadChecksum @4 :UInt64;          # XXH3-64
  reduce @6 :Bool;  # the block holds reduced rows (docs/explanation/least-squares.md), not the rows themselves
  place @5 :Place;  # only for the worker that the manager started itself; null: the rows must be sent
}

struct Place {
  # Where the rows of the task belong. The worker may write them there itself, under a lock (docs/reference/protocol.md).
  file @0 :Text;    # absolute path, at most 4096 bytes
  device @1 :UInt64;  # st_dev and
  inode @2 :UInt64;   # st_ino of the file that is meant
  offset @3 :UInt64;  # bytes from its start
}

struct TaskStructure {
  # Which rows the structure has.
  energy @0 :Bool;
  forces @1 :Bool;
  virial @2 :Bool;
  excluded @3 :Bool;  # quarantined: its rows are zeros and it is not evaluated
}

# ---- client -> manager -----------------------------------------------------------------------------------------------

struct Submit {
  build @0 :Text;
  name @1 :Text;     # what the user calls it; cut at 256 bytes
  fitFile @2 :Text;  # the resolved fit file, TOML; at most 1 MiB
  datasetBytes @3 :UInt64;
  datasetHash @4 :Text;  # fingerprint of dataset.bin
}

struct Upload {
  # Payload: a piece of dataset.bin, 1 byte to 1 MiB.
  id @0 :Text;
  offset @1 :UInt64;
  checksum @2 :UInt64;  # XXH3-64 of the payload
}

struct FitId {
  id @0 :Text;
}

struct Fetch {
  id @0 :Text;
  path @1 :Text;  # relative to the fit directory, as in `files`; empty: list them
  offset @2 :UInt64;
}

# ---- manager -> client -----------------------------------------------------------------------------------------------

struct Accepted {
  id @0 :Text;
  received @1 :UInt64;  # bytes of dataset.bin so far
}

enum ErrorKind {
  # The numbers are those of docs/reference/exit-codes.md.
  invalid @0;
  internal @1;
  usage @2;
  input @3;
  storage @4;
  network @5;
  refused @6;
  failed @7;
}

struct Error {
  kind @0 :ErrorKind;
  where @1 :Text;   # cut at 1024 bytes, as are the next two
  what @2 :Text;
  remedy @3 :Text;
}

struct Failure {
  errors @0 :List(Error);  # cut at 100, at least 1
}

enum FitState {
  invalid @0;
  uploading @1;
  assembling @2;
  solving @3;
  errors @4;
  done @5;
  failed @6;
  cancelled @7;
}

struct FitStatus {
  id @0 :Text;
  name @1 :Text;  # cut at 256 bytes
  state @2 :FitState;
  structures @3 :UInt64;
  rows @4 :UInt64;
  columns @5 :UInt64;
  tasksDone @6 :UInt64;  # of the current phase
  tasksTotal @7 :UInt64;
  costDone @8 :Float64;     # share of the estimated cost of the phase, 0 to 1
  secondsLeft @9 :Float64;  # estimate; negative: not yet known
  structuresPerSecond @10 :Float64;
  quarantined @11 :List(Text);  # "file.xyz frame 12 (line 1482): reason"; cut at 1000 of 512 bytes; empty in a FitList
  errors @12 :List(Error);      # why it failed; cut at 100; in a FitList at 1
}

struct FitList {
  fits @0 :List(FitStatus);  # cut at 500
}

struct WorkerStatus {
  host @0 :Text;  # cut at 256 bytes
  pid @1 :UInt64;
  slot @2 :UInt32;
  tasks @3 :UInt32;  # held now
  rows @4 :UInt64;   # delivered so far
  busySeconds @5 :Float64;
  silentSeconds @6 :Float64;
}

struct StatusReply {
  fit @0 :FitStatus;
  workers @1 :List(WorkerStatus);  # cut at 2000
}

struct FileEntry {
  path @0 :Text;  # relative to the fit directory
  bytes @1 :UInt64;
}

struct Files {
  files @0 :List(FileEntry);  # cut at 4096
}

struct FileChunk {
  # Payload: at most 1 MiB of the file from `offset`; empty at its end.
  offset @0 :UInt64;
  checksum @1 :UInt64;  # XXH3-64 of the payload
}

# ---- structures ------------------------------------------------------------------------------------------------------

struct Structure {
  # A structure with its labels. In dataset.bin and in the payload of `task` it stands in a record: UInt32 length L,
  # UInt32 zero, then L bytes, a flat Cap'n Proto message of one segment; L is a multiple of 8 and at most 64 MiB.
  # Records stand back to back. There is at least one atom; all numbers are finite.
  species @0 :Data;                # atomic numbers, 1 to 118, one byte per atom
  positions @1 :List(Float64);     # Å; x y z of each atom
  cell @2 :List(Float64);          # Å; nine numbers, the cell vectors one after the other; zeros where there is none
  periodicA @3 :Bool;              # along the first cell vector, and so on
  periodicB @4 :Bool;
  periodicC @5 :Bool;
  hasEnergy @6 :Bool;
  hasForces @7 :Bool;
  hasVirial @8 :Bool;
  energy @9 :Float64;              # eV, of the whole cell; 0 where there is none
  forces @10 :List(Float64);       # eV/Å, as positions; empty where there are none
  virial @11 :List(Float64);       # eV; xx yy zz yz xz xy; -dE/dstrain; empty where there is none
  configType @12 :Text;            # the group
  file @13 :Text;                  # where it came from: file name,
  frame @14 :Int64;                # frame from 1,
  line @15 :Int64;                 # line of the atom count from 1
  test @16 :Bool;                  # only compared
  validation @17 :Bool;            # solvers may choose by its rows; neither this nor test: they are fitted to
  hasEnergyWeight @18 :Bool;       # a weight of its own, which takes the place of that of the group
  hasVirialWeight @19 :Bool;
  energyWeight @20 :Float64;       # as in the fit file, >= 0; 0 where there is none
  virialWeight @21 :Float64;
  forcesWeights @22 :List(Float64);  # as in the fit file, >= 0; empty, or one for all atoms, or one per atom
}
