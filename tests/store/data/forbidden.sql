-- What must never be: each attempt on the rows of representative.sql is refused by the rule named
-- above it. Where PostgreSQL's types refuse what a CHECK refuses on SQLite, its rule stands behind;
-- statements that only SQLite has are marked so.

-- refused: schema_migration_version
INSERT INTO schema_migration VALUES (0, 'zero',
  '00000000000000000000000000000000000000000000000000000000000000aa', 1);
-- refused: schema_migration_name
INSERT INTO schema_migration VALUES (900, '',
  '00000000000000000000000000000000000000000000000000000000000000aa', 1);
-- refused: schema_migration_checksum
INSERT INTO schema_migration VALUES (900, 'x', 'short', 1);
-- refused: schema_migration_key
INSERT INTO schema_migration VALUES (1, 'again',
  '00000000000000000000000000000000000000000000000000000000000000aa', 1);
-- refused: schema_migration_immutable
UPDATE schema_migration SET checksum =
  '00000000000000000000000000000000000000000000000000000000000000aa';
-- refused: key_block_next_key; SQLite
INSERT INTO key_block VALUES ('other', 0);
-- refused: key_block_key; SQLite
INSERT INTO key_block VALUES ('row', 5);
-- refused: key_block_grows; SQLite
UPDATE key_block SET next_key = next_key - 1;
-- refused: key_block_grows; SQLite
UPDATE key_block SET name = 'other';
-- refused: key_block_kept; SQLite
DELETE FROM key_block;
-- refused: key_block_kept; SQLite
REPLACE INTO key_block VALUES ('row', 1);

-- refused: process_definition_id
INSERT INTO process_definition VALUES (-1, '', 'p', 1, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_key
INSERT INTO process_definition VALUES (1, '', 'p', 1, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_process_id
INSERT INTO process_definition VALUES (9, '', '', 1, 'flow', 'active', '', NULL, NULL, NULL, NULL,
  1, NULL);
-- refused: process_definition_version
INSERT INTO process_definition VALUES (9, '', 'p', 0, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_kind
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'dmn', 'active', '', NULL, NULL, NULL, NULL,
  1, NULL);
-- refused: process_definition_state
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'flow', 'deleted', '', NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_source
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'bpmn', 'active', '', NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_source
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'bpmn', 'active', '', NULL, NULL, '<x/>',
  NULL, 1, NULL);
-- refused: process_definition_source
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'flow', 'active', '', NULL, NULL, '<x/>',
  NULL, 1, NULL);
-- refused: process_definition_digest
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'bpmn', 'active', '', NULL, NULL, '<x/>',
  'abc', 1, NULL);
-- refused: process_definition_version_once
INSERT INTO process_definition VALUES (9, '', 'nightly', 1, 'flow', 'active', '', NULL, NULL,
  NULL, NULL, 1, NULL);
-- refused: process_definition_immutable
UPDATE process_definition SET source = '<changed/>' WHERE id = 1;
-- refused: process_definition_immutable
UPDATE process_definition SET version = 2 WHERE id = 1;
-- refused: process_definition_state
UPDATE process_definition SET state = 'gone' WHERE id = 1;
-- refused: foreign_key
DELETE FROM process_definition WHERE id = 1;
-- refused: process_definition_name_required
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'flow', 'active', NULL, NULL, NULL, NULL,
  NULL, 1, NULL);
-- refused: process_definition_deployed_at_type; PostgreSQL: value_type
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 'soon', NULL);

-- refused: process_instance_id
INSERT INTO process_instance VALUES (0, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_key
INSERT INTO process_instance VALUES (100, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: foreign_key
INSERT INTO process_instance VALUES (900, 77, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_definition_id_required
INSERT INTO process_instance VALUES (900, NULL, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_input_required
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, NULL, NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_process_id
INSERT INTO process_instance VALUES (900, 1, '', '', NULL, 0, 'running', 1, 1, 0, '{}', NULL, 1,
  1, NULL, 1, NULL, NULL);
-- refused: process_instance_unique_business_key; SQLite
INSERT INTO process_instance VALUES (900, 1, '', 'order', 'k', 2, 'running', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_unique_business_key
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 1, 'running', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_business_key_once
INSERT INTO process_instance VALUES (900, 1, '', 'order', 'A-1', 1, 'running', 1, 1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_status
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'sleeping', 1, 1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_version
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 0, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_last_sequence
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, -1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_step_count
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, -1, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_input; PostgreSQL: value_type
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{broken',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_input
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '[1]',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_input
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, 'null',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_end_reason
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}',
  'why', 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_started
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  1, NULL, NULL, 1, NULL, NULL);
-- refused: process_instance_started
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'pending', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_started
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'completed', 1, 1, 0, '{}',
  NULL, 1, NULL, 1, 1, NULL, NULL);
-- refused: process_instance_ended
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'completed', 1, 1, 0, '{}',
  NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: process_instance_ended
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  1, 1, 2, 2, NULL, NULL);
-- refused: process_instance_times
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  5, 4, NULL, 5, NULL, NULL);
-- refused: process_instance_times
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'completed', 1, 1, 0, '{}',
  NULL, 5, 7, 6, 7, NULL, NULL);
-- refused: process_instance_migrated
UPDATE process_instance SET definition_id = 2, version = 10 WHERE id = 100;
-- refused: process_instance_migrated
UPDATE process_instance SET definition_id = 5, version = 10, last_sequence = 10 WHERE id = 100;
-- refused: process_instance_migrated
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 5, '{}', 1600);
UPDATE process_instance SET definition_id = 5, version = 10 WHERE id = 100;
-- refused: process_instance_migrated
INSERT INTO instance_migration VALUES (390, 100, 9, 1, 5, '{}', 1600);
UPDATE process_instance SET definition_id = 5, version = 10, last_sequence = 10 WHERE id = 100;
-- refused: process_instance_migrated
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 5, '{}', 1600);
UPDATE process_instance SET definition_id = 2, version = 10, last_sequence = 10 WHERE id = 100;
-- refused: process_instance_frozen
INSERT INTO instance_migration VALUES (390, 200, 6, 1, 5, '{}', 1600);
UPDATE process_instance SET definition_id = 5, version = 10, last_sequence = 10 WHERE id = 200;
-- refused: process_instance_pinned
UPDATE process_instance SET input = '{"a":2}', version = 10 WHERE id = 100;
-- refused: process_instance_frozen
UPDATE process_instance SET input = '{}' WHERE id = 200;
-- refused: process_instance_identity
UPDATE process_instance SET tenant_id = 'other', version = 10 WHERE id = 100;
-- refused: process_instance_identity
UPDATE process_instance SET business_key = 'B-2', version = 2 WHERE id = 300;
-- refused: process_instance_version_grows
UPDATE process_instance SET last_sequence = 10 WHERE id = 100;
-- refused: process_instance_version_grows
UPDATE process_instance SET version = 8 WHERE id = 100;
-- refused: process_instance_counters_grow
UPDATE process_instance SET version = 10, last_sequence = 8 WHERE id = 100;
-- refused: process_instance_counters_grow
UPDATE process_instance SET version = 10, step_count = 6 WHERE id = 100;
-- refused: process_instance_transition
UPDATE process_instance SET version = 10, status = 'pending', started_at = NULL WHERE id = 100;
-- refused: process_instance_transition
UPDATE process_instance SET version = 10, started_at = 1100 WHERE id = 100;
-- refused: process_instance_transition
UPDATE process_instance SET version = 2, status = 'completed', started_at = 1000, ended_at = 1100,
  updated_at = 1100 WHERE id = 300;
-- refused: process_instance_transition
UPDATE process_instance SET version = 2, status = 'failed', started_at = 1000, ended_at = 1100,
  updated_at = 1100 WHERE id = 300;
-- refused: process_instance_transition
UPDATE process_instance SET version = 2, status = 'paused', started_at = 1000 WHERE id = 300;
-- refused: process_instance_transition
UPDATE process_instance SET version = 4, status = 'completed', ended_at = 1400, updated_at = 1400
  WHERE id = 400;
-- refused: process_instance_transition
UPDATE process_instance SET version = 4, status = 'failed', ended_at = 1400, updated_at = 1400
  WHERE id = 400;
-- refused: process_instance_frozen
UPDATE process_instance SET version = 6, status = 'running', ended_at = NULL WHERE id = 200;
-- refused: process_instance_frozen
UPDATE process_instance SET version = 6, status = 'failed' WHERE id = 200;
-- refused: process_instance_frozen
UPDATE process_instance SET version = 6 WHERE id = 200;
-- refused: process_instance_frozen
UPDATE process_instance SET version = 3, status = 'running', started_at = 1200, ended_at = NULL,
  end_reason = NULL WHERE id = 500;
-- refused: process_instance_frozen
UPDATE process_instance SET version = 3, end_reason = 'other' WHERE id = 600;
-- refused: process_instance_kept; PostgreSQL: foreign_key
DELETE FROM process_instance WHERE id = 100;

