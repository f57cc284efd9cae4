-- Flows by name: what programs say of all runs of one. A node without its code knows by this that
-- the end of a run is to be told.
CREATE TABLE flow_kind (
  process_id text COLLATE "C" CONSTRAINT flow_kind_key PRIMARY KEY,
  delivers boolean NOT NULL,
  CONSTRAINT flow_kind_process_id CHECK (process_id <> '')
);
