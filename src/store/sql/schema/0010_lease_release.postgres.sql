-- Leases that are given back without cost: an attempt may end as `released`.

ALTER TABLE step_attempt DROP CONSTRAINT step_attempt_state;
ALTER TABLE step_attempt ADD CONSTRAINT step_attempt_state CHECK (
  state = 'started' OR state = 'succeeded' OR state = 'failed' OR state = 'interrupted'
  OR state = 'released') NOT VALID;

-- A lease that ends without a result costs an attempt, or its attempt is a released one: never
-- both, never neither. Attempts are written before their task.
CREATE FUNCTION external_task_lease_end() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF (NEW.retries = OLD.retries) <> EXISTS (SELECT 1 FROM step_attempt AS attempt
      WHERE attempt.instance_id = OLD.instance_id AND attempt.step_id = OLD.step_id
        AND attempt.number = OLD.attempt AND attempt.state = 'released') THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER external_task_lease_end BEFORE UPDATE ON external_task FOR EACH ROW
WHEN (OLD.state = 'locked' AND NEW.state = 'ready' AND NEW.attempt = OLD.attempt)
EXECUTE FUNCTION external_task_lease_end();

-- The number of a released attempt is used up, the attempt is not: the step may have one more.
CREATE FUNCTION step_attempt_released() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM external_task AS task JOIN step_record AS step
        ON step.instance_id = task.instance_id AND step.id = task.step_id
      WHERE task.instance_id = NEW.instance_id AND task.step_id = NEW.step_id
        AND task.state = 'locked' AND step.max_attempts < NEW.number + task.retries) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER step_attempt_released BEFORE UPDATE ON step_attempt FOR EACH ROW
WHEN (NEW.state = 'released' AND OLD.state = 'started')
EXECUTE FUNCTION step_attempt_released();
