-- What the engine asks of events on their way, where both dialects agree.

-- name: message_receivers
-- $1 tenant, $2 name, $3 key, $4 limit. Oldest first; nobody in an instance that is paused.
SELECT id, instance_id FROM (
  SELECT id, instance_id FROM (
    SELECT id, instance_id FROM event_subscription
    WHERE tenant_id = $1 AND kind = 'message' AND name = $2 AND correlation_key = $3
      AND state = 'open' AND (SELECT status FROM process_instance AS owner
        WHERE owner.id = event_subscription.instance_id) <> 'paused'
    ORDER BY id LIMIT $4) AS by_key
  UNION ALL
  SELECT subscription.id, subscription.instance_id FROM process_instance AS instance
  JOIN event_subscription AS subscription ON subscription.instance_id = instance.id
  WHERE instance.business_key = $3 AND instance.tenant_id = $1 AND instance.status <> 'paused'
    AND subscription.kind = 'message'
    AND subscription.name = $2 AND subscription.correlation_key IS NULL
    AND subscription.state = 'open') AS receiver
ORDER BY id LIMIT $4

-- name: message_receivers_without_key
-- $1 tenant, $2 name, $3 limit.
SELECT id, instance_id FROM event_subscription
WHERE tenant_id = $1 AND kind = 'message' AND name = $2 AND correlation_key IS NULL
  AND state = 'open' AND (SELECT status FROM process_instance AS owner
    WHERE owner.id = event_subscription.instance_id) <> 'paused'
ORDER BY id LIMIT $3

-- name: starts_by_event
-- $1 tenant, $2 kind, $3 name.
SELECT * FROM definition_subscription
WHERE tenant_id = $1 AND kind = $2 AND name = $3 AND state = 'open' ORDER BY id DESC

-- name: conditional_starts
-- $1 tenant.
SELECT * FROM definition_subscription
WHERE tenant_id = $1 AND kind = 'conditional' AND state = 'open' ORDER BY id

-- name: inbound_event_by_message
-- $1 tenant, $2 name, $3 message id.
SELECT * FROM inbound_event WHERE tenant_id = $1 AND name = $2 AND message_id = $3

-- name: inbound_event_by_id
SELECT * FROM inbound_event WHERE id = $1

-- name: instance_of_subscription
SELECT instance_id FROM event_subscription WHERE id = $1 AND state = 'open'

-- name: awaited_messages
-- $1 the last key of the page before, $2 limit, $3 now. Messages with the oldest subscription that
-- waits for one like it.
SELECT inbound.id, CASE
  WHEN inbound.claimed_at IS NOT NULL OR inbound.expires_at <= $3 THEN NULL
  WHEN inbound.correlation_key IS NULL THEN (
    SELECT subscription.id FROM event_subscription AS subscription
    WHERE subscription.tenant_id = inbound.tenant_id AND subscription.kind = 'message'
      AND subscription.name = inbound.name AND subscription.correlation_key IS NULL
      AND subscription.state = 'open' AND (SELECT status FROM process_instance AS owner
        WHERE owner.id = subscription.instance_id) <> 'paused'
    ORDER BY subscription.id LIMIT 1)
  ELSE coalesce((
    SELECT subscription.id FROM event_subscription AS subscription
    WHERE subscription.tenant_id = inbound.tenant_id AND subscription.kind = 'message'
      AND subscription.name = inbound.name
      AND subscription.correlation_key = inbound.correlation_key
      AND subscription.state = 'open' AND (SELECT status FROM process_instance AS owner
        WHERE owner.id = subscription.instance_id) <> 'paused'
    ORDER BY subscription.id LIMIT 1), (
    SELECT min(subscription.id) FROM process_instance AS instance
    JOIN event_subscription AS subscription ON subscription.instance_id = instance.id
    WHERE instance.business_key = inbound.correlation_key
      AND instance.tenant_id = inbound.tenant_id AND instance.status <> 'paused'
      AND subscription.kind = 'message'
      AND subscription.name = inbound.name AND subscription.correlation_key IS NULL
      AND subscription.state = 'open')) END
FROM (SELECT * FROM inbound_event WHERE id > $1 ORDER BY id LIMIT $2) AS inbound
ORDER BY inbound.id

-- name: is_call_pending
-- $1 the instance that it is to start.
SELECT id FROM pending_event
WHERE state = 'pending' AND (kind = 'call' OR kind = 'start') AND target_instance_id = $1 LIMIT 1

-- name: signal_receivers
-- $1 tenant, $2 name, $3 when it was sent, $4 the last instance of the portion before, $5 limit.
SELECT DISTINCT instance_id FROM event_subscription
WHERE tenant_id = $1 AND kind = 'signal' AND name = $2 AND state = 'open' AND instance_id > $4
  AND opened_at <= $3
ORDER BY instance_id LIMIT $5

-- name: call_depth
-- $1 instance, $2 the depth at which counting ends.
WITH RECURSIVE caller (id, depth) AS (
  SELECT parent_instance_id, 1 FROM process_instance WHERE id = $1
  UNION ALL SELECT instance.parent_instance_id, caller.depth + 1 FROM caller
  JOIN process_instance AS instance ON instance.id = caller.id WHERE caller.depth < $2)
SELECT count(*) FROM caller

-- name: definition_starts_close
-- $1 tenant, $2 process, $3 now. A new version starts by its own events only.
UPDATE definition_subscription SET state = 'closed',
  closed_at = CASE WHEN opened_at > $3 THEN opened_at ELSE $3 END
WHERE tenant_id = $1 AND process_id = $2 AND state = 'open'

-- name: definition_has_starts
SELECT id FROM definition_subscription WHERE definition_id = $1 LIMIT 1

-- name: version_by_number
-- $1 tenant, $2 process, $3 version.
SELECT id FROM process_definition WHERE tenant_id = $1 AND process_id = $2 AND version = $3

-- name: version_by_tag
-- $1 tenant, $2 process, $3 tag. The newest one.
SELECT id FROM process_definition
WHERE tenant_id = $1 AND process_id = $2 AND version_tag = $3 ORDER BY version DESC LIMIT 1

-- name: version_beside
-- $1 process, $2 the calling definition. Of the same file.
SELECT called.id FROM process_definition AS caller
JOIN process_definition AS called ON called.tenant_id = caller.tenant_id
  AND called.process_id = $1 AND called.digest = caller.digest
WHERE caller.id = $2 ORDER BY called.version DESC LIMIT 1
