-- Flows by name: what programs say of all runs of one. A node without its code knows by this that
-- the end of a run is to be told.
CREATE TABLE flow_kind (
  process_id TEXT PRIMARY KEY,
  delivers INTEGER NOT NULL,
  CONSTRAINT flow_kind_process_id CHECK (process_id <> ''),
  CONSTRAINT flow_kind_delivers CHECK (delivers = 0 OR delivers = 1)
) STRICT, WITHOUT ROWID;
