-- Repeated activities: what a multi-instance goes through is pinned when it begins, and no
-- iteration is beyond it. Local variables of an activity: a scope of its own.

ALTER TABLE scope ADD COLUMN loop_total INTEGER;
ALTER TABLE scope ADD COLUMN collection TEXT;

PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(replace(sql,
  'OR kind = ''iteration'' OR kind = ''compensation'')',
  'OR kind = ''iteration'' OR kind = ''compensation'' OR kind = ''activity'')'),
  'CONSTRAINT scope_variables CHECK',
  'CONSTRAINT scope_loop_total CHECK (
    loop_total IS NULL OR (loop_total >= 0 AND kind = ''multi_instance'')),
  CONSTRAINT scope_collection CHECK (
    collection IS NULL OR (json_valid(collection) AND json_type(collection) = ''array''
      AND loop_total IS NOT NULL AND json_array_length(collection) = loop_total)),
  CONSTRAINT scope_variables CHECK')
WHERE type = 'table' AND name = 'scope';

PRAGMA writable_schema = RESET;

DROP TRIGGER scope_identity;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, node_id, kind, loop_index, opened_at,
  loop_total, collection ON scope
BEGIN
  SELECT RAISE(ABORT, 'scope_identity');
END;

-- That there is a scope around it says the foreign key, at the end of a transaction that copies.
CREATE TRIGGER scope_iteration_within BEFORE INSERT ON scope
WHEN NEW.kind = 'iteration' AND EXISTS (
  SELECT 1 FROM scope AS around
  WHERE around.instance_id = NEW.instance_id AND around.id = NEW.parent_id
    AND (around.kind <> 'multi_instance' OR around.node_id <> NEW.node_id
      OR NEW.loop_index >= around.loop_total))
BEGIN
  SELECT RAISE(ABORT, 'scope_iteration_within');
END;
