-- What the engine asks of running many flows, where the twin differs: what a node has claimed
-- another one passes over until its round ends.

-- name: flow_limit_claim
-- $1 name. One node at a time lets runs in.
SELECT process_id FROM flow_limit WHERE process_id = $1 FOR NO KEY UPDATE SKIP LOCKED

-- name: flow_schedules_due
-- $1 now, $2 limit.
SELECT * FROM flow_schedule WHERE due_at <= $1 ORDER BY due_at LIMIT $2
FOR NO KEY UPDATE SKIP LOCKED

-- name: flow_schedule_lock
-- $1 schedules, $2 how often each has started. Those that are still there.
SELECT schedule.id FROM unnest($1::bigint[], $2::bigint[]) AS wanted (id, occurrence)
JOIN flow_schedule AS schedule ON schedule.id = wanted.id
WHERE schedule.occurrence = wanted.occurrence AND schedule.due_at IS NOT NULL
FOR NO KEY UPDATE OF schedule SKIP LOCKED

-- name: flow_slot_insert
INSERT INTO flow_slot (run_id, process_id, limit_key, priority, queued_at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[])

-- name: flow_slot_admit
UPDATE flow_slot SET admitted_at = changed.admitted_at, counts_until = changed.counts_until
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[])
  AS changed (run_id, admitted_at, counts_until)
WHERE flow_slot.run_id = changed.run_id AND flow_slot.admitted_at IS NULL
  AND flow_slot.left_at IS NULL

-- name: flow_slot_leave
UPDATE flow_slot SET left_at = changed.left_at,
  counts_until = coalesce(flow_slot.counts_until, changed.left_at)
FROM unnest($1::bigint[], $2::timestamptz[]) AS changed (run_id, left_at)
WHERE flow_slot.run_id = changed.run_id AND flow_slot.left_at IS NULL

-- name: flow_schedule_move
UPDATE flow_schedule SET occurrence = changed.occurrence, due_at = changed.due_at,
  last_instance_id = changed.last_instance_id
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::bigint[])
  AS changed (id, occurrence_before, occurrence, due_at, last_instance_id)
WHERE flow_schedule.id = changed.id AND flow_schedule.occurrence = changed.occurrence_before
  AND flow_schedule.due_at IS NOT NULL
