-- What was said and done: history, commands that were sent with a key, operators' actions.

-- The facts of an instance as recorded. Append-only. With a rowid, unlike its peers: facts of many
-- instances arrive interleaved, and appending them touches a fifth of the pages that a clustered
-- key would.
CREATE TABLE history_event (
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  sequence INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  category TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (instance_id, sequence),
  CONSTRAINT history_event_sequence CHECK (sequence >= 1),
  CONSTRAINT history_event_event_type CHECK (event_type <> ''),
  CONSTRAINT history_event_category CHECK (category <> ''),
  CONSTRAINT history_event_payload CHECK (json_valid(payload) AND payload BETWEEN '{' AND '|')
) STRICT;

CREATE TRIGGER history_event_append_only BEFORE UPDATE ON history_event
BEGIN
  SELECT RAISE(ABORT, 'history_event_append_only');
END;

CREATE TRIGGER history_event_kept BEFORE DELETE ON history_event
BEGIN
  SELECT RAISE(ABORT, 'history_event_kept');
END;

-- A command sent with a key, and what came of it. Immutable; dropped when it has expired.
CREATE TABLE idempotency_key (
  key TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  outcome TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, tenant_id),
  CONSTRAINT idempotency_key_named CHECK (key <> ''),
  CONSTRAINT idempotency_key_request_digest CHECK (length(request_digest) = 64),
  CONSTRAINT idempotency_key_outcome CHECK (json_valid(outcome)),
  CONSTRAINT idempotency_key_times CHECK (expires_at > created_at)
) STRICT, WITHOUT ROWID;

-- Serves: dropping what has expired.
CREATE INDEX idempotency_key_expires ON idempotency_key (expires_at);

CREATE TRIGGER idempotency_key_immutable BEFORE UPDATE ON idempotency_key
BEGIN
  SELECT RAISE(ABORT, 'idempotency_key_immutable');
END;

-- Who did what by hand, and why. Append-only.
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  instance_id INTEGER REFERENCES process_instance (id),
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  details TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  CONSTRAINT audit_entry_id CHECK (id > 0),
  CONSTRAINT audit_entry_actor CHECK (actor <> ''),
  CONSTRAINT audit_entry_action CHECK (action <> ''),
  CONSTRAINT audit_entry_details CHECK (json_valid(details) AND details BETWEEN '{' AND '|')
) STRICT;

-- Serves: what was done to an instance.
CREATE INDEX audit_entry_instance ON audit_entry (instance_id) WHERE instance_id IS NOT NULL;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit_entry_append_only');
END;

CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit_entry_kept');
END;
