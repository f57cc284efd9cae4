-- Copying whole databases. What is copied is what the catalogue says, so that a new table takes
-- part by itself; the statements for it are texts that the catalogue is asked for.

-- name: copy_tables
-- In the order in which they were made: a table refers to older ones. The column
-- by which rows refer to rows of the same table, and the one that does so.
SELECT made.name,
  EXISTS (SELECT 1 FROM pragma_table_info(made.name) AS info WHERE info.name = 'instance_id')
    OR made.name = 'process_instance',
  (SELECT own."to" FROM pragma_foreign_key_list(made.name) AS own
   WHERE own."table" = made.name AND own."to" <> 'instance_id'),
  (SELECT own."from" FROM pragma_foreign_key_list(made.name) AS own
   WHERE own."table" = made.name AND own."to" <> 'instance_id')
FROM sqlite_schema AS made
WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite_%' AND made.name <> 'schema_migration'
  AND made.name <> 'key_block' AND made.name <> 'instance_purge'
ORDER BY made.rowid

-- name: copy_columns
-- $1 table.
SELECT name FROM pragma_table_info($1) ORDER BY cid

-- name: copy_texts
-- $1 table. Rows of a range of instances, rows of none, a new row, the number of rows.
SELECT
  'SELECT ' || names || ' FROM ' || $1 || ' WHERE ' || coalesce(key, '0') || ' BETWEEN ?1 AND ?2',
  'SELECT ' || names || ' FROM ' || $1 || CASE WHEN key IS NULL THEN '' ELSE
    ' WHERE ' || key || ' IS NULL' END,
  'INSERT INTO ' || $1 || ' (' || names || ') VALUES (' || places || ')',
  'SELECT count(*) FROM ' || $1
FROM (
  SELECT group_concat(name, ', ') AS names, group_concat('?' || (cid + 1), ', ') AS places,
    CASE WHEN $1 = 'process_instance' THEN 'id'
      ELSE max(name) FILTER (WHERE name = 'instance_id') END AS key
  FROM (SELECT name, cid FROM pragma_table_info($1) ORDER BY cid))

-- name: copy_next_key
SELECT next_key FROM key_block WHERE name = 'row'

-- name: copy_keys_begin
-- $1 the first key that nobody has.
UPDATE key_block SET next_key = $1 WHERE name = 'row'

-- name: copy_single_file
-- One file, without a log beside it.
PRAGMA journal_mode = DELETE
