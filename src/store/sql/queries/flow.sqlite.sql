-- What the engine asks of running many flows, where the twin differs: one writer needs no claims.

-- name: flow_schedules_due
-- $1 now, $2 limit.
SELECT * FROM flow_schedule WHERE due_at <= $1 ORDER BY due_at LIMIT $2

-- name: flow_slot_insert
INSERT INTO flow_slot (run_id, process_id, limit_key, priority, queued_at)
VALUES ($1, $2, $3, $4, $5)

-- name: flow_slot_admit
UPDATE flow_slot SET admitted_at = $2, counts_until = $3
WHERE run_id = $1 AND admitted_at IS NULL AND left_at IS NULL

-- name: flow_slot_leave
UPDATE flow_slot SET left_at = $2, counts_until = coalesce(counts_until, $2)
WHERE run_id = $1 AND left_at IS NULL

-- name: flow_schedule_move
UPDATE flow_schedule SET occurrence = $3, due_at = $4, last_instance_id = $5
WHERE id = $1 AND occurrence = $2 AND due_at IS NOT NULL
