#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/atoms/structure.h"
#include "common/model/model.h"
#include "proto/message.h"
#include "proto/transport.h"
#include "worker/task_reduction.h"

namespace ipfit {

/// A task that was read, checked, and can be evaluated: everything that it takes, and nothing that is left to find out.
struct Assignment {
  TaskMessage message;  ///< as it came; two assignments with equal messages give the same block
  std::shared_ptr<const Model> model;
  std::vector<Structure> structures;  ///< as many as message.structures
  std::int64_t rows = 0;              ///< of the structures
  TaskSets sets;                      ///< where message.reduce asks for it; else empty
  std::uint64_t bytes = 0;            ///< of the block: its rows * columns * 8
  bool in_place = false;              ///< the rows are to be written to message.place rather than sent

  const TaskId& task() const { return message.task; }
  std::uint32_t left_out() const;  ///< structures that the task excludes
};

/// What becomes of a task that came over the wire. HandBack: it was damaged on the way, another delivery may be good.
/// TaskFailed: it is wrong at its source and names the structure; sending it again would not help.
using ReadTask = std::variant<Assignment, HandBack, TaskFailed>;
ReadTask read_task(const TaskMessage& message, const Payload& payload, std::shared_ptr<const Model> model);

}  // namespace ipfit
