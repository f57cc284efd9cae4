-- Events: what tokens and scopes wait for beside work and time, what instances send to each other,
-- what came in from outside, what starts a process, and what can be undone.
--
-- Rules of earlier tables that grow are changed where SQLite keeps their text. Its documentation
-- allows that for rules that rows do not store; the rows stay as they are, however many there are.

ALTER TABLE process_instance ADD COLUMN parent_instance_id INTEGER;
ALTER TABLE process_instance ADD COLUMN parent_token_id INTEGER;
ALTER TABLE scope ADD COLUMN output TEXT;
ALTER TABLE step_record ADD COLUMN called_instance_id INTEGER;
ALTER TABLE timer ADD COLUMN scope_id INTEGER;
ALTER TABLE timer ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE parallel_join ADD COLUMN kind TEXT NOT NULL DEFAULT 'parallel';

PRAGMA writable_schema = ON;

-- The instance that called this one, and the token that waits for it there. No foreign key: each
-- of the two may be purged before the other.
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT process_instance_times CHECK (',
  'CONSTRAINT process_instance_parent CHECK (
    (parent_instance_id IS NULL) = (parent_token_id IS NULL)),
  CONSTRAINT process_instance_times CHECK (')
WHERE type = 'table' AND name = 'process_instance';

UPDATE sqlite_schema SET sql = replace(replace(sql,
  'CONSTRAINT scope_kind CHECK (kind = ''process'' OR kind = ''sub_process'')',
  'CONSTRAINT scope_kind CHECK (
    kind = ''process'' OR kind = ''sub_process'' OR kind = ''event_sub_process''
    OR kind = ''transaction'' OR kind = ''ad_hoc'' OR kind = ''multi_instance''
    OR kind = ''iteration'' OR kind = ''compensation'')'),
  'CONSTRAINT scope_variables CHECK',
  'CONSTRAINT scope_iteration CHECK (kind <> ''iteration'' OR loop_index IS NOT NULL),
  CONSTRAINT scope_output CHECK (
    output IS NULL OR (json_valid(output) AND kind = ''iteration'' AND state = ''completed'')),
  CONSTRAINT scope_variables CHECK')
WHERE type = 'table' AND name = 'scope';

UPDATE sqlite_schema SET sql = replace(replace(sql,
  'OR type = ''sleep'' OR type = ''wait'' OR type = ''manual_task'' OR type = ''task'')',
  'OR type = ''sleep'' OR type = ''wait'' OR type = ''manual_task'' OR type = ''task''
    OR type = ''receive_task'' OR type = ''send_task'' OR type = ''business_rule_task''
    OR type = ''call_activity'' OR type = ''throw_event'')'),
  'WHEN ''wait'' THEN status = ''waiting'' OR status = ''completed'' OR status = ''failed''
        OR status = ''cancelled''',
  'WHEN ''wait'' THEN status = ''waiting'' OR status = ''completed'' OR status = ''failed''
        OR status = ''cancelled''
      WHEN ''receive_task'' THEN status = ''waiting'' OR status = ''completed''
        OR status = ''cancelled''
      WHEN ''call_activity'' THEN status = ''waiting'' OR status = ''completed''
        OR status = ''cancelled''')
WHERE type = 'table' AND name = 'step_record';
UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT step_record_times CHECK (',
  'CONSTRAINT step_record_called CHECK (
    called_instance_id IS NULL OR type = ''call_activity''),
  CONSTRAINT step_record_times CHECK (')
WHERE type = 'table' AND name = 'step_record';

-- A timer belongs to the token that waits for it or whose activity carries it, or to the scope
-- whose event sub-process it starts.
UPDATE sqlite_schema SET sql = replace(replace(sql,
  'token_id INTEGER NOT NULL', 'token_id INTEGER'),
  'CONSTRAINT timer_id CHECK (id > 0),',
  'FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  CONSTRAINT timer_id CHECK (id > 0),
  CONSTRAINT timer_owner CHECK ((token_id IS NULL) <> (scope_id IS NULL)),
  CONSTRAINT timer_position CHECK (position >= 0),')
WHERE type = 'table' AND name = 'timer';

-- An inclusive gateway fires with the flows that have come.
UPDATE sqlite_schema SET sql = replace(sql,
  'CONSTRAINT parallel_join_fired CHECK (state <> ''fired'' OR joined = expected)',
  'CONSTRAINT parallel_join_kind CHECK (
    kind = ''parallel'' OR kind = ''inclusive'' OR kind = ''complex''),
  CONSTRAINT parallel_join_fired CHECK (
    state <> ''fired'' OR joined = expected OR (kind <> ''parallel'' AND joined >= 1))')
WHERE type = 'table' AND name = 'parallel_join';

UPDATE sqlite_schema SET sql = replace(sql,
  'OR kind = ''join_unreachable'' OR kind = ''bad_timer'' OR kind = ''engine_error'')',
  'OR kind = ''join_unreachable'' OR kind = ''bad_timer'' OR kind = ''engine_error''
    OR kind = ''unhandled_error'' OR kind = ''bad_correlation_key'' OR kind = ''call_failed''
    OR kind = ''compensation_failed'')')
WHERE type = 'table' AND name = 'incident';

PRAGMA writable_schema = RESET;

DROP TRIGGER process_instance_identity;
CREATE TRIGGER process_instance_identity
BEFORE UPDATE OF id, tenant_id, process_id, business_key, unique_business_key, created_at,
  parent_instance_id, parent_token_id ON process_instance
BEGIN
  SELECT RAISE(ABORT, 'process_instance_identity');
END;

DROP TRIGGER step_record_identity;
CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id ON step_record
BEGIN
  SELECT RAISE(ABORT, 'step_record_identity');
END;

DROP TRIGGER timer_identity;
CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, node_id, created_at, scope_id, position
ON timer
BEGIN
  SELECT RAISE(ABORT, 'timer_identity');
END;

DROP TRIGGER parallel_join_identity;
CREATE TRIGGER parallel_join_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, generation, expected, opened_at, kind
ON parallel_join
BEGIN
  SELECT RAISE(ABORT, 'parallel_join_identity');
END;

-- A message, signal or condition that a token or a scope waits for.
CREATE TABLE event_subscription (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  tenant_id TEXT NOT NULL,
  token_id INTEGER,
  scope_id INTEGER,
  step_id INTEGER,
  node_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  correlation_key TEXT,
  state TEXT NOT NULL,
  trigger_count INTEGER NOT NULL,
  condition_holds INTEGER,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT event_subscription_id CHECK (id > 0),
  CONSTRAINT event_subscription_owner CHECK ((token_id IS NULL) <> (scope_id IS NULL)),
  CONSTRAINT event_subscription_step CHECK (step_id IS NULL OR token_id IS NOT NULL),
  CONSTRAINT event_subscription_node_id CHECK (node_id <> ''),
  CONSTRAINT event_subscription_position CHECK (position >= 0),
  CONSTRAINT event_subscription_kind CHECK (
    kind = 'message' OR kind = 'signal' OR kind = 'conditional'),
  CONSTRAINT event_subscription_name CHECK ((name = '') = (kind = 'conditional')),
  CONSTRAINT event_subscription_correlation_key CHECK (
    correlation_key IS NULL OR kind = 'message'),
  CONSTRAINT event_subscription_state CHECK (
    state = 'open' OR state = 'triggered' OR state = 'cancelled'),
  CONSTRAINT event_subscription_trigger_count CHECK (
    trigger_count >= 0 AND (trigger_count >= 1 OR state <> 'triggered')),
  CONSTRAINT event_subscription_condition_holds CHECK (
    CASE kind WHEN 'conditional' THEN condition_holds IS NOT NULL
      AND (condition_holds = 0 OR condition_holds = 1)
    ELSE condition_holds IS NULL END),
  CONSTRAINT event_subscription_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT event_subscription_times CHECK (closed_at >= opened_at)
) STRICT;

-- A token or scope waits for each event once.
CREATE UNIQUE INDEX event_subscription_token_once
  ON event_subscription (instance_id, token_id, node_id, position)
  WHERE state = 'open' AND token_id IS NOT NULL;
CREATE UNIQUE INDEX event_subscription_scope_once
  ON event_subscription (instance_id, scope_id, node_id, position)
  WHERE state = 'open' AND scope_id IS NOT NULL;
-- Serves: who waits for a message or signal.
CREATE INDEX event_subscription_awaited
  ON event_subscription (tenant_id, kind, name, correlation_key, id) WHERE state = 'open';
-- Serves: loading an instance, and its subscriptions.
CREATE INDEX event_subscription_instance ON event_subscription (instance_id);

CREATE TRIGGER event_subscription_identity
BEFORE UPDATE OF id, instance_id, tenant_id, token_id, scope_id, step_id, node_id, position, kind,
  name, correlation_key, opened_at ON event_subscription
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_identity');
END;

CREATE TRIGGER event_subscription_transition BEFORE UPDATE ON event_subscription
WHEN OLD.state <> 'open' OR NEW.trigger_count < OLD.trigger_count
BEGIN
  SELECT CASE WHEN OLD.state <> 'open' THEN RAISE(ABORT, 'event_subscription_frozen')
    ELSE RAISE(ABORT, 'event_subscription_trigger_count_grows') END;
END;

CREATE TRIGGER event_subscription_kept BEFORE DELETE ON event_subscription
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_kept');
END;

-- What is on its way from one instance to others: delivered once, in the transaction that tells
-- the receiver. One without an instance came from outside. A signal goes to any number of waiting
-- ones, in portions: reached_id is the last one that has it.
CREATE TABLE pending_event (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER REFERENCES process_instance (id),
  tenant_id TEXT NOT NULL,
  node_id TEXT,
  kind TEXT NOT NULL,
  name TEXT,
  correlation_key TEXT,
  target_instance_id INTEGER,
  target_token_id INTEGER,
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  reached_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  CONSTRAINT pending_event_id CHECK (id > 0),
  CONSTRAINT pending_event_sender CHECK ((instance_id IS NULL) = (node_id IS NULL)),
  CONSTRAINT pending_event_kind CHECK (
    kind = 'message' OR kind = 'signal' OR kind = 'call' OR kind = 'call_ended'
    OR kind = 'call_escalated' OR kind = 'call_cancelled'),
  CONSTRAINT pending_event_name CHECK (
    CASE WHEN kind = 'message' OR kind = 'signal' THEN name IS NOT NULL AND name <> ''
      AND target_instance_id IS NULL
    ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL END),
  CONSTRAINT pending_event_correlation_key CHECK (correlation_key IS NULL OR kind = 'message'),
  CONSTRAINT pending_event_target CHECK (
    (target_token_id IS NOT NULL) = (kind = 'call_ended' OR kind = 'call_escalated')),
  CONSTRAINT pending_event_payload CHECK (json_valid(payload) AND payload BETWEEN '{' AND '|'),
  CONSTRAINT pending_event_state CHECK (
    state = 'pending' OR state = 'delivered' OR state = 'discarded'),
  CONSTRAINT pending_event_reached_id CHECK (
    reached_id >= 0 AND (reached_id = 0 OR kind = 'signal')),
  CONSTRAINT pending_event_closed CHECK ((closed_at IS NULL) = (state = 'pending')),
  CONSTRAINT pending_event_times CHECK (closed_at >= created_at)
) STRICT;

-- Serves: what is to be delivered, oldest first. Nearly always empty.
CREATE INDEX pending_event_due ON pending_event (created_at, id) WHERE state = 'pending';
-- Serves: what an instance sent.
CREATE INDEX pending_event_instance ON pending_event (instance_id);

CREATE TRIGGER pending_event_identity
BEFORE UPDATE OF id, instance_id, tenant_id, node_id, kind, name, correlation_key,
  target_instance_id, target_token_id, payload, created_at ON pending_event
BEGIN
  SELECT RAISE(ABORT, 'pending_event_identity');
END;

CREATE TRIGGER pending_event_transition BEFORE UPDATE ON pending_event
WHEN OLD.state <> 'pending' OR NEW.reached_id < OLD.reached_id
BEGIN
  SELECT CASE WHEN OLD.state <> 'pending' THEN RAISE(ABORT, 'pending_event_frozen')
    ELSE RAISE(ABORT, 'pending_event_reached_id_grows') END;
END;

CREATE TRIGGER pending_event_kept BEFORE DELETE ON pending_event
WHEN OLD.state = 'pending' OR (OLD.instance_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id))
BEGIN
  SELECT RAISE(ABORT, 'pending_event_kept');
END;

-- A message that was received and waits for somebody to take it, until it expires. Once taken it
-- stays as long, so that the same message id is known again.
CREATE TABLE inbound_event (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  name TEXT NOT NULL,
  correlation_key TEXT,
  message_id TEXT,
  payload TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  claimed_by INTEGER,
  claimed_at INTEGER,
  CONSTRAINT inbound_event_id CHECK (id > 0),
  CONSTRAINT inbound_event_name CHECK (name <> ''),
  CONSTRAINT inbound_event_message_id CHECK (message_id <> ''),
  CONSTRAINT inbound_event_payload CHECK (json_valid(payload) AND payload BETWEEN '{' AND '|'),
  CONSTRAINT inbound_event_claimed CHECK ((claimed_by IS NULL) = (claimed_at IS NULL)),
  CONSTRAINT inbound_event_times CHECK (expires_at >= received_at AND claimed_at >= received_at)
) STRICT;

CREATE UNIQUE INDEX inbound_event_message_once
  ON inbound_event (tenant_id, name, message_id) WHERE message_id IS NOT NULL;
-- Serves: messages for a subscription that opens, oldest first.
CREATE INDEX inbound_event_waiting
  ON inbound_event (tenant_id, name, correlation_key, id) WHERE claimed_at IS NULL;
-- Serves: dropping what has expired.
CREATE INDEX inbound_event_expires ON inbound_event (expires_at);

CREATE TRIGGER inbound_event_identity
BEFORE UPDATE OF id, tenant_id, name, correlation_key, message_id, payload, received_at, expires_at
ON inbound_event
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_identity');
END;

CREATE TRIGGER inbound_event_claimed_once BEFORE UPDATE ON inbound_event
WHEN OLD.claimed_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_claimed_once');
END;

-- What starts instances of a definition: messages, signals, conditions, and points in time.
CREATE TABLE definition_subscription (
  id INTEGER PRIMARY KEY,
  definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  tenant_id TEXT NOT NULL,
  process_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT,
  cycle TEXT,
  due_at INTEGER,
  occurrence INTEGER NOT NULL,
  state TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  CONSTRAINT definition_subscription_id CHECK (id > 0),
  CONSTRAINT definition_subscription_node_id CHECK (node_id <> ''),
  CONSTRAINT definition_subscription_position CHECK (position >= 0),
  CONSTRAINT definition_subscription_kind CHECK (
    kind = 'message' OR kind = 'signal' OR kind = 'timer' OR kind = 'conditional'),
  CONSTRAINT definition_subscription_name CHECK (
    (name IS NOT NULL AND name <> '') = (kind = 'message' OR kind = 'signal')),
  CONSTRAINT definition_subscription_timer CHECK (
    (due_at IS NOT NULL) = (kind = 'timer')
    AND (cycle IS NULL OR (kind = 'timer' AND cycle <> ''))),
  CONSTRAINT definition_subscription_occurrence CHECK (occurrence >= 1),
  CONSTRAINT definition_subscription_state CHECK (state = 'open' OR state = 'closed'),
  CONSTRAINT definition_subscription_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT definition_subscription_times CHECK (closed_at >= opened_at)
) STRICT;

CREATE UNIQUE INDEX definition_subscription_once
  ON definition_subscription (definition_id, node_id, position) WHERE state = 'open';
-- Serves: what a message or signal starts.
CREATE INDEX definition_subscription_awaited
  ON definition_subscription (tenant_id, kind, name) WHERE state = 'open';
-- Serves: starts that are due, and the next one.
CREATE INDEX definition_subscription_due
  ON definition_subscription (due_at) WHERE state = 'open' AND due_at IS NOT NULL;
-- Serves: closing those of the version before.
CREATE INDEX definition_subscription_process
  ON definition_subscription (tenant_id, process_id) WHERE state = 'open';

CREATE TRIGGER definition_subscription_identity
BEFORE UPDATE OF id, definition_id, tenant_id, process_id, node_id, position, kind, name, cycle,
  opened_at ON definition_subscription
BEGIN
  SELECT RAISE(ABORT, 'definition_subscription_identity');
END;

CREATE TRIGGER definition_subscription_transition BEFORE UPDATE ON definition_subscription
WHEN OLD.state <> 'open' OR NEW.occurrence < OLD.occurrence
BEGIN
  SELECT CASE WHEN OLD.state <> 'open' THEN RAISE(ABORT, 'definition_subscription_frozen')
    ELSE RAISE(ABORT, 'definition_subscription_occurrence_grows') END;
END;

-- An activity that succeeded and can be undone. It is undone at most once: the row says that it
-- has begun before anything of it runs. A sub-process is undone by what was recorded inside it,
-- with the variables that it had at its end.
CREATE TABLE compensation_record (
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  id INTEGER NOT NULL,
  scope_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  handler_id TEXT,
  inner_scope_id INTEGER,
  ordinal INTEGER NOT NULL,
  status TEXT NOT NULL,
  token_id INTEGER,
  variables TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  FOREIGN KEY (instance_id, inner_scope_id) REFERENCES scope (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT compensation_record_id CHECK (id > 0),
  CONSTRAINT compensation_record_node_id CHECK (node_id <> ''),
  CONSTRAINT compensation_record_handler CHECK (
    CASE WHEN handler_id IS NULL THEN inner_scope_id IS NOT NULL ELSE handler_id <> '' END),
  CONSTRAINT compensation_record_ordinal CHECK (ordinal >= 1),
  CONSTRAINT compensation_record_status CHECK (
    status = 'pending' OR status = 'running' OR status = 'completed' OR status = 'failed'),
  CONSTRAINT compensation_record_started CHECK (
    (started_at IS NULL) = (status = 'pending') AND (token_id IS NULL) = (status = 'pending')),
  CONSTRAINT compensation_record_ended CHECK (
    (ended_at IS NOT NULL) = (status = 'completed' OR status = 'failed')),
  CONSTRAINT compensation_record_variables CHECK (
    json_valid(variables) AND variables BETWEEN '{' AND '|'),
  CONSTRAINT compensation_record_times CHECK (
    started_at >= recorded_at AND ended_at >= started_at)
) STRICT, WITHOUT ROWID;

-- The order in which activities succeeded; they are undone backwards.
CREATE UNIQUE INDEX compensation_record_ordinal_once
  ON compensation_record (instance_id, ordinal);

CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, handler_id, inner_scope_id, ordinal, variables,
  recorded_at ON compensation_record
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_identity');
END;

CREATE TRIGGER compensation_record_transition BEFORE UPDATE ON compensation_record
WHEN OLD.status = 'completed' OR OLD.status = 'failed'
  OR (OLD.status = 'running' AND NEW.status = 'pending')
  OR (OLD.token_id IS NOT NULL AND NEW.token_id IS NOT OLD.token_id)
BEGIN
  SELECT CASE WHEN OLD.status = 'completed' OR OLD.status = 'failed'
      THEN RAISE(ABORT, 'compensation_record_frozen')
    ELSE RAISE(ABORT, 'compensation_record_once') END;
END;

CREATE TRIGGER compensation_record_kept BEFORE DELETE ON compensation_record
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_kept');
END;
