-- The whole current schema for SQLite, as the migrations of src/store/sql/schema make it.
-- Written by `PERDURE_REFRESH=1 store_suite --gtest_filter=Schema.WholeSchemaStandsInDeploy`.

CREATE TABLE schema_migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at INTEGER NOT NULL,
  CONSTRAINT schema_migration_version CHECK (version >= 1),
  CONSTRAINT schema_migration_name CHECK (name <> ''),
  CONSTRAINT schema_migration_checksum CHECK (length(checksum) = 64)
) STRICT;

CREATE TRIGGER schema_migration_immutable BEFORE UPDATE ON schema_migration
BEGIN
  SELECT RAISE(ABORT, 'schema_migration_immutable');
END;

CREATE TABLE key_block (
  name TEXT NOT NULL,
  next_key INTEGER NOT NULL,
  PRIMARY KEY (name),
  CONSTRAINT key_block_next_key CHECK (next_key >= 1)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER key_block_grows BEFORE UPDATE ON key_block
WHEN NEW.next_key < OLD.next_key OR NEW.name <> OLD.name
BEGIN
  SELECT RAISE(ABORT, 'key_block_grows');
END;

CREATE TRIGGER key_block_kept BEFORE DELETE ON key_block
BEGIN
  SELECT RAISE(ABORT, 'key_block_kept');
END;

CREATE TABLE process_definition (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  process_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  version_tag TEXT,
  resource_name TEXT,
  source TEXT,
  digest TEXT,
  deployed_at INTEGER NOT NULL, deployment_id INTEGER,
  CONSTRAINT process_definition_id CHECK (id > 0),
  CONSTRAINT process_definition_process_id CHECK (process_id <> ''),
  CONSTRAINT process_definition_version CHECK (version >= 1),
  CONSTRAINT process_definition_kind CHECK (kind = 'bpmn' OR kind = 'flow'),
  CONSTRAINT process_definition_state CHECK (state = 'active' OR state = 'retired'),
  CONSTRAINT process_definition_source CHECK (
    (kind = 'bpmn' AND source IS NOT NULL AND digest IS NOT NULL)
    OR (kind = 'flow' AND source IS NULL AND digest IS NULL)),
  CONSTRAINT process_definition_deployment CHECK (deployment_id > 0),
  CONSTRAINT process_definition_digest CHECK (digest IS NULL OR length(digest) = 64)
) STRICT;

CREATE UNIQUE INDEX process_definition_version_once
  ON process_definition (tenant_id, process_id, version);

CREATE TABLE process_instance (
  id INTEGER PRIMARY KEY,
  definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  tenant_id TEXT NOT NULL,
  process_id TEXT NOT NULL,
  business_key TEXT,
  unique_business_key INTEGER NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  step_count INTEGER NOT NULL,
  input TEXT NOT NULL,
  end_reason TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  updated_at INTEGER NOT NULL, parent_instance_id INTEGER, parent_token_id INTEGER,
  CONSTRAINT process_instance_id CHECK (id > 0),
  CONSTRAINT process_instance_process_id CHECK (process_id <> ''),
  CONSTRAINT process_instance_unique_business_key CHECK (
    unique_business_key = 0 OR (unique_business_key = 1 AND business_key IS NOT NULL)),
  CONSTRAINT process_instance_status CHECK (
    status = 'running' OR status = 'completed' OR status = 'pending' OR status = 'paused'
    OR status = 'failed' OR status = 'cancelled'),
  CONSTRAINT process_instance_version CHECK (version >= 1),
  CONSTRAINT process_instance_last_sequence CHECK (last_sequence >= 0),
  CONSTRAINT process_instance_step_count CHECK (step_count >= 0),
  CONSTRAINT process_instance_input CHECK (json_valid(input) AND input BETWEEN '{' AND '|'),
  CONSTRAINT process_instance_end_reason CHECK (end_reason IS NULL OR ended_at IS NOT NULL),
  CONSTRAINT process_instance_started CHECK (
    CASE status WHEN 'pending' THEN started_at IS NULL WHEN 'cancelled' THEN 1
    ELSE started_at IS NOT NULL END),
  CONSTRAINT process_instance_ended CHECK (
    (ended_at IS NOT NULL) = (status = 'completed' OR status = 'failed' OR status = 'cancelled')),
  CONSTRAINT process_instance_parent CHECK (
    (parent_instance_id IS NULL) = (parent_token_id IS NULL)),
  CONSTRAINT process_instance_times CHECK (
    started_at >= created_at AND ended_at >= created_at AND ended_at >= started_at
    AND updated_at >= created_at)
) STRICT;

CREATE UNIQUE INDEX process_instance_business_key_once
  ON process_instance (tenant_id, process_id, business_key) WHERE unique_business_key = 1;

CREATE INDEX process_instance_business_key
  ON process_instance (business_key) WHERE business_key IS NOT NULL;

CREATE INDEX process_instance_process ON process_instance (process_id);

CREATE INDEX process_instance_status
  ON process_instance (status) WHERE status <> 'completed';

CREATE TRIGGER process_instance_transition BEFORE UPDATE ON process_instance
WHEN NEW.version <= OLD.version OR NEW.last_sequence < OLD.last_sequence
  OR NEW.step_count < OLD.step_count
  OR (OLD.status <> 'running' OR NEW.status = 'pending' OR NEW.started_at IS NOT OLD.started_at)
  AND NOT (OLD.status = 'pending'
           AND (NEW.status = 'pending' OR NEW.status = 'running' OR NEW.status = 'cancelled'))
  AND NOT (OLD.status = 'paused' AND NEW.started_at IS OLD.started_at
           AND (NEW.status = 'paused' OR NEW.status = 'running' OR NEW.status = 'cancelled'))
BEGIN
  SELECT CASE
    WHEN OLD.status = 'completed' OR OLD.status = 'failed' OR OLD.status = 'cancelled'
      THEN RAISE(ABORT, 'process_instance_frozen')
    WHEN NEW.version <= OLD.version THEN RAISE(ABORT, 'process_instance_version_grows')
    WHEN NEW.last_sequence < OLD.last_sequence OR NEW.step_count < OLD.step_count
      THEN RAISE(ABORT, 'process_instance_counters_grow')
    ELSE RAISE(ABORT, 'process_instance_transition') END;
END;

CREATE TABLE scope (
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  id INTEGER NOT NULL,
  parent_id INTEGER,
  token_id INTEGER,
  node_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  loop_index INTEGER,
  variables TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER, output TEXT, loop_total INTEGER, collection TEXT,
  PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, parent_id) REFERENCES scope (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT scope_id CHECK (id > 0),
  CONSTRAINT scope_parent CHECK (parent_id <> id),
  CONSTRAINT scope_kind CHECK (
    kind = 'process' OR kind = 'sub_process' OR kind = 'event_sub_process'
    OR kind = 'transaction' OR kind = 'ad_hoc' OR kind = 'multi_instance'
    OR kind = 'iteration' OR kind = 'compensation' OR kind = 'activity'),
  CONSTRAINT scope_root CHECK (
    CASE kind WHEN 'process' THEN parent_id IS NULL AND token_id IS NULL
    ELSE parent_id IS NOT NULL AND token_id IS NOT NULL END),
  CONSTRAINT scope_state CHECK (state = 'open' OR state = 'completed' OR state = 'terminated'),
  CONSTRAINT scope_loop_index CHECK (loop_index >= 0),
  CONSTRAINT scope_iteration CHECK (kind <> 'iteration' OR loop_index IS NOT NULL),
  CONSTRAINT scope_output CHECK (
    output IS NULL OR (json_valid(output) AND kind = 'iteration' AND state = 'completed')),
  CONSTRAINT scope_loop_total CHECK (
    loop_total IS NULL OR (loop_total >= 0 AND kind = 'multi_instance')),
  CONSTRAINT scope_collection CHECK (
    collection IS NULL OR (json_valid(collection) AND json_type(collection) = 'array'
      AND loop_total IS NOT NULL AND json_array_length(collection) = loop_total)),
  CONSTRAINT scope_variables CHECK (json_valid(variables) AND variables BETWEEN '{' AND '|'),
  CONSTRAINT scope_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT scope_times CHECK (closed_at >= opened_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX scope_root_once ON scope (instance_id) WHERE parent_id IS NULL;

CREATE UNIQUE INDEX scope_loop_index_once
  ON scope (instance_id, parent_id, loop_index) WHERE loop_index IS NOT NULL;

CREATE TRIGGER scope_frozen BEFORE UPDATE ON scope WHEN OLD.state <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'scope_frozen');
END;

CREATE TABLE token (
  instance_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  scope_id INTEGER NOT NULL,
  parent_id INTEGER,
  node_id TEXT NOT NULL,
  flow_id TEXT,
  state TEXT NOT NULL,
  mode TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  version INTEGER NOT NULL,
  placed_at INTEGER NOT NULL,
  ended_at INTEGER, listener INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance_id, id),
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
  CONSTRAINT token_listener CHECK (listener >= 0),
  CONSTRAINT token_version CHECK (version >= 1),
  CONSTRAINT token_ended CHECK (
    (ended_at IS NOT NULL) = (state = 'completed' OR state = 'terminated' OR state = 'failed')),
  CONSTRAINT token_times CHECK (ended_at >= placed_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX token_ready ON token (placed_at) WHERE state = 'ready';

CREATE TRIGGER token_identity
BEFORE UPDATE OF instance_id, id, scope_id, parent_id, mode, placed_at ON token
BEGIN
  SELECT RAISE(ABORT, 'token_identity');
END;

CREATE TRIGGER token_transition BEFORE UPDATE ON token
WHEN NEW.version <= OLD.version OR OLD.ended_at IS NOT NULL
BEGIN
  SELECT CASE WHEN OLD.ended_at IS NOT NULL THEN RAISE(ABORT, 'token_frozen')
    ELSE RAISE(ABORT, 'token_version_grows') END;
END;

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
  updated_at INTEGER NOT NULL, called_instance_id INTEGER, listener INTEGER,
  PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, parent_step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT step_record_id CHECK (id > 0),
  CONSTRAINT step_record_slug CHECK (slug <> ''),
  CONSTRAINT step_record_node_id CHECK (node_id <> ''),
  CONSTRAINT step_record_type CHECK (
    type = 'service_task' OR type = 'run' OR type = 'user_task' OR type = 'script_task'
    OR type = 'sleep' OR type = 'wait' OR type = 'manual_task' OR type = 'task'
    OR type = 'receive_task' OR type = 'send_task' OR type = 'business_rule_task'
    OR type = 'call_activity' OR type = 'throw_event' OR type = 'listener'),
  CONSTRAINT step_record_status CHECK (
    CASE type
      WHEN 'sleep' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
      WHEN 'user_task' THEN status = 'waiting' OR status = 'completed' OR status = 'cancelled'
      WHEN 'wait' THEN status = 'waiting' OR status = 'completed' OR status = 'failed'
        OR status = 'cancelled'
      WHEN 'receive_task' THEN status = 'waiting' OR status = 'completed'
        OR status = 'cancelled'
      WHEN 'call_activity' THEN status = 'waiting' OR status = 'completed'
        OR status = 'failed' OR status = 'cancelled'
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
  CONSTRAINT step_record_called CHECK (
    called_instance_id IS NULL OR type = 'call_activity'),
  CONSTRAINT step_record_listener CHECK (
    (listener IS NOT NULL) = (type = 'listener') AND (listener IS NULL OR listener >= 1)),
  CONSTRAINT step_record_times CHECK (
    started_at >= created_at AND completed_at >= started_at AND completed_at >= created_at
    AND updated_at >= created_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX step_record_slug_once ON step_record (instance_id, slug);

CREATE UNIQUE INDEX step_record_ordinal_once ON step_record (instance_id, ordinal);

CREATE INDEX step_record_updated ON step_record (instance_id, updated_at);

CREATE TRIGGER step_record_parent_runs BEFORE INSERT ON step_record
WHEN NEW.parent_step_id IS NOT NULL AND 'run' IS NOT
  (SELECT type FROM step_record WHERE instance_id = NEW.instance_id AND id = NEW.parent_step_id)
BEGIN
  SELECT RAISE(ABORT, 'step_record_parent_runs');
END;

CREATE TRIGGER step_record_transition BEFORE UPDATE ON step_record
WHEN OLD.status = 'completed' OR OLD.status = 'cancelled' OR NEW.attempt_count < OLD.attempt_count
BEGIN
  SELECT CASE WHEN NEW.attempt_count < OLD.attempt_count AND OLD.status <> 'completed'
      AND OLD.status <> 'cancelled' THEN RAISE(ABORT, 'step_record_attempts_grow')
    ELSE RAISE(ABORT, 'step_record_frozen') END;
END;

CREATE TABLE external_task (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  type TEXT NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  retries INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  worker_id TEXT,
  lock_expires_at INTEGER,
  attempt INTEGER NOT NULL,
  variables TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
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
  CONSTRAINT external_task_variables CHECK (
    json_valid(variables) AND variables BETWEEN '{' AND '|'),
  CONSTRAINT external_task_ended CHECK (
    (ended_at IS NULL) = (state = 'ready' OR state = 'locked')),
  CONSTRAINT external_task_times CHECK (ended_at >= created_at)
) STRICT;

CREATE UNIQUE INDEX external_task_step_once ON external_task (instance_id, step_id);

CREATE UNIQUE INDEX external_task_open_once ON external_task (instance_id, token_id)
  WHERE state = 'ready' OR state = 'locked' OR state = 'failed';

CREATE INDEX external_task_ready
  ON external_task (type, priority DESC, available_at) WHERE state = 'ready';

CREATE INDEX external_task_delayed
  ON external_task (available_at) WHERE state = 'ready' AND available_at > created_at;

CREATE INDEX external_task_lock ON external_task (lock_expires_at) WHERE state = 'locked';

CREATE TRIGGER external_task_transition BEFORE UPDATE ON external_task
WHEN OLD.state = 'completed' OR OLD.state = 'cancelled' OR NEW.attempt < OLD.attempt
  OR (NEW.retries > OLD.retries AND OLD.state <> 'failed')
BEGIN
  SELECT CASE
    WHEN OLD.state = 'completed' OR OLD.state = 'cancelled'
      THEN RAISE(ABORT, 'external_task_frozen')
    WHEN NEW.attempt < OLD.attempt THEN RAISE(ABORT, 'external_task_attempt_grows')
    ELSE RAISE(ABORT, 'external_task_retries_shrink') END;
END;

CREATE TABLE user_task (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  assignee TEXT,
  candidate_groups TEXT NOT NULL,
  candidate_users TEXT NOT NULL,
  due_at INTEGER,
  follow_up_at INTEGER,
  form_reference TEXT,
  priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT user_task_id CHECK (id > 0),
  CONSTRAINT user_task_node_id CHECK (node_id <> ''),
  CONSTRAINT user_task_state CHECK (state = 'open' OR state = 'completed' OR state = 'cancelled'),
  CONSTRAINT user_task_candidate_groups CHECK (
    json_valid(candidate_groups) AND substr(candidate_groups, 1, 1) = '['),
  CONSTRAINT user_task_candidate_users CHECK (
    json_valid(candidate_users) AND substr(candidate_users, 1, 1) = '['),
  CONSTRAINT user_task_ended CHECK ((ended_at IS NULL) = (state = 'open')),
  CONSTRAINT user_task_times CHECK (ended_at >= created_at)
) STRICT;

CREATE UNIQUE INDEX user_task_step_once ON user_task (instance_id, step_id);

CREATE UNIQUE INDEX user_task_open_once ON user_task (instance_id, token_id) WHERE state = 'open';

CREATE INDEX user_task_assignee
  ON user_task (assignee) WHERE assignee IS NOT NULL;

CREATE TRIGGER user_task_frozen BEFORE UPDATE ON user_task WHEN OLD.state <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'user_task_frozen');
END;

CREATE TABLE timer (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL,
  token_id INTEGER,
  step_id INTEGER,
  node_id TEXT NOT NULL,
  status TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  occurrence INTEGER NOT NULL,
  cycle TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER, scope_id INTEGER, position INTEGER NOT NULL DEFAULT 0,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  CONSTRAINT timer_id CHECK (id > 0),
  CONSTRAINT timer_owner CHECK ((token_id IS NULL) <> (scope_id IS NULL)),
  CONSTRAINT timer_position CHECK (position >= 0),
  CONSTRAINT timer_node_id CHECK (node_id <> ''),
  CONSTRAINT timer_status CHECK (
    status = 'scheduled' OR status = 'fired' OR status = 'cancelled'),
  CONSTRAINT timer_occurrence CHECK (occurrence >= 1),
  CONSTRAINT timer_cycle CHECK (cycle <> ''),
  CONSTRAINT timer_ended CHECK ((ended_at IS NULL) = (status = 'scheduled')),
  CONSTRAINT timer_times CHECK (ended_at >= created_at)
) STRICT;

CREATE INDEX timer_due ON timer (due_at) WHERE status = 'scheduled';

CREATE INDEX timer_instance ON timer (instance_id);

CREATE TRIGGER timer_frozen BEFORE UPDATE ON timer WHEN OLD.status <> 'scheduled'
BEGIN
  SELECT RAISE(ABORT, 'timer_frozen');
END;

CREATE TABLE parallel_join (
  instance_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  scope_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  expected INTEGER NOT NULL,
  joined INTEGER NOT NULL,
  state TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER, kind TEXT NOT NULL DEFAULT 'parallel',
  PRIMARY KEY (instance_id, id),
  FOREIGN KEY (instance_id, scope_id) REFERENCES scope (instance_id, id),
  CONSTRAINT parallel_join_id CHECK (id > 0),
  CONSTRAINT parallel_join_node_id CHECK (node_id <> ''),
  CONSTRAINT parallel_join_generation CHECK (generation >= 1),
  CONSTRAINT parallel_join_expected CHECK (expected >= 1),
  CONSTRAINT parallel_join_joined CHECK (joined >= 0 AND joined <= expected),
  CONSTRAINT parallel_join_state CHECK (
    state = 'open' OR state = 'fired' OR state = 'cancelled'),
  CONSTRAINT parallel_join_kind CHECK (
    kind = 'parallel' OR kind = 'inclusive' OR kind = 'complex'),
  CONSTRAINT parallel_join_fired CHECK (
    state <> 'fired' OR joined = expected OR (kind <> 'parallel' AND joined >= 1)),
  CONSTRAINT parallel_join_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT parallel_join_times CHECK (closed_at >= opened_at)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX parallel_join_generation_once
  ON parallel_join (instance_id, scope_id, node_id, generation);

CREATE TRIGGER parallel_join_transition BEFORE UPDATE ON parallel_join
WHEN OLD.state <> 'open' OR NEW.joined < OLD.joined
BEGIN
  SELECT CASE WHEN OLD.state <> 'open' THEN RAISE(ABORT, 'parallel_join_frozen')
    ELSE RAISE(ABORT, 'parallel_join_joined_grows') END;
END;

CREATE TABLE join_arrival (
  instance_id INTEGER NOT NULL,
  join_id INTEGER NOT NULL,
  flow_id TEXT NOT NULL,
  token_id INTEGER NOT NULL,
  arrived_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, join_id, flow_id),
  FOREIGN KEY (instance_id, join_id) REFERENCES parallel_join (instance_id, id),
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT join_arrival_flow_id CHECK (flow_id <> '')
) STRICT, WITHOUT ROWID;

CREATE TRIGGER join_arrival_append_only BEFORE UPDATE ON join_arrival
BEGIN
  SELECT RAISE(ABORT, 'join_arrival_append_only');
END;

CREATE TABLE incident (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL,
  token_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  message TEXT NOT NULL,
  details TEXT NOT NULL,
  state TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  CONSTRAINT incident_id CHECK (id > 0),
  CONSTRAINT incident_kind CHECK (
    kind = 'expression_error' OR kind = 'no_outgoing_flow' OR kind = 'retries_exhausted'
    OR kind = 'join_unreachable' OR kind = 'bad_timer' OR kind = 'engine_error'
    OR kind = 'unhandled_error' OR kind = 'bad_correlation_key' OR kind = 'call_failed'
    OR kind = 'compensation_failed' OR kind = 'flow_diverged' OR kind = 'decision_failed'),
  CONSTRAINT incident_details CHECK (json_valid(details) AND details BETWEEN '{' AND '|'),
  CONSTRAINT incident_state CHECK (state = 'open' OR state = 'resolved'),
  CONSTRAINT incident_resolved CHECK ((resolved_at IS NULL) = (state = 'open')),
  CONSTRAINT incident_resolved_by CHECK (resolved_by IS NULL OR state = 'resolved'),
  CONSTRAINT incident_times CHECK (resolved_at >= opened_at)
) STRICT;

CREATE UNIQUE INDEX incident_open_once ON incident (instance_id, token_id) WHERE state = 'open';

CREATE INDEX incident_instance ON incident (instance_id);

CREATE TRIGGER incident_frozen BEFORE UPDATE ON incident WHEN OLD.state <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'incident_frozen');
END;

CREATE TABLE dead_letter (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  task_id INTEGER REFERENCES external_task (id),
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  CONSTRAINT dead_letter_id CHECK (id > 0),
  CONSTRAINT dead_letter_kind CHECK (
    kind = 'exhausted_task' OR kind = 'expired_message' OR kind = 'failed_delivery'),
  CONSTRAINT dead_letter_task CHECK (kind <> 'exhausted_task' OR task_id IS NOT NULL),
  CONSTRAINT dead_letter_state CHECK (
    state = 'open' OR state = 'requeued' OR state = 'discarded'),
  CONSTRAINT dead_letter_payload CHECK (json_valid(payload) AND payload BETWEEN '{' AND '|'),
  CONSTRAINT dead_letter_closed CHECK ((closed_at IS NULL) = (state = 'open')),
  CONSTRAINT dead_letter_times CHECK (closed_at >= opened_at)
) STRICT;

CREATE UNIQUE INDEX dead_letter_open_once ON dead_letter (task_id) WHERE state = 'open';

CREATE INDEX dead_letter_instance ON dead_letter (instance_id);

CREATE TRIGGER dead_letter_identity
BEFORE UPDATE OF id, instance_id, task_id, kind, reason, payload, opened_at ON dead_letter
BEGIN
  SELECT RAISE(ABORT, 'dead_letter_identity');
END;

CREATE TRIGGER dead_letter_frozen BEFORE UPDATE ON dead_letter WHEN OLD.state <> 'open'
BEGIN
  SELECT RAISE(ABORT, 'dead_letter_frozen');
END;

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

CREATE INDEX idempotency_key_expires ON idempotency_key (expires_at);

CREATE TRIGGER idempotency_key_immutable BEFORE UPDATE ON idempotency_key
BEGIN
  SELECT RAISE(ABORT, 'idempotency_key_immutable');
END;

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

CREATE INDEX audit_entry_instance ON audit_entry (instance_id) WHERE instance_id IS NOT NULL;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE ON audit_entry
BEGIN
  SELECT RAISE(ABORT, 'audit_entry_append_only');
END;

CREATE TABLE instance_purge (
  instance_id INTEGER PRIMARY KEY,
  retained_until INTEGER NOT NULL,
  purged_at INTEGER NOT NULL,
  passing INTEGER NOT NULL,
  -- No definition has the key 0: what refers to it is gone before the transaction ends.
  FOREIGN KEY (passing) REFERENCES process_definition (id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT instance_purge_times CHECK (purged_at >= retained_until),
  CONSTRAINT instance_purge_passing CHECK (passing = 0)
) STRICT;

CREATE TRIGGER instance_purge_ended BEFORE INSERT ON instance_purge
WHEN NOT EXISTS (SELECT 1 FROM process_instance
  WHERE id = NEW.instance_id AND ended_at <= NEW.retained_until)
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_ended');
END;

CREATE TRIGGER instance_purge_immutable BEFORE UPDATE ON instance_purge
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_immutable');
END;

CREATE TRIGGER instance_purge_whole BEFORE DELETE ON instance_purge
WHEN EXISTS (SELECT 1 FROM process_instance WHERE id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_whole');
END;

CREATE TRIGGER process_instance_kept BEFORE DELETE ON process_instance
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.id)
BEGIN
  SELECT RAISE(ABORT, 'process_instance_kept');
END;

CREATE TRIGGER scope_kept BEFORE DELETE ON scope
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'scope_kept');
END;

CREATE TRIGGER token_kept BEFORE DELETE ON token
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'token_kept');
END;

CREATE TRIGGER step_record_kept BEFORE DELETE ON step_record
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'step_record_kept');
END;

CREATE TRIGGER external_task_kept BEFORE DELETE ON external_task
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'external_task_kept');
END;

