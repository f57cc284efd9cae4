-- Writing rows. Parameter N is field N of the row's struct, so that one template binds every
-- table. An update sets only what may change: an index or a foreign key on an untouched column
-- costs nothing.

-- name: process_instance_insert
INSERT INTO process_instance (id, definition_id, tenant_id, process_id, business_key,
  unique_business_key, status, version, last_sequence, step_count, input, end_reason, created_at,
  started_at, ended_at, updated_at, parent_instance_id, parent_token_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)

-- name: process_instance_update
-- The last parameter is the version that the writer read: no row changes when another was faster.
UPDATE process_instance SET status = $7, version = $8, last_sequence = $9, step_count = $10,
  end_reason = $12, started_at = $14, ended_at = $15, updated_at = $16
WHERE id = $1 AND version = $19

-- name: process_instance_migrate
-- The same for an instance that goes on with another version.
UPDATE process_instance SET definition_id = $2, status = $7, version = $8, last_sequence = $9,
  step_count = $10, end_reason = $12, started_at = $14, ended_at = $15, updated_at = $16
WHERE id = $1 AND version = $19

-- name: scope_insert
INSERT INTO scope (instance_id, id, parent_id, token_id, node_id, kind, state, loop_index,
  variables, opened_at, closed_at, output, loop_total, collection)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: scope_update
UPDATE scope SET state = $7, variables = $9, closed_at = $11, output = $12
WHERE instance_id = $1 AND id = $2

-- name: scope_rename
-- By a migration; likewise those of other tables.
UPDATE scope SET node_id = $5 WHERE instance_id = $1 AND id = $2

-- name: token_insert
INSERT INTO token (instance_id, id, scope_id, parent_id, node_id, flow_id, state, mode, attempt,
  version, placed_at, ended_at, listener)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: token_update
UPDATE token SET node_id = $5, flow_id = $6, state = $7, attempt = $9, version = $10,
  ended_at = $12, listener = $13
WHERE instance_id = $1 AND id = $2

-- name: step_record_insert
INSERT INTO step_record (instance_id, id, slug, node_id, name, type, status, ordinal,
  parent_step_id, token_id, attempt_count, max_attempts, output_type, output, output_artifact,
  error_name, error_message, trace_id, span_id, created_at, started_at, completed_at, updated_at,
  called_instance_id, listener)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
  $21, $22, $23, $24, $25)

-- name: step_record_update
UPDATE step_record SET status = $7, attempt_count = $11, max_attempts = $12, output_type = $13,
  output = $14, output_artifact = $15, error_name = $16, error_message = $17, trace_id = $18,
  span_id = $19, started_at = $21, completed_at = $22, updated_at = $23
WHERE instance_id = $1 AND id = $2

