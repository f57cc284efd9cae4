-- Leases that are given back without cost: an attempt may end as `released`.

-- SQLite changes no CHECK of a table, so the table is made anew; no other one refers to it.
CREATE TEMP TABLE step_attempt_before AS SELECT * FROM step_attempt;
DROP TABLE step_attempt;

-- One try of a step.
CREATE TABLE step_attempt (
  instance_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  worker_id TEXT,
  result_type TEXT NOT NULL,
  result TEXT,
  error_name TEXT,
  error_message TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  next_attempt_at INTEGER,
  PRIMARY KEY (instance_id, step_id, number),
  FOREIGN KEY (instance_id, step_id) REFERENCES step_record (instance_id, id),
  CONSTRAINT step_attempt_number CHECK (number >= 1),
  CONSTRAINT step_attempt_state CHECK (
    state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'
    OR state = 'released'),
  CONSTRAINT step_attempt_result CHECK (
    CASE result_type WHEN 'none' THEN result IS NULL
      WHEN 'json' THEN result IS NOT NULL AND state = 'succeeded' ELSE 0 END),
  CONSTRAINT step_attempt_result_json CHECK (result IS NULL OR json_valid(result)),
  CONSTRAINT step_attempt_error CHECK (
    CASE state WHEN 'failed' THEN error_message IS NOT NULL WHEN 'interrupted' THEN 1
    ELSE error_message IS NULL AND error_name IS NULL END),
  CONSTRAINT step_attempt_ended CHECK ((ended_at IS NULL) = (state = 'started')),
  CONSTRAINT step_attempt_next CHECK (next_attempt_at IS NULL OR state = 'failed'),
  CONSTRAINT step_attempt_times CHECK (ended_at >= started_at AND next_attempt_at >= ended_at)
) STRICT, WITHOUT ROWID;

INSERT INTO step_attempt SELECT * FROM step_attempt_before;
DROP TABLE step_attempt_before;

CREATE UNIQUE INDEX step_attempt_started_once
  ON step_attempt (instance_id, step_id) WHERE state = 'started';

CREATE TRIGGER step_attempt_identity
BEFORE UPDATE OF instance_id, step_id, number, started_at ON step_attempt
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_identity');
END;

CREATE TRIGGER step_attempt_frozen BEFORE UPDATE ON step_attempt WHEN OLD.state <> 'started'
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_frozen');
END;

CREATE TRIGGER step_attempt_kept BEFORE DELETE ON step_attempt
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_kept');
END;

-- A lease that ends without a result costs an attempt, or its attempt is a released one: never
-- both, never neither. Attempts are written before their task.
CREATE TRIGGER external_task_lease_end BEFORE UPDATE ON external_task
WHEN OLD.state = 'locked' AND NEW.state = 'ready' AND NEW.attempt = OLD.attempt
  AND (NEW.retries = OLD.retries) <> ('released' IS
    (SELECT state FROM step_attempt WHERE instance_id = OLD.instance_id
      AND step_id = OLD.step_id AND number = OLD.attempt))
BEGIN
  SELECT RAISE(ABORT, 'external_task_lease_end');
END;

-- The number of a released attempt is used up, the attempt is not: the step may have one more.
CREATE TRIGGER step_attempt_released BEFORE UPDATE OF state ON step_attempt
WHEN NEW.state = 'released' AND OLD.state = 'started' AND EXISTS
  (SELECT 1 FROM external_task AS task JOIN step_record AS step
      ON step.instance_id = task.instance_id AND step.id = task.step_id
    WHERE task.instance_id = NEW.instance_id AND task.step_id = NEW.step_id
      AND task.state = 'locked' AND step.max_attempts < NEW.number + task.retries)
BEGIN
  SELECT RAISE(ABORT, 'step_attempt_released');
END;
