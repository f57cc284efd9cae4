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
