-- Removing instances whose time is over: first their rows in instance_purge, then everything of
-- them, table by table, at last the rows in instance_purge. One transaction; the schema refuses
-- to end it before all that is theirs is gone.

-- name: instance_ages
-- $1 the last key of the page before, $2 limit. In key order, running ones too: instances are
-- looked at in steps of known size, whatever share of them has ended.
SELECT id, definition_id, process_id, created_at, ended_at, last_sequence FROM process_instance
WHERE id > $1 ORDER BY id LIMIT $2

-- name: purge_instance_migration
DELETE FROM instance_migration WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_decision_evaluation
DELETE FROM decision_evaluation WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_pending_event
DELETE FROM pending_event WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_flow_completion
DELETE FROM flow_completion WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_flow_run
DELETE FROM flow_run WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_compensation_record
DELETE FROM compensation_record WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_event_subscription
DELETE FROM event_subscription WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_dead_letter
DELETE FROM dead_letter WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_incident
DELETE FROM incident WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_join_arrival
DELETE FROM join_arrival WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_parallel_join
DELETE FROM parallel_join WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_timer
DELETE FROM timer WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_user_task
DELETE FROM user_task WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_external_task
DELETE FROM external_task WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_step_attempt
DELETE FROM step_attempt WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_step_record
DELETE FROM step_record WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_token
DELETE FROM token WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_scope
DELETE FROM scope WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_history_event
DELETE FROM history_event WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_audit_entry
DELETE FROM audit_entry WHERE instance_id IN (SELECT instance_id FROM instance_purge)

-- name: purge_process_instance
DELETE FROM process_instance WHERE id IN (SELECT instance_id FROM instance_purge)

-- name: purge_end
DELETE FROM instance_purge
