-- Events: what tokens and scopes wait for beside work and time, what instances send to each other,
-- what came in from outside, what starts a process, and what can be undone.
--
-- The twin of 0011_event.sqlite.sql. Rules that grow are dropped and come again NOT VALID: what
-- older rows have was checked by the narrower ones.

-- The instance that called this one, and the token that waits for it there. No foreign key: each
-- of the two may be purged before the other.
ALTER TABLE process_instance ADD COLUMN parent_instance_id bigint;
ALTER TABLE process_instance ADD COLUMN parent_token_id bigint;
ALTER TABLE process_instance ADD CONSTRAINT process_instance_parent CHECK (
  (parent_instance_id IS NULL) = (parent_token_id IS NULL)) NOT VALID;

ALTER TABLE scope ADD COLUMN output json;
ALTER TABLE scope DROP CONSTRAINT scope_kind;
ALTER TABLE scope ADD CONSTRAINT scope_kind CHECK (
  kind = 'process' OR kind = 'sub_process' OR kind = 'event_sub_process' OR kind = 'transaction'
  OR kind = 'ad_hoc' OR kind = 'multi_instance' OR kind = 'iteration'
  OR kind = 'compensation') NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_iteration CHECK (
  kind <> 'iteration' OR loop_index IS NOT NULL) NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_output CHECK (
  output IS NULL OR (kind = 'iteration' AND state = 'completed')) NOT VALID;

ALTER TABLE step_record ADD COLUMN called_instance_id bigint;
ALTER TABLE step_record DROP CONSTRAINT step_record_type;
ALTER TABLE step_record ADD CONSTRAINT step_record_type CHECK (
  type = 'service_task' OR type = 'run' OR type = 'user_task' OR type = 'script_task'
  OR type = 'sleep' OR type = 'wait' OR type = 'manual_task' OR type = 'task'
  OR type = 'receive_task' OR type = 'send_task' OR type = 'business_rule_task'
  OR type = 'call_activity' OR type = 'throw_event') NOT VALID;
ALTER TABLE step_record DROP CONSTRAINT step_record_status;
ALTER TABLE step_record ADD CONSTRAINT step_record_status CHECK (
  CASE type
    WHEN 'sleep' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'user_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'wait' THEN status = 'waiting' OR status = 'completed' OR status = 'failed'
      OR status = 'cancelled'
    WHEN 'receive_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    WHEN 'call_activity' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
    ELSE status = 'completed' OR status = 'running' OR status = 'pending' OR status = 'failed'
      OR status = 'cancelled' END) NOT VALID;
ALTER TABLE step_record ADD CONSTRAINT step_record_called CHECK (
  called_instance_id IS NULL OR type = 'call_activity') NOT VALID;

-- A timer belongs to the token that waits for it or whose activity carries it, or to the scope
-- whose event sub-process it starts.
ALTER TABLE timer ALTER COLUMN token_id DROP NOT NULL;
ALTER TABLE timer ADD COLUMN scope_id bigint;
ALTER TABLE timer ADD COLUMN position bigint NOT NULL DEFAULT 0;
ALTER TABLE timer ADD FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id)
  NOT VALID;
ALTER TABLE timer ADD CONSTRAINT timer_owner CHECK (
  (token_id IS NULL) <> (scope_id IS NULL)) NOT VALID;
ALTER TABLE timer ADD CONSTRAINT timer_position CHECK (position >= 0) NOT VALID;

-- An inclusive gateway fires with the flows that have come.
ALTER TABLE parallel_join ADD COLUMN kind text NOT NULL DEFAULT 'parallel';
ALTER TABLE parallel_join ADD CONSTRAINT parallel_join_kind CHECK (
  kind = 'parallel' OR kind = 'inclusive' OR kind = 'complex') NOT VALID;
ALTER TABLE parallel_join DROP CONSTRAINT parallel_join_fired;
ALTER TABLE parallel_join ADD CONSTRAINT parallel_join_fired CHECK (
  state <> 'fired' OR joined = expected OR (kind <> 'parallel' AND joined >= 1)) NOT VALID;

ALTER TABLE incident DROP CONSTRAINT incident_kind;
ALTER TABLE incident ADD CONSTRAINT incident_kind CHECK (
  kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
  OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'
  OR kind = 'unhandled_error' OR kind = 'bad_correlation_key' OR kind = 'call_failed'
  OR kind = 'compensation_failed') NOT VALID;

