-- Runs that go on as a new one: what came for a run and was not taken goes to the run that
-- continues it. The twin tells more.

CREATE OR REPLACE FUNCTION drop_events_of_flow() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  waiting text;
  next_run text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM flow_run WHERE instance_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  SELECT target_instance_id::text INTO next_run FROM pending_event
  WHERE instance_id = NEW.id AND kind = 'start';
  SELECT min(name) INTO waiting FROM inbound_event
  WHERE tenant_id = NEW.tenant_id AND claimed_at IS NULL;
  WHILE waiting IS NOT NULL LOOP
    IF next_run IS NULL THEN
      DELETE FROM inbound_event WHERE tenant_id = NEW.tenant_id AND name = waiting
        AND correlation_key = NEW.id::text AND claimed_at IS NULL;
    ELSE
      UPDATE inbound_event SET correlation_key = next_run
      WHERE tenant_id = NEW.tenant_id AND name = waiting
        AND correlation_key = NEW.id::text AND claimed_at IS NULL;
    END IF;
    SELECT min(name) INTO waiting FROM inbound_event
    WHERE tenant_id = NEW.tenant_id AND name > waiting AND claimed_at IS NULL;
  END LOOP;
  RETURN NULL;
END $$;

DROP TRIGGER inbound_event_identity ON inbound_event;
CREATE TRIGGER inbound_event_identity
BEFORE UPDATE OF id, tenant_id, name, message_id, payload, received_at, expires_at
ON inbound_event FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- A message changes its key in one way only: from that of a run to that of the run that continues
-- it.
CREATE FUNCTION inbound_event_follows() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.claimed_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM pending_event AS start
    JOIN flow_run ON flow_run.instance_id = start.instance_id
    WHERE start.instance_id =
        CASE WHEN OLD.correlation_key ~ '^[1-9][0-9]{0,17}$' THEN OLD.correlation_key::bigint END
      AND start.kind = 'start' AND start.target_instance_id::text = NEW.correlation_key) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER inbound_event_follows BEFORE UPDATE OF correlation_key ON inbound_event FOR EACH ROW
EXECUTE FUNCTION inbound_event_follows();
