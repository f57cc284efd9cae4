-- Copying whole databases. What is copied is what the catalogue says, so that a new table takes
-- part by itself; the statements for it are texts that the catalogue is asked for.

-- name: copy_columns
-- $1 table. Names and numbers of types.
SELECT attname::text, atttypid::bigint FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum

-- name: copy_texts
-- $1 table. Rows of a range of instances, a cursor for rows of none, new rows, the number of rows.
SELECT
  'SELECT ' || names || ' FROM ' || $1::text || ' WHERE ' || coalesce(key, '0')
    || ' BETWEEN $' || 1 || ' AND $' || 2,
  'DECLARE copy_rows CURSOR FOR SELECT ' || names || ' FROM ' || $1::text
    || coalesce(' WHERE ' || key || ' IS NULL', ''),
  'INSERT INTO ' || $1::text || ' (' || names || ') SELECT * FROM unnest(' || places || ')',
  'SELECT count(*) FROM ' || $1::text
FROM (
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS names,
    string_agg('$' || place || '::' || format_type(atttypid, -1) || '[]', ', ' ORDER BY attnum)
      AS places,
    CASE WHEN $1::text = 'process_instance' THEN 'id'
      ELSE max(attname::text) FILTER (WHERE attname = 'instance_id') END AS key
  FROM (
    SELECT attname, attnum, atttypid, row_number() OVER (ORDER BY attnum) AS place
    FROM pg_attribute
    WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped) AS columns)
  AS table_texts

-- name: copy_fetch
FETCH 500 FROM copy_rows

-- name: copy_close
CLOSE copy_rows

-- name: copy_next_key
SELECT last_value + CASE WHEN is_called THEN (SELECT seqincrement FROM pg_sequence
  WHERE seqrelid = 'key_block'::regclass) ELSE 0 END FROM key_block

-- name: copy_keys_begin
-- $1 the first key that nobody has.
SELECT setval('key_block', $1, false)

-- name: copy_lock
-- No node begins to work on what is being filled.
LOCK TABLE process_definition IN EXCLUSIVE MODE
