-- The whole current schema for PostgreSQL, as the migrations of src/store/sql/schema make
-- it. A database that was made with it is recognised by `perdure migrate`.
-- Written by `PERDURE_REFRESH=1 postgres_suite --gtest_filter=*WholeSchema*`.

CREATE SCHEMA perdure;
SET search_path TO perdure;

-- What every database has: which schema files were applied, and the keys not yet handed out.
--
-- The twin of 0001_foundation.sqlite.sql: the same columns in the same order, the same rules
-- under the same names. Conventions of all schema files of this dialect: times are timestamptz
-- with milliseconds, JSON is json, which keeps its text, words that are compared or sorted have
-- the order of their bytes (COLLATE "C"). Names are without a schema: the connection's
-- search_path says where they are made. No extension and no superuser is needed. Triggers stand
-- where nothing else can prove a rule; their conditions are in WHEN, so that a row that is
-- allowed calls no function.

-- Refuses a change in the name of the trigger.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TABLE schema_migration (
  version bigint CONSTRAINT schema_migration_key PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL,
  CONSTRAINT schema_migration_version CHECK (version >= 1),
  CONSTRAINT schema_migration_name CHECK (name <> ''),
  CONSTRAINT schema_migration_checksum CHECK (length(checksum) = 64)
);

CREATE TRIGGER schema_migration_immutable BEFORE UPDATE ON schema_migration FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Keys are handed out in blocks: a value is the first key of a block that nobody else has. A
-- sequence makes no node wait for another's transaction. The engine knows the size of a block.
CREATE SEQUENCE key_block AS bigint INCREMENT BY 65536 START WITH 1;

-- Definitions and their runs.

-- One version of one process. Immutable but for `state`.
CREATE TABLE process_definition (
  id bigint CONSTRAINT process_definition_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  name text NOT NULL,
  version_tag text,
  resource_name text,
  source text,
  digest text,
  deployed_at timestamptz NOT NULL,
  CONSTRAINT process_definition_id CHECK (id > 0),
  CONSTRAINT process_definition_process_id CHECK (process_id <> ''),
  CONSTRAINT process_definition_version CHECK (version >= 1),
  CONSTRAINT process_definition_kind CHECK (kind = 'bpmn' OR kind = 'flow'),
  CONSTRAINT process_definition_state CHECK (state = 'active' OR state = 'retired'),
  CONSTRAINT process_definition_source CHECK (
    (kind = 'bpmn' AND source IS NOT NULL AND digest IS NOT NULL)
    OR (kind = 'flow' AND source IS NULL AND digest IS NULL)),
  CONSTRAINT process_definition_digest CHECK (digest IS NULL OR length(digest) = 64)
);

-- Serves: the latest version of a process.
CREATE UNIQUE INDEX process_definition_version_once
  ON process_definition (tenant_id, process_id, version);

CREATE TRIGGER process_definition_immutable
BEFORE UPDATE OF id, tenant_id, process_id, version, kind, name, version_tag, resource_name, source,
  digest, deployed_at ON process_definition FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One run of one process.
CREATE TABLE process_instance (
  id bigint CONSTRAINT process_instance_key PRIMARY KEY,
  definition_id bigint NOT NULL REFERENCES process_definition (id),
  tenant_id text COLLATE "C" NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  business_key text COLLATE "C",
  unique_business_key boolean NOT NULL,
  status text NOT NULL,
  version bigint NOT NULL,
  last_sequence bigint NOT NULL,
  step_count bigint NOT NULL,
  input json NOT NULL,
  end_reason text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  updated_at timestamptz NOT NULL,
  CONSTRAINT process_instance_id CHECK (id > 0),
  CONSTRAINT process_instance_process_id CHECK (process_id <> ''),
  CONSTRAINT process_instance_unique_business_key CHECK (
    NOT unique_business_key OR business_key IS NOT NULL),
  CONSTRAINT process_instance_status CHECK (
    status = 'running' OR status = 'completed' OR status = 'pending' OR status = 'paused'
    OR status = 'failed' OR status = 'cancelled'),
  CONSTRAINT process_instance_version CHECK (version >= 1),
  CONSTRAINT process_instance_last_sequence CHECK (last_sequence >= 0),
  CONSTRAINT process_instance_step_count CHECK (step_count >= 0),
  CONSTRAINT process_instance_input CHECK (json_typeof(input) = 'object'),
  CONSTRAINT process_instance_end_reason CHECK (end_reason IS NULL OR ended_at IS NOT NULL),
  CONSTRAINT process_instance_started CHECK (
    CASE status WHEN 'pending' THEN started_at IS NULL WHEN 'cancelled' THEN true
    ELSE started_at IS NOT NULL END),
  CONSTRAINT process_instance_ended CHECK (
    (ended_at IS NOT NULL) = (status = 'completed' OR status = 'failed' OR status = 'cancelled')),
  CONSTRAINT process_instance_times CHECK (
    started_at >= created_at AND ended_at >= created_at AND ended_at >= started_at
    AND updated_at >= created_at)
);

-- At most one instance for each business key, where the start asked for it.
CREATE UNIQUE INDEX process_instance_business_key_once
  ON process_instance (tenant_id, process_id, business_key) WHERE unique_business_key;
-- Serves: lists by business key.
CREATE INDEX process_instance_business_key
  ON process_instance (business_key) WHERE business_key IS NOT NULL;
-- Serves: lists by process.
CREATE INDEX process_instance_process ON process_instance (process_id);
-- Serves: lists by status. Completed instances are nearly all, so that those are found by key.
CREATE INDEX process_instance_status
  ON process_instance (status) WHERE status <> 'completed';

