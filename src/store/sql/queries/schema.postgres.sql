-- About the schema itself.

-- name: schema_exists
SELECT 1 FROM pg_namespace WHERE nspname = $1

-- name: schema_table_exists
SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = $1 AND relname = $2 AND relkind = 'r'

-- name: migration_applied
SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version

-- name: migration_record
INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)

-- name: schema_dump
-- $1 schema. One line for each column, rule, index, trigger and function, the same for schemas
-- of any name: it is taken away where a table or function is named, and nowhere else, since a row
-- in a condition or in the body of a function may have the same name.
SELECT regexp_replace(line, ' (ON|REFERENCES|FUNCTION) ' || quote_ident($1) || '\.', ' \1 ', 'g')
  AS line
FROM (
  SELECT 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
    || CASE WHEN attnotnull THEN ' not null' ELSE '' END
    || coalesce(' collate ' || nullif(collname, 'default'), '') AS line
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  LEFT JOIN pg_collation ON pg_collation.oid = attcollation
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND relkind = 'r'
    AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT 'rule ' || relname || ' ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid)
  FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
  WHERE connamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND contype <> 't'
  UNION ALL
  SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = $1
  UNION ALL
  SELECT 'trigger ' || pg_get_triggerdef(pg_trigger.oid)
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND NOT tgisinternal
  UNION ALL
  SELECT 'function ' || proname || ' ' || prosrc FROM pg_proc
  WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
  UNION ALL
  SELECT 'sequence ' || sequencename || ' by ' || increment_by FROM pg_sequences
  WHERE schemaname = $1) AS lines
ORDER BY line COLLATE "C"

-- name: migration_patience
-- Other nodes wait for the one that migrates; see transaction_lock.
SELECT set_config('lock_timeout', '60s', true)

-- name: migration_haste
-- Who waits for a lock on a table makes everybody else wait behind it.
SELECT set_config('lock_timeout', '2s', true)

-- name: scratch_begin
SAVEPOINT scratch

-- name: scratch_rollback
ROLLBACK TO SAVEPOINT scratch