-- refused: scope_id
INSERT INTO scope VALUES (300, 0, NULL, NULL, 'order', 'process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_key
INSERT INTO scope VALUES (100, 104, 101, 103, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_parent
INSERT INTO scope VALUES (100, 900, 900, 103, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: foreign_key
INSERT INTO scope VALUES (100, 900, 401, 103, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: foreign_key
INSERT INTO scope VALUES (100, 900, 101, 202, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: foreign_key
INSERT INTO scope VALUES (999, 900, NULL, NULL, 'order', 'process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_kind
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'lane', 'open', NULL, '{}', 1, NULL, NULL,
  NULL, NULL);
-- refused: scope_root
INSERT INTO scope VALUES (100, 900, NULL, NULL, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_root
INSERT INTO scope VALUES (100, 900, 101, NULL, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_root
INSERT INTO scope VALUES (100, 900, 101, 103, 'order', 'process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_root_once
INSERT INTO scope VALUES (100, 900, NULL, NULL, 'order', 'process', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_state
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'sub_process', 'half', NULL, '{}', 1, 2,
  NULL, NULL, NULL);
-- refused: scope_loop_index
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'sub_process', 'open', -1, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_loop_index_once
INSERT INTO scope VALUES (100, 900, 106, 103, 'pack', 'sub_process', 'open', 0, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_variables; PostgreSQL: value_type
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'sub_process', 'open', NULL, '{', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_variables
UPDATE scope SET variables = '[]' WHERE id = 101;
-- refused: scope_closed
UPDATE scope SET state = 'completed' WHERE id = 104;
-- refused: scope_closed
UPDATE scope SET closed_at = 2000 WHERE id = 104;
-- refused: scope_times
UPDATE scope SET state = 'completed', closed_at = 1 WHERE id = 104;
-- refused: scope_identity
UPDATE scope SET parent_id = 104 WHERE id = 101;
-- refused: scope_identity
UPDATE scope SET token_id = 102 WHERE id = 104;
-- refused: scope_frozen
UPDATE scope SET state = 'open', closed_at = NULL WHERE id = 201;
-- refused: scope_frozen
UPDATE scope SET variables = '{"late":true}' WHERE id = 105;
-- refused: scope_kept; PostgreSQL: foreign_key
DELETE FROM scope WHERE id = 101;

-- refused: token_id
INSERT INTO token VALUES (100, -5, 101, NULL, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_key
INSERT INTO token VALUES (100, 102, 101, NULL, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_parent
INSERT INTO token VALUES (100, 900, 101, 900, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: foreign_key
INSERT INTO token VALUES (100, 900, 101, 202, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: foreign_key
INSERT INTO token VALUES (100, 900, 201, NULL, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_scope_id_required
INSERT INTO token VALUES (100, 900, NULL, NULL, 'a', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_node_id
INSERT INTO token VALUES (100, 900, 101, NULL, '', NULL, 'ready', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_state
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'flying', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_mode
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'ready', 'backward', 0, 1, 1, NULL, 0);
-- refused: token_attempt
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'ready', 'forward', -1, 1, 1, NULL, 0);
-- refused: token_version
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'ready', 'forward', 0, 0, 1, NULL, 0);
-- refused: token_ended
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'completed', 'forward', 0, 1, 1, NULL, 0);
-- refused: token_ended
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'waiting', 'forward', 0, 1, 1, 2, 0);
-- refused: token_times
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'completed', 'forward', 0, 1, 5, 4, 0);
-- refused: token_attempt_type; PostgreSQL: value_type
INSERT INTO token VALUES (100, 900, 101, NULL, 'a', NULL, 'ready', 'forward', 'one', 1, 1, NULL, 0);
-- refused: token_identity
UPDATE token SET scope_id = 104, version = 5 WHERE id = 102;
-- refused: token_identity
UPDATE token SET mode = 'compensation', version = 5 WHERE id = 102;
-- refused: token_version_grows
UPDATE token SET node_id = 'elsewhere' WHERE id = 102;
-- refused: token_version_grows
UPDATE token SET node_id = 'elsewhere', version = 3 WHERE id = 102;
-- refused: token_frozen
UPDATE token SET state = 'ready', ended_at = NULL, version = 6 WHERE id = 202;
-- refused: token_frozen
UPDATE token SET state = 'terminated', version = 6 WHERE id = 202;
-- refused: token_frozen
UPDATE token SET version = 6 WHERE id = 202;
-- refused: token_frozen
UPDATE token SET state = 'completed', version = 4 WHERE id = 114;

-- refused: step_record_id
INSERT INTO step_record VALUES (300, 0, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL, 0,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_key
INSERT INTO step_record VALUES (100, 121, 's', 's', '', 'service_task', 'pending', 99, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: foreign_key
INSERT INTO step_record VALUES (999, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: foreign_key
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, 102,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_slug
INSERT INTO step_record VALUES (300, 900, '', 's', '', 'service_task', 'pending', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_slug_once
INSERT INTO step_record VALUES (100, 900, 'charge', 'charge', '', 'service_task', 'pending', 99,
  NULL, 102, 0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_ordinal_once
INSERT INTO step_record VALUES (100, 900, 'charge#2', 'charge', '', 'service_task', 'pending', 1,
  NULL, 102, 0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_node_id
INSERT INTO step_record VALUES (300, 900, 's', '', '', 'service_task', 'pending', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_type
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'robot', 'pending', 1, NULL, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'lost', 1, NULL, NULL, 0,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'waiting', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'run', 'waiting', 1, NULL, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'sleep', 'pending', 1, NULL, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'user_task', 'running', 1, NULL, NULL, 1,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: step_record_status
UPDATE step_record SET status = 'failed', error_message = 'x', completed_at = 1200 WHERE id = 122;
-- refused: step_record_status
UPDATE step_record SET status = 'failed', error_message = 'x', completed_at = 1200 WHERE id = 123;
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'wait', 'running', 1, NULL, NULL, 1, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: step_record_ordinal
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 0, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_parent_runs
INSERT INTO step_record VALUES (400, 900, 's', 's', '', 'run', 'pending', 99, 900, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_parent_runs
INSERT INTO step_record VALUES (400, 900, 's', 's', '', 'run', 'pending', 99, 424, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_parent_runs
INSERT INTO step_record VALUES (100, 900, 's', 's', '', 'run', 'pending', 99, 121, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_parent_runs
INSERT INTO step_record VALUES (100, 900, 's', 's', '', 'run', 'pending', 99, 421, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_parent
INSERT INTO step_record VALUES (400, 421, 'batch', 'batch', '', 'run', 'running', 1, 421, NULL,
  1, 3, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1000, 1000, NULL, 1000, NULL, NULL);
-- refused: step_record_attempt_count
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL,
  -1, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_attempts_started
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'running', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: step_record_attempts_bounded
UPDATE step_record SET attempt_count = 4 WHERE id = 121;
-- refused: step_record_max_attempts
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL,
  0, 0, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_output
UPDATE step_record SET status = 'completed', completed_at = 1200, output = '1' WHERE id = 121;
-- refused: step_record_output
UPDATE step_record SET status = 'completed', completed_at = 1200, output_type = 'json' WHERE id =
  121;
-- refused: step_record_output
UPDATE step_record SET status = 'completed', completed_at = 1200, output_type = 'artifact', output
  = '1' WHERE id = 121;
-- refused: step_record_output
UPDATE step_record SET status = 'completed', completed_at = 1200, output_type = 'json', output =
  '1', output_artifact = 'artifact://2' WHERE id = 121;
-- refused: step_record_output
UPDATE step_record SET output_type = 'xml' WHERE id = 121;
-- refused: step_record_output_json; PostgreSQL: value_type
UPDATE step_record SET status = 'completed', completed_at = 1200, output_type = 'json', output =
  'undefined' WHERE id = 121;
-- refused: step_record_output_completed
UPDATE step_record SET output_type = 'json', output = '1' WHERE id = 121;
-- refused: step_record_error
UPDATE step_record SET error_message = 'Too early.' WHERE id = 121;
-- refused: step_record_error
UPDATE step_record SET error_name = 'Early' WHERE id = 121;
-- refused: step_record_error
UPDATE step_record SET status = 'failed', completed_at = 1200 WHERE id = 121;
-- refused: step_record_error
UPDATE step_record SET status = 'completed', completed_at = 1300 WHERE id = 124;
-- refused: step_record_trace
UPDATE step_record SET span_id = NULL WHERE id = 121;
-- refused: step_record_trace
UPDATE step_record SET span_id = '0123456789abcdef' WHERE id = 122;
-- refused: step_record_trace
UPDATE step_record SET trace_id = 'short', span_id = '0123456789abcdef' WHERE id = 122;
-- refused: step_record_started
UPDATE step_record SET status = 'completed', completed_at = 1200, updated_at = 1200 WHERE id = 422;
-- refused: step_record_started
UPDATE step_record SET status = 'running' WHERE id = 422;
-- refused: step_record_completed
UPDATE step_record SET status = 'completed' WHERE id = 121;
-- refused: step_record_completed
UPDATE step_record SET completed_at = 1200 WHERE id = 121;
-- refused: step_record_completed
UPDATE step_record SET status = 'cancelled' WHERE id = 121;
-- refused: step_record_times
UPDATE step_record SET started_at = 1 WHERE id = 121;
-- refused: step_record_times
UPDATE step_record SET status = 'completed', completed_at = 1005 WHERE id = 121;
-- refused: step_record_identity
UPDATE step_record SET slug = 'other' WHERE id = 121;
-- refused: step_record_identity
UPDATE step_record SET type = 'run' WHERE id = 121;
-- refused: step_record_identity
UPDATE step_record SET parent_step_id = NULL WHERE id = 422;
-- refused: step_record_attempts_grow
UPDATE step_record SET attempt_count = 0, started_at = NULL, status = 'pending' WHERE id = 121;
-- refused: step_record_frozen
UPDATE step_record SET status = 'running', completed_at = NULL, output_type = 'none', output =
  NULL WHERE id = 125;
-- refused: step_record_frozen
UPDATE step_record SET output = '2' WHERE id = 125;
-- refused: step_record_frozen
UPDATE step_record SET updated_at = 1500 WHERE id = 125;
-- refused: step_record_frozen
UPDATE step_record SET status = 'pending', completed_at = NULL WHERE id = 126;

-- refused: step_attempt_number
INSERT INTO step_attempt VALUES (100, 126, 0, 'started', NULL, 'none', NULL, NULL, NULL, 1, NULL,
  NULL);
-- refused: step_attempt_key
INSERT INTO step_attempt VALUES (100, 124, 3, 'started', NULL, 'none', NULL, NULL, NULL, 1, NULL,
  NULL);
-- refused: foreign_key
INSERT INTO step_attempt VALUES (200, 121, 2, 'started', NULL, 'none', NULL, NULL, NULL, 1, NULL,
  NULL);
-- refused: step_attempt_state
INSERT INTO step_attempt VALUES (100, 126, 1, 'done', NULL, 'none', NULL, NULL, NULL, 1, 2, NULL);
-- refused: step_attempt_started_once
INSERT INTO step_attempt VALUES (100, 121, 2, 'started', NULL, 'none', NULL, NULL, NULL, 1, NULL,
  NULL);
-- refused: step_attempt_result
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'json', NULL, NULL, NULL, 1, 2,
  NULL);
-- refused: step_attempt_result
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'none', 'null', NULL, NULL, 1, 2,
  NULL);
-- refused: step_attempt_result
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'artifact', NULL, NULL, NULL, 1,
  2, NULL);
-- refused: step_attempt_result
INSERT INTO step_attempt VALUES (100, 126, 1, 'failed', NULL, 'json', '1', NULL, 'x', 1, 2, NULL);
-- refused: step_attempt_result_json; PostgreSQL: value_type
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'json', 'undefined', NULL, NULL,
  1, 2, NULL);
-- refused: step_attempt_error
INSERT INTO step_attempt VALUES (100, 126, 1, 'failed', NULL, 'none', NULL, 'Name', NULL, 1, 2,
  NULL);
-- refused: step_attempt_error
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'none', NULL, NULL, 'x', 1, 2,
  NULL);
-- refused: step_attempt_error
INSERT INTO step_attempt VALUES (100, 126, 1, 'started', NULL, 'none', NULL, 'Name', NULL, 1,
  NULL, NULL);
-- refused: step_attempt_ended
INSERT INTO step_attempt VALUES (100, 126, 1, 'started', NULL, 'none', NULL, NULL, NULL, 1, 2,
  NULL);
-- refused: step_attempt_ended
INSERT INTO step_attempt VALUES (100, 126, 1, 'interrupted', NULL, 'none', NULL, NULL, NULL, 1,
  NULL, NULL);
-- refused: step_attempt_next
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'none', NULL, NULL, NULL, 1, 2, 3);
-- refused: step_attempt_next
INSERT INTO step_attempt VALUES (100, 126, 1, 'interrupted', NULL, 'none', NULL, NULL, NULL, 1, 2,
  3);
-- refused: step_attempt_next
INSERT INTO step_attempt VALUES (100, 126, 1, 'released', NULL, 'none', NULL, NULL, NULL, 1, 2, 3);
-- refused: step_attempt_ended
INSERT INTO step_attempt VALUES (100, 126, 1, 'released', NULL, 'none', NULL, NULL, NULL, 1, NULL,
  NULL);
-- refused: step_attempt_error
INSERT INTO step_attempt VALUES (100, 126, 1, 'released', NULL, 'none', NULL, 'Name', 'x', 1, 2,
  NULL);
-- refused: step_attempt_result
INSERT INTO step_attempt VALUES (100, 126, 1, 'released', NULL, 'json', '1', NULL, NULL, 1, 2,
  NULL);
-- refused: step_attempt_times
INSERT INTO step_attempt VALUES (100, 126, 1, 'succeeded', NULL, 'none', NULL, NULL, NULL, 3, 2,
  NULL);
-- refused: step_attempt_times
INSERT INTO step_attempt VALUES (100, 126, 1, 'failed', NULL, 'none', NULL, NULL, 'x', 1, 5, 4);
-- refused: step_attempt_identity
UPDATE step_attempt SET number = 2 WHERE step_id = 121;
-- refused: step_attempt_frozen
UPDATE step_attempt SET state = 'started', ended_at = NULL, result_type = 'none', result = NULL
  WHERE step_id = 125;
-- refused: step_attempt_frozen
UPDATE step_attempt SET state = 'succeeded', error_name = NULL, error_message = NULL WHERE step_id
  = 124 AND number = 3;
-- refused: step_attempt_frozen
UPDATE step_attempt SET state = 'failed', error_message = 'x' WHERE step_id = 124 AND number = 2;
-- refused: step_attempt_frozen
UPDATE step_attempt SET state = 'released' WHERE step_id = 124 AND number = 2;
-- refused: step_attempt_frozen
UPDATE step_record SET max_attempts = 4 WHERE id = 121;
UPDATE step_attempt SET state = 'released', ended_at = 1500 WHERE step_id = 121;
UPDATE step_attempt SET state = 'released', ended_at = 1600 WHERE step_id = 121;
-- refused: step_attempt_released
UPDATE step_attempt SET state = 'released', ended_at = 1500 WHERE step_id = 121;

-- refused: external_task_id
INSERT INTO external_task VALUES (0, 100, 103, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_key
INSERT INTO external_task VALUES (131, 100, 103, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: foreign_key
INSERT INTO external_task VALUES (900, 200, 102, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: foreign_key
INSERT INTO external_task VALUES (900, 100, 103, 421, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_node_id
INSERT INTO external_task VALUES (900, 100, 103, 127, '', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_type
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', '', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_state
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'stolen', 1, 1, NULL, NULL, 0,
  '{}', 1, 2);
-- refused: external_task_retries
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'ready', -1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_locked
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'locked', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_locked
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'locked', 1, 1, 'worker-1',
  NULL, 0, '{}', 1, NULL);
-- refused: external_task_locked
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'locked', 1, 1, NULL, 9000, 0,
  '{}', 1, NULL);
-- refused: external_task_locked
UPDATE external_task SET state = 'ready', retries = 2 WHERE id = 131;
-- refused: external_task_locked
UPDATE external_task SET state = 'completed', ended_at = 2000 WHERE id = 131;
-- refused: external_task_locked
UPDATE external_task SET lock_expires_at = NULL WHERE id = 131;
-- refused: external_task_lease_end
UPDATE external_task SET state = 'ready', worker_id = NULL, lock_expires_at = NULL WHERE id = 131;
-- refused: external_task_lease_end
UPDATE step_record SET max_attempts = 4 WHERE id = 121;
UPDATE step_attempt SET state = 'released', ended_at = 1500 WHERE step_id = 121;
UPDATE external_task SET state = 'ready', worker_id = NULL, lock_expires_at = NULL, retries = 2
  WHERE id = 131;
-- refused: external_task_lease_end
UPDATE step_attempt SET state = 'interrupted', ended_at = 1500 WHERE step_id = 121;
UPDATE external_task SET state = 'ready', worker_id = NULL, lock_expires_at = NULL WHERE id = 131;
-- refused: external_task_attempt
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, -1,
  '{}', 1, NULL);
-- refused: external_task_variables
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '"text"', 1, NULL);
-- refused: external_task_ended
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, 2);
-- refused: external_task_ended
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'failed', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_times
INSERT INTO external_task VALUES (900, 100, 103, 127, 'a', 't', 0, 'completed', 1, 1, NULL, NULL,
  0, '{}', 5, 4);
-- refused: external_task_step_once
INSERT INTO external_task VALUES (900, 100, 103, 125, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_open_once
INSERT INTO external_task VALUES (900, 100, 102, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_open_once
INSERT INTO external_task VALUES (900, 100, 113, 127, 'a', 't', 0, 'ready', 1, 1, NULL, NULL, 0,
  '{}', 1, NULL);
-- refused: external_task_identity
UPDATE external_task SET token_id = 103 WHERE id = 131;
-- refused: external_task_identity
UPDATE external_task SET type = 'other' WHERE id = 131;
-- refused: external_task_retries_shrink
UPDATE external_task SET retries = 4 WHERE id = 131;
-- refused: external_task_attempt_grows
UPDATE external_task SET attempt = 0 WHERE id = 131;
-- refused: external_task_frozen
UPDATE external_task SET state = 'ready', ended_at = NULL WHERE id = 133;
-- refused: external_task_frozen
UPDATE external_task SET state = 'failed' WHERE id = 133;
-- refused: external_task_frozen
UPDATE external_task SET retries = 0 WHERE id = 133;
-- refused: external_task_frozen
UPDATE external_task SET state = 'completed' WHERE id = 134;

-- refused: user_task_id
INSERT INTO user_task VALUES (0, 100, 103, 127, 'a', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_key
INSERT INTO user_task VALUES (141, 100, 103, 127, 'a', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: foreign_key
INSERT INTO user_task VALUES (900, 100, 202, 127, 'a', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_node_id
INSERT INTO user_task VALUES (900, 100, 103, 127, '', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_state
INSERT INTO user_task VALUES (900, 100, 103, 127, 'a', '', 'claimed', NULL, '[]', '[]', NULL,
  NULL, NULL, 0, 1, 2);
-- refused: user_task_candidate_groups; PostgreSQL: value_type
INSERT INTO user_task VALUES (900, 100, 103, 127, 'a', '', 'open', NULL, 'sales', '[]', NULL,
  NULL, NULL, 0, 1, NULL);
-- refused: user_task_candidate_groups
INSERT INTO user_task VALUES (900, 100, 103, 127, 'a', '', 'open', NULL, '{}', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_candidate_users
INSERT INTO user_task VALUES (900, 100, 103, 127, 'a', '', 'open', NULL, '[]', '{}', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_ended
UPDATE user_task SET state = 'completed' WHERE id = 141;
-- refused: user_task_ended
UPDATE user_task SET ended_at = 2000 WHERE id = 141;
-- refused: user_task_times
UPDATE user_task SET state = 'completed', ended_at = 1 WHERE id = 141;
-- refused: user_task_step_once
INSERT INTO user_task VALUES (900, 100, 103, 122, 'a', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_open_once
INSERT INTO user_task VALUES (900, 100, 110, 127, 'a', '', 'open', NULL, '[]', '[]', NULL, NULL,
  NULL, 0, 1, NULL);
-- refused: user_task_identity
UPDATE user_task SET step_id = 127 WHERE id = 141;
-- refused: user_task_frozen
UPDATE user_task SET state = 'cancelled', ended_at = 2000 WHERE id = 141; UPDATE user_task SET
  state = 'open', ended_at = NULL WHERE id = 141;

-- refused: timer_id
INSERT INTO timer VALUES (0, 100, 111, 123, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: timer_key
INSERT INTO timer VALUES (151, 100, 111, 123, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: foreign_key
INSERT INTO timer VALUES (900, 400, 111, NULL, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: foreign_key
INSERT INTO timer VALUES (900, 100, 111, 421, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: timer_node_id
INSERT INTO timer VALUES (900, 100, 111, 123, '', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: timer_status
INSERT INTO timer VALUES (900, 100, 111, 123, 'a', 'late', 1, 1, NULL, 1, 2, NULL, 0);
-- refused: timer_occurrence
INSERT INTO timer VALUES (900, 100, 111, 123, 'a', 'scheduled', 1, 0, NULL, 1, NULL, NULL, 0);
-- refused: timer_cycle
INSERT INTO timer VALUES (900, 100, 111, 123, 'a', 'scheduled', 1, 1, '', 1, NULL, NULL, 0);
-- refused: timer_ended
UPDATE timer SET status = 'fired' WHERE id = 151;
-- refused: timer_ended
UPDATE timer SET ended_at = 9000 WHERE id = 151;
-- refused: timer_times
UPDATE timer SET status = 'fired', ended_at = 1 WHERE id = 151;
-- refused: timer_due_at_required
UPDATE timer SET due_at = NULL WHERE id = 151;
-- refused: timer_identity
UPDATE timer SET token_id = 102 WHERE id = 151;
-- refused: timer_frozen
UPDATE timer SET status = 'scheduled', ended_at = NULL WHERE id = 152;
-- refused: timer_frozen
UPDATE timer SET ended_at = 1300 WHERE id = 152;

-- refused: parallel_join_id
INSERT INTO parallel_join VALUES (100, 0, 101, 'join', 9, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_key
INSERT INTO parallel_join VALUES (100, 161, 101, 'join', 9, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: foreign_key
INSERT INTO parallel_join VALUES (100, 900, 401, 'join', 1, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_node_id
INSERT INTO parallel_join VALUES (100, 900, 101, '', 1, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_generation
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 0, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_generation_once
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 2, 2, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_expected
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 0, 0, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_joined
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 2, 3, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_joined
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 2, -1, 'open', 1, NULL, 'parallel');
-- refused: parallel_join_state
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 2, 0, 'ajar', 1, 2, 'parallel');
-- refused: parallel_join_fired
UPDATE parallel_join SET state = 'fired', closed_at = 1200 WHERE id = 162;
-- refused: parallel_join_closed
UPDATE parallel_join SET state = 'cancelled' WHERE id = 162;
-- refused: parallel_join_closed
UPDATE parallel_join SET closed_at = 1200 WHERE id = 162;
-- refused: parallel_join_times
UPDATE parallel_join SET state = 'cancelled', closed_at = 1 WHERE id = 162;
-- refused: parallel_join_identity
UPDATE parallel_join SET expected = 1 WHERE id = 162;
-- refused: parallel_join_identity
UPDATE parallel_join SET generation = 3 WHERE id = 162;
-- refused: parallel_join_joined_grows
UPDATE parallel_join SET joined = 0 WHERE id = 162;
-- refused: parallel_join_frozen
UPDATE parallel_join SET closed_at = 1300 WHERE id = 161;
-- refused: parallel_join_frozen
UPDATE parallel_join SET state = 'open', closed_at = NULL WHERE id = 161;

-- refused: join_arrival_key
INSERT INTO join_arrival VALUES (100, 162, 'flow_5', 103, 1200);
-- refused: foreign_key
INSERT INTO join_arrival VALUES (200, 162, 'flow_6', 202, 1200);
-- refused: foreign_key
INSERT INTO join_arrival VALUES (100, 162, 'flow_6', 202, 1200);
-- refused: join_arrival_flow_id
INSERT INTO join_arrival VALUES (100, 162, '', 103, 1200);
-- refused: join_arrival_append_only
UPDATE join_arrival SET token_id = 103;
-- refused: join_arrival_kept
DELETE FROM join_arrival;

-- refused: incident_id
INSERT INTO incident VALUES (0, 100, 102, 'a', 'bad_timer', 'm', '{}', 'open', 1, NULL, NULL);
-- refused: incident_key
INSERT INTO incident VALUES (171, 100, 102, 'a', 'bad_timer', 'm', '{}', 'open', 1, NULL, NULL);
-- refused: foreign_key
INSERT INTO incident VALUES (900, 100, 202, 'a', 'bad_timer', 'm', '{}', 'open', 1, NULL, NULL);
-- refused: incident_kind
INSERT INTO incident VALUES (900, 100, 102, 'a', 'bad_luck', 'm', '{}', 'open', 1, NULL, NULL);
-- refused: incident_details
INSERT INTO incident VALUES (900, 100, 102, 'a', 'bad_timer', 'm', '1', 'open', 1, NULL, NULL);
-- refused: incident_state
INSERT INTO incident VALUES (900, 100, 102, 'a', 'bad_timer', 'm', '{}', 'ignored', 1, 2, NULL);
-- refused: incident_open_once
INSERT INTO incident VALUES (900, 100, 113, 'a', 'bad_timer', 'm', '{}', 'open', 1, NULL, NULL);
-- refused: incident_resolved
UPDATE incident SET state = 'resolved' WHERE id = 171;
-- refused: incident_resolved
UPDATE incident SET resolved_at = 2000 WHERE id = 171;
-- refused: incident_resolved_by
UPDATE incident SET resolved_by = 'kim' WHERE id = 171;
-- refused: incident_times
UPDATE incident SET state = 'resolved', resolved_at = 1 WHERE id = 171;
-- refused: incident_identity
UPDATE incident SET message = 'Nothing happened.' WHERE id = 171;
-- refused: incident_frozen
UPDATE incident SET state = 'open', resolved_at = NULL, resolved_by = NULL WHERE id = 172;
-- refused: incident_frozen
UPDATE incident SET resolved_by = 'lee' WHERE id = 172;

-- refused: dead_letter_id
INSERT INTO dead_letter VALUES (0, 100, 131, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: dead_letter_key
INSERT INTO dead_letter VALUES (181, 100, 131, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: foreign_key
INSERT INTO dead_letter VALUES (900, 999, 131, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: foreign_key
INSERT INTO dead_letter VALUES (900, 100, 999, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: dead_letter_kind
INSERT INTO dead_letter VALUES (900, 100, 131, 'zombie', 'open', 'r', '{}', 1, NULL);
-- refused: dead_letter_task
INSERT INTO dead_letter VALUES (900, 100, NULL, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: dead_letter_state
INSERT INTO dead_letter VALUES (900, 100, 131, 'exhausted_task', 'lost', 'r', '{}', 1, 2);
-- refused: dead_letter_payload; PostgreSQL: value_type
INSERT INTO dead_letter VALUES (900, 100, 131, 'exhausted_task', 'open', 'r', '{"a":}', 1, NULL);
-- refused: dead_letter_payload
INSERT INTO dead_letter VALUES (900, 100, 131, 'exhausted_task', 'open', 'r', '[]', 1, NULL);
-- refused: dead_letter_open_once
INSERT INTO dead_letter VALUES (900, 100, 132, 'exhausted_task', 'open', 'r', '{}', 1, NULL);
-- refused: dead_letter_closed
UPDATE dead_letter SET state = 'requeued' WHERE id = 181;
-- refused: dead_letter_times
UPDATE dead_letter SET state = 'requeued', closed_at = 1 WHERE id = 181;
-- refused: dead_letter_identity
UPDATE dead_letter SET payload = '{"other":1}' WHERE id = 181;
-- refused: dead_letter_frozen
UPDATE dead_letter SET state = 'open', closed_at = NULL WHERE id = 182;

-- refused: history_event_sequence
INSERT INTO history_event VALUES (100, 0, 'x', 'y', 1, '{}');
-- refused: history_event_key
INSERT INTO history_event VALUES (100, 2, 'x', 'y', 1, '{}');
-- refused: foreign_key
INSERT INTO history_event VALUES (999, 1, 'x', 'y', 1, '{}');
-- refused: history_event_event_type
INSERT INTO history_event VALUES (100, 3, '', 'y', 1, '{}');
-- refused: history_event_category
INSERT INTO history_event VALUES (100, 3, 'x', '', 1, '{}');
-- refused: history_event_payload; PostgreSQL: value_type
INSERT INTO history_event VALUES (100, 3, 'x', 'y', 1, '');
-- refused: history_event_payload
INSERT INTO history_event VALUES (100, 3, 'x', 'y', 1, '[]');
-- refused: history_event_append_only
UPDATE history_event SET payload = '{"instance_id":"101"}' WHERE sequence = 1;
-- refused: history_event_append_only
UPDATE history_event SET sequence = 3 WHERE sequence = 2;
-- refused: history_event_kept
DELETE FROM history_event WHERE sequence = 2;
-- refused: history_event_kept; SQLite
REPLACE INTO history_event VALUES (100, 2, 'x', 'y', 1, '{}');

-- refused: idempotency_key_named
INSERT INTO idempotency_key VALUES ('', '',
  '00000000000000000000000000000000000000000000000000000000000000bb', '{}', 1, 2);
-- refused: idempotency_key_key
INSERT INTO idempotency_key VALUES ('start-1', '',
  '00000000000000000000000000000000000000000000000000000000000000cc', '{}', 1, 2);
-- refused: idempotency_key_request_digest
INSERT INTO idempotency_key VALUES ('start-2', '', 'short', '{}', 1, 2);
-- refused: idempotency_key_outcome; PostgreSQL: value_type
INSERT INTO idempotency_key VALUES ('start-2', '',
  '00000000000000000000000000000000000000000000000000000000000000bb', 'ok', 1, 2);
-- refused: idempotency_key_times
INSERT INTO idempotency_key VALUES ('start-2', '',
  '00000000000000000000000000000000000000000000000000000000000000bb', '{}', 2, 2);
-- refused: idempotency_key_immutable
UPDATE idempotency_key SET outcome = '{"id":"200"}';

-- refused: audit_entry_id
INSERT INTO audit_entry VALUES (0, '', 100, 'kim', 'retry', '{}', 1);
-- refused: audit_entry_key
INSERT INTO audit_entry VALUES (191, '', 100, 'kim', 'retry', '{}', 1);
-- refused: foreign_key
INSERT INTO audit_entry VALUES (900, '', 999, 'kim', 'retry', '{}', 1);
-- refused: audit_entry_actor
INSERT INTO audit_entry VALUES (900, '', 100, '', 'retry', '{}', 1);
-- refused: audit_entry_action
INSERT INTO audit_entry VALUES (900, '', 100, 'kim', '', '{}', 1);
-- refused: audit_entry_details; PostgreSQL: value_type
INSERT INTO audit_entry VALUES (900, '', 100, 'kim', 'retry', 'why', 1);
-- refused: audit_entry_details
INSERT INTO audit_entry VALUES (900, '', 100, 'kim', 'retry', '[]', 1);
-- refused: audit_entry_append_only
UPDATE audit_entry SET actor = 'lee';
-- refused: audit_entry_kept
DELETE FROM audit_entry;

-- Retention: who goes.
-- refused: instance_purge_ended
INSERT INTO instance_purge VALUES (100, 2000, 2000, 0);
-- refused: instance_purge_ended
INSERT INTO instance_purge VALUES (300, 2000, 2000, 0);
-- refused: instance_purge_ended
INSERT INTO instance_purge VALUES (400, 2000, 2000, 0);
-- refused: instance_purge_ended
INSERT INTO instance_purge VALUES (999, 2000, 2000, 0);
-- refused: instance_purge_ended
INSERT INTO instance_purge VALUES (200, 1399, 2000, 0);
-- refused: instance_purge_times
INSERT INTO instance_purge VALUES (200, 2000, 1999, 0);
-- refused: instance_purge_passing
INSERT INTO instance_purge VALUES (200, 2000, 2000, 1);
-- refused: instance_purge_key
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
-- refused: instance_purge_immutable
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
UPDATE instance_purge SET instance_id = 100;
-- refused: instance_purge_whole
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
DELETE FROM instance_purge;
-- refused: instance_purge_whole
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM instance_purge;
-- refused: foreign_key
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
COMMIT;
-- refused: foreign_key
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
DELETE FROM history_event WHERE instance_id = 200;
COMMIT;
-- refused: foreign_key
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM process_instance WHERE id = 500;
COMMIT;
-- refused: foreign_key
INSERT INTO instance_purge VALUES (200, 2000, 2000, 0);
DELETE FROM process_instance WHERE id = 200;
-- Retention: what goes. Rows of the one that goes do not take others along.
-- refused: process_instance_kept
DELETE FROM process_instance WHERE id = 500;
-- refused: process_instance_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM process_instance WHERE id = 500 OR id = 600;
-- refused: scope_kept
DELETE FROM scope WHERE instance_id = 200 AND id = 204;
-- refused: scope_kept
DELETE FROM scope WHERE instance_id = 100 AND id = 105;
-- refused: scope_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM scope WHERE instance_id = 200 AND id = 204;
-- refused: token_kept; PostgreSQL: foreign_key
DELETE FROM token WHERE id = 202;
-- refused: token_kept
DELETE FROM token WHERE id = 205;
-- refused: token_kept; PostgreSQL: foreign_key
DELETE FROM token WHERE id = 112;
-- refused: step_record_kept; PostgreSQL: foreign_key
DELETE FROM step_record WHERE id = 221;
-- refused: step_record_kept; PostgreSQL: foreign_key
DELETE FROM step_record WHERE id = 122;
-- refused: step_record_kept
DELETE FROM step_record WHERE id = 424;
-- refused: step_attempt_kept
DELETE FROM step_attempt WHERE instance_id = 200;
-- refused: step_attempt_kept
DELETE FROM step_attempt WHERE instance_id = 100 AND number = 2;
-- refused: step_attempt_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM step_attempt WHERE instance_id = 200;
-- refused: external_task_kept; PostgreSQL: foreign_key
DELETE FROM external_task WHERE id = 231;
-- refused: external_task_kept
DELETE FROM external_task WHERE id = 131;
-- refused: user_task_kept
DELETE FROM user_task WHERE id = 241;
-- refused: user_task_kept
DELETE FROM user_task WHERE id = 141;
-- refused: user_task_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM user_task WHERE id = 241;
-- refused: timer_kept
DELETE FROM timer WHERE id = 251;
-- refused: timer_kept
DELETE FROM timer WHERE id = 151;
-- refused: timer_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM timer WHERE id = 251;
-- refused: parallel_join_kept; PostgreSQL: foreign_key
DELETE FROM parallel_join WHERE id = 261;
-- refused: parallel_join_kept
DELETE FROM parallel_join WHERE id = 161;
-- refused: join_arrival_kept
DELETE FROM join_arrival WHERE instance_id = 200;
-- refused: join_arrival_kept
DELETE FROM join_arrival WHERE instance_id = 100;
-- refused: join_arrival_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM join_arrival WHERE instance_id = 200;
-- refused: incident_kept
DELETE FROM incident WHERE id = 271;
-- refused: incident_kept
DELETE FROM incident WHERE id = 172;
-- refused: incident_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM incident WHERE id = 271;
-- refused: dead_letter_kept
DELETE FROM dead_letter WHERE id = 281;
-- refused: dead_letter_kept
DELETE FROM dead_letter WHERE id = 182;
-- refused: dead_letter_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM dead_letter WHERE id = 281;
-- refused: history_event_kept
DELETE FROM history_event WHERE instance_id = 200;
-- refused: history_event_kept
DELETE FROM history_event WHERE instance_id = 100;
-- refused: history_event_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM history_event WHERE instance_id = 200;
-- refused: audit_entry_kept
DELETE FROM audit_entry WHERE id = 291;
-- refused: audit_entry_kept
DELETE FROM audit_entry WHERE id = 191;
-- refused: audit_entry_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
DELETE FROM audit_entry WHERE id = 291;
-- refused: audit_entry_kept
INSERT INTO instance_purge VALUES (500, 2000, 2000, 0);
INSERT INTO audit_entry VALUES (900, '', NULL, 'kim', 'deploy', '{}', 1400);
DELETE FROM audit_entry WHERE id = 900;
-- refused: external_task_kept; SQLite
REPLACE INTO external_task SELECT * FROM external_task WHERE id = 231;

-- Events.
-- refused: process_instance_parent
INSERT INTO process_instance VALUES (900, 1, '', 'order', NULL, 0, 'running', 1, 1, 0, '{}', NULL,
  1, 1, NULL, 1, 100, NULL);
-- refused: process_instance_identity
UPDATE process_instance SET version = 20, parent_instance_id = 100, parent_token_id = 111
WHERE id = 100;
-- refused: scope_iteration
INSERT INTO scope VALUES (100, 900, 106, 103, 'pack', 'iteration', 'open', NULL, '{}', 1, NULL,
  NULL, NULL, NULL);
-- refused: scope_output
UPDATE scope SET state = 'terminated', closed_at = 1600, output = '1'
WHERE instance_id = 100 AND id = 104;
-- refused: scope_output
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'sub_process', 'completed', NULL, '{}', 1, 2,
  'null', NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'receive_task', 'running', 1, NULL, NULL, 1,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, NULL, 1, NULL, NULL);
-- refused: step_record_status
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'call_activity', 'pending', 1, NULL, NULL,
  0, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, 7, NULL);
-- refused: token_listener
INSERT INTO token VALUES (100, 900, 101, NULL, 'n', NULL, 'ready', 'forward', 0, 1, 1, NULL, -1);
-- refused: step_record_listener
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'listener', 'pending', 1, NULL, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, NULL);
-- refused: step_record_listener
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL, 0,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, 1);
-- refused: step_record_listener
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'listener', 'pending', 1, NULL, NULL, 0, 1,
  'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, NULL, 0);
-- refused: step_record_identity
UPDATE step_record SET listener = 2 WHERE id = 121;
-- refused: step_record_called
INSERT INTO step_record VALUES (300, 900, 's', 's', '', 'service_task', 'pending', 1, NULL, NULL, 0,
  1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL, 1, 7, NULL);
-- refused: timer_owner
INSERT INTO timer VALUES (900, 100, 111, NULL, 'a', 'scheduled', 1, 1, NULL, 1, NULL, 101, 0);
-- refused: timer_owner
INSERT INTO timer VALUES (900, 100, NULL, NULL, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, 0);
-- refused: timer_position
INSERT INTO timer VALUES (900, 100, 111, NULL, 'a', 'scheduled', 1, 1, NULL, 1, NULL, NULL, -1);
-- refused: foreign_key
INSERT INTO timer VALUES (900, 100, NULL, NULL, 'a', 'scheduled', 1, 1, NULL, 1, NULL, 201, 0);
-- refused: timer_identity
UPDATE timer SET position = 3 WHERE id = 153;
-- refused: parallel_join_kind
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 2, 0, 'open', 1, NULL, 'exclusive');
-- refused: parallel_join_fired
INSERT INTO parallel_join VALUES (100, 900, 101, 'join', 9, 2, 0, 'fired', 1, 1, 'inclusive');
-- refused: parallel_join_identity
UPDATE parallel_join SET kind = 'inclusive' WHERE id = 162;

-- refused: event_subscription_id
INSERT INTO event_subscription VALUES (0, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_key
INSERT INTO event_subscription VALUES (301, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_owner
INSERT INTO event_subscription VALUES (900, 100, '', 111, 101, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_owner
INSERT INTO event_subscription VALUES (900, 100, '', NULL, NULL, NULL, 'n', 0, 'message', 'm',
  NULL, 'open', 0, NULL, 1, NULL);
-- refused: event_subscription_step
INSERT INTO event_subscription VALUES (900, 100, '', NULL, 101, 123, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_node_id
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, '', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_position
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', -1, 'message', 'm',
  NULL, 'open', 0, NULL, 1, NULL);
-- refused: event_subscription_kind
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'error', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_name
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', '', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_name
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'conditional', 'm',
  NULL, 'open', 0, 0, 1, NULL);
-- refused: event_subscription_correlation_key
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'signal', 'm', 'k',
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_state
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'ajar', 0, NULL, 1, 2);
-- refused: event_subscription_trigger_count
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', -1, NULL, 1, NULL);
-- refused: event_subscription_trigger_count
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'triggered', 0, NULL, 1, 2);
-- refused: event_subscription_condition_holds
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, 1, 1, NULL);
-- refused: event_subscription_condition_holds
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'conditional', '',
  NULL, 'open', 0, NULL, 1, NULL);
-- refused: event_subscription_closed
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, 2);
-- refused: event_subscription_closed
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'cancelled', 0, NULL, 1, NULL);
-- refused: event_subscription_times
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'cancelled', 0, NULL, 5, 2);
-- refused: event_subscription_token_once
INSERT INTO event_subscription VALUES (900, 100, '', 111, NULL, NULL, 'paid', 0, 'message', 'm',
  NULL, 'open', 0, NULL, 1, NULL);
-- refused: event_subscription_scope_once
INSERT INTO event_subscription VALUES (900, 100, '', NULL, 101, NULL, 'stop', 0, 'message', 'm',
  NULL, 'open', 0, NULL, 1, NULL);
-- refused: foreign_key
INSERT INTO event_subscription VALUES (900, 200, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: foreign_key
INSERT INTO event_subscription VALUES (900, 100, '', NULL, 201, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: foreign_key
INSERT INTO event_subscription VALUES (900, 999, '', 111, NULL, NULL, 'n', 0, 'message', 'm', NULL,
  'open', 0, NULL, 1, NULL);
-- refused: event_subscription_identity
UPDATE event_subscription SET correlation_key = 'B-2' WHERE id = 301;
-- refused: event_subscription_frozen
UPDATE event_subscription SET trigger_count = 2 WHERE id = 304;
-- refused: event_subscription_frozen
UPDATE event_subscription SET state = 'open', closed_at = NULL WHERE id = 303;
-- refused: event_subscription_trigger_count_grows
UPDATE event_subscription SET trigger_count = 1 WHERE id = 302;
-- refused: event_subscription_kept
DELETE FROM event_subscription WHERE id = 304;
-- refused: event_subscription_kept
DELETE FROM event_subscription WHERE id = 301;

-- refused: pending_event_id
INSERT INTO pending_event VALUES (0, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_key
INSERT INTO pending_event VALUES (311, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_sender
INSERT INTO pending_event VALUES (900, NULL, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_sender
INSERT INTO pending_event VALUES (900, 100, '', NULL, 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_kind
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'error', 'm', NULL, 200, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', NULL, NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', '', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, 200, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'call', NULL, NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, NULL, '', NULL, 'signal_to', NULL, NULL, 200, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_name
INSERT INTO pending_event VALUES (900, NULL, '', NULL, 'start', NULL, NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_correlation_key
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'signal', 'm', 'k', NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_target
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'call_ended', NULL, NULL, 100, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_target
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'call', NULL, NULL, 100, 111, '{}', 'pending',
  0, 1, NULL);
-- refused: pending_event_payload
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '[1]',
  'pending', 0, 1, NULL);
-- refused: pending_event_state
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'lost', 0, 1, 2);
-- refused: pending_event_reached_id
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 5, 1, NULL);
-- refused: pending_event_reached_id
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'signal', 'm', NULL, NULL, NULL, '{}',
  'pending', -1, 1, NULL);
-- refused: pending_event_closed
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, 2);
-- refused: pending_event_closed
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'delivered', 0, 1, NULL);
-- refused: pending_event_times
INSERT INTO pending_event VALUES (900, 100, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'delivered', 0, 5, 2);
-- refused: foreign_key
INSERT INTO pending_event VALUES (900, 999, '', 'n', 'message', 'm', NULL, NULL, NULL, '{}',
  'pending', 0, 1, NULL);
-- refused: pending_event_identity
UPDATE pending_event SET payload = '{"a":1}' WHERE id = 311;
-- refused: pending_event_frozen
UPDATE pending_event SET state = 'pending', closed_at = NULL WHERE id = 313;
-- refused: pending_event_reached_id_grows
UPDATE pending_event SET reached_id = 301 WHERE id = 312;
-- refused: pending_event_kept
DELETE FROM pending_event WHERE id = 313;
-- refused: pending_event_kept
DELETE FROM pending_event WHERE id = 312;

-- refused: inbound_event_id
INSERT INTO inbound_event VALUES (0, '', 'm', NULL, NULL, '{}', 1, 9, NULL, NULL);
-- refused: inbound_event_key
INSERT INTO inbound_event VALUES (321, '', 'm', NULL, NULL, '{}', 1, 9, NULL, NULL);
-- refused: inbound_event_name
INSERT INTO inbound_event VALUES (900, '', '', NULL, NULL, '{}', 1, 9, NULL, NULL);
-- refused: inbound_event_message_id
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, '', '{}', 1, 9, NULL, NULL);
-- refused: inbound_event_payload
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, NULL, '1', 1, 9, NULL, NULL);
-- refused: inbound_event_claimed
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, NULL, '{}', 1, 9, 1, NULL);
-- refused: inbound_event_claimed
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, NULL, '{}', 1, 9, NULL, 1);
-- refused: inbound_event_times
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, NULL, '{}', 5, 4, NULL, NULL);
-- refused: inbound_event_times
INSERT INTO inbound_event VALUES (900, '', 'm', NULL, NULL, '{}', 5, 9, 1, 4);
-- refused: inbound_event_message_once
INSERT INTO inbound_event VALUES (900, '', 'payment', NULL, 'm-1', '{}', 1, 9, NULL, NULL);
-- refused: inbound_event_identity
UPDATE inbound_event SET name = 'x' WHERE id = 321;
-- refused: inbound_event_follows
UPDATE inbound_event SET correlation_key = '100' WHERE id = 321;
-- refused: inbound_event_follows
UPDATE inbound_event SET correlation_key = NULL WHERE id = 321;
-- refused: inbound_event_follows
UPDATE inbound_event SET correlation_key = 'x' WHERE id = 321;
-- refused: inbound_event_claimed_once
UPDATE inbound_event SET claimed_by = 301, claimed_at = 1300 WHERE id = 322;

-- refused: definition_subscription_id
INSERT INTO definition_subscription VALUES (0, 1, '', 'order', 'n', 0, 'message', 'm', NULL, NULL,
  1, 'open', 1, NULL);
-- refused: definition_subscription_key
INSERT INTO definition_subscription VALUES (331, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'open', 1, NULL);
-- refused: definition_subscription_node_id
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', '', 0, 'message', 'm', NULL, NULL,
  1, 'open', 1, NULL);
-- refused: definition_subscription_position
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', -1, 'message', 'm', NULL,
  NULL, 1, 'open', 1, NULL);
-- refused: definition_subscription_kind
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'error', NULL, NULL, NULL,
  1, 'open', 1, NULL);
-- refused: definition_subscription_name
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', NULL, NULL,
  NULL, 1, 'open', 1, NULL);
-- refused: definition_subscription_name
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', '', NULL, NULL,
  1, 'open', 1, NULL);
-- refused: definition_subscription_name
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'conditional', 'm', NULL,
  NULL, 1, 'open', 1, NULL);
-- refused: definition_subscription_timer
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL, 5,
  1, 'open', 1, NULL);
-- refused: definition_subscription_timer
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'timer', NULL, NULL, NULL,
  1, 'open', 1, NULL);
-- refused: definition_subscription_timer
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'timer', NULL, '', 5, 1,
  'open', 1, NULL);
-- refused: definition_subscription_occurrence
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 0, 'open', 1, NULL);
-- refused: definition_subscription_state
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'ajar', 1, 2);
-- refused: definition_subscription_closed
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'open', 1, 2);
-- refused: definition_subscription_closed
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'closed', 1, NULL);
-- refused: definition_subscription_times
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'closed', 5, 2);
-- refused: definition_subscription_once
INSERT INTO definition_subscription VALUES (900, 1, '', 'order', 'ordered', 0, 'message', 'm',
  NULL, NULL, 1, 'open', 1, NULL);
-- refused: foreign_key
INSERT INTO definition_subscription VALUES (900, 77, '', 'order', 'n', 0, 'message', 'm', NULL,
  NULL, 1, 'open', 1, NULL);
-- refused: definition_subscription_identity
UPDATE definition_subscription SET name = 'x' WHERE id = 331;
-- refused: definition_subscription_frozen
UPDATE definition_subscription SET due_at = 9999 WHERE id = 333;
-- refused: definition_subscription_occurrence_grows
UPDATE definition_subscription SET occurrence = 1 WHERE id = 332;

-- refused: compensation_record_id
INSERT INTO compensation_record VALUES (100, 0, 101, 'n', 'h', NULL, 99, 'pending', NULL, '{}', 1,
  NULL, NULL);
-- refused: compensation_record_key
INSERT INTO compensation_record VALUES (100, 341, 101, 'n', 'h', NULL, 99, 'pending', NULL, '{}',
  1, NULL, NULL);
-- refused: compensation_record_node_id
INSERT INTO compensation_record VALUES (100, 900, 101, '', 'h', NULL, 99, 'pending', NULL, '{}', 1,
  NULL, NULL);
-- refused: compensation_record_handler
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', NULL, NULL, 99, 'pending', NULL, '{}',
  1, NULL, NULL);
-- refused: compensation_record_handler
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', '', NULL, 99, 'pending', NULL, '{}', 1,
  NULL, NULL);
-- refused: compensation_record_ordinal
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 0, 'pending', NULL, '{}', 1,
  NULL, NULL);
-- refused: compensation_record_ordinal_once
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 20, 'pending', NULL, '{}',
  1, NULL, NULL);
-- refused: compensation_record_status
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'undone', 111, '{}', 1,
  2, NULL);
-- refused: compensation_record_started
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'pending', NULL, '{}',
  1, 2, NULL);
