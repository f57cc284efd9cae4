-- Queries for people and programs. A page begins after the row of key $1 and has at most $2 rows.
-- A list with filters has one query for each filter that an index serves; the others are checked
-- row by row, and every query of a list takes the same parameters.

-- name: definitions
-- Newest first.
SELECT * FROM process_definition WHERE id < $1 ORDER BY id DESC LIMIT $2

-- name: decision_definitions
-- Newest first.
SELECT * FROM decision_definition WHERE id < $1 ORDER BY id DESC LIMIT $2

-- name: instance_by_id
SELECT * FROM process_instance WHERE id = $1

-- name: instance_ids
-- In key order, for walks over all instances.
SELECT id FROM process_instance WHERE id > $1 ORDER BY id LIMIT $2

-- name: instances_all
-- Newest first, each with the number of its open incidents. $3 process_id, $4 status,
-- $5 business_key: NULL for any; $6: 1 for those with an open incident only; $7 the one that called
-- them.
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM process_instance WHERE id < $1
  AND ($3 IS NULL OR process_id = $3) AND ($4 IS NULL OR status = $4)
  AND ($5 IS NULL OR business_key = $5)
ORDER BY id DESC LIMIT $2

-- name: instances_by_business_key
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM process_instance WHERE id < $1 AND business_key = $5
  AND ($3 IS NULL OR process_id = $3) AND ($4 IS NULL OR status = $4)
  AND ($6 = 0 OR EXISTS (SELECT 1 FROM incident
    WHERE incident.instance_id = process_instance.id AND incident.state = 'open'))
ORDER BY id DESC LIMIT $2

-- name: instances_with_incident
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM process_instance WHERE id < $1
  AND id IN (SELECT instance_id FROM incident WHERE state = 'open')
  AND ($3 IS NULL OR process_id = $3) AND ($4 IS NULL OR status = $4)
ORDER BY id DESC LIMIT $2

-- name: instances_by_status
-- Not for completed ones, which are nearly all.
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM process_instance WHERE id < $1 AND status = $4 AND status <> 'completed'
  AND ($3 IS NULL OR process_id = $3)
ORDER BY id DESC LIMIT $2

-- name: instances_by_process
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM process_instance WHERE id < $1 AND process_id = $3
  AND ($4 IS NULL OR status = $4)
ORDER BY id DESC LIMIT $2

-- name: instances_of_parent
-- Found by the steps of the call activities.
SELECT process_instance.*, (SELECT count(*) FROM incident
  WHERE incident.instance_id = process_instance.id AND incident.state = 'open')
FROM step_record JOIN process_instance ON process_instance.id = step_record.called_instance_id
WHERE step_record.instance_id = $7 AND step_record.called_instance_id < $1
  AND ($3 IS NULL OR process_instance.process_id = $3)
  AND ($4 IS NULL OR process_instance.status = $4)
  AND ($5 IS NULL OR process_instance.business_key = $5)
  AND ($6 = 0 OR EXISTS (SELECT 1 FROM incident
    WHERE incident.instance_id = process_instance.id AND incident.state = 'open'))
ORDER BY step_record.called_instance_id DESC LIMIT $2

-- name: steps_of_instance
SELECT * FROM step_record WHERE instance_id = $1 ORDER BY ordinal

-- name: attempts_of_instance
SELECT * FROM step_attempt WHERE instance_id = $1 ORDER BY step_id, number

-- name: steps_page
-- $2 the last ordinal of the page before, $3 limit.
SELECT * FROM step_record WHERE instance_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3

-- name: attempts_page
-- Of the steps of a page: $2 the last ordinal of the page before, $3 of this one.
SELECT step_attempt.* FROM step_record
JOIN step_attempt ON step_attempt.instance_id = step_record.instance_id
  AND step_attempt.step_id = step_record.id
WHERE step_record.instance_id = $1 AND step_record.ordinal > $2 AND step_record.ordinal <= $3
ORDER BY step_attempt.step_id, step_attempt.number

-- name: tokens_of_instance
SELECT * FROM token WHERE instance_id = $1 ORDER BY id

-- name: scopes_of_instance
SELECT * FROM scope WHERE instance_id = $1 ORDER BY id

-- name: incidents_of_instance
SELECT * FROM incident WHERE instance_id = $1 ORDER BY id

-- name: timers_of_instance
SELECT * FROM timer WHERE instance_id = $1 ORDER BY id