CREATE TRIGGER user_task_kept BEFORE DELETE ON user_task
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'user_task_kept');
END;

CREATE TRIGGER timer_kept BEFORE DELETE ON timer
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'timer_kept');
END;

CREATE TRIGGER parallel_join_kept BEFORE DELETE ON parallel_join
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'parallel_join_kept');
END;

CREATE TRIGGER join_arrival_kept BEFORE DELETE ON join_arrival
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'join_arrival_kept');
END;

CREATE TRIGGER incident_kept BEFORE DELETE ON incident
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'incident_kept');
END;

CREATE TRIGGER dead_letter_kept BEFORE DELETE ON dead_letter
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'dead_letter_kept');
END;

CREATE TRIGGER history_event_kept BEFORE DELETE ON history_event
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'history_event_kept');
END;

CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'audit_entry_kept');
END;

CREATE INDEX scope_parent ON scope (instance_id, parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX scope_token ON scope (instance_id, token_id) WHERE token_id IS NOT NULL;

CREATE INDEX token_parent ON token (instance_id, parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX step_record_parent ON step_record (instance_id, parent_step_id)
  WHERE parent_step_id IS NOT NULL;

CREATE INDEX dead_letter_task ON dead_letter (task_id) WHERE task_id IS NOT NULL;

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
    state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'
    OR state = 'released'),
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

CREATE TRIGGER step_attempt_kept BEFORE DELETE ON step_attempt
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_kept');
END;

CREATE TRIGGER external_task_lease_end BEFORE UPDATE ON external_task
WHEN OLD.state = 'locked' AND NEW.state = 'ready' AND NEW.attempt = OLD.attempt
  AND (NEW.retries = OLD.retries) <> ('released' IS
    (SELECT state FROM step_attempt WHERE instance_id = OLD.instance_id
      AND step_id = OLD.step_id AND number = OLD.attempt))
BEGIN
  SELECT RAISE(ABORT, 'external_task_lease_end');
END;

CREATE TRIGGER step_attempt_released BEFORE UPDATE OF state ON step_attempt
WHEN NEW.state = 'released' AND OLD.state = 'started' AND EXISTS
  (SELECT 1 FROM external_task AS task JOIN step_record AS step
      ON step.instance_id = task.instance_id AND step.id = task.step_id
    WHERE task.instance_id = NEW.instance_id AND task.step_id = NEW.step_id
      AND task.state = 'locked' AND step.max_attempts < NEW.number + task.retries)
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_released');
END;

CREATE TRIGGER process_instance_identity
BEFORE UPDATE OF id, tenant_id, process_id, business_key, unique_business_key, created_at,
  parent_instance_id, parent_token_id ON process_instance
BEGIN
  SELECT RAISE(ABORT, 'process_instance_identity');
END;

CREATE TRIGGER parallel_join_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, generation, expected, opened_at, kind
ON parallel_join
BEGIN
  SELECT RAISE(ABORT, 'parallel_join_identity');
END;

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

CREATE UNIQUE INDEX event_subscription_token_once
  ON event_subscription (instance_id, token_id, node_id, position)
  WHERE state = 'open' AND token_id IS NOT NULL;

CREATE UNIQUE INDEX event_subscription_scope_once
  ON event_subscription (instance_id, scope_id, node_id, position)
  WHERE state = 'open' AND scope_id IS NOT NULL;

CREATE INDEX event_subscription_awaited
  ON event_subscription (tenant_id, kind, name, correlation_key, id) WHERE state = 'open';

CREATE INDEX event_subscription_instance ON event_subscription (instance_id);

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
    kind = 'message' OR kind = 'signal' OR kind = 'signal_to' OR kind = 'start'
    OR kind = 'call' OR kind = 'call_ended' OR kind = 'call_escalated'
    OR kind = 'call_cancelled'),
  CONSTRAINT pending_event_name CHECK (
    CASE WHEN kind = 'message' OR kind = 'signal' THEN name IS NOT NULL AND name <> ''
      AND target_instance_id IS NULL
    ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL
      AND (kind <> 'signal_to' OR (name IS NOT NULL AND name <> '')) END),
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

