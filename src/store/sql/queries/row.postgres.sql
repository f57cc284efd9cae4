-- Writing rows, many in one statement: parameter N is the array of field N of all rows, so that
-- one template binds every table. An update sets only what may change: an index or a foreign
-- key on an untouched column costs nothing. The twin writes row by row, since SQLite has no
-- arrays and no round trips.

-- name: process_instance_insert
INSERT INTO process_instance (id, definition_id, tenant_id, process_id, business_key,
  unique_business_key, status, version, last_sequence, step_count, input, end_reason, created_at,
  started_at, ended_at, updated_at, parent_instance_id, parent_token_id)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[],
  $6::boolean[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::json[], $12::text[],
  $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::bigint[],
  $18::bigint[])

-- name: process_instance_update
UPDATE process_instance SET definition_id = changed.definition_id, status = changed.status,
  version = changed.version, last_sequence = changed.last_sequence, step_count = changed.step_count,
  end_reason = changed.end_reason, started_at = changed.started_at, ended_at = changed.ended_at,
  updated_at = changed.updated_at
FROM unnest($1::bigint[], $2::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[],
  $12::text[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[])
  AS changed (id, definition_id, status, version, last_sequence, step_count, end_reason, started_at,
    ended_at, updated_at)
WHERE process_instance.id = changed.id

-- name: scope_insert
INSERT INTO scope (instance_id, id, parent_id, token_id, node_id, kind, state, loop_index,
  variables, opened_at, closed_at, output, loop_total, collection)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::text[], $7::text[], $8::bigint[], $9::json[], $10::timestamptz[], $11::timestamptz[],
  $12::json[], $13::bigint[], $14::json[])

-- name: scope_update
UPDATE scope SET node_id = changed.node_id, state = changed.state, variables = changed.variables,
  closed_at = changed.closed_at, output = changed.output
FROM unnest($1::bigint[], $2::bigint[], $5::text[], $7::text[], $9::json[], $11::timestamptz[],
  $12::json[])
  AS changed (instance_id, id, node_id, state, variables, closed_at, output)
WHERE scope.instance_id = changed.instance_id AND scope.id = changed.id

-- name: token_insert
INSERT INTO token (instance_id, id, scope_id, parent_id, node_id, flow_id, state, mode, attempt,
  version, placed_at, ended_at, listener)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::timestamptz[],
  $12::timestamptz[], $13::bigint[])

-- name: token_update
UPDATE token SET node_id = changed.node_id, flow_id = changed.flow_id, state = changed.state,
  attempt = changed.attempt, version = changed.version, ended_at = changed.ended_at,
  listener = changed.listener
FROM unnest($1::bigint[], $2::bigint[], $5::text[], $6::text[], $7::text[], $9::bigint[],
  $10::bigint[], $12::timestamptz[], $13::bigint[])
  AS changed (instance_id, id, node_id, flow_id, state, attempt, version, ended_at, listener)
WHERE token.instance_id = changed.instance_id AND token.id = changed.id

-- name: step_record_insert
INSERT INTO step_record (instance_id, id, slug, node_id, name, type, status, ordinal,
  parent_step_id, token_id, attempt_count, max_attempts, output_type, output, output_artifact,
  error_name, error_message, trace_id, span_id, created_at, started_at, completed_at, updated_at,
  called_instance_id, listener)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
  $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
  $13::text[], $14::json[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
  $20::timestamptz[], $21::timestamptz[], $22::timestamptz[], $23::timestamptz[], $24::bigint[],
  $25::bigint[])

-- name: step_record_update
UPDATE step_record SET status = changed.status, attempt_count = changed.attempt_count,
  max_attempts = changed.max_attempts, output_type = changed.output_type, output = changed.output,
  output_artifact = changed.output_artifact, error_name = changed.error_name, error_message =
  changed.error_message, trace_id = changed.trace_id, span_id = changed.span_id, started_at =
  changed.started_at, completed_at = changed.completed_at, updated_at = changed.updated_at
