-- Migration: an instance goes on with another version of its process. Which ids of elements changed
-- by it is a row; nothing else changes the version of an instance or the element of a row.
--
-- The twin of 0015_migration.sqlite.sql.

-- Written before the instance itself, in the change that migrates it.
CREATE TABLE instance_migration (
  id bigint CONSTRAINT instance_migration_key PRIMARY KEY,
  instance_id bigint NOT NULL REFERENCES process_instance (id),
  sequence bigint NOT NULL,
  from_definition_id bigint NOT NULL REFERENCES process_definition (id),
  to_definition_id bigint NOT NULL REFERENCES process_definition (id),
  mapping json NOT NULL,
  migrated_at timestamptz NOT NULL,
  CONSTRAINT instance_migration_id CHECK (id > 0),
  CONSTRAINT instance_migration_sequence CHECK (sequence >= 2),
  CONSTRAINT instance_migration_other_version CHECK (from_definition_id <> to_definition_id),
  CONSTRAINT instance_migration_mapping CHECK (json_typeof(mapping) = 'object')
);

-- One for each fact of that kind. Serves: the migrations of an instance.
CREATE UNIQUE INDEX instance_migration_once ON instance_migration (instance_id, sequence);

-- Both versions are of the instance's own process and tenant. That there is the instance says the
-- foreign key.
CREATE FUNCTION instance_migration_same_process() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
      SELECT 1 FROM process_instance AS instance CROSS JOIN process_definition AS definition
      WHERE instance.id = NEW.instance_id
        AND definition.id IN (NEW.from_definition_id, NEW.to_definition_id)
        AND (definition.process_id <> instance.process_id
          OR definition.tenant_id <> instance.tenant_id)) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER instance_migration_same_process BEFORE INSERT ON instance_migration FOR EACH ROW
EXECUTE FUNCTION instance_migration_same_process();

CREATE TRIGGER instance_migration_immutable BEFORE UPDATE ON instance_migration FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER instance_migration_kept AFTER DELETE ON instance_migration
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
EXECUTE FUNCTION refuse_removal();

DROP TRIGGER process_instance_pinned ON process_instance;
-- The input is pinned as soon as the run began.
CREATE TRIGGER process_instance_pinned
BEFORE UPDATE OF input ON process_instance FOR EACH ROW
WHEN (OLD.status = 'running' OR OLD.status = 'paused')
EXECUTE FUNCTION refuse_change();

-- So is the version, but for a migration that this very change brings.
CREATE FUNCTION process_instance_migrated() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.id AND migration.sequence > OLD.last_sequence
        AND migration.sequence <= NEW.last_sequence
        AND migration.from_definition_id = OLD.definition_id
        AND migration.to_definition_id = NEW.definition_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER process_instance_migrated
BEFORE UPDATE OF definition_id ON process_instance FOR EACH ROW
WHEN (NEW.definition_id <> OLD.definition_id AND OLD.status <> 'pending')
EXECUTE FUNCTION process_instance_migrated();

-- Live rows follow their element to its new id, and go nowhere else.
CREATE FUNCTION refuse_unmapped() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.instance_id
        AND migration.mapping ->> OLD.node_id = NEW.node_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION refuse_unmapped_handler() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (
      SELECT 1 FROM instance_migration AS migration
      WHERE migration.instance_id = OLD.instance_id
        AND migration.mapping ->> OLD.handler_id = NEW.handler_id) THEN
    RAISE EXCEPTION USING MESSAGE = TG_NAME, ERRCODE = 'check_violation', CONSTRAINT = TG_NAME,
      TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

DROP TRIGGER scope_identity ON scope;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, kind, loop_index, opened_at,
  loop_total, collection
ON scope FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER scope_element BEFORE UPDATE OF node_id ON scope FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER external_task_identity ON external_task;
CREATE TRIGGER external_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, type, created_at
ON external_task FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER external_task_element BEFORE UPDATE OF node_id ON external_task FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER user_task_identity ON user_task;
CREATE TRIGGER user_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, name, created_at
ON user_task FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER user_task_element BEFORE UPDATE OF node_id ON user_task FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER timer_identity ON timer;
CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, created_at, scope_id, position
ON timer FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER timer_element BEFORE UPDATE OF node_id ON timer FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER event_subscription_identity ON event_subscription;
CREATE TRIGGER event_subscription_identity
BEFORE UPDATE OF id, instance_id, tenant_id, token_id, scope_id, step_id, position, kind,
  name, correlation_key, opened_at
ON event_subscription FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER event_subscription_element
BEFORE UPDATE OF node_id ON event_subscription FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER incident_identity ON incident;
CREATE TRIGGER incident_identity
BEFORE UPDATE OF id, instance_id, token_id, kind, message, details, opened_at
ON incident FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER incident_element BEFORE UPDATE OF node_id ON incident FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

DROP TRIGGER compensation_record_identity ON compensation_record;
CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, inner_scope_id, ordinal, variables, recorded_at
ON compensation_record FOR EACH ROW
EXECUTE FUNCTION refuse_change();

CREATE TRIGGER compensation_record_element
BEFORE UPDATE OF node_id ON compensation_record FOR EACH ROW
WHEN (NEW.node_id <> OLD.node_id)
EXECUTE FUNCTION refuse_unmapped();

CREATE TRIGGER compensation_record_handler_element
BEFORE UPDATE OF handler_id ON compensation_record FOR EACH ROW
WHEN (NEW.handler_id IS DISTINCT FROM OLD.handler_id)
EXECUTE FUNCTION refuse_unmapped_handler();