CREATE INDEX pending_event_due ON pending_event (created_at, id) WHERE state = 'pending';

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

CREATE INDEX inbound_event_waiting
  ON inbound_event (tenant_id, name, correlation_key, id) WHERE claimed_at IS NULL;

CREATE INDEX inbound_event_expires ON inbound_event (expires_at);

CREATE TRIGGER inbound_event_claimed_once BEFORE UPDATE ON inbound_event
WHEN OLD.claimed_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_claimed_once');
END;

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

CREATE INDEX definition_subscription_awaited
  ON definition_subscription (tenant_id, kind, name) WHERE state = 'open';

CREATE INDEX definition_subscription_due
  ON definition_subscription (due_at) WHERE state = 'open' AND due_at IS NOT NULL;

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

CREATE UNIQUE INDEX compensation_record_ordinal_once
  ON compensation_record (instance_id, ordinal);

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

CREATE UNIQUE INDEX process_definition_deployment_once
  ON process_definition (deployment_id, process_id) WHERE deployment_id IS NOT NULL;

CREATE TRIGGER process_definition_immutable
BEFORE UPDATE OF id, tenant_id, process_id, version, kind, name, version_tag, resource_name, source,
  digest, deployed_at, deployment_id ON process_definition
BEGIN
  SELECT RAISE(ABORT, 'process_definition_immutable');