DROP TRIGGER process_instance_identity ON process_instance;
CREATE TRIGGER process_instance_identity
BEFORE UPDATE OF id, tenant_id, process_id, business_key, unique_business_key, created_at,
  parent_instance_id, parent_token_id ON process_instance FOR EACH ROW
EXECUTE FUNCTION refuse_change();

DROP TRIGGER step_record_identity ON step_record;
CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id ON step_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

DROP TRIGGER timer_identity ON timer;
CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, node_id, created_at, scope_id, position
ON timer FOR EACH ROW
EXECUTE FUNCTION refuse_change();

DROP TRIGGER parallel_join_identity ON parallel_join;
CREATE TRIGGER parallel_join_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, generation, expected, opened_at, kind
ON parallel_join FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- A message, signal or condition that a token or a scope waits for.
CREATE TABLE event_subscription (
  id bigint CONSTRAINT event_subscription_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  tenant_id text COLLATE "C" NOT NULL,
  token_id bigint,
  scope_id bigint,
  step_id bigint,
  node_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  kind text NOT NULL,
  name text COLLATE "C" NOT NULL,
  correlation_key text COLLATE "C",
  state text NOT NULL,
  trigger_count bigint NOT NULL,
  condition_holds boolean,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
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
    ELSE condition_holds IS NULL END),
  CONSTRAINT event_subscription_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT event_subscription_times CHECK (closed_at >= opened_at)
);

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
  name, correlation_key, opened_at ON event_subscription FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION event_subscription_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.state <> 'open' THEN 'event_subscription_frozen'
    ELSE 'event_subscription_trigger_count_grows' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER event_subscription_transition BEFORE UPDATE ON event_subscription FOR EACH ROW
WHEN (OLD.state <> 'open' OR NEW.trigger_count < OLD.trigger_count)
EXECUTE FUNCTION event_subscription_transition();

CREATE TRIGGER event_subscription_kept AFTER DELETE ON event_subscription
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- What is on its way from one instance to others: delivered once, in the transaction that tells
-- the receiver. One without an instance came from outside. A signal goes to any number of waiting
-- ones, in portions: reached_id is the last one that has it.
CREATE TABLE pending_event (
  id bigint CONSTRAINT pending_event_key PRIMARY KEY,
  instance_id bigint REFERENCES process_instance (id),
  tenant_id text COLLATE "C" NOT NULL,
  node_id text COLLATE "C",
  kind text NOT NULL,
  name text COLLATE "C",
  correlation_key text COLLATE "C",
  target_instance_id bigint,
  target_token_id bigint,
  payload json NOT NULL,
  state text NOT NULL,
  reached_id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  closed_at timestamptz,
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
  CONSTRAINT pending_event_payload CHECK (json_typeof(payload) = 'object'),
  CONSTRAINT pending_event_state CHECK (
    state = 'pending' OR state = 'delivered' OR state = 'discarded'),
  CONSTRAINT pending_event_reached_id CHECK (
    reached_id >= 0 AND (reached_id = 0 OR kind = 'signal')),
  CONSTRAINT pending_event_closed CHECK ((closed_at IS NULL) = (state = 'pending')),
  CONSTRAINT pending_event_times CHECK (closed_at >= created_at)
);

-- Serves: what is to be delivered, oldest first. Nearly always empty.
CREATE INDEX pending_event_due ON pending_event (created_at, id) WHERE state = 'pending';
-- Serves: what an instance sent.
CREATE INDEX pending_event_instance ON pending_event (instance_id);

CREATE TRIGGER pending_event_identity
BEFORE UPDATE OF id, instance_id, tenant_id, node_id, kind, name, correlation_key,
  target_instance_id, target_token_id, payload, created_at ON pending_event FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION pending_event_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.state <> 'pending' THEN 'pending_event_frozen'
    ELSE 'pending_event_reached_id_grows' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER pending_event_transition BEFORE UPDATE ON pending_event FOR EACH ROW
WHEN (OLD.state <> 'pending' OR NEW.reached_id < OLD.reached_id)
EXECUTE FUNCTION pending_event_transition();

-- One from outside belongs to nobody and may go once it was delivered.
CREATE FUNCTION refuse_pending_removal() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE gone.state = 'pending'
      OR (gone.instance_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM instance_purge AS purge WHERE purge.instance_id = gone.instance_id))) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER pending_event_kept AFTER DELETE ON pending_event
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_pending_removal();

