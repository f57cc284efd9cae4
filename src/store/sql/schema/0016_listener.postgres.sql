-- Listeners: work for a worker when a token comes to an element or leaves it. Each has a step of
-- its own, and the token says how far it is with those of its node.
--
-- The twin of 0016_listener.sqlite.sql. Rules that grow come again NOT VALID, as in 0011_event.

ALTER TABLE token ADD COLUMN listener bigint NOT NULL DEFAULT 0;
ALTER TABLE token ADD CONSTRAINT token_listener CHECK (listener >= 0) NOT VALID;

ALTER TABLE step_record ADD COLUMN listener bigint;
ALTER TABLE step_record DROP CONSTRAINT step_record_type;
ALTER TABLE step_record ADD CONSTRAINT step_record_type CHECK (
  type = 'service_task' OR type = 'run' OR type = 'user_task' OR type = 'script_task'
  OR type = 'sleep' OR type = 'wait' OR type = 'manual_task' OR type = 'task'
  OR type = 'receive_task' OR type = 'send_task' OR type = 'business_rule_task'
  OR type = 'call_activity' OR type = 'throw_event' OR type = 'listener') NOT VALID;
ALTER TABLE step_record ADD CONSTRAINT step_record_listener CHECK (
  (listener IS NOT NULL) = (type = 'listener') AND (listener IS NULL OR listener >= 1)) NOT VALID;

DROP TRIGGER step_record_identity ON step_record;
CREATE TRIGGER step_record_identity
BEFORE UPDATE OF instance_id, id, slug, node_id, name, type, ordinal, parent_step_id, token_id,
  created_at, called_instance_id, listener ON step_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();
