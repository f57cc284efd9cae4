-- Retention: an instance that has ended goes whole, or not at all.
--
-- A row of instance_purge says which instance goes and until when it had to be kept. While it
-- stands, and only then, rows of that instance can be deleted. It is accepted for an instance
-- that has ended only, it can be taken out again only when the instance is gone, and no
-- transaction ends while it stands: outside the transaction that purges, the table is empty.

CREATE TABLE instance_purge (
  instance_id INTEGER PRIMARY KEY,
  retained_until INTEGER NOT NULL,
  purged_at INTEGER NOT NULL,
  passing INTEGER NOT NULL,
  -- No definition has the key 0: what refers to it is gone before the transaction ends.
  FOREIGN KEY (passing) REFERENCES process_definition (id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT instance_purge_times CHECK (purged_at >= retained_until),
  CONSTRAINT instance_purge_passing CHECK (passing = 0)
) STRICT;

CREATE TRIGGER instance_purge_ended BEFORE INSERT ON instance_purge
WHEN NOT EXISTS (SELECT 1 FROM process_instance
  WHERE id = NEW.instance_id AND ended_at <= NEW.retained_until)
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_ended');
END;

CREATE TRIGGER instance_purge_immutable BEFORE UPDATE ON instance_purge
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_immutable');
END;

CREATE TRIGGER instance_purge_whole BEFORE DELETE ON instance_purge
WHEN EXISTS (SELECT 1 FROM process_instance WHERE id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'instance_purge_whole');
END;

DROP TRIGGER join_arrival_kept;
DROP TRIGGER history_event_kept;
DROP TRIGGER audit_entry_kept;

CREATE TRIGGER process_instance_kept BEFORE DELETE ON process_instance
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.id)
BEGIN
  SELECT RAISE(ABORT, 'process_instance_kept');
END;

CREATE TRIGGER scope_kept BEFORE DELETE ON scope
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'scope_kept');
END;

CREATE TRIGGER token_kept BEFORE DELETE ON token
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'token_kept');
END;

CREATE TRIGGER step_record_kept BEFORE DELETE ON step_record
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'step_record_kept');
END;

CREATE TRIGGER step_attempt_kept BEFORE DELETE ON step_attempt
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_kept');
END;

CREATE TRIGGER external_task_kept BEFORE DELETE ON external_task
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'external_task_kept');
END;

CREATE TRIGGER user_task_kept BEFORE DELETE ON user_task
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'user_task_kept');
END;

CREATE TRIGGER timer_kept BEFORE DELETE ON timer
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'timer_kept');
END;

CREATE TRIGGER parallel_join_kept BEFORE DELETE ON parallel_join
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'parallel_join_kept');
END;

CREATE TRIGGER join_arrival_kept BEFORE DELETE ON join_arrival
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'join_arrival_kept');
END;

CREATE TRIGGER incident_kept BEFORE DELETE ON incident
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'incident_kept');
END;

CREATE TRIGGER dead_letter_kept BEFORE DELETE ON dead_letter
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'dead_letter_kept');
END;

CREATE TRIGGER history_event_kept BEFORE DELETE ON history_event
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'history_event_kept');
END;

CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'audit_entry_kept');
END;

-- Serve: before a row goes, those that may refer to it are asked. Without these the time would
-- grow with the square of an instance's rows. Few rows are in them: forked tokens, sub-processes.
CREATE INDEX scope_parent ON scope (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX scope_token ON scope (instance_id, token_id) WHERE token_id IS NOT NULL;
CREATE INDEX token_parent ON token (instance_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX step_record_parent ON step_record (instance_id, parent_step_id)
  WHERE parent_step_id IS NOT NULL;
CREATE INDEX dead_letter_task ON dead_letter (task_id) WHERE task_id IS NOT NULL;
