-- Runs that go on as a new one: what came for a run and was not taken goes to the run that
-- continues it. What a flow sends to begin a run is there before its end, and names that run.

DROP TRIGGER flow_events_dropped;
CREATE TRIGGER flow_events_dropped AFTER UPDATE OF status ON process_instance
WHEN NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status
  AND EXISTS (SELECT 1 FROM flow_run WHERE instance_id = NEW.id)
BEGIN
  UPDATE inbound_event SET correlation_key = (
    SELECT CAST(target_instance_id AS TEXT) FROM pending_event
    WHERE instance_id = NEW.id AND kind = 'start')
  WHERE correlation_key = CAST(NEW.id AS TEXT) AND tenant_id = NEW.tenant_id AND claimed_at IS NULL
    AND EXISTS (SELECT 1 FROM pending_event WHERE instance_id = NEW.id AND kind = 'start');
  DELETE FROM inbound_event
  WHERE correlation_key = CAST(NEW.id AS TEXT) AND tenant_id = NEW.tenant_id AND claimed_at IS NULL;
END;

DROP TRIGGER inbound_event_identity;
CREATE TRIGGER inbound_event_identity
BEFORE UPDATE OF id, tenant_id, name, message_id, payload, received_at, expires_at ON inbound_event
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_identity');
END;

-- A message changes its key in one way only: from that of a run to that of the run that continues
-- it.
CREATE TRIGGER inbound_event_follows BEFORE UPDATE OF correlation_key ON inbound_event
WHEN OLD.claimed_at IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM pending_event AS start
  JOIN flow_run ON flow_run.instance_id = start.instance_id
  WHERE start.instance_id = CAST(OLD.correlation_key AS INTEGER) AND start.kind = 'start'
    AND CAST(start.instance_id AS TEXT) = OLD.correlation_key
    AND CAST(start.target_instance_id AS TEXT) = NEW.correlation_key)
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_follows');
END;
