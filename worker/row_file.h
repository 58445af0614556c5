#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// Writes a block to its place in the file of the manager's store, which then need not be sent. The rules that keep
/// every row right, whoever is slow, lost or killed:
/// - The rows are locked exclusively while they are written, and from then on shared. Nobody who locks can write them
///   again as long as the writer holds them; the manager locks them shared itself before it claims them in its journal,
///   and never lets go. So the first block stays, and one that comes late meets a lock.
/// - The file must be the one that is meant, not another of that name, and the block must lie inside it.
///
/// The result holds the shared lock: to be kept until the manager has acknowledged the block or does not want it. The
/// rows are not synced. Errors: kRefused where somebody else is writing these rows or has written them, kStorage where
/// they cannot be written; the block can then be sent instead, and the manager finds out by itself what is wrong.
Result<std::shared_ptr<const void>> write_in_place(const Place& place, std::span<const std::byte> block);

}  // namespace ipfit