-- refused: compensation_record_started
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'running', NULL, '{}',
  1, 2, NULL);
-- refused: compensation_record_ended
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'completed', 111, '{}',
  1, 2, NULL);
-- refused: compensation_record_variables
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'pending', NULL, '[]',
  1, NULL, NULL);
-- refused: compensation_record_times
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'running', 111, '{}', 5,
  2, NULL);
-- refused: foreign_key
INSERT INTO compensation_record VALUES (100, 900, 201, 'n', 'h', NULL, 99, 'pending', NULL, '{}',
  1, NULL, NULL);
-- refused: foreign_key
INSERT INTO compensation_record VALUES (100, 900, 101, 'n', 'h', NULL, 99, 'running', 202, '{}', 1,
  2, NULL);
-- refused: foreign_key
INSERT INTO compensation_record VALUES (999, 900, 101, 'n', 'h', NULL, 99, 'pending', NULL, '{}',
  1, NULL, NULL);
-- refused: compensation_record_identity
UPDATE compensation_record SET variables = '{"a":2}' WHERE id = 341;
-- refused: compensation_record_handler_element
UPDATE compensation_record SET handler_id = 'x' WHERE id = 341;
-- refused: compensation_record_handler_element
UPDATE compensation_record SET handler_id = 'x' WHERE id = 342;
-- refused: compensation_record_frozen
UPDATE compensation_record SET status = 'failed' WHERE id = 343;
-- refused: compensation_record_once
UPDATE compensation_record SET status = 'pending', token_id = NULL,
  started_at = NULL WHERE id = 342;
