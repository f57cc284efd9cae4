-- Retention, where the twin differs: lists are JSON here, and one writer needs no claims.

-- name: purge_defer
-- Scopes and tokens refer to each other: until the end of the transaction one may be gone first.
PRAGMA defer_foreign_keys = ON

-- name: purge_begin
-- $1 list of pairs of key and time until which it had to be kept, $2 now. One whose events are
-- still on their way stays for the next time.
INSERT INTO instance_purge (instance_id, retained_until, purged_at, passing)
SELECT wanted.value ->> 0, wanted.value ->> 1, $2, 0 FROM json_each($1) AS wanted
CROSS JOIN process_instance ON process_instance.id = wanted.value ->> 0
WHERE NOT EXISTS (SELECT 1 FROM pending_event AS event
  WHERE event.instance_id = process_instance.id AND event.state = 'pending')

-- name: purge_counts
-- $1 instances. Rows of each table that would go with them.
SELECT 'process_instance', count(*) FROM process_instance
  WHERE id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'scope', count(*) FROM scope
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'token', count(*) FROM token
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'step_record', count(*) FROM step_record
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'step_attempt', count(*) FROM step_attempt
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'external_task', count(*) FROM external_task
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'user_task', count(*) FROM user_task
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'timer', count(*) FROM timer
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'parallel_join', count(*) FROM parallel_join
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'join_arrival', count(*) FROM join_arrival
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'incident', count(*) FROM incident
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'dead_letter', count(*) FROM dead_letter
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'event_subscription', count(*) FROM event_subscription
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'pending_event', count(*) FROM pending_event
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'compensation_record', count(*) FROM compensation_record
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'flow_run', count(*) FROM flow_run
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'flow_completion', count(*) FROM flow_completion
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'decision_evaluation', count(*) FROM decision_evaluation
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'instance_migration', count(*) FROM instance_migration
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'history_event', count(*) FROM history_event
  WHERE instance_id IN (SELECT value FROM json_each($1))
UNION ALL SELECT 'audit_entry', count(*) FROM audit_entry
  WHERE instance_id IN (SELECT value FROM json_each($1))
