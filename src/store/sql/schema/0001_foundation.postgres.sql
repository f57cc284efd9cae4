-- What every database has: which schema files were applied, and the keys not yet handed out.
--
-- The twin of 0001_foundation.sqlite.sql: the same columns in the same order, the same rules
-- under the same names. Conventions of all schema files of this dialect: times are timestamptz
-- with milliseconds, JSON is json, which keeps its text, words that are compared or sorted have
-- the order of their bytes (COLLATE "C"). Names are without a schema: the connection's
-- search_path says where they are made. No extension and no superuser is needed. Triggers stand
-- where nothing else can prove a rule; their conditions are in WHEN, so that a row that is
-- allowed calls no function.

-- Refuses a change in the name of the trigger.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TABLE schema_migration (
  version bigint CONSTRAINT schema_migration_key PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL,
  CONSTRAINT schema_migration_version CHECK (version >= 1),
  CONSTRAINT schema_migration_name CHECK (name <> ''),
  CONSTRAINT schema_migration_checksum CHECK (length(checksum) = 64)
);

CREATE TRIGGER schema_migration_immutable BEFORE UPDATE ON schema_migration FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Keys are handed out in blocks: a value is the first key of a block that nobody else has. A
-- sequence makes no node wait for another's transaction. The engine knows the size of a block.
CREATE SEQUENCE key_block AS bigint INCREMENT BY 65536 START WITH 1;
