-- States for deciding: the rows of many instances that later decisions read, one statement a
-- table, all in one round trip. $1 is the array of instance keys. What counts as live is
-- InstanceState::saved() read the other way. The twin has to begin with a list in JSON.

-- name: load_instances
SELECT * FROM process_instance WHERE id = ANY ($1) ORDER BY id

-- name: load_scopes
SELECT * FROM scope WHERE instance_id = ANY ($1) AND state = 'open' ORDER BY instance_id, id

-- name: load_iterations
-- How far multi-instances are that are open, and what their iterations gave.
SELECT iteration.instance_id, iteration.parent_id, iteration.loop_index, iteration.state,
  iteration.output
FROM scope
JOIN scope AS iteration ON iteration.instance_id = scope.instance_id
  AND iteration.parent_id = scope.id AND iteration.loop_index IS NOT NULL
WHERE scope.instance_id = ANY ($1) AND scope.state = 'open' AND scope.kind = 'multi_instance'

-- name: load_tokens
SELECT * FROM token WHERE instance_id = ANY ($1) AND ended_at IS NULL ORDER BY instance_id, id

-- name: load_steps
SELECT * FROM step_record
WHERE instance_id = ANY ($1) AND status <> 'completed' AND status <> 'cancelled'
ORDER BY instance_id, id

-- name: load_attempts
SELECT * FROM step_attempt WHERE instance_id = ANY ($1) AND state = 'started'
ORDER BY instance_id, step_id, number

-- name: load_external_tasks
SELECT * FROM external_task
WHERE instance_id = ANY ($1) AND (state = 'ready' OR state = 'locked' OR state = 'failed')
ORDER BY instance_id, id

-- name: load_user_tasks
SELECT * FROM user_task WHERE instance_id = ANY ($1) AND state = 'open' ORDER BY instance_id, id

-- name: load_timers
SELECT * FROM timer WHERE instance_id = ANY ($1) AND status = 'scheduled' ORDER BY instance_id, id

-- name: load_subscriptions
SELECT * FROM event_subscription WHERE instance_id = ANY ($1) AND state = 'open'
ORDER BY instance_id, id

-- name: load_joins
SELECT * FROM parallel_join WHERE instance_id = ANY ($1) AND state = 'open'
ORDER BY instance_id, id

-- name: load_arrivals
SELECT join_arrival.* FROM parallel_join
JOIN join_arrival ON join_arrival.instance_id = parallel_join.instance_id
  AND join_arrival.join_id = parallel_join.id
WHERE parallel_join.instance_id = ANY ($1) AND parallel_join.state = 'open'
ORDER BY join_arrival.instance_id, join_arrival.join_id, join_arrival.flow_id

-- name: load_incidents
SELECT * FROM incident WHERE instance_id = ANY ($1) AND state = 'open' ORDER BY instance_id, id

-- name: load_dead_letters
SELECT * FROM dead_letter WHERE instance_id = ANY ($1) AND state = 'open' ORDER BY instance_id, id

-- name: load_flow_runs
SELECT * FROM flow_run WHERE instance_id = ANY ($1) ORDER BY instance_id

-- name: load_compensations
-- Nothing is undone once the instance has ended.
SELECT compensation_record.* FROM compensation_record
JOIN process_instance ON process_instance.id = compensation_record.instance_id
WHERE compensation_record.instance_id = ANY ($1) AND process_instance.ended_at IS NULL
  AND (compensation_record.status = 'pending' OR compensation_record.status = 'running')
ORDER BY compensation_record.instance_id, compensation_record.id

-- name: load_visits
-- A flow goes on by its code: nobody counts how often it was where.
SELECT instance_id, node_id, coalesce(listener, 0), count(*) FROM step_record
WHERE instance_id = ANY (ARRAY (SELECT wanted.id FROM unnest($1::bigint[]) AS wanted (id)
  WHERE NOT EXISTS (SELECT 1 FROM flow_run WHERE flow_run.instance_id = wanted.id)))
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: load_generations
-- Of scopes that are open: no decision asks for others.
SELECT parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id,
  max(parallel_join.generation)
FROM scope
JOIN parallel_join ON parallel_join.instance_id = scope.instance_id
  AND parallel_join.scope_id = scope.id
WHERE scope.instance_id = ANY ($1) AND scope.state = 'open'
GROUP BY parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id
ORDER BY parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id
