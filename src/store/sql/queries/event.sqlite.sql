-- What the engine asks of events on their way, where the twin differs: lists are JSON, rows are
-- written one by one, and one writer needs no claims.

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
FROM json_each($1) AS wanted
CROSS JOIN event_subscription AS subscription ON subscription.id = wanted.value
CROSS JOIN process_instance AS instance ON instance.id = subscription.instance_id
WHERE subscription.state = 'open' AND subscription.kind = 'message'
  AND instance.status <> 'paused'
ORDER BY subscription.id

-- name: pending_events
-- $1 limit. What is for an instance that is paused stays.
SELECT * FROM pending_event
WHERE state = 'pending' AND (kind = 'call_cancelled' OR NOT EXISTS (
  SELECT 1 FROM process_instance AS target
  WHERE target.id = pending_event.target_instance_id AND target.status = 'paused'))
ORDER BY created_at, id LIMIT $1

-- name: due_starts
-- $1 now, $2 limit.
SELECT * FROM definition_subscription WHERE state = 'open' AND due_at <= $1
ORDER BY due_at LIMIT $2

-- name: inbound_event_purge
-- $1 now, $2 limit.
DELETE FROM inbound_event WHERE id IN (
  SELECT id FROM inbound_event WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)

-- name: pending_event_purge
-- $1 now, $2 limit.
DELETE FROM pending_event WHERE id IN (
  SELECT id FROM pending_event
  WHERE instance_id IS NULL AND state <> 'pending' AND closed_at <= $1 ORDER BY closed_at LIMIT $2)

-- name: inbound_event_insert
INSERT INTO inbound_event (id, tenant_id, name, correlation_key, message_id, payload, received_at,
  expires_at, claimed_by, claimed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: addressed_instance
-- $1 instance. Itself, while it has not ended.
SELECT id FROM process_instance WHERE id = $1 AND ended_at IS NULL

-- name: inbound_event_take
UPDATE inbound_event SET claimed_by = $2, claimed_at = $3 WHERE id = $1 AND claimed_at IS NULL

-- name: pending_event_move
UPDATE pending_event SET reached_id = $3, state = $4, closed_at = $5
WHERE id = $1 AND state = 'pending' AND reached_id = $2

-- name: definition_subscription_insert
INSERT INTO definition_subscription (id, definition_id, tenant_id, process_id, node_id, position,
  kind, name, cycle, due_at, occurrence, state, opened_at, closed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: definition_subscription_move
UPDATE definition_subscription SET occurrence = $3, due_at = $4, state = $5, closed_at = $6
WHERE id = $1 AND state = 'open' AND occurrence = $2
