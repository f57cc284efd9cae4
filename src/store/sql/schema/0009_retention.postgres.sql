-- Retention: an instance that has ended goes whole, or not at all.
--
-- The twin of 0009_retention.sqlite.sql, which says how. What a statement deletes is judged as a
-- whole, after it: one look for each table, however many rows go. Locks are taken in the order in
-- which a commit takes them.

CREATE TABLE instance_purge (
  instance_id bigint CONSTRAINT instance_purge_key PRIMARY KEY,
  retained_until timestamptz NOT NULL,
  purged_at timestamptz NOT NULL,
  passing bigint NOT NULL,
  -- No definition has the key 0: what refers to it is gone before the transaction ends.
  FOREIGN KEY (passing) REFERENCES process_definition (id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT instance_purge_times CHECK (purged_at >= retained_until),
  CONSTRAINT instance_purge_passing CHECK (passing = 0)
);

CREATE FUNCTION instance_purge_ended() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM process_instance AS instance
                 WHERE instance.id = NEW.instance_id
                 AND instance.ended_at <= NEW.retained_until) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER instance_purge_ended BEFORE INSERT ON instance_purge FOR EACH ROW
EXECUTE FUNCTION instance_purge_ended();

CREATE TRIGGER instance_purge_immutable BEFORE UPDATE ON instance_purge FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE FUNCTION instance_purge_whole() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM process_instance AS instance WHERE instance.id = OLD.instance_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER instance_purge_whole BEFORE DELETE ON instance_purge FOR EACH ROW
EXECUTE FUNCTION instance_purge_whole();

-- Refuses, in the name of the trigger, to delete rows of instances that do not go.
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE NOT EXISTS (
      SELECT 1 FROM instance_purge AS purge WHERE purge.instance_id = gone.instance_id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION refuse_instance_removal() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM gone WHERE NOT EXISTS (
      SELECT 1 FROM instance_purge AS purge WHERE purge.instance_id = gone.id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER process_instance_kept AFTER DELETE ON process_instance
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_instance_removal();

CREATE TRIGGER scope_kept AFTER DELETE ON scope
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER token_kept AFTER DELETE ON token
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER step_record_kept AFTER DELETE ON step_record
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER step_attempt_kept AFTER DELETE ON step_attempt
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER external_task_kept AFTER DELETE ON external_task
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER user_task_kept AFTER DELETE ON user_task
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER timer_kept AFTER DELETE ON timer
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER parallel_join_kept AFTER DELETE ON parallel_join
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER join_arrival_kept ON join_arrival;
CREATE TRIGGER join_arrival_kept AFTER DELETE ON join_arrival
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER incident_kept AFTER DELETE ON incident
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER dead_letter_kept AFTER DELETE ON dead_letter
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER history_event_kept ON history_event;
CREATE TRIGGER history_event_kept AFTER DELETE ON history_event
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER audit_entry_kept ON audit_entry;
CREATE TRIGGER audit_entry_kept AFTER DELETE ON audit_entry
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

-- Serve: before a row goes, those that may refer to it are asked. Without these the time would
-- grow with the square of an instance's rows. Few rows are in them: forked tokens, sub-processes.
CREATE INDEX scope_parent ON scope (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX scope_token ON scope (instance_id, token_id) WHERE token_id IS NOT NULL;
CREATE INDEX token_parent ON token (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX step_record_parent ON step_record (instance_id, parent_step_id)
  WHERE parent_step_id IS NOT NULL;
CREATE INDEX dead_letter_task ON dead_letter (task_id) WHERE task_id IS NOT NULL;
