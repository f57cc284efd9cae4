-- What was said and done: history, commands that were sent with a key, operators' actions.

-- The facts of an instance as recorded. Append-only.
CREATE TABLE history_event (
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  sequence bigint NOT NULL,
  event_type text NOT NULL,
  category text NOT NULL,
  occurred_at timestamptz NOT NULL,
  payload json NOT NULL,
  CONSTRAINT history_event_key PRIMARY KEY (instance_id, sequence),
  CONSTRAINT history_event_sequence CHECK (sequence >= 1),
  CONSTRAINT history_event_event_type CHECK (event_type <> ''),
  CONSTRAINT history_event_category CHECK (category <> ''),
  CONSTRAINT history_event_payload CHECK (json_typeof(payload) = 'object')
);

CREATE TRIGGER history_event_append_only BEFORE UPDATE ON history_event FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER history_event_kept BEFORE DELETE ON history_event FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- A command sent with a key, and what came of it. Immutable; dropped when it has expired.
CREATE TABLE idempotency_key (
  key text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  request_digest text NOT NULL,
  outcome json NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT idempotency_key_key PRIMARY KEY (key, tenant_id),
  CONSTRAINT idempotency_key_named CHECK (key <> ''),
  CONSTRAINT idempotency_key_request_digest CHECK (length(request_digest) = 64),
  CONSTRAINT idempotency_key_times CHECK (expires_at > created_at)
);

-- Serves: dropping what has expired.
CREATE INDEX idempotency_key_expires ON idempotency_key (expires_at);

CREATE TRIGGER idempotency_key_immutable BEFORE UPDATE ON idempotency_key FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Who did what by hand, and why. Append-only.
CREATE TABLE audit_entry (
  id bigint CONSTRAINT audit_entry_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  instance_id bigint REFERENCES process_instance (id),
  actor text NOT NULL,
  action text NOT NULL,
  details json NOT NULL,
  occurred_at timestamptz NOT NULL,
  CONSTRAINT audit_entry_id CHECK (id > 0),
  CONSTRAINT audit_entry_actor CHECK (actor <> ''),
  CONSTRAINT audit_entry_action CHECK (action <> ''),
  CONSTRAINT audit_entry_details CHECK (json_typeof(details) = 'object')
);

-- Serves: what was done to an instance.
CREATE INDEX audit_entry_instance ON audit_entry (instance_id) WHERE instance_id IS NOT NULL;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE ON audit_entry FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry FOR EACH ROW
EXECUTE FUNCTION refuse_change();