-- name: subscriptions_of_instance
SELECT * FROM event_subscription WHERE instance_id = $1 ORDER BY id

-- name: sent_by_instance
SELECT * FROM pending_event WHERE instance_id = $1 ORDER BY id

-- name: flow_completion_of_instance
SELECT * FROM flow_completion WHERE instance_id = $1

-- name: flow_run_of_instance
SELECT * FROM flow_run WHERE instance_id = $1

-- name: compensations_of_instance
SELECT * FROM compensation_record WHERE instance_id = $1 ORDER BY id

-- name: evaluations_of_instance
SELECT * FROM decision_evaluation WHERE instance_id = $1 ORDER BY id

-- name: migrations_of_instance
SELECT * FROM instance_migration WHERE instance_id = $1 ORDER BY id

-- name: evaluations_page
-- $2 the last one of the page before, $3 limit.
SELECT * FROM decision_evaluation WHERE instance_id = $1 AND id > $2 ORDER BY id LIMIT $3

-- name: tasks_of_instance
SELECT * FROM external_task WHERE instance_id = $1 ORDER BY id

-- name: people_tasks_of_instance
SELECT * FROM user_task WHERE instance_id = $1 ORDER BY id

-- name: joins_of_instance
SELECT * FROM parallel_join WHERE instance_id = $1 ORDER BY id

-- name: arrivals_of_instance
SELECT * FROM join_arrival WHERE instance_id = $1 ORDER BY join_id, flow_id

-- name: dead_letters_of_instance
SELECT * FROM dead_letter WHERE instance_id = $1 ORDER BY id

-- name: history_of_instance
-- $1 instance, $2 the last sequence of the page before, $3 limit.
SELECT * FROM history_event WHERE instance_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3

-- name: external_tasks_all
-- Oldest first. $3 instance, $4 type: NULL for any; $5: 1 for open ones only.
SELECT * FROM external_task WHERE id > $1 AND ($4 IS NULL OR type = $4) ORDER BY id LIMIT $2

-- name: external_tasks_open
-- Ready, locked, or failed and waiting for an operator.
SELECT * FROM external_task WHERE id > $1 AND ($4 IS NULL OR type = $4)
  AND (state = 'ready' OR state = 'locked' OR state = 'failed')
ORDER BY id LIMIT $2

-- name: external_tasks_of_instance
SELECT * FROM external_task WHERE instance_id = $3 AND id > $1 AND ($4 IS NULL OR type = $4)
  AND ($5 = 0 OR state = 'ready' OR state = 'locked' OR state = 'failed')
ORDER BY id LIMIT $2

-- name: user_tasks_all
-- Oldest first. $3 instance, $4 assignee: NULL for any; $5: 1 for open ones only.
SELECT * FROM user_task WHERE id > $1 ORDER BY id LIMIT $2

-- name: user_tasks_open
SELECT * FROM user_task WHERE id > $1 AND state = 'open' ORDER BY id LIMIT $2

-- name: user_tasks_of_assignee
SELECT * FROM user_task WHERE assignee = $4 AND id > $1 AND ($5 = 0 OR state = 'open')
ORDER BY id LIMIT $2

-- name: user_tasks_of_instance
SELECT * FROM user_task WHERE instance_id = $3 AND id > $1
  AND ($4 IS NULL OR assignee = $4) AND ($5 = 0 OR state = 'open')
ORDER BY id LIMIT $2

-- name: dead_letters_open
-- Oldest first.
SELECT * FROM dead_letter WHERE state = 'open' AND id > $1 ORDER BY id LIMIT $2

-- name: audit_all
-- Newest first. $3 instance, $4 actor, $5 action: NULL for any.
SELECT * FROM audit_entry WHERE id < $1 AND ($4 IS NULL OR actor = $4)
  AND ($5 IS NULL OR action = $5)
ORDER BY id DESC LIMIT $2

-- name: audit_of_instance
SELECT * FROM audit_entry WHERE instance_id = $3 AND id < $1
  AND ($4 IS NULL OR actor = $4) AND ($5 IS NULL OR action = $5)
ORDER BY id DESC LIMIT $2

-- name: schema_version
SELECT version FROM schema_migration ORDER BY version DESC LIMIT 1

-- name: idempotency_page
-- In the order of key and tenant: $1 and $2 are those of the last one of the page before.
SELECT * FROM idempotency_key WHERE key > $1 OR (key = $1 AND tenant_id > $2)
ORDER BY key, tenant_id LIMIT $3
