-- What the engine asks of events on their way, where the twin differs. Many nodes ask at the same
-- time: what is pending or due is claimed until the round ends, and what another node has claimed
-- is passed over.

-- name: waiting_messages
-- $1 subscriptions, $2 now. The oldest message that waits for each; NULL when none does.
SELECT subscription.id, subscription.instance_id, CASE
  WHEN subscription.correlation_key IS NOT NULL THEN (
    SELECT inbound.id FROM inbound_event AS inbound
    WHERE inbound.tenant_id = subscription.tenant_id AND inbound.name = subscription.name
      AND inbound.correlation_key = subscription.correlation_key
      AND inbound.claimed_at IS NULL AND inbound.expires_at > $2 ORDER BY inbound.id LIMIT 1)
  ELSE coalesce((
    SELECT inbound.id FROM inbound_event AS inbound
    WHERE inbound.tenant_id = subscription.tenant_id AND inbound.name = subscription.name
      AND inbound.correlation_key IS NULL
      AND inbound.claimed_at IS NULL AND inbound.expires_at > $2 ORDER BY inbound.id LIMIT 1), (
    SELECT inbound.id FROM inbound_event AS inbound
    WHERE inbound.tenant_id = subscription.tenant_id AND inbound.name = subscription.name
      AND inbound.correlation_key = instance.business_key
      AND inbound.claimed_at IS NULL AND inbound.expires_at > $2 ORDER BY inbound.id LIMIT 1)) END
FROM event_subscription AS subscription
JOIN process_instance AS instance ON instance.id = subscription.instance_id
WHERE subscription.id = ANY ($1) AND subscription.state = 'open' AND subscription.kind = 'message'
  AND instance.status <> 'paused'
ORDER BY subscription.id

-- name: pending_events
-- $1 limit. What is for an instance that is paused stays.
SELECT * FROM pending_event
WHERE state = 'pending' AND (kind = 'call_cancelled' OR NOT EXISTS (
  SELECT 1 FROM process_instance AS target
  WHERE target.id = pending_event.target_instance_id AND target.status = 'paused'))
ORDER BY created_at, id LIMIT $1
FOR NO KEY UPDATE SKIP LOCKED

-- name: due_starts
-- $1 now, $2 limit.
SELECT * FROM definition_subscription WHERE state = 'open' AND due_at <= $1
ORDER BY due_at LIMIT $2
FOR NO KEY UPDATE SKIP LOCKED

-- name: inbound_event_purge
-- $1 now, $2 limit.
DELETE FROM inbound_event WHERE id IN (
  SELECT id FROM inbound_event WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
  FOR UPDATE SKIP LOCKED)

-- name: pending_event_purge
-- $1 now, $2 limit.
DELETE FROM pending_event WHERE id IN (
  SELECT id FROM pending_event
  WHERE instance_id IS NULL AND state <> 'pending' AND closed_at <= $1 ORDER BY closed_at LIMIT $2
  FOR UPDATE SKIP LOCKED)

-- name: addressed_instance_lock
-- $1 instances. Those that have not ended, and will not until the transaction has.
SELECT id FROM process_instance WHERE id = ANY ($1) AND ended_at IS NULL
FOR SHARE SKIP LOCKED

-- name: inbound_event_lock
-- $1 messages. Those that nobody has taken or is about to take.
SELECT id FROM inbound_event WHERE id = ANY ($1) AND claimed_at IS NULL
FOR NO KEY UPDATE SKIP LOCKED

-- name: pending_event_lock
-- $1 pending events, $2 how far each was. Those that are still there.
SELECT event.id FROM unnest($1::bigint[], $2::bigint[]) AS wanted (id, reached_id)
JOIN pending_event AS event ON event.id = wanted.id
WHERE event.state = 'pending' AND event.reached_id = wanted.reached_id
FOR NO KEY UPDATE OF event SKIP LOCKED

-- name: definition_subscription_lock
-- $1 starts, $2 how often each has started. Those that are still there.
SELECT subscription.id FROM unnest($1::bigint[], $2::bigint[]) AS wanted (id, occurrence)
JOIN definition_subscription AS subscription ON subscription.id = wanted.id
WHERE subscription.state = 'open' AND subscription.occurrence = wanted.occurrence
FOR NO KEY UPDATE OF subscription SKIP LOCKED

-- name: inbound_event_insert
INSERT INTO inbound_event (id, tenant_id, name, correlation_key, message_id, payload, received_at,
  expires_at, claimed_by, claimed_at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[],
  $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::timestamptz[])

-- name: inbound_event_take
UPDATE inbound_event SET claimed_by = changed.claimed_by, claimed_at = changed.claimed_at
FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS changed (id, claimed_by, claimed_at)
WHERE inbound_event.id = changed.id AND inbound_event.claimed_at IS NULL

-- name: pending_event_move
UPDATE pending_event SET reached_id = changed.reached_id, state = changed.state,
  closed_at = changed.closed_at
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::timestamptz[])
  AS changed (id, reached_before, reached_id, state, closed_at)
WHERE pending_event.id = changed.id AND pending_event.state = 'pending'
  AND pending_event.reached_id = changed.reached_before

-- name: definition_subscription_insert
INSERT INTO definition_subscription (id, definition_id, tenant_id, process_id, node_id, position,
  kind, name, cycle, due_at, occurrence, state, opened_at, closed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: definition_subscription_move
UPDATE definition_subscription SET occurrence = changed.occurrence, due_at = changed.due_at,
  state = changed.state, closed_at = changed.closed_at
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::text[],
  $6::timestamptz[]) AS changed (id, occurrence_before, occurrence, due_at, state, closed_at)
WHERE definition_subscription.id = changed.id AND definition_subscription.state = 'open'
  AND definition_subscription.occurrence = changed.occurrence_before
