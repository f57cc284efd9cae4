-- What every database has: which schema files were applied, and the keys not yet handed out.
--
-- Conventions of all schema files: times are INTEGER milliseconds since 1970 (UTC), booleans are 0
-- or 1, JSON is TEXT that a CHECK proves valid. Columns stand in the order of the fields of the
-- row's struct (facts/rows.h, facts/view.h). Every rule has a name, so that a refusal can be told
-- by it: CHECK constraints, unique indexes and triggers by theirs, a primary key by `<table>_key`.
-- Closed sets are OR chains, since `IN` with more than two items builds a b-tree for each row. A
-- JSON object is told by its brace, as text between '{' and the character after it: a function
-- call would cost four times as much. Triggers stand where nothing else can prove a rule; those on
-- columns that no statement of the engine sets cost nothing.

CREATE TABLE schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  CONSTRAINT schema_migration_version CHECK (version >= 1),
  CONSTRAINT schema_migration_name CHECK (name <> ''),
  CONSTRAINT schema_migration_checksum CHECK (length(checksum) = 64)
) STRICT;

CREATE TRIGGER schema_migration_immutable BEFORE UPDATE ON schema_migration
BEGIN
  SELECT RAISE(ABORT, 'schema_migration_immutable');
END;

-- Keys are handed out in blocks: next_key is the first that nobody has.
CREATE TABLE key_block (
  name TEXT NOT NULL,
  next_key INTEGER NOT NULL,
  PRIMARY KEY (name),
  CONSTRAINT key_block_next_key CHECK (next_key >= 1)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER key_block_grows BEFORE UPDATE ON key_block
WHEN NEW.next_key < OLD.next_key OR NEW.name <> OLD.name
BEGIN
  SELECT RAISE(ABORT, 'key_block_grows');
END;

CREATE TRIGGER key_block_kept BEFORE DELETE ON key_block
BEGIN
  SELECT RAISE(ABORT, 'key_block_kept');
END;

INSERT INTO key_block (name, next_key) VALUES ('row', 1);
