-- Definitions.

-- name: definition_by_id
SELECT * FROM process_definition WHERE id = $1

-- name: definition_latest
SELECT * FROM process_definition WHERE tenant_id = $1 AND process_id = $2
ORDER BY version DESC LIMIT 1

-- name: decision_by_id
SELECT * FROM decision_definition WHERE id = $1

-- name: decision_latest
SELECT * FROM decision_definition WHERE tenant_id = $1 AND decision_id = $2
ORDER BY version DESC LIMIT 1

-- name: decision_version
SELECT * FROM decision_definition WHERE tenant_id = $1 AND decision_id = $2 AND version = $3

-- name: decision_tagged
SELECT * FROM decision_definition
WHERE tenant_id = $1 AND decision_id = $2 AND version_tag = $3
ORDER BY version DESC LIMIT 1

-- name: decision_of_deployment
SELECT * FROM decision_definition WHERE deployment_id = $1 AND decision_id = $2

-- name: requirements_by_id
SELECT * FROM decision_requirements WHERE id = $1

-- name: requirements_latest
SELECT * FROM decision_requirements WHERE tenant_id = $1 AND model_id = $2
ORDER BY version DESC LIMIT 1
