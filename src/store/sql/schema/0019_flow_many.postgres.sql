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