-- Definition and input are pinned as soon as the run began.
CREATE TRIGGER process_instance_pinned
BEFORE UPDATE OF definition_id, input ON process_instance FOR EACH ROW
WHEN (OLD.status = 'running' OR OLD.status = 'paused')
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER process_instance_identity
BEFORE UPDATE OF id, tenant_id, process_id, business_key, unique_business_key, created_at
ON process_instance FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Several decisions may be saved as one change, which is why running to completed may skip paused;
-- but no run ends that the database never saw running.
CREATE FUNCTION process_instance_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE
    WHEN OLD.status = 'completed' OR OLD.status = 'failed' OR OLD.status = 'cancelled'
      THEN 'process_instance_frozen'
    WHEN NEW.version <= OLD.version THEN 'process_instance_version_grows'
    WHEN NEW.last_sequence < OLD.last_sequence OR NEW.step_count < OLD.step_count
      THEN 'process_instance_counters_grow'
    ELSE 'process_instance_transition' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER process_instance_transition BEFORE UPDATE ON process_instance FOR EACH ROW
WHEN (NEW.version <= OLD.version OR NEW.last_sequence < OLD.last_sequence
  OR NEW.step_count < OLD.step_count
  OR (OLD.status <> 'running' OR NEW.status = 'pending'
      OR NEW.started_at IS DISTINCT FROM OLD.started_at)
  AND NOT (OLD.status = 'pending'
           AND (NEW.status = 'pending' OR NEW.status = 'running' OR NEW.status = 'cancelled'))
  AND NOT (OLD.status = 'paused' AND NEW.started_at IS NOT DISTINCT FROM OLD.started_at
           AND (NEW.status = 'paused' OR NEW.status = 'running' OR NEW.status = 'cancelled')))
EXECUTE FUNCTION process_instance_transition();

-- Scopes and tokens: where execution is. The composite keys begin with the instance, so that a
-- foreign key proves "of the same instance" and the rows of one instance lie side by side.

-- One activation of a process or a sub-process; owns its variables.
CREATE TABLE scope (
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  id bigint NOT NULL,
  parent_id bigint,
  token_id bigint,
  node_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  loop_index bigint,
  variables json NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  CONSTRAINT scope_key PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, parent_id) REFERENCES scope (instance_id, id),
  CONSTRAINT scope_id CHECK (id > 0),
  CONSTRAINT scope_parent CHECK (parent_id <> id),
  CONSTRAINT scope_kind CHECK (kind = 'process' OR kind = 'sub_process'),
  CONSTRAINT scope_root CHECK (
    CASE kind WHEN 'process' THEN parent_id IS NULL AND token_id IS NULL
    ELSE parent_id IS NOT NULL AND token_id IS NOT NULL END),
  CONSTRAINT scope_state CHECK (state = 'open' OR state = 'completed' OR state = 'terminated'),
  CONSTRAINT scope_loop_index CHECK (loop_index >= 0),
  CONSTRAINT scope_variables CHECK (json_typeof(variables) = 'object'),
  CONSTRAINT scope_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT scope_times CHECK (closed_at >= opened_at)
);

CREATE UNIQUE INDEX scope_root_once ON scope (instance_id) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX scope_loop_index_once
  ON scope (instance_id, parent_id, loop_index) WHERE loop_index IS NOT NULL;

CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, node_id, kind, loop_index, opened_at
  ON scope FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scope_frozen BEFORE UPDATE ON scope FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION refuse_change();

-- The unit of execution. A live one moves freely between ready, executing and waiting, since
-- several decisions may be saved as one change; an ended one never changes again.
CREATE TABLE token (
  instance_id bigint NOT NULL,
  id bigint NOT NULL,
  scope_id bigint NOT NULL,
  parent_id bigint,
  node_id text COLLATE "C" NOT NULL,
  flow_id text COLLATE "C",
  state text NOT NULL,
  mode text NOT NULL,
  attempt bigint NOT NULL,
  version bigint NOT NULL,
  placed_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT token_key PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  FOREIGN KEY (instance_id, parent_id) REFERENCES token (instance_id, id),
  CONSTRAINT token_id CHECK (id > 0),
  CONSTRAINT token_parent CHECK (parent_id <> id),
  CONSTRAINT token_node_id CHECK (node_id <> ''),
  CONSTRAINT token_state CHECK (
    state = 'waiting' OR state = 'completed' OR state = 'executing' OR state = 'ready'
    OR state = 'terminated' OR state = 'failed'),
  CONSTRAINT token_mode CHECK (mode = 'forward' OR mode = 'compensation'),
  CONSTRAINT token_attempt CHECK (attempt >= 0),
  CONSTRAINT token_version CHECK (version >= 1),
  CONSTRAINT token_ended CHECK (
    (ended_at IS NOT NULL) = (state = 'completed' OR state = 'terminated' OR state = 'failed')),
  CONSTRAINT token_times CHECK (ended_at >= placed_at)
);

-- Scopes and tokens refer to each other, and a batch writes each table in one statement: this rule
-- alone waits for the end of the transaction.
ALTER TABLE scope ADD FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id)
  DEFERRABLE INITIALLY DEFERRED;

-- Serves: the sweep over tokens that a decision left ready. Nearly always empty.
CREATE INDEX token_ready ON token (placed_at) WHERE state = 'ready';

CREATE TRIGGER token_identity
BEFORE UPDATE OF instance_id, id, scope_id, parent_id, mode, placed_at ON token FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION token_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.ended_at IS NOT NULL THEN 'token_frozen'
    ELSE 'token_version_grows' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER token_transition BEFORE UPDATE ON token FOR EACH ROW
WHEN (NEW.version <= OLD.version OR OLD.ended_at IS NOT NULL)
EXECUTE FUNCTION token_transition();

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

-- What tokens wait for: work of workers, work of people, time.

-- Work leased to a worker.
CREATE TABLE external_task (
  id bigint CONSTRAINT external_task_key PRIMARY KEY,
  instance_id bigint NOT NULL,
  token_id bigint NOT NULL,
  step_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  priority bigint NOT NULL,
  state text NOT NULL,
  retries bigint NOT NULL,
  available_at timestamptz NOT NULL,
  worker_id text,
  lock_expires_at timestamptz,
  attempt bigint NOT NULL,
  variables json NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT external_task_id CHECK (id > 0),
  CONSTRAINT external_task_node_id CHECK (node_id <> ''),
  CONSTRAINT external_task_type CHECK (type <> ''),
  CONSTRAINT external_task_state CHECK (
    state = 'ready' OR state = 'locked' OR state = 'completed' OR state = 'failed'
    OR state = 'cancelled'),
  CONSTRAINT external_task_retries CHECK (retries >= 0),
  CONSTRAINT external_task_locked CHECK (
    (worker_id IS NOT NULL) = (state = 'locked')
    AND (lock_expires_at IS NOT NULL) = (state = 'locked')),
  CONSTRAINT external_task_attempt CHECK (attempt >= 0),
  CONSTRAINT external_task_variables CHECK (json_typeof(variables) = 'object'),
  CONSTRAINT external_task_ended CHECK (
    (ended_at IS NULL) = (state = 'ready' OR state = 'locked')),
  CONSTRAINT external_task_times CHECK (ended_at >= created_at)
);

