-- What the engine asks between decisions, where the twin differs: booleans are 0 or 1, and one
-- writer needs no claims.

-- name: instance_of_business_key
-- Only instances whose start asked for a unique business key.
SELECT id FROM process_instance
WHERE tenant_id = $1 AND process_id = $2 AND business_key = $3 AND unique_business_key = 1

-- name: ready_tasks
-- $1 type, $2 now, $3 limit.
SELECT id, instance_id FROM external_task
WHERE type = $1 AND state = 'ready' AND available_at <= $2
  AND (SELECT status FROM process_instance WHERE id = external_task.instance_id) <> 'paused'
ORDER BY priority DESC, available_at, id LIMIT $3

-- name: due_rows
-- $1 now, $2 limit. The longest overdue first, whatever their kind. The kinds are DueRow::Kind.
-- Nothing is due in a paused instance; a sub-select, which is asked row by row and ends early.
SELECT kind, id, instance_id FROM (
  SELECT * FROM (
    SELECT 'timer' AS kind, id, instance_id, due_at AS due FROM timer
    WHERE status = 'scheduled' AND due_at <= $1
      AND (SELECT status FROM process_instance WHERE id = timer.instance_id) <> 'paused'
    ORDER BY due_at LIMIT $2) AS timers
  UNION ALL SELECT * FROM (
    SELECT 'task_lock' AS kind, id, instance_id, lock_expires_at AS due FROM external_task
    WHERE state = 'locked' AND lock_expires_at <= $1
      AND (SELECT status FROM process_instance WHERE id = external_task.instance_id) <> 'paused'
    ORDER BY lock_expires_at LIMIT $2) AS locks
  UNION ALL SELECT * FROM (
    SELECT 'ready_token' AS kind, id, instance_id, placed_at AS due FROM token
    WHERE state = 'ready' AND placed_at <= $1
      AND NOT EXISTS (SELECT 1 FROM flow_run WHERE instance_id = token.instance_id)
      AND (SELECT status FROM process_instance WHERE id = token.instance_id) <> 'paused'
    ORDER BY placed_at LIMIT $2) AS tokens) AS due_row
ORDER BY due LIMIT $2

-- name: idempotency_purge
-- $1 now, $2 limit.
DELETE FROM idempotency_key WHERE (key, tenant_id) IN (
  SELECT key, tenant_id FROM idempotency_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)

-- name: completions_take
-- $1 flows, $2 now, $3 until when nobody else has them, $4 limit.
UPDATE flow_completion SET attempts = attempts + 1, next_attempt_at = $3
WHERE instance_id IN (
  SELECT instance_id FROM flow_completion
  WHERE process_id IN (SELECT value FROM json_each($1)) AND state = 'pending'
    AND next_attempt_at <= $2
  ORDER BY next_attempt_at LIMIT $4)
RETURNING instance_id, process_id, status, finished_at, attempts

-- name: completions_settle
-- $1 instance, $2 attempt, $3 when it was told or NULL, $4 when it is tried again or NULL, $5 error
-- or NULL. What was told counts, whoever has it now; else only who has it may speak.
UPDATE flow_completion SET
  state = CASE WHEN $3 IS NULL THEN 'pending' ELSE 'delivered' END,
  delivered_at = max($3, finished_at), next_attempt_at = $4,
  last_error = CASE WHEN $3 IS NULL THEN coalesce($5, last_error) END
WHERE instance_id = $1 AND state = 'pending' AND ($3 IS NOT NULL OR attempts = $2)

-- name: last_fact_time
-- Facts are appended.
SELECT occurred_at FROM history_event ORDER BY rowid DESC LIMIT 1
