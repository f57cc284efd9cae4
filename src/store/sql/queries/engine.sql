-- What the engine asks between decisions: whose row is this, what is due, what is ready.

-- name: instance_of_task
SELECT instance_id FROM external_task WHERE id = $1

-- name: instance_of_user_task
SELECT instance_id FROM user_task WHERE id = $1

-- name: instance_of_incident
SELECT instance_id FROM incident WHERE id = $1

-- name: instance_of_business_key
-- Only instances whose start asked for a unique business key.
SELECT id FROM process_instance
WHERE tenant_id = $1 AND process_id = $2 AND business_key = $3 AND unique_business_key = 1

-- name: external_task_by_id
SELECT * FROM external_task WHERE id = $1

-- name: user_task_by_id
SELECT * FROM user_task WHERE id = $1

-- name: ready_tasks
-- $1 type, $2 now, $3 limit.
SELECT id, instance_id FROM external_task
WHERE type = $1 AND state = 'ready' AND available_at <= $2
ORDER BY priority DESC, available_at, id LIMIT $3

-- name: due_rows
-- $1 now, $2 limit. The longest overdue first, whatever their kind. The kinds are DueRow::Kind.
SELECT kind, id, instance_id FROM (
  SELECT * FROM (
    SELECT 'timer' AS kind, id, instance_id, due_at AS due FROM timer
    WHERE status = 'scheduled' AND due_at <= $1 ORDER BY due_at LIMIT $2) AS timers
  UNION ALL SELECT * FROM (
    SELECT 'task_lock' AS kind, id, instance_id, lock_expires_at AS due FROM external_task
    WHERE state = 'locked' AND lock_expires_at <= $1 ORDER BY lock_expires_at LIMIT $2) AS locks
  UNION ALL SELECT * FROM (
    SELECT 'ready_token' AS kind, id, instance_id, placed_at AS due FROM token
    WHERE state = 'ready' AND placed_at <= $1 ORDER BY placed_at LIMIT $2) AS tokens) AS due_row
ORDER BY due LIMIT $2

-- name: locks_of
-- $1 prefix, $2 limit. Walks over all locks: asked once, when a process takes its place again.
SELECT id, instance_id FROM external_task
WHERE state = 'locked' AND substr(worker_id, 1, length($1)) = $1
ORDER BY lock_expires_at LIMIT $2

-- name: next_due
-- $1 now. What is due by then is not asked for: it would hide what comes after it. NULL when
-- nothing is to come.
SELECT min(due) FROM (
  SELECT min(due_at) AS due FROM timer WHERE status = 'scheduled' AND due_at > $1
  UNION ALL SELECT min(lock_expires_at) FROM external_task
    WHERE state = 'locked' AND lock_expires_at > $1
  UNION ALL SELECT min(placed_at) FROM token WHERE state = 'ready' AND placed_at > $1
  UNION ALL SELECT min(available_at) FROM external_task
    WHERE state = 'ready' AND available_at > created_at AND available_at > $1) AS next_row

-- name: idempotency_by_key
SELECT * FROM idempotency_key WHERE key = $1 AND tenant_id = $2

-- name: idempotency_purge
-- $1 now, $2 limit.
DELETE FROM idempotency_key WHERE (key, tenant_id) IN (
  SELECT key, tenant_id FROM idempotency_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
