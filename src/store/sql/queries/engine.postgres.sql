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
      AND NOT EXISTS (SELECT 1 FROM flow_run WHERE instance_id = token.instance_id)
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

-- name: completions_take
-- $1 flows, $2 now, $3 until when nobody else has them, $4 limit.
UPDATE flow_completion SET attempts = attempts + 1, next_attempt_at = $3
WHERE instance_id IN (
  SELECT instance_id FROM flow_completion
  WHERE process_id = ANY ($1) AND state = 'pending' AND next_attempt_at <= $2
  ORDER BY next_attempt_at LIMIT $4
  FOR NO KEY UPDATE SKIP LOCKED)
RETURNING instance_id, process_id, status, finished_at, attempts

-- name: completions_settle
-- $1 instances, $2 attempts, $3 when each was told or NULL, $4 when it is tried again or NULL, $5
-- errors or NULL. What was told counts, whoever has it now; else only who has it may speak.
UPDATE flow_completion SET
  state = CASE WHEN told.delivered_at IS NULL THEN 'pending' ELSE 'delivered' END,
  delivered_at = CASE WHEN told.delivered_at IS NOT NULL
    THEN greatest(told.delivered_at, finished_at) END,
  next_attempt_at = told.next_attempt_at,
  last_error = CASE WHEN told.delivered_at IS NULL
    THEN coalesce(told.error, flow_completion.last_error) END
FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::text[])
  AS told (instance_id, attempt, delivered_at, next_attempt_at, error)
WHERE flow_completion.instance_id = told.instance_id AND flow_completion.state = 'pending'
  AND (told.delivered_at IS NOT NULL OR flow_completion.attempts = told.attempt)

-- name: instance_versions
-- $1 instances.
SELECT id, version FROM process_instance WHERE id = ANY ($1)

-- name: last_fact_time
-- For tests with a clock of their own: walks over everything.
SELECT max(occurred_at) AS occurred_at FROM history_event