END;

CREATE TABLE decision_requirements (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  resource_name TEXT NOT NULL,
  source TEXT NOT NULL,
  imports TEXT NOT NULL,
  digest TEXT NOT NULL,
  deployment_id INTEGER NOT NULL,
  deployed_at INTEGER NOT NULL,
  CONSTRAINT decision_requirements_id CHECK (id > 0),
  CONSTRAINT decision_requirements_model_id CHECK (model_id <> ''),
  CONSTRAINT decision_requirements_version CHECK (version >= 1),
  CONSTRAINT decision_requirements_imports CHECK (
    json_valid(imports) AND substr(imports, 1, 1) = '['),
  CONSTRAINT decision_requirements_digest CHECK (length(digest) = 64),
  CONSTRAINT decision_requirements_deployment CHECK (deployment_id > 0)
) STRICT;

CREATE UNIQUE INDEX decision_requirements_version_once
  ON decision_requirements (tenant_id, model_id, version);

CREATE UNIQUE INDEX decision_requirements_deployment_once
  ON decision_requirements (deployment_id, model_id);

CREATE TRIGGER decision_requirements_immutable BEFORE UPDATE ON decision_requirements
BEGIN
  SELECT RAISE(ABORT, 'decision_requirements_immutable');
END;

CREATE TABLE decision_definition (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version_tag TEXT,
  requirements_id INTEGER NOT NULL REFERENCES decision_requirements (id),
  deployment_id INTEGER NOT NULL,
  deployed_at INTEGER NOT NULL,
  -- What an evaluation says of its decision is true: it refers to all three.
  CONSTRAINT decision_definition_named UNIQUE (id, decision_id, version),
  CONSTRAINT decision_definition_id CHECK (id > 0),
  CONSTRAINT decision_definition_decision_id CHECK (decision_id <> ''),
  CONSTRAINT decision_definition_version CHECK (version >= 1),
  CONSTRAINT decision_definition_kind CHECK (kind = 'decision' OR kind = 'service'),
  CONSTRAINT decision_definition_version_tag CHECK (version_tag <> ''),
  CONSTRAINT decision_definition_deployment CHECK (deployment_id > 0)
) STRICT;