-- refused: compensation_record_once
UPDATE compensation_record SET token_id = 111 WHERE id = 342;
-- refused: compensation_record_kept
DELETE FROM compensation_record WHERE id = 343;
-- refused: compensation_record_kept
DELETE FROM compensation_record WHERE id = 341;

-- refused: process_definition_deployment
INSERT INTO process_definition VALUES (9, '', 'p', 1, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 1, 0);
-- refused: process_definition_deployment_once
INSERT INTO process_definition VALUES (9, '', 'order', 9, 'flow', 'active', '', NULL, NULL, NULL,
  NULL, 1, 3);
-- refused: process_definition_immutable
UPDATE process_definition SET deployment_id = 4 WHERE id = 1;

-- refused: decision_requirements_id
INSERT INTO decision_requirements VALUES (0, '', 'm', 1, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_key
INSERT INTO decision_requirements VALUES (351, '', 'm', 1, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_model_id
INSERT INTO decision_requirements VALUES (900, '', '', 1, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_version
INSERT INTO decision_requirements VALUES (900, '', 'm', 0, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_imports
INSERT INTO decision_requirements VALUES (900, '', 'm', 1, 'M', 'm.dmn', '<d/>', '{}',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_digest
INSERT INTO decision_requirements VALUES (900, '', 'm', 1, 'M', 'm.dmn', '<d/>', '[]',
  'abc', 9, 1);
-- refused: decision_requirements_deployment
INSERT INTO decision_requirements VALUES (900, '', 'm', 1, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 0, 1);
-- refused: decision_requirements_version_once
INSERT INTO decision_requirements VALUES (900, '', 'dish', 1, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 9, 1);
-- refused: decision_requirements_deployment_once
INSERT INTO decision_requirements VALUES (900, '', 'dish', 9, 'M', 'm.dmn', '<d/>', '[]',
  '00000000000000000000000000000000000000000000000000000000000000aa', 4, 1);
-- refused: decision_requirements_immutable
UPDATE decision_requirements SET source = '<changed/>' WHERE id = 351;
-- refused: foreign_key
DELETE FROM decision_requirements WHERE id = 351;

-- refused: decision_definition_id
INSERT INTO decision_definition VALUES (0, '', 'D', 1, 'decision', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_key
INSERT INTO decision_definition VALUES (361, '', 'D', 1, 'decision', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_decision_id
INSERT INTO decision_definition VALUES (900, '', '', 1, 'decision', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_version
INSERT INTO decision_definition VALUES (900, '', 'D', 0, 'decision', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_kind
INSERT INTO decision_definition VALUES (900, '', 'D', 1, 'model', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_version_tag
INSERT INTO decision_definition VALUES (900, '', 'D', 1, 'decision', 'D', '', 351, 9,
  1);
-- refused: decision_definition_deployment
INSERT INTO decision_definition VALUES (900, '', 'D', 1, 'decision', 'D', NULL, 351, 0,
  1);
-- refused: decision_definition_version_once
INSERT INTO decision_definition VALUES (900, '', 'Dish', 1, 'decision', 'D', NULL, 351, 9,
  1);
-- refused: decision_definition_deployment_once
INSERT INTO decision_definition VALUES (900, '', 'Dish', 9, 'decision', 'D', NULL, 351, 4,
  1);
-- refused: foreign_key
INSERT INTO decision_definition VALUES (900, '', 'D', 1, 'decision', 'D', NULL, 999, 9,
  1);
-- refused: decision_definition_immutable
UPDATE decision_definition SET version_tag = 'v9' WHERE id = 361;
-- refused: foreign_key
DELETE FROM decision_definition WHERE id = 361;

-- refused: decision_evaluation_id
INSERT INTO decision_evaluation VALUES (0, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_key
INSERT INTO decision_evaluation VALUES (371, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_node_id
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, '', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_inputs
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '[]',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_output; PostgreSQL: value_type
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  '{', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_matched_rules
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '{}', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_evaluated
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '{}', '[]', NULL, 1);
-- refused: decision_evaluation_warnings
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '{}', NULL, 1);
-- refused: decision_evaluation_error
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', '', 1);
-- refused: foreign_key
INSERT INTO decision_evaluation VALUES (900, 999, 111, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: foreign_key
INSERT INTO decision_evaluation VALUES (900, 100, 202, 121, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: foreign_key
INSERT INTO decision_evaluation VALUES (900, 100, 111, 221, 'n', 361, 'Dish', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: foreign_key
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Dish', 2, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: foreign_key
INSERT INTO decision_evaluation VALUES (900, 100, 111, 121, 'n', 361, 'Menu', 1, '{}',
  'null', '[]', '[]', '[]', NULL, 1);
-- refused: decision_evaluation_immutable
UPDATE decision_evaluation SET output = '1' WHERE id = 371;
-- refused: decision_evaluation_kept
DELETE FROM decision_evaluation WHERE id = 371;
-- Repeated activities.
-- refused: scope_loop_total
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'sub_process', 'open', NULL, '{}', 1, NULL,
  NULL, 2, NULL);
-- refused: scope_loop_total
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, -1, NULL);
-- refused: scope_collection
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, NULL, '[]');
-- refused: scope_collection
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, 2, '[1]');
-- refused: scope_collection
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, 0, '{}');
-- refused: scope_identity
UPDATE scope SET loop_total = 1 WHERE instance_id = 100 AND id = 106;
-- refused: scope_identity
UPDATE scope SET collection = '[1,2,3]' WHERE instance_id = 100 AND id = 106;
-- refused: scope_iteration_within
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'iteration', 'open', 0, '{}', 1, NULL, NULL,
  NULL, NULL);
-- refused: scope_iteration_within
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, 1, '[5]');
INSERT INTO scope VALUES (100, 901, 900, 103, 'pack', 'iteration', 'open', 1, '{}', 1, NULL, NULL,
  NULL, NULL);
-- refused: scope_iteration_within
INSERT INTO scope VALUES (100, 900, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1,
  NULL, NULL, NULL, NULL);
INSERT INTO scope VALUES (100, 901, 900, 103, 'ship', 'iteration', 'open', 0, '{}', 1, NULL, NULL,
  NULL, NULL);

-- refused: instance_migration_id
INSERT INTO instance_migration VALUES (0, 100, 10, 1, 5, '{}', 1600);
-- refused: instance_migration_key
INSERT INTO instance_migration VALUES (381, 100, 10, 1, 5, '{}', 1600);
-- refused: foreign_key
INSERT INTO instance_migration VALUES (390, 900, 10, 1, 5, '{}', 1600);
-- refused: foreign_key
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 77, '{}', 1600);
-- refused: instance_migration_sequence
INSERT INTO instance_migration VALUES (390, 100, 1, 1, 5, '{}', 1600);
-- refused: instance_migration_sequence_required
INSERT INTO instance_migration VALUES (390, 100, NULL, 1, 5, '{}', 1600);
-- refused: instance_migration_other_version
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 1, '{}', 1600);
-- refused: instance_migration_mapping; PostgreSQL: value_type
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 5, '{', 1600);
-- refused: instance_migration_mapping
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 5, '[]', 1600);
-- refused: instance_migration_once
INSERT INTO instance_migration VALUES (390, 100, 4, 1, 5, '{}', 1600);
-- refused: instance_migration_same_process
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 2, '{}', 1600);
-- refused: instance_migration_same_process
INSERT INTO instance_migration VALUES (390, 100, 10, 2, 5, '{}', 1600);
-- refused: instance_migration_same_process
INSERT INTO instance_migration VALUES (390, 100, 10, 1, 6, '{}', 1600);
-- refused: instance_migration_immutable
UPDATE instance_migration SET mapping = '{}' WHERE id = 381;
-- refused: instance_migration_kept
DELETE FROM instance_migration WHERE id = 381;
-- refused: scope_element
UPDATE scope SET node_id = 'elsewhere' WHERE instance_id = 100 AND id = 106;
-- refused: external_task_element
UPDATE external_task SET node_id = 'elsewhere' WHERE id = 131;
-- refused: external_task_element
UPDATE external_task SET node_id = 'bill' WHERE id = 131;
-- refused: user_task_element
UPDATE user_task SET node_id = 'elsewhere' WHERE id = 141;
-- refused: timer_element
UPDATE timer SET node_id = 'elsewhere' WHERE id = 151;
-- refused: event_subscription_element
UPDATE event_subscription SET node_id = 'elsewhere' WHERE id = 301;
-- refused: incident_element
UPDATE incident SET node_id = 'elsewhere' WHERE id = 171;
-- refused: compensation_record_element
UPDATE compensation_record SET node_id = 'elsewhere' WHERE id = 341;
-- Flows.
-- refused: flow_run_key
INSERT INTO flow_run VALUES (100, 111, NULL, 0, NULL, 0, NULL, NULL, NULL);
-- refused: foreign_key
INSERT INTO flow_run VALUES (999, 111, NULL, 0, NULL, 0, NULL, NULL, NULL);
-- refused: flow_run_host
UPDATE flow_run SET host = '' WHERE instance_id = 200;
-- refused: flow_run_unheard
UPDATE flow_run SET unheard = -1 WHERE instance_id = 100;
-- refused: flow_run_identity
UPDATE flow_run SET token_id = 110 WHERE instance_id = 100;
-- refused: flow_run_identity
UPDATE flow_run SET instance_id = 999 WHERE instance_id = 100;
-- refused: flow_run_transition
UPDATE flow_run SET host = NULL WHERE instance_id = 100;
-- refused: flow_run_transition
UPDATE flow_run SET cancel_reason = 'other' WHERE instance_id = 200;
-- refused: flow_run_transition
UPDATE flow_run SET admitted_at = 1001 WHERE instance_id = 100;
-- refused: flow_run_identity
UPDATE flow_run SET priority = 9 WHERE instance_id = 100;
-- refused: flow_run_kept
DELETE FROM flow_run WHERE instance_id = 100;
-- refused: flow_run_identity
UPDATE flow_run SET previous_instance_id = 300 WHERE instance_id = 200;
-- refused: flow_run_identity
UPDATE flow_run SET priority = 6 WHERE instance_id = 200;
-- refused: flow_run_identity
UPDATE flow_run SET limit_key = 'other' WHERE instance_id = 200;
-- refused: flow_run_transition
UPDATE flow_run SET admitted_at = 1001 WHERE instance_id = 100;
-- refused: flow_completion_key
INSERT INTO flow_completion VALUES (400, 'order', 'failed', 1100, 'pending', 0, 1100, NULL, NULL);
-- refused: foreign_key
INSERT INTO flow_completion VALUES (999, 'order', 'failed', 1100, 'pending', 0, 1100, NULL, NULL);
-- refused: flow_completion_status
INSERT INTO flow_completion VALUES (300, 'order', 'gone', 1100, 'pending', 0, 1100, NULL, NULL);
-- refused: flow_completion_terminal
INSERT INTO flow_completion VALUES (300, 'order', 'running', 1100, 'pending', 0, 1100, NULL, NULL);
-- refused: flow_completion_state
UPDATE flow_completion SET state = 'lost', next_attempt_at = NULL, last_error = NULL
WHERE instance_id = 400;
-- refused: flow_completion_attempts
UPDATE flow_completion SET state = 'delivered', next_attempt_at = NULL, delivered_at = 1200
WHERE instance_id = 400;
-- refused: flow_completion_next
UPDATE flow_completion SET next_attempt_at = NULL WHERE instance_id = 400;
-- refused: flow_completion_next
UPDATE flow_completion SET state = 'delivered', attempts = 1, delivered_at = 1200
WHERE instance_id = 400;
-- refused: flow_completion_error
UPDATE flow_completion SET last_error = 'closed' WHERE instance_id = 400;
-- refused: flow_completion_error
UPDATE flow_completion SET state = 'delivered', next_attempt_at = NULL, delivered_at = 1200
WHERE instance_id = 100;
-- refused: flow_completion_times
UPDATE flow_completion SET delivered_at = 1200 WHERE instance_id = 400;
-- refused: flow_completion_times
UPDATE flow_completion SET state = 'delivered', attempts = 1, next_attempt_at = NULL,
  delivered_at = 1099 WHERE instance_id = 400;
-- refused: flow_completion_identity
UPDATE flow_completion SET instance_id = 300 WHERE instance_id = 400;
-- refused: flow_completion_identity
UPDATE flow_completion SET process_id = 'nightly' WHERE instance_id = 400;
-- refused: flow_completion_identity
UPDATE flow_completion SET status = 'completed' WHERE instance_id = 400;
-- refused: flow_completion_identity
UPDATE flow_completion SET finished_at = 1101 WHERE instance_id = 400;
-- refused: flow_completion_transition
UPDATE flow_completion SET attempts = 3 WHERE instance_id = 200;
-- refused: flow_completion_transition
UPDATE flow_completion SET attempts = 0, last_error = NULL WHERE instance_id = 100;
-- refused: flow_completion_kept
DELETE FROM flow_completion WHERE instance_id = 400;
-- refused: flow_kind_key
INSERT INTO flow_kind VALUES ('order', 0);
-- refused: flow_kind_process_id
INSERT INTO flow_kind VALUES ('', 0);
-- refused: flow_kind_delivers; SQLite
INSERT INTO flow_kind VALUES ('other', 2);

-- Many flows.
-- refused: flow_host_key
INSERT INTO flow_host VALUES ('node:7', 'node', 1000, 2000);
-- refused: flow_host_worker_id
INSERT INTO flow_host VALUES ('', 'node', 1000, 2000);
-- refused: flow_host_times
INSERT INTO flow_host VALUES ('node:8', 'node', 1000, 999);
-- refused: flow_host_identity
UPDATE flow_host SET node_name = 'other' WHERE worker_id = 'node:7';
-- refused: flow_host_identity
UPDATE flow_host SET started_at = 1 WHERE worker_id = 'node:7';
-- refused: flow_limit_key
INSERT INTO flow_limit VALUES ('order', 1, NULL, NULL, NULL, NULL, NULL);
-- refused: flow_limit_process_id
INSERT INTO flow_limit VALUES ('', 1, NULL, NULL, NULL, NULL, NULL);
-- refused: flow_limit_running
INSERT INTO flow_limit VALUES ('p', 0, NULL, NULL, NULL, NULL, NULL);
-- refused: flow_limit_running_per_key
INSERT INTO flow_limit VALUES ('p', NULL, 0, NULL, NULL, NULL, NULL);
-- refused: flow_limit_starts
INSERT INTO flow_limit VALUES ('p', NULL, NULL, 1, NULL, NULL, NULL);
-- refused: flow_limit_starts
INSERT INTO flow_limit VALUES ('p', NULL, NULL, 0, 1000, NULL, NULL);
-- refused: flow_limit_starts_per_key
INSERT INTO flow_limit VALUES ('p', NULL, NULL, NULL, NULL, 1, NULL);
-- refused: flow_limit_starts_per_key
INSERT INTO flow_limit VALUES ('p', NULL, NULL, NULL, NULL, 1, 0);
-- refused: flow_slot_key
INSERT INTO flow_slot VALUES (100, 'order', NULL, 0, 1000, NULL, NULL, NULL);
-- refused: flow_slot_run_id
INSERT INTO flow_slot VALUES (-1, 'order', NULL, 0, 1000, NULL, NULL, NULL);
-- refused: flow_slot_process_id
INSERT INTO flow_slot VALUES (900, '', NULL, 0, 1000, NULL, NULL, NULL);
-- refused: flow_slot_waits_first
INSERT INTO flow_slot VALUES (900, 'order', NULL, 0, 1000, 1000, 1000, NULL);
-- refused: flow_slot_waits_first
INSERT INTO flow_slot VALUES (900, 'order', NULL, 0, 1000, NULL, 1000, 1000);
-- refused: flow_slot_counts
INSERT INTO flow_slot VALUES (900, 'order', NULL, 0, 1000, NULL, 1000, NULL);
-- refused: flow_slot_counts
UPDATE flow_slot SET left_at = 1000 WHERE run_id = 200;
-- refused: flow_slot_times
UPDATE flow_slot SET left_at = 900 WHERE run_id = 100;
-- refused: flow_slot_identity
UPDATE flow_slot SET priority = 9 WHERE run_id = 200;
-- refused: flow_slot_identity
UPDATE flow_slot SET limit_key = 'other' WHERE run_id = 100;
-- refused: flow_slot_transition
UPDATE flow_slot SET admitted_at = 1100 WHERE run_id = 100;
-- refused: flow_slot_transition
UPDATE flow_slot SET left_at = 1300 WHERE run_id = 300;
-- refused: flow_slot_limit
UPDATE flow_slot SET admitted_at = 1100, counts_until = 2100 WHERE run_id = 200;
-- refused: flow_schedule_key
INSERT INTO flow_schedule VALUES (391, 'other', 'order', '{}', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_name_once
INSERT INTO flow_schedule VALUES (900, 'nightly', 'order', '{}', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_id
INSERT INTO flow_schedule VALUES (0, 'other', 'order', '{}', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_name
INSERT INTO flow_schedule VALUES (900, '', 'order', '{}', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_process_id
INSERT INTO flow_schedule VALUES (900, 'other', '', '{}', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_input
INSERT INTO flow_schedule VALUES (900, 'other', 'order', '[]', '@daily', 'skip', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_cycle
INSERT INTO flow_schedule VALUES (900, 'other', 'order', '{}', '', 'skip', 'fire_once', 1, 9000,
  NULL, 1000);
-- refused: flow_schedule_overlap
INSERT INTO flow_schedule VALUES (900, 'other', 'order', '{}', '@daily', 'wait', 'fire_once', 1,
  9000, NULL, 1000);
-- refused: flow_schedule_misfire
INSERT INTO flow_schedule VALUES (900, 'other', 'order', '{}', '@daily', 'skip', 'twice', 1, 9000,
  NULL, 1000);
-- refused: flow_schedule_occurrence
INSERT INTO flow_schedule VALUES (900, 'other', 'order', '{}', '@daily', 'skip', 'fire_once', 0,
  9000, NULL, 1000);
-- refused: flow_schedule_identity
UPDATE flow_schedule SET cycle = '@hourly' WHERE id = 391;
-- refused: flow_schedule_occurrence_grows
UPDATE flow_schedule SET occurrence = 1 WHERE id = 391;
