// The rules of tidy by kind of file. Each function looks at one file and adds what it finds.
#pragma once

#include <set>
#include <string>

#include "exceptions.h"
#include "finding.h"
#include "rooms.h"
#include "source.h"

namespace perdure::tidy {

/// Rules for any text: white space, marks of unfinished work, paths and hosts of one machine.
void check_text(const SourceFile& file, Exceptions& exceptions, Findings& findings);

/// Rules for .md files: local links lead to a file or folder of the tree.
void check_markdown(const SourceFile& file, const std::set<std::string>& paths, Findings& findings);

/// Rules for .sql files: head comment, line length, no CHECK (... IN (...)) of more than two items.
void check_sql(const SourceFile& file, Findings& findings);

/// Rules for .h and .cpp files: sizes, head comment, includes, and names that a room may not use.
void check_cpp(const SourceFile& file, const std::set<std::string>& paths, const Rooms& rooms,
               Exceptions& exceptions, Findings& findings);

/// Longer than 100 columns, counted in characters.
void check_line_length(const SourceFile& file, Findings& findings);

} // namespace perdure::tidy