CREATE UNIQUE INDEX decision_definition_version_once
  ON decision_definition (tenant_id, decision_id, version);

CREATE UNIQUE INDEX decision_definition_deployment_once
  ON decision_definition (deployment_id, decision_id);

CREATE INDEX decision_definition_tag
  ON decision_definition (tenant_id, decision_id, version_tag, version)
  WHERE version_tag IS NOT NULL;

CREATE INDEX decision_definition_requirements ON decision_definition (requirements_id);

CREATE TRIGGER decision_definition_immutable BEFORE UPDATE ON decision_definition
BEGIN
  SELECT RAISE(ABORT, 'decision_definition_immutable');
END;

CREATE TABLE decision_evaluation (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  token_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  node_id TEXT NOT NULL,
  definition_id INTEGER NOT NULL,
  decision_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  inputs TEXT NOT NULL,
  output TEXT NOT NULL,
  matched_rules TEXT NOT NULL,
  evaluated TEXT NOT NULL,
  warnings TEXT NOT NULL,
  error TEXT,
  evaluated_at INTEGER NOT NULL,
  FOREIGN KEY (instance_id, token_id) REFERENCES token (instance_id, id),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  FOREIGN KEY (definition_id, decision_id, version)
    REFERENCES decision_definition (id, decision_id, version),
  CONSTRAINT decision_evaluation_id CHECK (id > 0),
  CONSTRAINT decision_evaluation_node_id CHECK (node_id <> ''),
  CONSTRAINT decision_evaluation_inputs CHECK (json_valid(inputs) AND inputs BETWEEN '{' AND '|'),
  CONSTRAINT decision_evaluation_output CHECK (json_valid(output)),
  CONSTRAINT decision_evaluation_matched_rules CHECK (
    json_valid(matched_rules) AND substr(matched_rules, 1, 1) = '['),
  CONSTRAINT decision_evaluation_evaluated CHECK (
    json_valid(evaluated) AND substr(evaluated, 1, 1) = '['),
  CONSTRAINT decision_evaluation_warnings CHECK (
    json_valid(warnings) AND substr(warnings, 1, 1) = '['),
  CONSTRAINT decision_evaluation_error CHECK (error <> '')
) STRICT;

