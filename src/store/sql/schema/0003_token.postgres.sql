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
