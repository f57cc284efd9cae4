-- Steps and their attempts: what a person reads to see what an instance did.

-- One named step. A retry changes the row and never adds one.
CREATE TABLE step_record (
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  id INTEGER NOT NULL,
  slug TEXT NOT NULL,
  node_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  parent_step_id INTEGER,
  token_id INTEGER,
  attempt_count INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  output_type TEXT NOT NULL,
  output TEXT,
  output_artifact TEXT,
  error_name TEXT,
  error_message TEXT,
  trace_id TEXT,
  span_id TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, parent_step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT step_record_id CHECK (id > 0),
  CONSTRAINT step_record_slug CHECK (slug <> ''),
  CONSTRAINT step_record_node_id CHECK (node_id <> ''),
  CONSTRAINT step_record_type CHECK (
    type = 'service_task' OR type = 'run' OR type = 'user_task' OR type = 'script_task'
    OR type = 'sleep' OR type = 'wait' OR type = 'manual_task' OR type = 'task'),
  CONSTRAINT step_record_status CHECK (
    CASE type
      WHEN 'sleep' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
      WHEN 'user_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
      WHEN 'wait' THEN status = 'waiting' OR status = 'completed' OR status = 'failed'
        OR status = 'cancelled'
      ELSE status = 'completed' OR status = 'running' OR status = 'pending' OR status = 'failed'
        OR status = 'cancelled' END),
  CONSTRAINT step_record_ordinal CHECK (ordinal >= 1),
  CONSTRAINT step_record_parent CHECK (parent_step_id <> id),
  CONSTRAINT step_record_attempt_count CHECK (attempt_count >= 0),
  CONSTRAINT step_record_attempts_started CHECK (attempt_count > 0 OR started_at IS NULL),
  CONSTRAINT step_record_attempts_bounded CHECK (attempt_count <= max_attempts),
  CONSTRAINT step_record_max_attempts CHECK (max_attempts >= 1),
  CONSTRAINT step_record_output CHECK (
    CASE output_type WHEN 'none' THEN output IS NULL AND output_artifact IS NULL
      WHEN 'json' THEN output IS NOT NULL AND output_artifact IS NULL
      WHEN 'artifact' THEN output IS NULL AND output_artifact IS NOT NULL ELSE 0 END),
  CONSTRAINT step_record_output_json CHECK (output IS NULL OR json_valid(output)),
  CONSTRAINT step_record_output_completed CHECK (output_type = 'none' OR status = 'completed'),
  CONSTRAINT step_record_error CHECK (
    (error_message IS NOT NULL) = (status = 'failed')
    AND (error_name IS NULL OR status = 'failed')),
  CONSTRAINT step_record_trace CHECK (
    CASE WHEN trace_id IS NULL THEN span_id IS NULL
    ELSE length(trace_id) = 32 AND length(span_id) = 16 AND span_id IS NOT NULL END),
  CONSTRAINT step_record_started CHECK (
    started_at IS NOT NULL OR (status <> 'completed' AND status <> 'running')),
  CONSTRAINT step_record_completed CHECK (
    (completed_at IS NOT NULL)
    = (status = 'completed' OR status = 'failed' OR status = 'cancelled')),
  CONSTRAINT step_record_times CHECK (
    started_at >= created_at AND completed_at >= started_at AND completed_at >= created_at
    AND updated_at >= created_at)
) STRICT, WITHOUT ROWID;

-- A step is named once; serves the look-up by name.
CREATE UNIQUE INDEX step_record_slug_once ON step_record (instance_id, slug);
-- Serves: the steps of an instance in their order.
CREATE UNIQUE INDEX step_record_ordinal_once ON step_record (instance_id, ordinal);
-- Serves: what changed in an instance since a time.
CREATE INDEX step_record_updated ON step_record (instance_id, updated_at);

CREATE TRIGGER step_record_parent_runs BEFORE INSERT ON step_record
WHEN NEW.parent_step_id IS NOT NULL AND 'run' IS NOT
  (SELECT type FROM step_record WHERE instance_id = NEW.instance_id AND id = NEW.parent_step_id)
BEGIN
  SELECT RAISE(ABORT, 'step_record_parent_runs');
END;

CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at ON step_record
BEGIN
  SELECT RAISE(ABORT, 'step_record_identity');
END;

-- A failed step may go on when an operator grants attempts; completed and cancelled are the end.
CREATE TRIGGER step_record_transition BEFORE UPDATE ON step_record
WHEN OLD.status = 'completed' OR OLD.status = 'cancelled' OR NEW.attempt_count < OLD.attempt_count
BEGIN
  SELECT CASE WHEN NEW.attempt_count < OLD.attempt_count AND OLD.status <> 'completed'
      AND OLD.status <> 'cancelled' THEN RAISE(ABORT, 'step_record_attempts_grow')
    ELSE RAISE(ABORT, 'step_record_frozen') END;
END;

-- One try of a step.
CREATE TABLE step_attempt (
  instance_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  worker_id TEXT,
  result_type TEXT NOT NULL,
  result TEXT,
  error_name TEXT,
  error_message TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  next_attempt_at INTEGER,
  PRIMARY KEY (instance_id, step_id, number),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT step_attempt_number CHECK (number >= 1),
  CONSTRAINT step_attempt_state CHECK (
    state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'),
  CONSTRAINT step_attempt_result CHECK (
    CASE result_type WHEN 'none' THEN result IS NULL
      WHEN 'json' THEN result IS NOT NULL AND state = 'succeeded' ELSE 0 END),
  CONSTRAINT step_attempt_result_json CHECK (result IS NULL OR json_valid(result)),
  CONSTRAINT step_attempt_error CHECK (
    CASE state WHEN 'failed' THEN error_message IS NOT NULL WHEN 'interrupted' THEN 1
    ELSE error_message IS NULL AND error_name IS NULL END),
  CONSTRAINT step_attempt_ended CHECK ((ended_at IS NULL) = (state = 'started')),
  CONSTRAINT step_attempt_next CHECK (next_attempt_at IS NULL OR state = 'failed'),
  CONSTRAINT step_attempt_times CHECK (ended_at >= started_at AND next_attempt_at >= ended_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX step_attempt_started_once
  ON step_attempt (instance_id, step_id) WHERE state = 'started';

CREATE TRIGGER step_attempt_identity
BEFORE UPDATE OF instance_id, step_id, number, started_at ON step_attempt
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_identity');
END;

CREATE TRIGGER step_attempt_frozen BEFORE UPDATE ON step_attempt WHEN OLD.state <> 'started'
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_frozen');
END;