CREATE INDEX decision_evaluation_step ON decision_evaluation (instance_id, step_id);

CREATE INDEX decision_evaluation_token ON decision_evaluation (instance_id, token_id);

CREATE TRIGGER decision_evaluation_immutable BEFORE UPDATE ON decision_evaluation
BEGIN
  SELECT RAISE(ABORT, 'decision_evaluation_immutable');
END;

CREATE TRIGGER decision_evaluation_kept BEFORE DELETE ON decision_evaluation
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'decision_evaluation_kept');
END;

CREATE TRIGGER scope_iteration_within BEFORE INSERT ON scope
WHEN NEW.kind = 'iteration' AND EXISTS (
  SELECT 1 FROM scope AS around
  WHERE around.instance_id = NEW.instance_id AND around.id = NEW.parent_id
    AND (around.kind <> 'multi_instance' OR around.node_id <> NEW.node_id
      OR NEW.loop_index >= around.loop_total))
BEGIN
  SELECT RAISE(ABORT, 'scope_iteration_within');
END;

CREATE TABLE instance_migration (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  sequence INTEGER NOT NULL,
  from_definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  to_definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  mapping TEXT NOT NULL,
  migrated_at INTEGER NOT NULL,
  CONSTRAINT instance_migration_id CHECK (id > 0),
  CONSTRAINT instance_migration_sequence CHECK (sequence >= 2),
  CONSTRAINT instance_migration_other_version CHECK (from_definition_id <> to_definition_id),
  CONSTRAINT instance_migration_mapping CHECK (
    json_valid(mapping) AND mapping BETWEEN '{' AND '|')
) STRICT;

CREATE UNIQUE INDEX instance_migration_once ON instance_migration (instance_id, sequence);

CREATE TRIGGER instance_migration_same_process BEFORE INSERT ON instance_migration
WHEN EXISTS (
  SELECT 1 FROM process_instance AS instance CROSS JOIN process_definition AS definition
  WHERE instance.id = NEW.instance_id
    AND (definition.id = NEW.from_definition_id OR definition.id = NEW.to_definition_id)
    AND (definition.process_id <> instance.process_id
      OR definition.tenant_id <> instance.tenant_id))
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_same_process');
END;

