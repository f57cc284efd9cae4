-- What the engine asks of running many flows, where both dialects agree.

-- name: flow_host_insert
-- One that has no lease any more may come back to be declared lost.
INSERT INTO flow_host (worker_id, node_name, started_at, expires_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (worker_id) DO NOTHING

-- name: flow_host_renew
-- $1 worker, $2 the new end of its lease.
UPDATE flow_host SET expires_at = $2 WHERE worker_id = $1

-- name: flow_hosts_expired
-- $1 now, $2 limit. A handful of rows: one for each process.
SELECT worker_id FROM flow_host WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2

-- name: flow_host_remove
-- $1 worker, $2 now. When nothing is left of it.
DELETE FROM flow_host WHERE worker_id = $1 AND expires_at <= $2
  AND NOT EXISTS (SELECT 1 FROM step_attempt
    WHERE step_attempt.state = 'started' AND step_attempt.worker_id = $1)

-- name: flow_attempts_by
-- $1 worker. Flows whose callbacks a lost process was calling. Walks over all attempts that run.
SELECT DISTINCT step_attempt.instance_id, step_attempt.worker_id FROM step_attempt
JOIN flow_run ON flow_run.instance_id = step_attempt.instance_id
WHERE step_attempt.state = 'started' AND step_attempt.worker_id = $1

-- name: flow_limits
-- A row for each name that has limits.
SELECT * FROM flow_limit

-- name: flow_limit_put
INSERT INTO flow_limit (process_id, running, running_per_key, starts, starts_period,
  starts_per_key, starts_per_key_period)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (process_id) DO UPDATE SET running = excluded.running,
  running_per_key = excluded.running_per_key, starts = excluded.starts,
  starts_period = excluded.starts_period, starts_per_key = excluded.starts_per_key,
  starts_per_key_period = excluded.starts_per_key_period

-- name: flow_limit_remove
DELETE FROM flow_limit WHERE process_id = $1

-- name: flow_names_waiting
-- Names of which runs wait to be let in, by steps from one to the next.
WITH RECURSIVE found (name) AS (
  SELECT min(process_id) FROM flow_slot WHERE admitted_at IS NULL AND left_at IS NULL
  UNION ALL
  SELECT (SELECT min(process_id) FROM flow_slot
    WHERE admitted_at IS NULL AND left_at IS NULL AND process_id > found.name)
  FROM found WHERE found.name IS NOT NULL)
SELECT name FROM found WHERE name IS NOT NULL

-- name: flow_running_count
-- $1 name.
SELECT count(*) FROM flow_slot
WHERE process_id = $1 AND admitted_at IS NOT NULL AND left_at IS NULL

-- name: flow_admitted_since
-- $1 name, $2 since when. How many were let in, and when the first of them was.
SELECT count(*), min(admitted_at) FROM flow_slot
WHERE process_id = $1 AND counts_until IS NOT NULL AND admitted_at > $2

-- name: flow_slots_waiting
-- $1 name, $2 limit.
SELECT run_id FROM flow_slot
WHERE process_id = $1 AND admitted_at IS NULL AND left_at IS NULL
ORDER BY priority DESC, run_id LIMIT $2

-- name: flow_slots_waiting_by_key
-- $1 name, $2 limit, $3 how many of a key may run, $4 how many of a key may begin after the time
-- $5. Of each key those that have room, found by steps from one key to the next; those without a
-- key have all the room there is.
WITH RECURSIVE found (name) AS (
  SELECT min(limit_key) FROM flow_slot
  WHERE process_id = $1 AND admitted_at IS NULL AND left_at IS NULL
  UNION ALL
  SELECT (SELECT min(limit_key) FROM flow_slot
    WHERE process_id = $1 AND admitted_at IS NULL AND left_at IS NULL
      AND limit_key > found.name)
  FROM found WHERE found.name IS NOT NULL),
room (name, to_run, to_begin) AS (
  SELECT name,
    $3 - (SELECT count(*) FROM flow_slot WHERE process_id = $1 AND limit_key = found.name
      AND admitted_at IS NOT NULL AND left_at IS NULL),
    $4 - (SELECT count(*) FROM flow_slot WHERE process_id = $1 AND limit_key = found.name
      AND counts_until IS NOT NULL AND admitted_at > $5)
  FROM found WHERE name IS NOT NULL)
SELECT run_id FROM (
  SELECT run_id, priority FROM (
    SELECT slot.run_id, slot.priority, room.to_run, room.to_begin, row_number() OVER (
      PARTITION BY slot.limit_key ORDER BY slot.priority DESC, slot.run_id) AS place
    FROM room JOIN flow_slot AS slot ON slot.process_id = $1 AND slot.limit_key = room.name
      AND slot.run_id IN (SELECT run_id FROM flow_slot AS first
        WHERE first.process_id = $1 AND first.limit_key = room.name
          AND first.admitted_at IS NULL AND first.left_at IS NULL
        ORDER BY first.priority DESC, first.run_id LIMIT $2)
    WHERE room.to_run > 0 AND room.to_begin > 0) AS ranked
  WHERE place <= to_run AND place <= to_begin
  UNION ALL SELECT * FROM (
    SELECT run_id, priority FROM flow_slot
    WHERE process_id = $1 AND limit_key IS NULL AND admitted_at IS NULL AND left_at IS NULL
    ORDER BY priority DESC, run_id LIMIT $2) AS free) AS next
ORDER BY priority DESC, run_id LIMIT $2

-- name: flow_slots_forget
-- $1 now, $2 limit. Those that left and whose start counts no more.
DELETE FROM flow_slot WHERE run_id IN (
  SELECT run_id FROM flow_slot WHERE left_at IS NOT NULL AND counts_until <= $1
  ORDER BY counts_until LIMIT $2)

-- name: flow_schedule_by_name
SELECT * FROM flow_schedule WHERE name = $1

-- name: flow_schedule_insert
INSERT INTO flow_schedule (id, name, process_id, input, cycle, overlap, misfire, occurrence,
  due_at, last_instance_id, opened_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: flow_schedule_remove
DELETE FROM flow_schedule WHERE name = $1

-- name: flow_chain_end
-- $1 instance. The last of the runs that continue it, and how it stands. What a flow sends to begin
-- a run begins the one that continues it.
WITH RECURSIVE chain (id, link, sent) AS (
  SELECT id, 0, 0 FROM process_instance WHERE id = $1
  UNION ALL
  SELECT start.target_instance_id, chain.link + 1,
    CASE WHEN start.state = 'pending' THEN 1 ELSE 0 END FROM chain
  JOIN flow_run ON flow_run.instance_id = chain.id
  JOIN pending_event AS start ON start.instance_id = chain.id AND start.kind = 'start')
SELECT chain.id, CASE WHEN instance.id IS NOT NULL AND instance.ended_at IS NULL THEN 'live'
  WHEN instance.id IS NULL AND chain.sent = 1 THEN 'starting' ELSE 'over' END
FROM chain LEFT JOIN process_instance AS instance ON instance.id = chain.id
ORDER BY chain.link DESC LIMIT 1

-- name: flow_runs_by_status
-- For people. Each version of each flow, with the number of its runs of each status; a line without
-- status when it has none.
SELECT definition.process_id, definition.version, instance.status, count(instance.id)
FROM process_definition AS definition
LEFT JOIN process_instance AS instance ON instance.process_id = definition.process_id
  AND instance.definition_id = definition.id
WHERE definition.kind = 'flow'
GROUP BY definition.process_id, definition.version, instance.status
ORDER BY definition.process_id, definition.version, instance.status

-- name: flow_schedules
SELECT * FROM flow_schedule ORDER BY name
