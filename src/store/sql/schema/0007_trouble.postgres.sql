-- What cannot go on by itself.

-- A token that rests until an operator repairs the cause.
CREATE TABLE incident (
  id bigint CONSTRAINT incident_key PRIMARY KEY,
  instance_id bigint NOT NULL,
  token_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  details json NOT NULL,
  state text NOT NULL,
  opened_at timestamptz NOT NULL,
  resolved_at timestamptz,
  resolved_by text,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT incident_id CHECK (id > 0),
  CONSTRAINT incident_kind CHECK (
    kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
    OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'),
  CONSTRAINT incident_details CHECK (json_typeof(details) = 'object'),
  CONSTRAINT incident_state CHECK (state = 'open' OR state = 'resolved'),
  CONSTRAINT incident_resolved CHECK ((resolved_at IS NULL) = (state = 'open')),
  CONSTRAINT incident_resolved_by CHECK (resolved_by IS NULL OR state = 'resolved'),
  CONSTRAINT incident_times CHECK (resolved_at >= opened_at)
);

-- One open incident for a token. Serves: loading an instance, lists of instances in trouble.
CREATE UNIQUE INDEX incident_open_once ON incident (instance_id, token_id) WHERE state = 'open';
-- Serves: the incidents of an instance.
CREATE INDEX incident_instance ON incident (instance_id);

CREATE TRIGGER incident_identity
BEFORE UPDATE OF id, instance_id, token_id, node_id, kind, message, details, opened_at
  ON incident FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER incident_frozen BEFORE UPDATE ON incident FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION refuse_change();

-- Undeliverable work, kept with its payload.
CREATE TABLE dead_letter (
  id bigint CONSTRAINT dead_letter_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  task_id bigint REFERENCES external_task (id),
  kind text NOT NULL,
  state text NOT NULL,
  reason text NOT NULL,
  payload json NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  CONSTRAINT dead_letter_id CHECK (id > 0),
  CONSTRAINT dead_letter_kind CHECK (
    kind = 'exhausted_task' OR kind = 'expired_message' OR kind = 'failed_delivery'),
  CONSTRAINT dead_letter_task CHECK (kind <> 'exhausted_task' OR task_id IS NOT NULL),
  CONSTRAINT dead_letter_state CHECK (
    state = 'open' OR state = 'requeued' OR state = 'discarded'),
  CONSTRAINT dead_letter_payload CHECK (json_typeof(payload) = 'object'),
  CONSTRAINT dead_letter_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT dead_letter_times CHECK (closed_at >= opened_at)
);

-- One open dead letter for a task.
CREATE UNIQUE INDEX dead_letter_open_once ON dead_letter (task_id) WHERE state = 'open';
-- Serves: the dead letters of an instance.
CREATE INDEX dead_letter_instance ON dead_letter (instance_id);

CREATE TRIGGER dead_letter_identity
BEFORE UPDATE OF id, instance_id, task_id, kind, reason, payload, opened_at ON dead_letter
  FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER dead_letter_frozen BEFORE UPDATE ON dead_letter FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION refuse_change();
