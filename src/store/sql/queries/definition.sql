-- Definitions.

-- name: definition_by_id
SELECT * FROM process_definition WHERE id = $1

-- name: definition_latest
SELECT * FROM process_definition WHERE tenant_id = $1 AND process_id = $2
ORDER BY version DESC LIMIT 1
