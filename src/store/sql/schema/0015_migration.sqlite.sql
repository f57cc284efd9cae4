-- Migration: an instance goes on with another version of its process. Which ids of elements changed
-- by it is a row; nothing else changes the version of an instance or the element of a row.

-- Written before the instance itself, in the change that migrates it.
CREATE TABLE instance_migration (
  id INTEGER PRIMARY KEY,
  instance_id INTEGER NOT NULL REFERENCES process_instance (id),
  sequence INTEGER NOT NULL,
  from_definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  to_definition_id INTEGER NOT NULL REFERENCES process_definition (id),
  mapping TEXT NOT NULL,
  migrated_at INTEGER NOT NULL,
  CONSTRAINT instance_migration_id CHECK (id > 0),
  CONSTRAINT instance_migration_sequence CHECK (sequence >= 2),
  CONSTRAINT instance_migration_other_version CHECK (from_definition_id <> to_definition_id),
  CONSTRAINT instance_migration_mapping CHECK (
    json_valid(mapping) AND mapping BETWEEN '{' AND '|')
) STRICT;

-- One for each fact of that kind. Serves: the migrations of an instance.
CREATE UNIQUE INDEX instance_migration_once ON instance_migration (instance_id, sequence);

-- Both versions are of the instance's own process and tenant. That there is the instance says the
-- foreign key.
CREATE TRIGGER instance_migration_same_process BEFORE INSERT ON instance_migration
WHEN EXISTS (
  SELECT 1 FROM process_instance AS instance CROSS JOIN process_definition AS definition
  WHERE instance.id = NEW.instance_id
    AND (definition.id = NEW.from_definition_id OR definition.id = NEW.to_definition_id)
    AND (definition.process_id <> instance.process_id
      OR definition.tenant_id <> instance.tenant_id))
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_same_process');
END;

CREATE TRIGGER instance_migration_immutable BEFORE UPDATE ON instance_migration
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_immutable');
END;

CREATE TRIGGER instance_migration_kept BEFORE DELETE ON instance_migration
WHEN NOT EXISTS (SELECT 1 FROM instance_purge WHERE instance_id = OLD.instance_id)
BEGIN
  SELECT RAISE(ABORT, 'instance_migration_kept');
END;

DROP TRIGGER process_instance_pinned;
-- The input is pinned as soon as the run began.
CREATE TRIGGER process_instance_pinned
BEFORE UPDATE OF input ON process_instance
WHEN OLD.status = 'running' OR OLD.status = 'paused'
BEGIN
  SELECT RAISE(ABORT, 'process_instance_pinned');
END;

-- So is the version, but for a migration that this very change brings.
CREATE TRIGGER process_instance_migrated
BEFORE UPDATE OF definition_id ON process_instance
WHEN NEW.definition_id <> OLD.definition_id AND OLD.status <> 'pending' AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration
  WHERE migration.instance_id = OLD.id AND migration.sequence > OLD.last_sequence
    AND migration.sequence <= NEW.last_sequence
    AND migration.from_definition_id = OLD.definition_id
    AND migration.to_definition_id = NEW.definition_id)
BEGIN
  SELECT RAISE(ABORT, 'process_instance_migrated');
END;

-- Live rows follow their element to its new id, and go nowhere else.

DROP TRIGGER scope_identity;
CREATE TRIGGER scope_identity
BEFORE UPDATE OF instance_id, id, parent_id, token_id, kind, loop_index, opened_at,
  loop_total, collection
ON scope
BEGIN
  SELECT RAISE(ABORT, 'scope_identity');
END;

CREATE TRIGGER scope_element BEFORE UPDATE OF node_id ON scope
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'scope_element');
END;

DROP TRIGGER external_task_identity;
CREATE TRIGGER external_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, type, created_at
ON external_task
BEGIN
  SELECT RAISE(ABORT, 'external_task_identity');
END;

CREATE TRIGGER external_task_element BEFORE UPDATE OF node_id ON external_task
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'external_task_element');
END;

DROP TRIGGER user_task_identity;
CREATE TRIGGER user_task_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, name, created_at
ON user_task
BEGIN
  SELECT RAISE(ABORT, 'user_task_identity');
END;

CREATE TRIGGER user_task_element BEFORE UPDATE OF node_id ON user_task
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'user_task_element');
END;

DROP TRIGGER timer_identity;
CREATE TRIGGER timer_identity
BEFORE UPDATE OF id, instance_id, token_id, step_id, created_at, scope_id, position
ON timer
BEGIN
  SELECT RAISE(ABORT, 'timer_identity');
END;

CREATE TRIGGER timer_element BEFORE UPDATE OF node_id ON timer
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'timer_element');
END;

DROP TRIGGER event_subscription_identity;
CREATE TRIGGER event_subscription_identity
BEFORE UPDATE OF id, instance_id, tenant_id, token_id, scope_id, step_id, position, kind,
  name, correlation_key, opened_at
ON event_subscription
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_identity');
END;

CREATE TRIGGER event_subscription_element BEFORE UPDATE OF node_id ON event_subscription
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'event_subscription_element');
END;

DROP TRIGGER incident_identity;
CREATE TRIGGER incident_identity
BEFORE UPDATE OF id, instance_id, token_id, kind, message, details, opened_at
ON incident
BEGIN
  SELECT RAISE(ABORT, 'incident_identity');
END;

CREATE TRIGGER incident_element BEFORE UPDATE OF node_id ON incident
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'incident_element');
END;

DROP TRIGGER compensation_record_identity;
CREATE TRIGGER compensation_record_identity
BEFORE UPDATE OF instance_id, id, scope_id, inner_scope_id, ordinal, variables, recorded_at
ON compensation_record
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_identity');
END;

CREATE TRIGGER compensation_record_element BEFORE UPDATE OF node_id ON compensation_record
WHEN NEW.node_id <> OLD.node_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.node_id AND renamed.value = NEW.node_id)
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_element');
END;

CREATE TRIGGER compensation_record_handler_element
BEFORE UPDATE OF handler_id ON compensation_record
WHEN NEW.handler_id IS NOT OLD.handler_id AND NOT EXISTS (
  SELECT 1 FROM instance_migration AS migration CROSS JOIN json_each(migration.mapping) AS renamed
  WHERE migration.instance_id = OLD.instance_id
    AND renamed.key = OLD.handler_id AND renamed.value = NEW.handler_id)
BEGIN
  SELECT RAISE(ABORT, 'compensation_record_handler_element');
END;