CREATE TRIGGER instance_migration_immutable BEFORE UPDATE ON instance_migration
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_immutable');
END;

CREATE TRIGGER instance_migration_kept BEFORE DELETE ON instance_migration
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_kept');
END;

CREATE TRIGGER process_instance_pinned
BEFORE UPDATE OF input ON process_instance
WHEN OLD.status = 'running' OR OLD.status = 'paused'
BEGIN
  SELECT RAISE(ABORT, 'process_instance_pinned');
END;

CREATE TRIGGER process_instance_migrated
BEFORE UPDATE OF definition_id ON process_instance
WHEN NEW.definition_id <> OLD.definition_id AND OLD.status <> 'pending' AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration
  WHERE migration.instance_id = OLD.id AND migration.sequence > OLD.last_sequence
    AND migration.sequence <= NEW.last_sequence
    AND migration.from_definition_id = OLD.definition_id
    AND migration.to_definition_id = NEW.definition_id)
BEGIN
  SELECT RAISE(ABORT, 'process_instance_migrated');
END;

CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, kind, loop_index, opened_at,
  loop_total, collection
ON scope
BEGIN
  SELECT RAISE(ABORT, 'scope_identity');
END;

CREATE TRIGGER scope_element BEFORE UPDATE OF node_id ON scope
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'scope_element');
END;

CREATE TRIGGER external_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, type, created_at
ON external_task
BEGIN
  SELECT RAISE(ABORT, 'external_task_identity');
END;

CREATE TRIGGER external_task_element BEFORE UPDATE OF node_id ON external_task
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'external_task_element');
END;

CREATE TRIGGER user_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, name, created_at
ON user_task
BEGIN
  SELECT RAISE(ABORT, 'user_task_identity');
END;

CREATE TRIGGER user_task_element BEFORE UPDATE OF node_id ON user_task
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'user_task_element');
END;

CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, created_at, scope_id, position
ON timer
BEGIN
  SELECT RAISE(ABORT, 'timer_identity');
END;

CREATE TRIGGER timer_element BEFORE UPDATE OF node_id ON timer
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'timer_element');
END;

CREATE TRIGGER event_subscription_identity
BEFORE UPDATE OF id, instance_id, tenant_id, token_id, scope_id, step_id, position, kind,
  name, correlation_key, opened_at
ON event_subscription
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_identity');
END;

CREATE TRIGGER event_subscription_element BEFORE UPDATE OF node_id ON event_subscription
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_element');
END;

CREATE TRIGGER incident_identity
BEFORE UPDATE OF id, instance_id, token_id, kind, message, details, opened_at
ON incident
BEGIN
  SELECT RAISE(ABORT, 'incident_identity');
END;

CREATE TRIGGER incident_element BEFORE UPDATE OF node_id ON incident
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'incident_element');
END;

CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, inner_scope_id, ordinal, variables, recorded_at
ON compensation_record
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_identity');
END;

CREATE TRIGGER compensation_record_element BEFORE UPDATE OF node_id ON compensation_record
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_element');
END;

CREATE TRIGGER compensation_record_handler_element
BEFORE UPDATE OF handler_id ON compensation_record
WHEN NEW.handler_id IS NOT OLD.handler_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.handler_id AND renamed.value = NEW.handler_id)
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_handler_element');
END;

CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id, listener ON step_record
BEGIN
  SELECT RAISE(ABORT, 'step_record_identity');
END;

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

CREATE INDEX flow_completion_due ON flow_completion (next_attempt_at) WHERE state = 'pending';

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

CREATE INDEX inbound_event_of_flow ON inbound_event (correlation_key) WHERE claimed_at IS NULL;

CREATE TABLE flow_kind (
  process_id TEXT PRIMARY KEY,
  delivers INTEGER NOT NULL,
  CONSTRAINT flow_kind_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_kind_delivers CHECK (delivers = 0 OR delivers = 1)
) STRICT, WITHOUT ROWID;

CREATE TABLE flow_host (
  worker_id TEXT NOT NULL,
  node_name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (worker_id),
  CONSTRAINT flow_host_worker_id CHECK (worker_id <> ''),
  CONSTRAINT flow_host_times CHECK (expires_at >= started_at)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER flow_host_identity
BEFORE UPDATE OF worker_id, node_name, started_at ON flow_host
BEGIN
  SELECT RAISE(ABORT, 'flow_host_identity');
END;

CREATE TABLE flow_limit (
  process_id TEXT NOT NULL,
  running INTEGER,
  running_per_key INTEGER,
  starts INTEGER,
  starts_period INTEGER,
  starts_per_key INTEGER,
  starts_per_key_period INTEGER,
  PRIMARY KEY (process_id),
  CONSTRAINT flow_limit_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_limit_running CHECK (running >= 1),
  CONSTRAINT flow_limit_running_per_key CHECK (running_per_key >= 1),
  CONSTRAINT flow_limit_starts CHECK (
    (starts IS NULL) = (starts_period IS NULL)
    AND coalesce(starts >= 1 AND starts_period >= 1, true)),
  CONSTRAINT flow_limit_starts_per_key CHECK (
    (starts_per_key IS NULL) = (starts_per_key_period IS NULL)
    AND coalesce(starts_per_key >= 1 AND starts_per_key_period >= 1, true))
) STRICT, WITHOUT ROWID;

CREATE TABLE flow_slot (
  run_id INTEGER PRIMARY KEY,
  process_id TEXT NOT NULL,
  limit_key TEXT,
  priority INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  admitted_at INTEGER,
  counts_until INTEGER,
  left_at INTEGER,
  CONSTRAINT flow_slot_run_id CHECK (run_id > 0),
  CONSTRAINT flow_slot_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_slot_times CHECK (
    coalesce(admitted_at >= queued_at, true) AND coalesce(left_at >= queued_at, true)
    AND coalesce(left_at >= admitted_at, true)),
  CONSTRAINT flow_slot_counts CHECK (
    CASE WHEN admitted_at IS NULL THEN (counts_until IS NULL) = (left_at IS NULL)
    ELSE counts_until IS NOT NULL END)
) STRICT;

CREATE INDEX flow_slot_waiting ON flow_slot (process_id, priority DESC, run_id)
  WHERE admitted_at IS NULL AND left_at IS NULL;

CREATE INDEX flow_slot_key_waiting
  ON flow_slot (process_id, limit_key, priority DESC, run_id)
  WHERE admitted_at IS NULL AND left_at IS NULL;

CREATE INDEX flow_slot_running ON flow_slot (process_id, limit_key)
  WHERE admitted_at IS NOT NULL AND left_at IS NULL;

CREATE INDEX flow_slot_admitted ON flow_slot (process_id, admitted_at)
  WHERE counts_until IS NOT NULL;

CREATE INDEX flow_slot_key_admitted ON flow_slot (process_id, limit_key, admitted_at)
  WHERE counts_until IS NOT NULL;

CREATE INDEX flow_slot_left ON flow_slot (counts_until) WHERE left_at IS NOT NULL;

CREATE TRIGGER flow_slot_identity
BEFORE UPDATE OF run_id, process_id, limit_key, priority, queued_at ON flow_slot
BEGIN
  SELECT RAISE(ABORT, 'flow_slot_identity');
END;

CREATE TRIGGER flow_slot_transition BEFORE UPDATE ON flow_slot
WHEN OLD.left_at IS NOT NULL
  OR (OLD.admitted_at IS NOT NULL AND NEW.admitted_at IS NOT OLD.admitted_at)
BEGIN
  SELECT RAISE(ABORT, 'flow_slot_transition');
END;

CREATE TRIGGER flow_slot_waits_first BEFORE INSERT ON flow_slot
WHEN NEW.admitted_at IS NOT NULL OR NEW.left_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'flow_slot_waits_first');
END;

