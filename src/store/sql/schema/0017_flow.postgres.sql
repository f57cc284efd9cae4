-- Flows: what a run of a durable workflow has beside its steps.

-- One row a run: the process that has its coroutine, what its code was not told yet, and whether it
-- is to be cancelled.
CREATE TABLE flow_run (
  instance_id bigint CONSTRAINT flow_run_key PRIMARY KEY REFERENCES process_instance (id),
  token_id bigint NOT NULL,
  host text COLLATE "C",
  unheard bigint NOT NULL,
  cancel_reason text,
  priority bigint NOT NULL,
  limit_key text COLLATE "C",
  admitted_at timestamptz,
  previous_instance_id bigint,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT flow_run_host CHECK (host <> ''),
  CONSTRAINT flow_run_unheard CHECK (unheard >= 0)
);

CREATE TRIGGER flow_run_identity
BEFORE UPDATE OF instance_id, token_id, priority, limit_key, previous_instance_id ON flow_run
FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Who had the run once is known, what is to be cancelled stays so, and it is let in once.
CREATE TRIGGER flow_run_transition BEFORE UPDATE ON flow_run FOR EACH ROW
WHEN ((OLD.host IS NOT NULL AND NEW.host IS NULL)
  OR (OLD.admitted_at IS NOT NULL AND NEW.admitted_at IS DISTINCT FROM OLD.admitted_at)
  OR (OLD.cancel_reason IS NOT NULL AND NEW.cancel_reason IS DISTINCT FROM OLD.cancel_reason))
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_run_kept AFTER DELETE ON flow_run
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- The end of a run that is to be told to the handler of its kind; written with the end itself.
CREATE TABLE flow_completion (
  instance_id bigint CONSTRAINT flow_completion_key PRIMARY KEY REFERENCES process_instance (id),
  process_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  finished_at timestamptz NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  next_attempt_at timestamptz,
  last_error text,
  delivered_at timestamptz,
  CONSTRAINT flow_completion_status CHECK (
    status = 'completed' OR status = 'failed' OR status = 'cancelled' OR status = 'pending'
    OR status = 'running' OR status = 'paused'),
  CONSTRAINT flow_completion_terminal CHECK (
    status = 'completed' OR status = 'failed' OR status = 'cancelled'),
  CONSTRAINT flow_completion_state CHECK (state = 'pending' OR state = 'delivered'),
  CONSTRAINT flow_completion_attempts CHECK (
    attempts >= CASE state WHEN 'delivered' THEN 1 ELSE 0 END),
  CONSTRAINT flow_completion_next CHECK ((next_attempt_at IS NOT NULL) = (state = 'pending')),
  CONSTRAINT flow_completion_error CHECK (
    last_error IS NULL OR (state = 'pending' AND attempts >= 1)),
  CONSTRAINT flow_completion_times CHECK (
    (delivered_at IS NOT NULL) = (state = 'delivered')
    AND (delivered_at IS NULL OR delivered_at >= finished_at))
);
-- Serves: the completions that are due.
CREATE INDEX flow_completion_due ON flow_completion (next_attempt_at) WHERE state = 'pending';
-- Serves: the completions of some flows that are due.
CREATE INDEX flow_completion_of_flow ON flow_completion (process_id, next_attempt_at)
  WHERE state = 'pending';

CREATE TRIGGER flow_completion_identity
BEFORE UPDATE OF instance_id, process_id, status, finished_at ON flow_completion
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_completion_transition BEFORE UPDATE ON flow_completion FOR EACH ROW
WHEN (OLD.state = 'delivered' OR NEW.attempts < OLD.attempts)
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_completion_kept AFTER DELETE ON flow_completion
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- Events that a flow never waited for end with it. The twin has an index for them; one on a table
-- that may be large is not made while nodes run, so that the few names that wait are gone through
-- by inbound_event_waiting.
CREATE FUNCTION drop_events_of_flow() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  waiting text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM flow_run WHERE instance_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  SELECT min(name) INTO waiting FROM inbound_event
  WHERE tenant_id = NEW.tenant_id AND claimed_at IS NULL;
  WHILE waiting IS NOT NULL LOOP
    DELETE FROM inbound_event WHERE tenant_id = NEW.tenant_id AND name = waiting
      AND correlation_key = NEW.id::text AND claimed_at IS NULL;
    SELECT min(name) INTO waiting FROM inbound_event
    WHERE tenant_id = NEW.tenant_id AND name > waiting AND claimed_at IS NULL;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER flow_events_dropped AFTER UPDATE OF status ON process_instance FOR EACH ROW
WHEN (NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status)
EXECUTE FUNCTION drop_events_of_flow();

-- The code of a flow asks for something else than the run has recorded.
ALTER TABLE incident DROP CONSTRAINT incident_kind;
ALTER TABLE incident ADD CONSTRAINT incident_kind CHECK (
  kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
  OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'
  OR kind = 'unhandled_error' OR kind = 'bad_correlation_key' OR kind = 'call_failed'
  OR kind = 'compensation_failed' OR kind = 'decision_failed' OR kind = 'flow_diverged') NOT VALID;

-- A flow's call may fail, since its code may catch that.
ALTER TABLE step_record DROP CONSTRAINT step_record_status;
ALTER TABLE step_record ADD CONSTRAINT step_record_status CHECK (
  CASE type
    WHEN 'sleep' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'user_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'wait' THEN status = 'waiting' OR status = 'completed' OR status = 'failed'
      OR status = 'cancelled'
    WHEN 'receive_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'call_activity' THEN status = 'waiting' OR status = 'completed' OR status = 'failed'
      OR status = 'cancelled'
    ELSE status = 'completed' OR status = 'running' OR status = 'pending' OR status = 'failed'
      OR status = 'cancelled' END) NOT VALID;
