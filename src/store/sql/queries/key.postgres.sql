-- Keys.

-- name: key_block_take
-- The first key of a block that nobody else gets, and how many keys it has.
SELECT nextval('key_block'), (SELECT seqincrement FROM pg_sequence
  WHERE seqrelid = 'key_block'::regclass)

-- name: key_block_next
SELECT CASE WHEN is_called THEN last_value + 65536 ELSE last_value END FROM key_block