-- A message that was received and waits for somebody to take it, until it expires. Once taken it
-- stays as long, so that the same message id is known again.
CREATE TABLE inbound_event (
  id bigint CONSTRAINT inbound_event_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  correlation_key text COLLATE "C",
  message_id text COLLATE "C",
  payload json NOT NULL,
  received_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  claimed_by bigint,
  claimed_at timestamptz,
  CONSTRAINT inbound_event_id CHECK (id > 0),
  CONSTRAINT inbound_event_name CHECK (name <> ''),
  CONSTRAINT inbound_event_message_id CHECK (message_id <> ''),
  CONSTRAINT inbound_event_payload CHECK (json_typeof(payload) = 'object'),
  CONSTRAINT inbound_event_claimed CHECK ((claimed_by IS NULL) = (claimed_at IS NULL)),
  CONSTRAINT inbound_event_times CHECK (expires_at >= received_at AND claimed_at >= received_at)
);

CREATE UNIQUE INDEX inbound_event_message_once
  ON inbound_event (tenant_id, name, message_id) WHERE message_id IS NOT NULL;
-- Serves: messages for a subscription that opens, oldest first.
CREATE INDEX inbound_event_waiting
  ON inbound_event (tenant_id, name, correlation_key, id) WHERE claimed_at IS NULL;
-- Serves: dropping what has expired.
CREATE INDEX inbound_event_expires ON inbound_event (expires_at);

CREATE TRIGGER inbound_event_identity
BEFORE UPDATE OF id, tenant_id, name, correlation_key, message_id, payload, received_at, expires_at
ON inbound_event FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER inbound_event_claimed_once BEFORE UPDATE ON inbound_event FOR EACH ROW
WHEN (OLD.claimed_at IS NOT NULL)
EXECUTE FUNCTION refuse_change();

-- What starts instances of a definition: messages, signals, conditions, and points in time.
CREATE TABLE definition_subscription (
  id bigint CONSTRAINT definition_subscription_key PRIMARY KEY,
  definition_id bigint NOT NULL REFERENCES process_definition (id),
  tenant_id text COLLATE "C" NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  kind text NOT NULL,
  name text COLLATE "C",
  cycle text,
  due_at timestamptz,
  occurrence bigint NOT NULL,
  state text NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
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
);

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
  opened_at ON definition_subscription FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION definition_subscription_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.state <> 'open' THEN 'definition_subscription_frozen'
    ELSE 'definition_subscription_occurrence_grows' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER definition_subscription_transition BEFORE UPDATE ON definition_subscription
FOR EACH ROW WHEN (OLD.state <> 'open' OR NEW.occurrence < OLD.occurrence)
EXECUTE FUNCTION definition_subscription_transition();

-- An activity that succeeded and can be undone. It is undone at most once: the row says that it
-- has begun before anything of it runs. A sub-process is undone by what was recorded inside it,
-- with the variables that it had at its end.
CREATE TABLE compensation_record (
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  id bigint NOT NULL,
  scope_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  handler_id text COLLATE "C",
  inner_scope_id bigint,
  ordinal bigint NOT NULL,
  status text NOT NULL,
  token_id bigint,
  variables json NOT NULL,
  recorded_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  CONSTRAINT compensation_record_key PRIMARY KEY (instance_id, id),
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
  CONSTRAINT compensation_record_variables CHECK (json_typeof(variables) = 'object'),
  CONSTRAINT compensation_record_times CHECK (
    started_at >= recorded_at AND ended_at >= started_at)
);

-- The order in which activities succeeded; they are undone backwards.
CREATE UNIQUE INDEX compensation_record_ordinal_once
  ON compensation_record (instance_id, ordinal);

CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, handler_id, inner_scope_id, ordinal, variables,
  recorded_at ON compensation_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION compensation_record_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.status = 'completed' OR OLD.status = 'failed'
    THEN 'compensation_record_frozen'
    ELSE 'compensation_record_once' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER compensation_record_transition BEFORE UPDATE ON compensation_record FOR EACH ROW
WHEN (OLD.status = 'completed' OR OLD.status = 'failed'
  OR (OLD.status = 'running' AND NEW.status = 'pending')
  OR (OLD.token_id IS NOT NULL AND NEW.token_id IS DISTINCT FROM OLD.token_id))
EXECUTE FUNCTION compensation_record_transition();

CREATE TRIGGER compensation_record_kept AFTER DELETE ON compensation_record
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();
