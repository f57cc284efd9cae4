-- About the schema itself.

-- name: schema_table_exists
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1

-- name: migration_applied
SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version

-- name: migration_record
INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)

-- name: schema_unique_index
-- The unique index of a table by its columns, since SQLite reports only these when it refuses a
-- row.
SELECT list.name FROM pragma_index_list($1) AS list
WHERE list."unique" = 1 AND list.origin = 'c' AND $2 =
  (SELECT group_concat($1 || '.' || info.name, ', ') FROM pragma_index_info(list.name) AS info)

-- name: schema_dump
-- Every statement of the schema in the order in which they were made.
SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
ORDER BY rowid

-- name: schema_integrity
PRAGMA integrity_check

-- name: schema_foreign_key_check
PRAGMA foreign_key_check