-- A step has one task, whatever becomes of it. Serves: the tasks of an instance.
CREATE UNIQUE INDEX external_task_step_once ON external_task (instance_id, step_id);
-- One open task for a token; a failed one is open to an operator. Serves: loading an instance.
CREATE UNIQUE INDEX external_task_open_once ON external_task (instance_id, token_id)
  WHERE state = 'ready' OR state = 'locked' OR state = 'failed';
-- Serves: fetching, best first.
CREATE INDEX external_task_ready
  ON external_task (type, priority DESC, available_at) WHERE state = 'ready';
-- Serves: when the next retry becomes available. Only tasks that wait for one are in it.
CREATE INDEX external_task_delayed
  ON external_task (available_at) WHERE state = 'ready' AND available_at > created_at;
-- Serves: locks that ran out.
CREATE INDEX external_task_lock ON external_task (lock_expires_at) WHERE state = 'locked';

CREATE TRIGGER external_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, node_id, type, created_at
  ON external_task FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- Only an operator takes a task out of `failed` and grants it attempts.
CREATE FUNCTION external_task_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE
    WHEN OLD.state = 'completed' OR OLD.state = 'cancelled'
      THEN 'external_task_frozen'
    WHEN NEW.attempt < OLD.attempt THEN 'external_task_attempt_grows'
    ELSE 'external_task_retries_shrink' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER external_task_transition BEFORE UPDATE ON external_task FOR EACH ROW
WHEN (OLD.state = 'completed' OR OLD.state = 'cancelled' OR NEW.attempt < OLD.attempt
  OR (NEW.retries > OLD.retries AND OLD.state <> 'failed'))
EXECUTE FUNCTION external_task_transition();

-- Work for people.
CREATE TABLE user_task (
  id bigint CONSTRAINT user_task_key PRIMARY KEY,
  instance_id bigint NOT NULL,
  token_id bigint NOT NULL,
  step_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  state text NOT NULL,
  assignee text COLLATE "C",
  candidate_groups json NOT NULL,
  candidate_users json NOT NULL,
  due_at timestamptz,
  follow_up_at timestamptz,
  form_reference text,
  priority bigint NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT user_task_id CHECK (id > 0),
  CONSTRAINT user_task_node_id CHECK (node_id <> ''),
  CONSTRAINT user_task_state CHECK (state = 'open' OR state = 'completed' OR state = 'cancelled'),
  CONSTRAINT user_task_candidate_groups CHECK (json_typeof(candidate_groups) = 'array'),
  CONSTRAINT user_task_candidate_users CHECK (json_typeof(candidate_users) = 'array'),
  CONSTRAINT user_task_ended CHECK ((ended_at IS NULL) = (state = 'open')),
  CONSTRAINT user_task_times CHECK (ended_at >= created_at)
);

-- A step has one user task. Serves: the user tasks of an instance.
CREATE UNIQUE INDEX user_task_step_once ON user_task (instance_id, step_id);
-- One open user task for a token. Serves: loading an instance, lists of what is open.
CREATE UNIQUE INDEX user_task_open_once ON user_task (instance_id, token_id) WHERE state = 'open';
-- Serves: the work list of a person.
CREATE INDEX user_task_assignee
  ON user_task (assignee) WHERE assignee IS NOT NULL;

CREATE TRIGGER user_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, node_id, name, created_at ON user_task
  FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER user_task_frozen BEFORE UPDATE ON user_task FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION refuse_change();

-- A moment that a token waits for.
CREATE TABLE timer (
  id bigint CONSTRAINT timer_key PRIMARY KEY,
  instance_id bigint NOT NULL,
  token_id bigint NOT NULL,
  step_id bigint,
  node_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  due_at timestamptz NOT NULL,
  occurrence bigint NOT NULL,
  cycle text,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT timer_id CHECK (id > 0),
  CONSTRAINT timer_node_id CHECK (node_id <> ''),
  CONSTRAINT timer_status CHECK (
    status = 'scheduled' OR status = 'fired' OR status = 'cancelled'),
  CONSTRAINT timer_occurrence CHECK (occurrence >= 1),
  CONSTRAINT timer_cycle CHECK (cycle <> ''),
  CONSTRAINT timer_ended CHECK ((ended_at IS NULL) = (status = 'scheduled')),
  CONSTRAINT timer_times CHECK (ended_at >= created_at)
);

-- Serves: timers that are due, and the next one.
CREATE INDEX timer_due ON timer (due_at) WHERE status = 'scheduled';
-- Serves: the timers of an instance.
CREATE INDEX timer_instance ON timer (instance_id);

CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, node_id, created_at ON timer FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER timer_frozen BEFORE UPDATE ON timer FOR EACH ROW
WHEN (OLD.status <> 'scheduled')
EXECUTE FUNCTION refuse_change();

-- Gatherings of tokens at joining gateways. Two may be open at one gateway: when two tokens came
-- by the same flow, the second waits in the next generation.

CREATE TABLE parallel_join (
  instance_id bigint NOT NULL,
  id bigint NOT NULL,
  scope_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,
  expected bigint NOT NULL,
  joined bigint NOT NULL,
  state text NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  CONSTRAINT parallel_join_key PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  CONSTRAINT parallel_join_id CHECK (id > 0),
  CONSTRAINT parallel_join_node_id CHECK (node_id <> ''),
  CONSTRAINT parallel_join_generation CHECK (generation >= 1),
  CONSTRAINT parallel_join_expected CHECK (expected >= 1),
  CONSTRAINT parallel_join_joined CHECK (joined >= 0 AND joined <= expected),
  CONSTRAINT parallel_join_state CHECK (
    state = 'open' OR state = 'fired' OR state = 'cancelled'),
  CONSTRAINT parallel_join_fired CHECK (state <> 'fired' OR joined = expected),
  CONSTRAINT parallel_join_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT parallel_join_times CHECK (closed_at >= opened_at)
);

