-- Steps and their attempts: what a person reads to see what an instance did.

-- One named step. A retry changes the row and never adds one.
CREATE TABLE step_record (
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  id bigint NOT NULL,
  slug text COLLATE "C" NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  ordinal bigint NOT NULL,
  parent_step_id bigint,
  token_id bigint,
  attempt_count bigint NOT NULL,
  max_attempts bigint NOT NULL,
  output_type text NOT NULL,
  output json,
  output_artifact text,
  error_name text,
  error_message text,
  trace_id text,
  span_id text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  updated_at timestamptz NOT NULL,
  CONSTRAINT step_record_key PRIMARY KEY (instance_id, id),
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
      WHEN 'artifact' THEN output IS NULL AND output_artifact IS NOT NULL ELSE false END),
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
);

-- A step is named once; serves the look-up by name.
CREATE UNIQUE INDEX step_record_slug_once ON step_record (instance_id, slug);
-- Serves: the steps of an instance in their order.
CREATE UNIQUE INDEX step_record_ordinal_once ON step_record (instance_id, ordinal);
-- Serves: what changed in an instance since a time.
CREATE INDEX step_record_updated ON step_record (instance_id, updated_at);

-- A step's parent may be written by the same statement, before it.
CREATE FUNCTION step_record_parent_runs() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM step_record AS parent WHERE parent.instance_id = NEW.instance_id
                 AND parent.id = NEW.parent_step_id AND parent.type = 'run') THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER step_record_parent_runs BEFORE INSERT ON step_record FOR EACH ROW
WHEN (NEW.parent_step_id IS NOT NULL)
EXECUTE FUNCTION step_record_parent_runs();

CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at ON step_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- A failed step may go on when an operator grants attempts; completed and cancelled are the end.
CREATE FUNCTION step_record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN NEW.attempt_count < OLD.attempt_count AND OLD.status <> 'completed'
      AND OLD.status <> 'cancelled' THEN 'step_record_attempts_grow'
    ELSE 'step_record_frozen' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER step_record_transition BEFORE UPDATE ON step_record FOR EACH ROW
WHEN (OLD.status = 'completed' OR OLD.status = 'cancelled' OR NEW.attempt_count < OLD.attempt_count)
EXECUTE FUNCTION step_record_transition();

-- One try of a step.
CREATE TABLE step_attempt (
  instance_id bigint NOT NULL,
  step_id bigint NOT NULL,
  number bigint NOT NULL,
  state text NOT NULL,
  worker_id text,
  result_type text NOT NULL,
  result json,
  error_name text,
  error_message text,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  next_attempt_at timestamptz,
  CONSTRAINT step_attempt_key PRIMARY KEY (instance_id, step_id, number),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT step_attempt_number CHECK (number >= 1),
  CONSTRAINT step_attempt_state CHECK (
    state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'),
  CONSTRAINT step_attempt_result CHECK (
    CASE result_type WHEN 'none' THEN result IS NULL
      WHEN 'json' THEN result IS NOT NULL AND state = 'succeeded' ELSE false END),
  CONSTRAINT step_attempt_error CHECK (
    CASE state WHEN 'failed' THEN error_message IS NOT NULL WHEN 'interrupted' THEN true
    ELSE error_message IS NULL AND error_name IS NULL END),
  CONSTRAINT step_attempt_ended CHECK ((ended_at IS NULL) = (state = 'started')),
  CONSTRAINT step_attempt_next CHECK (next_attempt_at IS NULL OR state = 'failed'),
  CONSTRAINT step_attempt_times CHECK (ended_at >= started_at AND next_attempt_at >= ended_at)
);

CREATE UNIQUE INDEX step_attempt_started_once
  ON step_attempt (instance_id, step_id) WHERE state = 'started';

CREATE TRIGGER step_attempt_identity
BEFORE UPDATE OF instance_id, step_id, number, started_at ON step_attempt FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER step_attempt_frozen BEFORE UPDATE ON step_attempt FOR EACH ROW
WHEN (OLD.state <> 'started')
EXECUTE FUNCTION refuse_change();
