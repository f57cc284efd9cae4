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