CREATE TRIGGER flow_slot_limit BEFORE UPDATE OF admitted_at ON flow_slot
WHEN OLD.admitted_at IS NULL AND NEW.admitted_at IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'flow_slot_limit') FROM flow_limit
  WHERE flow_limit.process_id = NEW.process_id AND (
    (running IS NOT NULL AND running <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.admitted_at IS NOT NULL AND other.left_at IS NULL))
    OR (starts IS NOT NULL AND starts <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.counts_until IS NOT NULL
        AND other.admitted_at > NEW.admitted_at - starts_period))
    OR (running_per_key IS NOT NULL AND running_per_key <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.limit_key = NEW.limit_key
        AND other.admitted_at IS NOT NULL AND other.left_at IS NULL))
    OR (starts_per_key IS NOT NULL AND starts_per_key <= (
      SELECT count(*) FROM flow_slot AS other WHERE other.process_id = NEW.process_id
        AND other.limit_key = NEW.limit_key
        AND other.counts_until IS NOT NULL
        AND other.admitted_at > NEW.admitted_at - starts_per_key_period)));
END;

CREATE TABLE flow_schedule (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  process_id TEXT NOT NULL,
  input TEXT NOT NULL,
  cycle TEXT NOT NULL,
  overlap TEXT NOT NULL,
  misfire TEXT NOT NULL,
  occurrence INTEGER NOT NULL,
  due_at INTEGER,
  last_instance_id INTEGER,
  opened_at INTEGER NOT NULL,
  CONSTRAINT flow_schedule_id CHECK (id > 0),
  CONSTRAINT flow_schedule_name CHECK (name <> ''),
  CONSTRAINT flow_schedule_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_schedule_input CHECK (json_valid(input) AND input BETWEEN '{' AND '|'),
  CONSTRAINT flow_schedule_cycle CHECK (cycle <> ''),
  CONSTRAINT flow_schedule_overlap CHECK (
    overlap = 'skip' OR overlap = 'queue' OR overlap = 'cancel_previous' OR overlap = 'allow'),
  CONSTRAINT flow_schedule_misfire CHECK (
    misfire = 'fire_once' OR misfire = 'fire_all' OR misfire = 'skip'),
  CONSTRAINT flow_schedule_occurrence CHECK (occurrence >= 1)
) STRICT;

CREATE UNIQUE INDEX flow_schedule_name_once ON flow_schedule (name);

CREATE INDEX flow_schedule_due ON flow_schedule (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER flow_schedule_identity
BEFORE UPDATE OF id, name, process_id, input, cycle, overlap, misfire, opened_at ON flow_schedule
BEGIN
  SELECT RAISE(ABORT, 'flow_schedule_identity');
END;

CREATE TRIGGER flow_schedule_occurrence_grows BEFORE UPDATE ON flow_schedule
WHEN NEW.occurrence < OLD.occurrence
BEGIN
  SELECT RAISE(ABORT, 'flow_schedule_occurrence_grows');
END;

CREATE TRIGGER flow_events_dropped AFTER UPDATE OF status ON process_instance
WHEN NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status
  AND EXISTS (SELECT 1 FROM flow_run WHERE instance_id = NEW.id)
BEGIN
  UPDATE inbound_event SET correlation_key = (
    SELECT CAST(target_instance_id AS TEXT) FROM pending_event
    WHERE instance_id = NEW.id AND kind = 'start')
  WHERE correlation_key = CAST(NEW.id AS TEXT) AND tenant_id = NEW.tenant_id AND claimed_at IS NULL
    AND EXISTS (SELECT 1 FROM pending_event WHERE instance_id = NEW.id AND kind = 'start');
  DELETE FROM inbound_event
  WHERE correlation_key = CAST(NEW.id AS TEXT) AND tenant_id = NEW.tenant_id AND claimed_at IS NULL;
END;

CREATE TRIGGER inbound_event_identity
BEFORE UPDATE OF id, tenant_id, name, message_id, payload, received_at, expires_at ON inbound_event
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_identity');
END;

CREATE TRIGGER inbound_event_follows BEFORE UPDATE OF correlation_key ON inbound_event
WHEN OLD.claimed_at IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM pending_event AS start
  JOIN flow_run ON flow_run.instance_id = start.instance_id
  WHERE start.instance_id = CAST(OLD.correlation_key AS INTEGER) AND start.kind = 'start'
    AND CAST(start.instance_id AS TEXT) = OLD.correlation_key
    AND CAST(start.target_instance_id AS TEXT) = NEW.correlation_key)
BEGIN
  SELECT RAISE(ABORT, 'inbound_event_follows');
END;
