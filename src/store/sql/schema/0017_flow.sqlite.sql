-- Flows: what a run of a durable workflow has beside its steps. Rules of earlier tables that grow
-- are changed where SQLite keeps their text, as in 0011_event.

-- One row a run: the process that has its coroutine, what its code was not told yet, and whether it
-- is to be cancelled.
CREATE TABLE flow_run (
  instance_id INTEGER PRIMARY KEY REFERENCES process_instance (id),
  token_id INTEGER NOT NULL,
  host TEXT,
  unheard INTEGER NOT NULL,
  cancel_reason TEXT,
  priority INTEGER NOT NULL,
  limit_key TEXT,
  admitted_at INTEGER,
  previous_instance_id INTEGER,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT flow_run_host CHECK (host <> ''),
  CONSTRAINT flow_run_unheard CHECK (unheard >= 0)
) STRICT;

CREATE TRIGGER flow_run_identity
BEFORE UPDATE OF instance_id, token_id, priority, limit_key, previous_instance_id ON flow_run
BEGIN
  SELECT RAISE(ABORT, 'flow_run_identity');
END;

-- Who had the run once is known, what is to be cancelled stays so, and it is let in once.
CREATE TRIGGER flow_run_transition BEFORE UPDATE ON flow_run
WHEN (OLD.host IS NOT NULL AND NEW.host IS NULL)
  OR (OLD.admitted_at IS NOT NULL AND NEW.admitted_at IS NOT OLD.admitted_at)
  OR (OLD.cancel_reason IS NOT NULL AND NEW.cancel_reason IS NOT OLD.cancel_reason)
BEGIN
  SELECT RAISE(ABORT, 'flow_run_transition');
END;

CREATE TRIGGER flow_run_kept BEFORE DELETE ON flow_run
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'flow_run_kept');
END;

-- The end of a run that is to be told to the handler of its kind; written with the end itself.
CREATE TABLE flow_completion (
  instance_id INTEGER PRIMARY KEY REFERENCES process_instance (id),
  process_id TEXT NOT NULL,
  status TEXT NOT NULL,
  finished_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  last_error TEXT,
  delivered_at INTEGER,
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
) STRICT;
-- Serves: the completions that are due.
CREATE INDEX flow_completion_due ON flow_completion (next_attempt_at) WHERE state = 'pending';
-- Serves: the completions of some flows that are due.
CREATE INDEX flow_completion_of_flow ON flow_completion (process_id, next_attempt_at)
  WHERE state = 'pending';

CREATE TRIGGER flow_completion_identity
BEFORE UPDATE OF instance_id, process_id, status, finished_at ON flow_completion
BEGIN
  SELECT RAISE(ABORT, 'flow_completion_identity');
END;

CREATE TRIGGER flow_completion_transition BEFORE UPDATE ON flow_completion
WHEN OLD.state = 'delivered' OR NEW.attempts < OLD.attempts
BEGIN
  SELECT RAISE(ABORT, 'flow_completion_transition');
END;

CREATE TRIGGER flow_completion_kept BEFORE DELETE ON flow_completion
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'flow_completion_kept');
END;

-- Serves: dropping what came for a flow and was not taken.
CREATE INDEX inbound_event_of_flow ON inbound_event (correlation_key) WHERE claimed_at IS NULL;

-- Events that a flow never waited for end with it.
CREATE TRIGGER flow_events_dropped AFTER UPDATE OF status ON process_instance
WHEN NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status
  AND EXISTS (SELECT 1 FROM flow_run WHERE instance_id = NEW.id)
BEGIN
  DELETE FROM inbound_event
  WHERE correlation_key = CAST(NEW.id AS TEXT) AND tenant_id = NEW.tenant_id AND claimed_at IS NULL;
END;

PRAGMA writable_schema = ON;

-- The code of a flow asks for something else than the run has recorded.
UPDATE sqlite_schema SET sql = replace(sql,
  'OR kind = ''compensation_failed''',
  'OR kind = ''compensation_failed'' OR kind = ''flow_diverged''')
WHERE type = 'table' AND name = 'incident';

-- A flow's call may fail, since its code may catch that.
UPDATE sqlite_schema SET sql = replace(sql,
  'WHEN ''call_activity'' THEN status = ''waiting'' OR status = ''completed''
        OR status = ''cancelled''',
  'WHEN ''call_activity'' THEN status = ''waiting'' OR status = ''completed''
        OR status = ''failed'' OR status = ''cancelled''')
WHERE type = 'table' AND name = 'step_record';

PRAGMA writable_schema = RESET;
