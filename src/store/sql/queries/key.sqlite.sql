-- Keys.

-- name: key_block_take
-- The first key after the block that is taken now.
UPDATE key_block SET next_key = next_key + $1 WHERE name = 'row' RETURNING next_key

-- name: key_block_next
SELECT next_key FROM key_block WHERE name = 'row'
