-- Retention, where the twin differs: lists are arrays, and one node at a time purges.

-- name: purge_lock
-- $1 name of what one node at a time does. False: another one is at it.
SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))

-- name: purge_begin
-- $1 instances, $2 until when each had to be kept, $3 now. One that somebody holds, or whose
-- events are still on their way, stays for the next time.
INSERT INTO instance_purge (instance_id, retained_until, purged_at, passing)
SELECT instance.id, wanted.retained_until, $3, 0
FROM unnest($1::bigint[], $2::timestamptz[]) AS wanted (id, retained_until)
JOIN process_instance AS instance ON instance.id = wanted.id
WHERE NOT EXISTS (SELECT 1 FROM pending_event AS event
  WHERE event.instance_id = instance.id AND event.state = 'pending')
FOR UPDATE OF instance SKIP LOCKED

-- name: purge_counts
-- $1 instances. Rows of each table that would go with them.
SELECT 'process_instance', count(*) FROM process_instance WHERE id = ANY ($1)
UNION ALL SELECT 'scope', count(*) FROM scope WHERE instance_id = ANY ($1)
UNION ALL SELECT 'token', count(*) FROM token WHERE instance_id = ANY ($1)
UNION ALL SELECT 'step_record', count(*) FROM step_record WHERE instance_id = ANY ($1)
UNION ALL SELECT 'step_attempt', count(*) FROM step_attempt WHERE instance_id = ANY ($1)
UNION ALL SELECT 'external_task', count(*) FROM external_task WHERE instance_id = ANY ($1)
UNION ALL SELECT 'user_task', count(*) FROM user_task WHERE instance_id = ANY ($1)
UNION ALL SELECT 'timer', count(*) FROM timer WHERE instance_id = ANY ($1)
UNION ALL SELECT 'parallel_join', count(*) FROM parallel_join WHERE instance_id = ANY ($1)
UNION ALL SELECT 'join_arrival', count(*) FROM join_arrival WHERE instance_id = ANY ($1)
UNION ALL SELECT 'incident', count(*) FROM incident WHERE instance_id = ANY ($1)
UNION ALL SELECT 'dead_letter', count(*) FROM dead_letter WHERE instance_id = ANY ($1)
UNION ALL SELECT 'event_subscription', count(*) FROM event_subscription WHERE instance_id = ANY ($1)
UNION ALL SELECT 'pending_event', count(*) FROM pending_event WHERE instance_id = ANY ($1)
UNION ALL SELECT 'compensation_record', count(*) FROM compensation_record
  WHERE instance_id = ANY ($1)
UNION ALL SELECT 'flow_run', count(*) FROM flow_run WHERE instance_id = ANY ($1)
UNION ALL SELECT 'flow_completion', count(*) FROM flow_completion WHERE instance_id = ANY ($1)
UNION ALL SELECT 'decision_evaluation', count(*) FROM decision_evaluation
  WHERE instance_id = ANY ($1)
UNION ALL SELECT 'instance_migration', count(*) FROM instance_migration
  WHERE instance_id = ANY ($1)
UNION ALL SELECT 'history_event', count(*) FROM history_event WHERE instance_id = ANY ($1)
UNION ALL SELECT 'audit_entry', count(*) FROM audit_entry WHERE instance_id = ANY ($1)
