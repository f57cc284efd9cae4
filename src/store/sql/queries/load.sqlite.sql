-- States for deciding: the rows of many instances that later decisions read, one statement a
-- table. $1 is the list of instance keys as JSON; CROSS JOIN makes SQLite begin with it. What
-- counts as live is InstanceState::saved() read the other way.

-- name: load_instances
SELECT process_instance.* FROM json_each($1) AS wanted
CROSS JOIN process_instance ON process_instance.id = wanted.value

-- name: load_scopes
SELECT scope.* FROM json_each($1) AS wanted
CROSS JOIN scope ON scope.instance_id = wanted.value
WHERE scope.state = 'open'

-- name: load_iterations
-- How far multi-instances are that are open, and what their iterations gave.
SELECT iteration.instance_id, iteration.parent_id, iteration.loop_index, iteration.state,
  iteration.output
FROM json_each($1) AS wanted
CROSS JOIN scope ON scope.instance_id = wanted.value
CROSS JOIN scope AS iteration INDEXED BY scope_loop_index_once
  ON iteration.instance_id = scope.instance_id AND iteration.parent_id = scope.id
  AND iteration.loop_index IS NOT NULL
WHERE scope.state = 'open' AND scope.kind = 'multi_instance'

-- name: load_tokens
SELECT token.* FROM json_each($1) AS wanted
CROSS JOIN token ON token.instance_id = wanted.value
WHERE token.ended_at IS NULL

-- name: load_steps
SELECT step_record.* FROM json_each($1) AS wanted
CROSS JOIN step_record ON step_record.instance_id = wanted.value
WHERE step_record.status <> 'completed' AND step_record.status <> 'cancelled'

-- name: load_attempts
SELECT step_attempt.* FROM json_each($1) AS wanted
CROSS JOIN step_attempt INDEXED BY step_attempt_started_once
  ON step_attempt.instance_id = wanted.value
WHERE step_attempt.state = 'started'

-- name: load_external_tasks
SELECT external_task.* FROM json_each($1) AS wanted
CROSS JOIN external_task ON external_task.instance_id = wanted.value
WHERE (external_task.state = 'ready' OR external_task.state = 'locked'
  OR external_task.state = 'failed')

-- name: load_user_tasks
SELECT user_task.* FROM json_each($1) AS wanted
CROSS JOIN user_task ON user_task.instance_id = wanted.value
WHERE user_task.state = 'open'

-- name: load_timers
SELECT timer.* FROM json_each($1) AS wanted
CROSS JOIN timer ON timer.instance_id = wanted.value
WHERE timer.status = 'scheduled'

-- name: load_subscriptions
SELECT event_subscription.* FROM json_each($1) AS wanted
CROSS JOIN event_subscription ON event_subscription.instance_id = wanted.value
WHERE event_subscription.state = 'open'

-- name: load_joins
SELECT parallel_join.* FROM json_each($1) AS wanted
CROSS JOIN parallel_join ON parallel_join.instance_id = wanted.value
WHERE parallel_join.state = 'open'

-- name: load_arrivals
SELECT join_arrival.* FROM json_each($1) AS wanted
CROSS JOIN parallel_join ON parallel_join.instance_id = wanted.value
CROSS JOIN join_arrival ON join_arrival.instance_id = parallel_join.instance_id
  AND join_arrival.join_id = parallel_join.id
WHERE parallel_join.state = 'open'

-- name: load_incidents
SELECT incident.* FROM json_each($1) AS wanted
CROSS JOIN incident INDEXED BY incident_open_once
  ON incident.instance_id = wanted.value
WHERE incident.state = 'open'

-- name: load_dead_letters
SELECT dead_letter.* FROM json_each($1) AS wanted
CROSS JOIN dead_letter ON dead_letter.instance_id = wanted.value
WHERE dead_letter.state = 'open'

-- name: load_flow_runs
SELECT flow_run.* FROM json_each($1) AS wanted
CROSS JOIN flow_run ON flow_run.instance_id = wanted.value

-- name: load_compensations
-- Nothing is undone once the instance has ended.
SELECT compensation_record.* FROM json_each($1) AS wanted
CROSS JOIN process_instance ON process_instance.id = wanted.value
CROSS JOIN compensation_record ON compensation_record.instance_id = process_instance.id
WHERE process_instance.ended_at IS NULL
  AND (compensation_record.status = 'pending' OR compensation_record.status = 'running')

-- name: load_visits
-- A flow goes on by its code: nobody counts how often it was where.
SELECT step_record.instance_id, step_record.node_id, coalesce(step_record.listener, 0) AS listener,
  count(*)
FROM json_each($1) AS wanted
CROSS JOIN step_record ON step_record.instance_id = wanted.value
WHERE NOT EXISTS (SELECT 1 FROM flow_run WHERE flow_run.instance_id = wanted.value)
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: load_generations
-- Of scopes that are open: no decision asks for others.
SELECT parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id,
  max(parallel_join.generation)
FROM json_each($1) AS wanted
CROSS JOIN scope ON scope.instance_id = wanted.value
CROSS JOIN parallel_join ON parallel_join.instance_id = scope.instance_id
  AND parallel_join.scope_id = scope.id
WHERE scope.state = 'open'
GROUP BY parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id
ORDER BY parallel_join.instance_id, parallel_join.scope_id, parallel_join.node_id