FROM unnest($1::bigint[], $2::bigint[], $7::text[], $11::bigint[], $12::bigint[], $13::text[],
  $14::json[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
  $21::timestamptz[], $22::timestamptz[], $23::timestamptz[])
  AS changed (instance_id, id, status, attempt_count, max_attempts, output_type, output,
    output_artifact, error_name, error_message, trace_id, span_id, started_at, completed_at,
    updated_at)
WHERE step_record.instance_id = changed.instance_id AND step_record.id = changed.id

-- name: step_attempt_insert
INSERT INTO step_attempt (instance_id, step_id, number, state, worker_id, result_type, result,
  error_name, error_message, started_at, ended_at, next_attempt_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
  $7::json[], $8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[])

-- name: step_attempt_update
UPDATE step_attempt SET state = changed.state, worker_id = changed.worker_id, result_type =
  changed.result_type, result = changed.result, error_name = changed.error_name, error_message =
  changed.error_message, ended_at = changed.ended_at, next_attempt_at = changed.next_attempt_at
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
  $7::json[], $8::text[], $9::text[], $11::timestamptz[], $12::timestamptz[])
  AS changed (instance_id, step_id, number, state, worker_id, result_type, result, error_name,
    error_message, ended_at, next_attempt_at)
WHERE step_attempt.instance_id = changed.instance_id
  AND step_attempt.step_id = changed.step_id AND step_attempt.number = changed.number

-- name: external_task_insert
INSERT INTO external_task (id, instance_id, token_id, step_id, node_id, type, priority, state,
  retries, available_at, worker_id, lock_expires_at, attempt, variables, created_at, ended_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::text[], $7::bigint[], $8::text[], $9::bigint[], $10::timestamptz[], $11::text[],
  $12::timestamptz[], $13::bigint[], $14::json[], $15::timestamptz[], $16::timestamptz[])

-- name: external_task_update
UPDATE external_task SET node_id = changed.node_id, priority = changed.priority,
  state = changed.state, retries = changed.retries, available_at = changed.available_at,
  worker_id = changed.worker_id, lock_expires_at = changed.lock_expires_at,
  attempt = changed.attempt, variables = changed.variables, ended_at = changed.ended_at
FROM unnest($1::bigint[], $5::text[], $7::bigint[], $8::text[], $9::bigint[], $10::timestamptz[],
  $11::text[], $12::timestamptz[], $13::bigint[], $14::json[], $16::timestamptz[])
  AS changed (id, node_id, priority, state, retries, available_at, worker_id, lock_expires_at,
    attempt, variables, ended_at)
WHERE external_task.id = changed.id

-- name: user_task_insert
INSERT INTO user_task (id, instance_id, token_id, step_id, node_id, name, state, assignee,
  candidate_groups, candidate_users, due_at, follow_up_at, form_reference, priority, created_at,
  ended_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::text[], $7::text[], $8::text[], $9::json[], $10::json[], $11::timestamptz[],
  $12::timestamptz[], $13::text[], $14::bigint[], $15::timestamptz[], $16::timestamptz[])

-- name: user_task_update
UPDATE user_task SET node_id = changed.node_id, state = changed.state, assignee = changed.assignee,
  candidate_groups = changed.candidate_groups, candidate_users = changed.candidate_users,
  due_at = changed.due_at, follow_up_at = changed.follow_up_at,
  form_reference = changed.form_reference, priority = changed.priority, ended_at = changed.ended_at
FROM unnest($1::bigint[], $5::text[], $7::text[], $8::text[], $9::json[], $10::json[],
  $11::timestamptz[], $12::timestamptz[], $13::text[], $14::bigint[], $16::timestamptz[])
  AS changed (id, node_id, state, assignee, candidate_groups, candidate_users, due_at, follow_up_at,
    form_reference, priority, ended_at)
WHERE user_task.id = changed.id

-- name: timer_insert
INSERT INTO timer (id, instance_id, token_id, step_id, node_id, status, due_at, occurrence, cycle,
  created_at, ended_at, scope_id, position)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::text[], $7::timestamptz[], $8::bigint[], $9::text[], $10::timestamptz[], $11::timestamptz[],
  $12::bigint[], $13::bigint[])

