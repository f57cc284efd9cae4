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