-- name: step_attempt_insert
INSERT INTO step_attempt (instance_id, step_id, number, state, worker_id, result_type, result,
  error_name, error_message, started_at, ended_at, next_attempt_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: step_attempt_update
UPDATE step_attempt SET state = $4, worker_id = $5, result_type = $6, result = $7,
  error_name = $8, error_message = $9, ended_at = $11, next_attempt_at = $12
WHERE instance_id = $1 AND step_id = $2 AND number = $3

-- name: external_task_insert
INSERT INTO external_task (id, instance_id, token_id, step_id, node_id, type, priority, state,
  retries, available_at, worker_id, lock_expires_at, attempt, variables, created_at, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)

-- name: external_task_update
UPDATE external_task SET priority = $7, state = $8, retries = $9, available_at = $10,
  worker_id = $11, lock_expires_at = $12, attempt = $13, variables = $14, ended_at = $16
WHERE id = $1

-- name: external_task_rename
UPDATE external_task SET node_id = $5 WHERE id = $1

-- name: user_task_insert
INSERT INTO user_task (id, instance_id, token_id, step_id, node_id, name, state, assignee,
  candidate_groups, candidate_users, due_at, follow_up_at, form_reference, priority, created_at,
  ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)

-- name: user_task_update
UPDATE user_task SET state = $7, assignee = $8, candidate_groups = $9, candidate_users = $10,
  due_at = $11, follow_up_at = $12, form_reference = $13, priority = $14, ended_at = $16
WHERE id = $1

-- name: user_task_rename
UPDATE user_task SET node_id = $5 WHERE id = $1

-- name: timer_insert
INSERT INTO timer (id, instance_id, token_id, step_id, node_id, status, due_at, occurrence, cycle,
  created_at, ended_at, scope_id, position)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: timer_update
UPDATE timer SET status = $6, due_at = $7, occurrence = $8, cycle = $9, ended_at = $11
WHERE id = $1

-- name: timer_rename
UPDATE timer SET node_id = $5 WHERE id = $1

-- name: parallel_join_insert
INSERT INTO parallel_join (instance_id, id, scope_id, node_id, generation, expected, joined,
  state, opened_at, closed_at, kind)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: parallel_join_update
UPDATE parallel_join SET joined = $7, state = $8, closed_at = $10
WHERE instance_id = $1 AND id = $2

-- name: join_arrival_insert
INSERT INTO join_arrival (instance_id, join_id, flow_id, token_id, arrived_at)
VALUES ($1, $2, $3, $4, $5)

-- name: incident_insert
INSERT INTO incident (id, instance_id, token_id, node_id, kind, message, details, state,
  opened_at, resolved_at, resolved_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: incident_update
UPDATE incident SET state = $8, resolved_at = $10, resolved_by = $11
WHERE id = $1

-- name: incident_rename
UPDATE incident SET node_id = $4 WHERE id = $1

-- name: dead_letter_insert
INSERT INTO dead_letter (id, instance_id, task_id, kind, state, reason, payload, opened_at,
  closed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: dead_letter_update
UPDATE dead_letter SET state = $5, closed_at = $9
WHERE id = $1

-- name: event_subscription_insert
INSERT INTO event_subscription (id, instance_id, tenant_id, token_id, scope_id, step_id, node_id,
  position, kind, name, correlation_key, state, trigger_count, condition_holds, opened_at,
  closed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)

-- name: event_subscription_update
UPDATE event_subscription SET state = $12, trigger_count = $13, condition_holds = $14,
  closed_at = $16
WHERE id = $1

-- name: event_subscription_rename
UPDATE event_subscription SET node_id = $7 WHERE id = $1

-- name: pending_event_insert
INSERT INTO pending_event (id, instance_id, tenant_id, node_id, kind, name, correlation_key,
  target_instance_id, target_token_id, payload, state, reached_id, created_at, closed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: flow_run_insert
INSERT INTO flow_run (instance_id, token_id, host, unheard, cancel_reason, priority, limit_key,
  admitted_at, previous_instance_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: flow_run_update
UPDATE flow_run SET host = $3, unheard = $4, cancel_reason = $5, admitted_at = $8
WHERE instance_id = $1

-- name: flow_completion_insert
INSERT INTO flow_completion (instance_id, process_id, status, finished_at, state, attempts,
  next_attempt_at, last_error, delivered_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: compensation_record_insert
INSERT INTO compensation_record (instance_id, id, scope_id, node_id, handler_id, inner_scope_id,
  ordinal, status, token_id, variables, recorded_at, started_at, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: compensation_record_update
UPDATE compensation_record SET status = $8, token_id = $9, started_at = $12, ended_at = $13
WHERE instance_id = $1 AND id = $2

-- name: compensation_record_rename
UPDATE compensation_record SET node_id = $4, handler_id = $5
WHERE instance_id = $1 AND id = $2

-- name: decision_evaluation_insert
INSERT INTO decision_evaluation (id, instance_id, token_id, step_id, node_id, definition_id,
  decision_id, version, inputs, output, matched_rules, evaluated, warnings, error, evaluated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)

-- name: instance_migration_insert
INSERT INTO instance_migration (id, instance_id, sequence, from_definition_id, to_definition_id,
  mapping, migrated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: history_event_insert
INSERT INTO history_event (instance_id, sequence, event_type, category, occurred_at, payload)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: idempotency_key_insert
INSERT INTO idempotency_key (key, tenant_id, request_digest, outcome, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: audit_entry_insert
INSERT INTO audit_entry (id, tenant_id, instance_id, actor, action, details, occurred_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: process_definition_insert
INSERT INTO process_definition (id, tenant_id, process_id, version, kind, state, name,
  version_tag, resource_name, source, digest, deployed_at, deployment_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: decision_requirements_insert
INSERT INTO decision_requirements (id, tenant_id, model_id, version, name, resource_name, source,
  imports, digest, deployment_id, deployed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: decision_definition_insert
INSERT INTO decision_definition (id, tenant_id, decision_id, version, kind, name, version_tag,
  requirements_id, deployment_id, deployed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
