-- What the engine asks between decisions: whose row is this, what is due, what is ready.

-- name: instance_of_task
SELECT instance_id FROM external_task WHERE id = $1

-- name: instance_of_user_task
SELECT instance_id FROM user_task WHERE id = $1

-- name: instance_of_incident
SELECT instance_id FROM incident WHERE id = $1

-- name: external_task_by_id
SELECT * FROM external_task WHERE id = $1

-- name: user_task_by_id
SELECT * FROM user_task WHERE id = $1

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
  UNION ALL SELECT min(due_at) FROM definition_subscription WHERE state = 'open' AND due_at > $1
  UNION ALL SELECT min(available_at) FROM external_task
    WHERE state = 'ready' AND available_at > created_at AND available_at > $1) AS next_row

-- name: idempotency_by_key
SELECT * FROM idempotency_key WHERE key = $1 AND tenant_id = $2