-- Serves: the last generation at a gateway.
CREATE UNIQUE INDEX parallel_join_generation_once
  ON parallel_join (instance_id, scope_id, node_id, generation);

CREATE TRIGGER parallel_join_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, generation, expected, opened_at
ON parallel_join FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION parallel_join_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := CASE WHEN OLD.state <> 'open' THEN 'parallel_join_frozen'
    ELSE 'parallel_join_joined_grows' END;
BEGIN
  RAISE EXCEPTION USING MESSAGE = rule, ERRCODE = 'check_violation', CONSTRAINT = rule,
    TABLE = TG_TABLE_NAME;
END $$;

CREATE TRIGGER parallel_join_transition BEFORE UPDATE ON parallel_join FOR EACH ROW
WHEN (OLD.state <> 'open' OR NEW.joined < OLD.joined)
EXECUTE FUNCTION parallel_join_transition();

-- One arrival for each incoming flow of a gathering.
CREATE TABLE join_arrival (
  instance_id bigint NOT NULL,
  join_id bigint NOT NULL,
  flow_id text COLLATE "C" NOT NULL,
  token_id bigint NOT NULL,
  arrived_at timestamptz NOT NULL,
  CONSTRAINT join_arrival_key PRIMARY KEY (instance_id, join_id, flow_id),
  FOREIGN KEY (instance_id, join_id) REFERENCES parallel_join (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT join_arrival_flow_id CHECK (flow_id <> '')
);

CREATE TRIGGER join_arrival_append_only BEFORE UPDATE ON join_arrival FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER join_arrival_kept BEFORE DELETE ON join_arrival FOR EACH ROW
EXECUTE FUNCTION refuse_change();

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

-- Retention: an instance that has ended goes whole, or not at all.
--
-- The twin of 0009_retention.sqlite.sql, which says how. What a statement deletes is judged as a
-- whole, after it: one look for each table, however many rows go. Locks are taken in the order in
-- which a commit takes them.

CREATE TABLE instance_purge (
  instance_id bigint CONSTRAINT instance_purge_key PRIMARY KEY,
  retained_until timestamptz NOT NULL,
  purged_at timestamptz NOT NULL,
  passing bigint NOT NULL,
  -- No definition has the key 0: what refers to it is gone before the transaction ends.
  FOREIGN KEY (passing) REFERENCES process_definition (id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT instance_purge_times CHECK (purged_at >= retained_until),
  CONSTRAINT instance_purge_passing CHECK (passing = 0)
);

CREATE FUNCTION instance_purge_ended() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM process_instance AS instance
                 WHERE instance.id = NEW.instance_id
                 AND instance.ended_at <= NEW.retained_until) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER instance_purge_ended BEFORE INSERT ON instance_purge FOR EACH ROW
EXECUTE FUNCTION instance_purge_ended();

CREATE TRIGGER instance_purge_immutable BEFORE UPDATE ON instance_purge FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION instance_purge_whole() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM process_instance AS instance WHERE instance.id = OLD.instance_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER instance_purge_whole BEFORE DELETE ON instance_purge FOR EACH ROW
EXECUTE FUNCTION instance_purge_whole();

-- Refuses, in the name of the trigger, to delete rows of instances that do not go.
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE NOT EXISTS (
      SELECT 1 FROM instance_purge AS purge WHERE purge.instance_id = gone.instance_id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION refuse_instance_removal() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE NOT EXISTS (
      SELECT 1 FROM instance_purge AS purge WHERE purge.instance_id = gone.id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER process_instance_kept AFTER DELETE ON process_instance
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_instance_removal();

CREATE TRIGGER scope_kept AFTER DELETE ON scope
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER token_kept AFTER DELETE ON token
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER step_record_kept AFTER DELETE ON step_record
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER step_attempt_kept AFTER DELETE ON step_attempt
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER external_task_kept AFTER DELETE ON external_task
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER user_task_kept AFTER DELETE ON user_task
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER timer_kept AFTER DELETE ON timer
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER parallel_join_kept AFTER DELETE ON parallel_join
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER join_arrival_kept ON join_arrival;
CREATE TRIGGER join_arrival_kept AFTER DELETE ON join_arrival
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER incident_kept AFTER DELETE ON incident
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER dead_letter_kept AFTER DELETE ON dead_letter
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER history_event_kept ON history_event;
CREATE TRIGGER history_event_kept AFTER DELETE ON history_event
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER audit_entry_kept ON audit_entry;
CREATE TRIGGER audit_entry_kept AFTER DELETE ON audit_entry
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- Serve: before a row goes, those that may refer to it are asked. Without these the time would
-- grow with the square of an instance's rows. Few rows are in them: forked tokens, sub-processes.
CREATE INDEX scope_parent ON scope (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX scope_token ON scope (instance_id, token_id) WHERE token_id IS NOT NULL;
CREATE INDEX token_parent ON token (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX step_record_parent ON step_record (instance_id, parent_step_id)
  WHERE parent_step_id IS NOT NULL;
CREATE INDEX dead_letter_task ON dead_letter (task_id) WHERE task_id IS NOT NULL;

-- Leases that are given back without cost: an attempt may end as `released`.

ALTER TABLE step_attempt DROP CONSTRAINT step_attempt_state;
ALTER TABLE step_attempt ADD CONSTRAINT step_attempt_state CHECK (
  state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'
  OR state = 'released') NOT VALID;

-- A lease that ends without a result costs an attempt, or its attempt is a released one: never
-- both, never neither. Attempts are written before their task.
CREATE FUNCTION external_task_lease_end() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF (NEW.retries = OLD.retries) <> EXISTS (SELECT 1 FROM step_attempt AS attempt
      WHERE attempt.instance_id = OLD.instance_id AND attempt.step_id = OLD.step_id
        AND attempt.number = OLD.attempt AND attempt.state = 'released') THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER external_task_lease_end BEFORE UPDATE ON external_task FOR EACH ROW
WHEN (OLD.state = 'locked' AND NEW.state = 'ready' AND NEW.attempt = OLD.attempt)
EXECUTE FUNCTION external_task_lease_end();

-- The number of a released attempt is used up, the attempt is not: the step may have one more.
CREATE FUNCTION step_attempt_released() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM external_task AS task JOIN step_record AS step
        ON step.instance_id = task.instance_id AND step.id = task.step_id
      WHERE task.instance_id = NEW.instance_id AND task.step_id = NEW.step_id
        AND task.state = 'locked' AND step.max_attempts < NEW.number + task.retries) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER step_attempt_released BEFORE UPDATE ON step_attempt FOR EACH ROW
WHEN (NEW.state = 'released' AND OLD.state = 'started')
EXECUTE FUNCTION step_attempt_released();

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

-- Decisions: models of them, what each version offers, and every evaluation that an instance made.
--
-- The twin of 0012_decision.sqlite.sql. What is deployed together has one deployment_id, so that a
-- task can call the decision that came with its process. Processes of earlier versions of the
-- schema have none.

ALTER TABLE process_definition ADD COLUMN deployment_id bigint;
ALTER TABLE process_definition ADD CONSTRAINT process_definition_deployment CHECK (
  deployment_id > 0) NOT VALID;

ALTER TABLE incident DROP CONSTRAINT incident_kind;
ALTER TABLE incident ADD CONSTRAINT incident_kind CHECK (
  kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
  OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'
  OR kind = 'unhandled_error' OR kind = 'bad_correlation_key' OR kind = 'call_failed'
  OR kind = 'compensation_failed' OR kind = 'decision_failed') NOT VALID;

-- A process comes in a deployment once.
CREATE UNIQUE INDEX process_definition_deployment_once
  ON process_definition (deployment_id, process_id) WHERE deployment_id IS NOT NULL;

DROP TRIGGER process_definition_immutable ON process_definition;
CREATE TRIGGER process_definition_immutable
BEFORE UPDATE OF id, tenant_id, process_id, version, kind, name, version_tag, resource_name, source,
  digest, deployed_at, deployment_id ON process_definition FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One version of one decision model: a file with the files that it imports, which makes it whole.
CREATE TABLE decision_requirements (
  id bigint CONSTRAINT decision_requirements_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  model_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  name text NOT NULL,
  resource_name text NOT NULL,
  source text NOT NULL,
  imports json NOT NULL,
  digest text NOT NULL,
  deployment_id bigint NOT NULL,
  deployed_at timestamptz NOT NULL,
  CONSTRAINT decision_requirements_id CHECK (id > 0),
  CONSTRAINT decision_requirements_model_id CHECK (model_id <> ''),
  CONSTRAINT decision_requirements_version CHECK (version >= 1),
  CONSTRAINT decision_requirements_imports CHECK (json_typeof(imports) = 'array'),
  CONSTRAINT decision_requirements_digest CHECK (length(digest) = 64),
  CONSTRAINT decision_requirements_deployment CHECK (deployment_id > 0)
);

-- Serves: the latest version of a model.
CREATE UNIQUE INDEX decision_requirements_version_once
  ON decision_requirements (tenant_id, model_id, version);
CREATE UNIQUE INDEX decision_requirements_deployment_once
  ON decision_requirements (deployment_id, model_id);

CREATE TRIGGER decision_requirements_immutable BEFORE UPDATE ON decision_requirements FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One version of one decision or decision service of a model.
CREATE TABLE decision_definition (
  id bigint CONSTRAINT decision_definition_key PRIMARY KEY,
  tenant_id text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  version_tag text COLLATE "C",
  requirements_id bigint NOT NULL REFERENCES decision_requirements (id),
  deployment_id bigint NOT NULL,
  deployed_at timestamptz NOT NULL,
  -- What an evaluation says of its decision is true: it refers to all three.
  CONSTRAINT decision_definition_named UNIQUE (id, decision_id, version),
  CONSTRAINT decision_definition_id CHECK (id > 0),
  CONSTRAINT decision_definition_decision_id CHECK (decision_id <> ''),
  CONSTRAINT decision_definition_version CHECK (version >= 1),
  CONSTRAINT decision_definition_kind CHECK (kind = 'decision' OR kind = 'service'),
  CONSTRAINT decision_definition_version_tag CHECK (version_tag <> ''),
  CONSTRAINT decision_definition_deployment CHECK (deployment_id > 0)
);

-- Serves: the latest version of a decision.
CREATE UNIQUE INDEX decision_definition_version_once
  ON decision_definition (tenant_id, decision_id, version);
-- A decision comes in a deployment once; serves the look-up of what came with a process.
CREATE UNIQUE INDEX decision_definition_deployment_once
  ON decision_definition (deployment_id, decision_id);
-- Serves: the latest version with a tag.
CREATE INDEX decision_definition_tag
  ON decision_definition (tenant_id, decision_id, version_tag, version)
  WHERE version_tag IS NOT NULL;
-- Serves: the decisions of a model.
CREATE INDEX decision_definition_requirements ON decision_definition (requirements_id);

CREATE TRIGGER decision_definition_immutable BEFORE UPDATE ON decision_definition FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- One evaluation by a step of an instance: what went in, which rules matched, what came out, and,
-- when it failed, why.
CREATE TABLE decision_evaluation (
  id bigint CONSTRAINT decision_evaluation_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  token_id bigint NOT NULL,
  step_id bigint NOT NULL,
  node_id text COLLATE "C" NOT NULL,
  definition_id bigint NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  inputs json NOT NULL,
  output json NOT NULL,
  matched_rules json NOT NULL,
  evaluated json NOT NULL,
  warnings json NOT NULL,
  error text,
  evaluated_at timestamptz NOT NULL,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (definition_id, decision_id, version)
    REFERENCES decision_definition (id, decision_id, version),
  CONSTRAINT decision_evaluation_id CHECK (id > 0),
  CONSTRAINT decision_evaluation_node_id CHECK (node_id <> ''),
  CONSTRAINT decision_evaluation_inputs CHECK (json_typeof(inputs) = 'object'),
  CONSTRAINT decision_evaluation_matched_rules CHECK (json_typeof(matched_rules) = 'array'),
  CONSTRAINT decision_evaluation_evaluated CHECK (json_typeof(evaluated) = 'array'),
  CONSTRAINT decision_evaluation_warnings CHECK (json_typeof(warnings) = 'array'),
  CONSTRAINT decision_evaluation_error CHECK (error <> '')
);

-- Serves: the evaluations of an instance or of a step; and before a step goes, those that refer to
-- it are asked.
CREATE INDEX decision_evaluation_step ON decision_evaluation (instance_id, step_id);
CREATE INDEX decision_evaluation_token ON decision_evaluation (instance_id, token_id);

CREATE TRIGGER decision_evaluation_immutable BEFORE UPDATE ON decision_evaluation FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER decision_evaluation_kept AFTER DELETE ON decision_evaluation
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- Repeated activities: what a multi-instance goes through is pinned when it begins, and no
-- iteration is beyond it. Local variables of an activity: a scope of its own.
--
-- The twin of 0013_loop.sqlite.sql.

ALTER TABLE scope ADD COLUMN loop_total bigint;
ALTER TABLE scope ADD COLUMN collection json;
ALTER TABLE scope DROP CONSTRAINT scope_kind;
ALTER TABLE scope ADD CONSTRAINT scope_kind CHECK (
  kind = 'process' OR kind = 'sub_process' OR kind = 'event_sub_process' OR kind = 'transaction'
  OR kind = 'ad_hoc' OR kind = 'multi_instance' OR kind = 'iteration'
  OR kind = 'compensation' OR kind = 'activity') NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_loop_total CHECK (
  loop_total IS NULL OR (loop_total >= 0 AND kind = 'multi_instance')) NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_collection CHECK (
  collection IS NULL OR (loop_total IS NOT NULL
    AND CASE json_typeof(collection) WHEN 'array'
      THEN json_array_length(collection) = loop_total ELSE false END)) NOT VALID;

DROP TRIGGER scope_identity ON scope;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, node_id, kind, loop_index, opened_at,
  loop_total, collection ON scope FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION scope_iteration_within() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM opened JOIN scope AS around
      ON around.instance_id = opened.instance_id AND around.id = opened.parent_id
      WHERE opened.kind = 'iteration'
        AND (around.kind <> 'multi_instance' OR around.node_id <> opened.node_id
          OR opened.loop_index >= around.loop_total)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

-- Once a statement: bodies and iterations may come in one.
CREATE TRIGGER scope_iteration_within AFTER INSERT ON scope
REFERENCING NEW TABLE AS opened FOR EACH STATEMENT
EXECUTE FUNCTION scope_iteration_within();

-- Delivery: a signal that is on its way to one instance, and an instance that begins by an event.
--
-- The twin of 0014_delivery.sqlite.sql. Rules that grow come again NOT VALID: what older rows have
-- was checked by the narrower ones.

-- A signal is spread over those that wait for it, in portions: one row for each instance that
-- hears it (signal_to), and one for each that begins by it (start), whose key is chosen with it.
ALTER TABLE pending_event DROP CONSTRAINT pending_event_kind;
ALTER TABLE pending_event ADD CONSTRAINT pending_event_kind CHECK (
  kind = 'message' OR kind = 'signal' OR kind = 'signal_to' OR kind = 'start' OR kind = 'call'
  OR kind = 'call_ended' OR kind = 'call_escalated' OR kind = 'call_cancelled') NOT VALID;
ALTER TABLE pending_event DROP CONSTRAINT pending_event_name;
ALTER TABLE pending_event ADD CONSTRAINT pending_event_name CHECK (
  CASE WHEN kind = 'message' OR kind = 'signal' THEN name IS NOT NULL AND name <> ''
    AND target_instance_id IS NULL
  ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL
    AND (kind <> 'signal_to' OR (name IS NOT NULL AND name <> '')) END) NOT VALID;

-- Migration: an instance goes on with another version of its process. Which ids of elements changed
-- by it is a row; nothing else changes the version of an instance or the element of a row.
--
-- The twin of 0015_migration.sqlite.sql.

-- Written before the instance itself, in the change that migrates it.
CREATE TABLE instance_migration (
  id bigint CONSTRAINT instance_migration_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  sequence bigint NOT NULL,
  from_definition_id bigint NOT NULL REFERENCES process_definition (id),
  to_definition_id bigint NOT NULL REFERENCES process_definition (id),
  mapping json NOT NULL,
  migrated_at timestamptz NOT NULL,
  CONSTRAINT instance_migration_id CHECK (id > 0),
  CONSTRAINT instance_migration_sequence CHECK (sequence >= 2),
  CONSTRAINT instance_migration_other_version CHECK (from_definition_id <> to_definition_id),
  CONSTRAINT instance_migration_mapping CHECK (json_typeof(mapping) = 'object')
);

-- One for each fact of that kind. Serves: the migrations of an instance.
CREATE UNIQUE INDEX instance_migration_once ON instance_migration (instance_id, sequence);

-- Both versions are of the instance's own process and tenant. That there is the instance says the
-- foreign key.
CREATE FUNCTION instance_migration_same_process() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
      SELECT 1 FROM process_instance AS instance CROSS JOIN process_definition AS definition
      WHERE instance.id = NEW.instance_id
        AND definition.id IN (NEW.from_definition_id, NEW.to_definition_id)
        AND (definition.process_id <> instance.process_id
          OR definition.tenant_id <> instance.tenant_id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER instance_migration_same_process BEFORE INSERT ON instance_migration FOR EACH ROW
EXECUTE FUNCTION instance_migration_same_process();

CREATE TRIGGER instance_migration_immutable BEFORE UPDATE ON instance_migration FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER instance_migration_kept AFTER DELETE ON instance_migration
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER process_instance_pinned ON process_instance;
-- The input is pinned as soon as the run began.
CREATE TRIGGER process_instance_pinned
BEFORE UPDATE OF input ON process_instance FOR EACH ROW
WHEN (OLD.status = 'running' OR OLD.status = 'paused')
EXECUTE FUNCTION refuse_change();

-- So is the version, but for a migration that this very change brings.
CREATE FUNCTION process_instance_migrated() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.id AND migration.sequence > OLD.last_sequence
        AND migration.sequence <= NEW.last_sequence
        AND migration.from_definition_id = OLD.definition_id
        AND migration.to_definition_id = NEW.definition_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER process_instance_migrated
BEFORE UPDATE OF definition_id ON process_instance FOR EACH ROW
WHEN (NEW.definition_id <> OLD.definition_id AND OLD.status <> 'pending')
EXECUTE FUNCTION process_instance_migrated();

-- Live rows follow their element to its new id, and go nowhere else.
CREATE FUNCTION refuse_unmapped() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.instance_id
        AND migration.mapping ->> OLD.node_id = NEW.node_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION refuse_unmapped_handler() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.instance_id
        AND migration.mapping ->> OLD.handler_id = NEW.handler_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

DROP TRIGGER scope_identity ON scope;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, kind, loop_index, opened_at,
  loop_total, collection
ON scope FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scope_element BEFORE UPDATE OF node_id ON scope FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER external_task_identity ON external_task;
CREATE TRIGGER external_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, type, created_at
ON external_task FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER external_task_element BEFORE UPDATE OF node_id ON external_task FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER user_task_identity ON user_task;
CREATE TRIGGER user_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, name, created_at
ON user_task FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER user_task_element BEFORE UPDATE OF node_id ON user_task FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER timer_identity ON timer;
CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, created_at, scope_id, position
ON timer FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER timer_element BEFORE UPDATE OF node_id ON timer FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER event_subscription_identity ON event_subscription;
CREATE TRIGGER event_subscription_identity
BEFORE UPDATE OF id, instance_id, tenant_id, token_id, scope_id, step_id, position, kind,
  name, correlation_key, opened_at
ON event_subscription FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER event_subscription_element
BEFORE UPDATE OF node_id ON event_subscription FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER incident_identity ON incident;
CREATE TRIGGER incident_identity
BEFORE UPDATE OF id, instance_id, token_id, kind, message, details, opened_at
ON incident FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER incident_element BEFORE UPDATE OF node_id ON incident FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER compensation_record_identity ON compensation_record;
CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, inner_scope_id, ordinal, variables, recorded_at
ON compensation_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER compensation_record_element
BEFORE UPDATE OF node_id ON compensation_record FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

CREATE TRIGGER compensation_record_handler_element
BEFORE UPDATE OF handler_id ON compensation_record FOR EACH ROW
WHEN (NEW.handler_id IS DISTINCT FROM OLD.handler_id)
EXECUTE FUNCTION refuse_unmapped_handler();

-- Listeners: work for a worker when a token comes to an element or leaves it. Each has a step of
-- its own, and the token says how far it is with those of its node.
--
-- The twin of 0016_listener.sqlite.sql. Rules that grow come again NOT VALID, as in 0011_event.

ALTER TABLE token ADD COLUMN listener bigint NOT NULL DEFAULT 0;
ALTER TABLE token ADD CONSTRAINT token_listener CHECK (listener >= 0) NOT VALID;

ALTER TABLE step_record ADD COLUMN listener bigint;
ALTER TABLE step_record DROP CONSTRAINT step_record_type;
ALTER TABLE step_record ADD CONSTRAINT step_record_type CHECK (
  type = 'service_task' OR type = 'run' OR type = 'user_task' OR type = 'script_task'
  OR type = 'sleep' OR type = 'wait' OR type = 'manual_task' OR type = 'task'
  OR type = 'receive_task' OR type = 'send_task' OR type = 'business_rule_task'
  OR type = 'call_activity' OR type = 'throw_event' OR type = 'listener') NOT VALID;
ALTER TABLE step_record ADD CONSTRAINT step_record_listener CHECK (
  (listener IS NOT NULL) = (type = 'listener') AND (listener IS NULL OR listener >= 1)) NOT VALID;

DROP TRIGGER step_record_identity ON step_record;
CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id, listener ON step_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

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

-- Flows by name: what programs say of all runs of one. A node without its code knows by this that
-- the end of a run is to be told.
CREATE TABLE flow_kind (
  process_id text COLLATE "C" CONSTRAINT flow_kind_key PRIMARY KEY,
  delivers boolean NOT NULL,
  CONSTRAINT flow_kind_process_id CHECK (process_id <> '')
);

-- Running many flows: the processes that host them, the limits of their kinds, and the schedules
-- that start them.

-- A process that goes on with flows. While it lives it moves the end of its lease on; when that has
-- passed, others take over what it was doing.
CREATE TABLE flow_host (
  worker_id text COLLATE "C" NOT NULL,
  node_name text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT flow_host_key PRIMARY KEY (worker_id),
  CONSTRAINT flow_host_worker_id CHECK (worker_id <> ''),
  CONSTRAINT flow_host_times CHECK (expires_at >= started_at)
);

CREATE TRIGGER flow_host_identity
BEFORE UPDATE OF worker_id, node_name, started_at ON flow_host FOR EACH ROW
EXECUTE FUNCTION refuse_change();

-- What all runs of a name may do together, and those of one key. Times in milliseconds.
CREATE TABLE flow_limit (
  process_id text COLLATE "C" NOT NULL,
  running bigint,
  running_per_key bigint,
  starts bigint,
  starts_period bigint,
  starts_per_key bigint,
  starts_per_key_period bigint,
  CONSTRAINT flow_limit_key PRIMARY KEY (process_id),
  CONSTRAINT flow_limit_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_limit_running CHECK (running >= 1),
  CONSTRAINT flow_limit_running_per_key CHECK (running_per_key >= 1),
  CONSTRAINT flow_limit_starts CHECK (
    (starts IS NULL) = (starts_period IS NULL)
    AND coalesce(starts >= 1 AND starts_period >= 1, true)),
  CONSTRAINT flow_limit_starts_per_key CHECK (
    (starts_per_key IS NULL) = (starts_per_key_period IS NULL)
    AND coalesce(starts_per_key >= 1 AND starts_per_key_period >= 1, true))
);

-- The place of a run among those that share its limits: it waits, is let in, and leaves. It stays
-- as long as its start counts, also when the run is purged. Runs of names without limits have none.
CREATE TABLE flow_slot (
  run_id bigint CONSTRAINT flow_slot_key PRIMARY KEY,
  process_id text COLLATE "C" NOT NULL,
  limit_key text COLLATE "C",
  priority bigint NOT NULL,
  queued_at timestamptz NOT NULL,
  admitted_at timestamptz,
  counts_until timestamptz,
  left_at timestamptz,
  CONSTRAINT flow_slot_run_id CHECK (run_id > 0),
  CONSTRAINT flow_slot_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_slot_times CHECK (
    coalesce(admitted_at >= queued_at, true) AND coalesce(left_at >= queued_at, true)
    AND coalesce(left_at >= admitted_at, true)),
  CONSTRAINT flow_slot_counts CHECK (
    CASE WHEN admitted_at IS NULL THEN (counts_until IS NULL) = (left_at IS NULL)
    ELSE counts_until IS NOT NULL END)
);
-- Serves: who is let in next.
CREATE INDEX flow_slot_waiting ON flow_slot (process_id, priority DESC, run_id)
  WHERE admitted_at IS NULL AND left_at IS NULL;
-- Serves: who of a key is let in next, and which keys wait.
CREATE INDEX flow_slot_key_waiting
  ON flow_slot (process_id, limit_key, priority DESC, run_id)
  WHERE admitted_at IS NULL AND left_at IS NULL;
-- Serves: how many run.
CREATE INDEX flow_slot_running ON flow_slot (process_id, limit_key)
  WHERE admitted_at IS NOT NULL AND left_at IS NULL;
-- Serves: how many began lately.
CREATE INDEX flow_slot_admitted ON flow_slot (process_id, admitted_at)
  WHERE counts_until IS NOT NULL;
CREATE INDEX flow_slot_key_admitted ON flow_slot (process_id, limit_key, admitted_at)
  WHERE counts_until IS NOT NULL;
-- Serves: those whose time is over.
CREATE INDEX flow_slot_left ON flow_slot (counts_until) WHERE left_at IS NOT NULL;

CREATE TRIGGER flow_slot_identity
BEFORE UPDATE OF run_id, process_id, limit_key, priority, queued_at ON flow_slot FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_slot_transition BEFORE UPDATE ON flow_slot FOR EACH ROW
WHEN (OLD.left_at IS NOT NULL
  OR (OLD.admitted_at IS NOT NULL AND NEW.admitted_at IS DISTINCT FROM OLD.admitted_at))
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_slot_waits_first BEFORE INSERT ON flow_slot FOR EACH ROW
WHEN (NEW.admitted_at IS NOT NULL OR NEW.left_at IS NOT NULL)
EXECUTE FUNCTION refuse_change();

-- No more are let in than the limits allow, whoever decides it.
CREATE FUNCTION flow_slot_limit() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  allowed flow_limit;
BEGIN
  -- Who lets in one of this name waits for the others who do, and then sees theirs.
  SELECT * INTO allowed FROM flow_limit WHERE process_id = NEW.process_id FOR NO KEY UPDATE;
  IF (allowed.running <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.admitted_at IS NOT NULL AND other.left_at IS NULL))
    OR (allowed.starts <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.counts_until IS NOT NULL
        AND other.admitted_at > NEW.admitted_at - allowed.starts_period * interval '1 ms'))
    OR (allowed.running_per_key <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.limit_key = NEW.limit_key
        AND other.admitted_at IS NOT NULL AND other.left_at IS NULL))
    OR (allowed.starts_per_key <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.limit_key = NEW.limit_key
        AND other.counts_until IS NOT NULL
        AND other.admitted_at > NEW.admitted_at
          - allowed.starts_per_key_period * interval '1 ms')) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER flow_slot_limit BEFORE UPDATE OF admitted_at ON flow_slot FOR EACH ROW
WHEN (OLD.admitted_at IS NULL AND NEW.admitted_at IS NOT NULL)
EXECUTE FUNCTION flow_slot_limit();

-- Starts a flow or process again and again. Each occurrence is started once: the run and the step
-- to the next occurrence are one change.
CREATE TABLE flow_schedule (
  id bigint CONSTRAINT flow_schedule_key PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  input json NOT NULL,
  cycle text COLLATE "C" NOT NULL,
  overlap text COLLATE "C" NOT NULL,
  misfire text COLLATE "C" NOT NULL,
  occurrence bigint NOT NULL,
  due_at timestamptz,
  last_instance_id bigint,
  opened_at timestamptz NOT NULL,
  CONSTRAINT flow_schedule_id CHECK (id > 0),
  CONSTRAINT flow_schedule_name CHECK (name <> ''),
  CONSTRAINT flow_schedule_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_schedule_input CHECK (json_typeof(input) = 'object'),
  CONSTRAINT flow_schedule_cycle CHECK (cycle <> ''),
  CONSTRAINT flow_schedule_overlap CHECK (
    overlap = 'skip' OR overlap = 'queue' OR overlap = 'cancel_previous' OR overlap = 'allow'),
  CONSTRAINT flow_schedule_misfire CHECK (
    misfire = 'fire_once' OR misfire = 'fire_all' OR misfire = 'skip'),
  CONSTRAINT flow_schedule_occurrence CHECK (occurrence >= 1)
);
CREATE UNIQUE INDEX flow_schedule_name_once ON flow_schedule (name);
-- Serves: what is due, and the next one.
CREATE INDEX flow_schedule_due ON flow_schedule (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER flow_schedule_identity
BEFORE UPDATE OF id, name, process_id, input, cycle, overlap, misfire, opened_at
  ON flow_schedule FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER flow_schedule_occurrence_grows BEFORE UPDATE ON flow_schedule FOR EACH ROW
WHEN (NEW.occurrence < OLD.occurrence)
EXECUTE FUNCTION refuse_change();

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
