#pragma once

#include <string>

#include "common/result.h"
#include "manager/store/claims.h"
#include "manager/store/journal.h"

namespace ipfit {

/// Makes a store of a directory that is there: creates what is missing, mends what is damaged, and gives what the
/// journal claims. Afterwards the journal is clean, and it and the names of the files are durable. The rows are not
/// looked at. The caller holds the lock of the store. Errors: kRefused for another identity (naming what differs) or
/// another format version; kStorage.
Result<Claims> recover(const std::string& directory, const StoreIdentity& identity);

/// The journal as the disk has it. A process that was killed, or whose sync failed, may have left records in the
/// system's memory only: they are made durable now, or they are not there.
Result<Replay> replay_from_disk(const std::string& path);

/// A journal with these claims and nothing else, whose numbers of sequence begin anew; tells the claims the next one.
std::string clean_journal(const StoreIdentity& identity, Claims& claims);

}  // namespace ipfit