-- name: timer_update
UPDATE timer SET node_id = changed.node_id, status = changed.status, due_at = changed.due_at,
  occurrence = changed.occurrence, cycle = changed.cycle, ended_at = changed.ended_at
FROM unnest($1::bigint[], $5::text[], $6::text[], $7::timestamptz[], $8::bigint[], $9::text[],
  $11::timestamptz[])
  AS changed (id, node_id, status, due_at, occurrence, cycle, ended_at)
WHERE timer.id = changed.id

-- name: parallel_join_insert
INSERT INTO parallel_join (instance_id, id, scope_id, node_id, generation, expected, joined,
  state, opened_at, closed_at, kind)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[],
  $6::bigint[], $7::bigint[], $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[])

-- name: parallel_join_update
UPDATE parallel_join SET joined = changed.joined, state = changed.state, closed_at =
  changed.closed_at
FROM unnest($1::bigint[], $2::bigint[], $7::bigint[], $8::text[], $10::timestamptz[])
  AS changed (instance_id, id, joined, state, closed_at)
WHERE parallel_join.instance_id = changed.instance_id AND parallel_join.id = changed.id

-- name: join_arrival_insert
INSERT INTO join_arrival (instance_id, join_id, flow_id, token_id, arrived_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::timestamptz[])

-- name: incident_insert
INSERT INTO incident (id, instance_id, token_id, node_id, kind, message, details, state,
  opened_at, resolved_at, resolved_by)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
  $7::json[], $8::text[], $9::timestamptz[], $10::timestamptz[], $11::text[])

-- name: incident_update
UPDATE incident SET node_id = changed.node_id, state = changed.state,
  resolved_at = changed.resolved_at, resolved_by = changed.resolved_by
FROM unnest($1::bigint[], $4::text[], $8::text[], $10::timestamptz[], $11::text[])
  AS changed (id, node_id, state, resolved_at, resolved_by)
WHERE incident.id = changed.id

-- name: dead_letter_insert
INSERT INTO dead_letter (id, instance_id, task_id, kind, state, reason, payload, opened_at,
  closed_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
  $7::json[], $8::timestamptz[], $9::timestamptz[])

-- name: dead_letter_update
UPDATE dead_letter SET state = changed.state, closed_at = changed.closed_at
FROM unnest($1::bigint[], $5::text[], $9::timestamptz[])
  AS changed (id, state, closed_at)
WHERE dead_letter.id = changed.id

-- name: event_subscription_insert
INSERT INTO event_subscription (id, instance_id, tenant_id, token_id, scope_id, step_id, node_id,
  position, kind, name, correlation_key, state, trigger_count, condition_holds, opened_at,
  closed_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
  $6::bigint[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[],
  $13::bigint[], $14::boolean[], $15::timestamptz[], $16::timestamptz[])

-- name: event_subscription_update
UPDATE event_subscription SET node_id = changed.node_id, state = changed.state,
  trigger_count = changed.trigger_count, condition_holds = changed.condition_holds,
  closed_at = changed.closed_at
FROM unnest($1::bigint[], $7::text[], $12::text[], $13::bigint[], $14::boolean[],
  $16::timestamptz[])
  AS changed (id, node_id, state, trigger_count, condition_holds, closed_at)
WHERE event_subscription.id = changed.id

-- name: pending_event_insert
INSERT INTO pending_event (id, instance_id, tenant_id, node_id, kind, name, correlation_key,
  target_instance_id, target_token_id, payload, state, reached_id, created_at, closed_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
  $7::text[], $8::bigint[], $9::bigint[], $10::json[], $11::text[], $12::bigint[],
  $13::timestamptz[], $14::timestamptz[])

-- name: flow_run_insert
INSERT INTO flow_run (instance_id, token_id, host, unheard, cancel_reason, priority, limit_key,
  admitted_at, previous_instance_id)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[],
  $6::bigint[], $7::text[], $8::timestamptz[], $9::bigint[])

