-- What the engine asks between decisions, where the twin differs. Many nodes ask at the same
-- time: what is ready or due is claimed by a lock on its instance, and what another node has
-- claimed is passed over. The claims end with the transaction of the round, which is also the
-- one that commits its decisions.

-- name: instance_of_business_key
-- Only instances whose start asked for a unique business key.
SELECT id FROM process_instance
WHERE tenant_id = $1 AND process_id = $2 AND business_key = $3 AND unique_business_key

-- name: ready_tasks
-- $1 type, $2 now, $3 limit.
SELECT task.id, task.instance_id FROM external_task AS task
JOIN process_instance AS instance ON instance.id = task.instance_id
WHERE task.type = $1 AND task.state = 'ready' AND task.available_at <= $2
  AND instance.status <> 'paused'
ORDER BY task.priority DESC, task.available_at, task.id LIMIT $3
FOR NO KEY UPDATE OF instance SKIP LOCKED

-- name: due_rows
-- $1 now, $2 limit. The longest overdue first, whatever their kind. The kinds are DueRow::Kind.
-- Nothing is due in a paused instance; a sub-select, which is asked row by row and ends early.
SELECT due_row.kind, due_row.id, due_row.instance_id FROM (
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
      AND (SELECT status FROM process_instance WHERE id = token.instance_id) <> 'paused'
    ORDER BY placed_at LIMIT $2) AS tokens) AS due_row
JOIN process_instance AS instance ON instance.id = due_row.instance_id
ORDER BY due_row.due, due_row.id LIMIT $2
FOR NO KEY UPDATE OF instance SKIP LOCKED

-- name: idempotency_purge
-- $1 now, $2 limit.
DELETE FROM idempotency_key WHERE (key, tenant_id) IN (
  SELECT key, tenant_id FROM idempotency_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
  FOR UPDATE SKIP LOCKED)

-- name: instance_versions
-- $1 instances.
SELECT id, version FROM process_instance WHERE id = ANY ($1)
