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

-- name: flow_attempts_of
-- $1 prefix. Flows whose callbacks a process was calling. Walks over all attempts that run: asked
-- once, when a process takes its place again.
SELECT DISTINCT step_attempt.instance_id, step_attempt.worker_id FROM step_attempt
JOIN flow_run ON flow_run.instance_id = step_attempt.instance_id
WHERE step_attempt.state = 'started' AND substr(step_attempt.worker_id, 1, length($1)) = $1

-- name: ready_flows
-- $1 the last instance of the page before, $2 limit, $3 the end of time. Flows whose code is to be
-- told something.
-- Walks over the tokens that are ready, not in the order of keys, which has all tokens.
SELECT token.instance_id, process_instance.definition_id, process_instance.last_sequence,
  process_instance.updated_at, flow_run.host,
  (SELECT count(*) FROM step_attempt WHERE step_attempt.instance_id = token.instance_id
    AND step_attempt.state = 'started' AND step_attempt.worker_id IS NOT NULL)
FROM token
JOIN flow_run ON flow_run.instance_id = token.instance_id
JOIN process_instance ON process_instance.id = token.instance_id
WHERE token.state = 'ready' AND token.placed_at <= $3 AND token.instance_id + 0 > $1
  AND process_instance.status <> 'paused'
ORDER BY token.instance_id + 0 LIMIT $2

-- name: next_due
-- $1 now. What is due by then is not asked for: it would hide what comes after it. NULL when
-- nothing is to come.
SELECT min(due) FROM (
  SELECT min(due_at) AS due FROM timer WHERE status = 'scheduled' AND due_at > $1
  UNION ALL SELECT min(lock_expires_at) FROM external_task
    WHERE state = 'locked' AND lock_expires_at > $1
  UNION ALL SELECT min(placed_at) FROM token WHERE state = 'ready' AND placed_at > $1
  UNION ALL SELECT min(due_at) FROM definition_subscription WHERE state = 'open' AND due_at > $1
  UNION ALL SELECT min(next_attempt_at) FROM flow_completion
    WHERE state = 'pending' AND next_attempt_at > $1
  UNION ALL SELECT min(due_at) FROM flow_schedule WHERE due_at > $1
  UNION ALL SELECT min(available_at) FROM external_task
    WHERE state = 'ready' AND available_at > created_at AND available_at > $1) AS next_row

-- name: flow_kind_of
SELECT * FROM flow_kind WHERE process_id = $1

-- name: flow_kind_deliver
-- $1 flow, $2 whether the ends of its runs are told. What else is said of it stays.
INSERT INTO flow_kind (process_id, delivers) VALUES ($1, $2)
ON CONFLICT (process_id) DO UPDATE SET delivers = excluded.delivers
WHERE flow_kind.delivers <> excluded.delivers

-- name: idempotency_by_key
SELECT * FROM idempotency_key WHERE key = $1 AND tenant_id = $2
