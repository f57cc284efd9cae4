-- Repeated activities: what a multi-instance goes through is pinned when it begins, and no
-- iteration is beyond it. Local variables of an activity: a scope of its own.
--
-- The twin of 0013_loop.sqlite.sql.

ALTER TABLE scope ADD COLUMN loop_total bigint;
ALTER TABLE scope ADD COLUMN collection json;
ALTER TABLE scope DROP CONSTRAINT scope_kind;
ALTER TABLE scope ADD CONSTRAINT scope_kind CHECK (
  kind = 'process' OR kind = 'sub_process' OR kind = 'event_sub_process' OR kind = 'transaction'
  OR kind = 'ad_hoc' OR kind = 'multi_instance' OR kind = 'iteration'
  OR kind = 'compensation' OR kind = 'activity') NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_loop_total CHECK (
  loop_total IS NULL OR (loop_total >= 0 AND kind = 'multi_instance')) NOT VALID;
ALTER TABLE scope ADD CONSTRAINT scope_collection CHECK (
  collection IS NULL OR (loop_total IS NOT NULL
    AND CASE json_typeof(collection) WHEN 'array'
      THEN json_array_length(collection) = loop_total ELSE false END)) NOT VALID;

DROP TRIGGER scope_identity ON scope;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, node_id, kind, loop_index, opened_at,
  loop_total, collection ON scope FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION scope_iteration_within() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM opened JOIN scope AS around
      ON around.instance_id = opened.instance_id AND around.id = opened.parent_id
      WHERE opened.kind = 'iteration'
        AND (around.kind <> 'multi_instance' OR around.node_id <> opened.node_id
          OR opened.loop_index >= around.loop_total)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

-- Once a statement: bodies and iterations may come in one.
CREATE TRIGGER scope_iteration_within AFTER INSERT ON scope
REFERENCING NEW TABLE AS opened FOR EACH STATEMENT
EXECUTE FUNCTION scope_iteration_within();
