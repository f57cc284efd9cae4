// Exit codes: what scripts may branch on. Listed for people in docs/cli.md and in `perdure --help`.
#pragma once

namespace perdure::cli {

enum class ExitCode : int {
  ok = 0,
  failed = 1,       ///< the operation was refused or did not succeed
  usage = 2,        ///< the command line or the configuration file is wrong
  not_found = 3,    ///< no such process, instance, task or file
  unreachable = 4,  ///< the server or the database cannot be reached
  difference = 5,   ///< `check` found a difference, `migrate --status` a pending migration
  waiting = 6,      ///< `run`: the instance waits for a worker or a person, also with an incident
  interrupted = 130 ///< Ctrl-C ended a command before it was done
};

} // namespace perdure::cli
