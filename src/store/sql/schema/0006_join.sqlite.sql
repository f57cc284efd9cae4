-- Gatherings of tokens at joining gateways. Two may be open at one gateway: when two tokens came
-- by the same flow, the second waits in the next generation.

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
  closed_at INTEGER,
  PRIMARY KEY (instance_id, id),
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
) STRICT, WITHOUT ROWID;

-- Serves: the last generation at a gateway.
CREATE UNIQUE INDEX parallel_join_generation_once
  ON parallel_join (instance_id, scope_id, node_id, generation);

CREATE TRIGGER parallel_join_identity
BEFORE UPDATE OF instance_id, id, scope_id, node_id, generation, expected, opened_at
ON parallel_join
BEGIN
  SELECT RAISE(ABORT, 'parallel_join_identity');
END;

CREATE TRIGGER parallel_join_transition BEFORE UPDATE ON parallel_join
WHEN OLD.state <> 'open' OR NEW.joined < OLD.joined
BEGIN
  SELECT CASE WHEN OLD.state <> 'open' THEN RAISE(ABORT, 'parallel_join_frozen')
    ELSE RAISE(ABORT, 'parallel_join_joined_grows') END;
END;

-- One arrival for each incoming flow of a gathering.
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

CREATE TRIGGER join_arrival_kept BEFORE DELETE ON join_arrival
BEGIN
  SELECT RAISE(ABORT, 'join_arrival_kept');
END;