-- name: flow_run_update
UPDATE flow_run SET host = changed.host, unheard = changed.unheard,
  cancel_reason = changed.cancel_reason, admitted_at = changed.admitted_at
FROM unnest($1::bigint[], $3::text[], $4::bigint[], $5::text[], $8::timestamptz[])
  AS changed (instance_id, host, unheard, cancel_reason, admitted_at)
WHERE flow_run.instance_id = changed.instance_id

-- name: flow_completion_insert
INSERT INTO flow_completion (instance_id, process_id, status, finished_at, state, attempts,
  next_attempt_at, last_error, delivered_at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
  $6::bigint[], $7::timestamptz[], $8::text[], $9::timestamptz[])

-- name: compensation_record_insert
INSERT INTO compensation_record (instance_id, id, scope_id, node_id, handler_id, inner_scope_id,
  ordinal, status, token_id, variables, recorded_at, started_at, ended_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[],
  $6::bigint[], $7::bigint[], $8::text[], $9::bigint[], $10::json[], $11::timestamptz[],
  $12::timestamptz[], $13::timestamptz[])

-- name: compensation_record_update
UPDATE compensation_record SET node_id = changed.node_id, handler_id = changed.handler_id,
  status = changed.status, token_id = changed.token_id, started_at = changed.started_at,
  ended_at = changed.ended_at
FROM unnest($1::bigint[], $2::bigint[], $4::text[], $5::text[], $8::text[], $9::bigint[],
  $12::timestamptz[], $13::timestamptz[])
  AS changed (instance_id, id, node_id, handler_id, status, token_id, started_at, ended_at)
WHERE compensation_record.instance_id = changed.instance_id AND compensation_record.id = changed.id

-- name: decision_evaluation_insert
INSERT INTO decision_evaluation (id, instance_id, token_id, step_id, node_id, definition_id,
  decision_id, version, inputs, output, matched_rules, evaluated, warnings, error, evaluated_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
  $6::bigint[], $7::text[], $8::bigint[], $9::json[], $10::json[], $11::json[], $12::json[],
  $13::json[], $14::text[], $15::timestamptz[])

-- name: instance_migration_insert
INSERT INTO instance_migration (id, instance_id, sequence, from_definition_id, to_definition_id,
  mapping, migrated_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::json[], $7::timestamptz[])

-- name: history_event_insert
INSERT INTO history_event (instance_id, sequence, event_type, category, occurred_at, payload)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[],
  $6::json[])

-- name: idempotency_key_insert
INSERT INTO idempotency_key (key, tenant_id, request_digest, outcome, created_at, expires_at)
SELECT key, tenant_id, request_digest, outcome::json, created_at, expires_at FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
  AS record (key, tenant_id, request_digest, outcome, created_at, expires_at)

-- name: audit_entry_insert
INSERT INTO audit_entry (id, tenant_id, instance_id, actor, action, details, occurred_at)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::json[],
  $7::timestamptz[])

-- name: process_definition_insert
-- One row.
INSERT INTO process_definition (id, tenant_id, process_id, version, kind, state, name,
  version_tag, resource_name, source, digest, deployed_at, deployment_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: decision_requirements_insert
-- One row.
INSERT INTO decision_requirements (id, tenant_id, model_id, version, name, resource_name, source,
  imports, digest, deployment_id, deployed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: decision_definition_insert
-- One row.
INSERT INTO decision_definition (id, tenant_id, decision_id, version, kind, name, version_tag,
  requirements_id, deployment_id, deployed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: instance_lock
-- $1 instances. What is locked stays as it is until the end of the transaction; its version tells
-- whether another node was faster. In the order of keys, so that two nodes never wait for each
-- other.
SELECT id, version FROM process_instance WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE

-- name: instance_lock_free
-- The same for those that no other node holds at the moment; the others are not in the answer.
SELECT id, version FROM process_instance WHERE id = ANY ($1) ORDER BY id
FOR NO KEY UPDATE SKIP LOCKED
