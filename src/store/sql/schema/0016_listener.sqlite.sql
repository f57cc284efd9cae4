-- Listeners: work for a worker when a token comes to an element or leaves it. Each has a step of
-- its own, and the token says how far it is with those of its node.
--
-- Rules of earlier tables that grow are changed where SQLite keeps their text, as in 0011_event.

ALTER TABLE token ADD COLUMN listener INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step_record ADD COLUMN listener INTEGER;

PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, 'CONSTRAINT token_version CHECK',
  'CONSTRAINT token_listener CHECK (listener >= 0),
  CONSTRAINT token_version CHECK')
WHERE type = 'table' AND name = 'token';

UPDATE sqlite_schema SET sql = replace(replace(sql,
  'OR type = ''call_activity'' OR type = ''throw_event'')',
  'OR type = ''call_activity'' OR type = ''throw_event'' OR type = ''listener'')'),
  'CONSTRAINT step_record_times CHECK (',
  'CONSTRAINT step_record_listener CHECK (
    (listener IS NOT NULL) = (type = ''listener'') AND (listener IS NULL OR listener >= 1)),
  CONSTRAINT step_record_times CHECK (')
WHERE type = 'table' AND name = 'step_record';

PRAGMA writable_schema = RESET;

DROP TRIGGER step_record_identity;
CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id, listener ON step_record
BEGIN
  SELECT RAISE(ABORT, 'step_record_identity');
END;
