-- One valid row of every kind: the ground from which forbidden.sql sets out. Instance 100 runs,
-- 200 is completed and has one row of every kind, 300 pending, 400 a paused flow, 500 cancelled
-- before it began, 600 failed.

INSERT INTO process_definition VALUES
  (1, '', 'order', 1, 'bpmn', 'active', 'Order', NULL, 'order.bpmn', '<definitions/>',
   '00000000000000000000000000000000000000000000000000000000000000aa', 1000, 3),
  (2, '', 'nightly', 1, 'flow', 'active', 'Nightly', 'v1', NULL, NULL, NULL, 1000, NULL),
  (5, '', 'order', 2, 'flow', 'active', 'Order', NULL, NULL, NULL, NULL, 1000, NULL),
  (6, 'other', 'order', 1, 'flow', 'active', 'Order', NULL, NULL, NULL, NULL, 1000, NULL);

INSERT INTO process_instance VALUES
  (100, 1, '', 'order', 'A-1', 1, 'running', 9, 9, 7, '{"a":1}', NULL, 1000, 1000, NULL, 1500,
  NULL, NULL),
  (200, 1, '', 'order', 'A-1', 0, 'completed', 5, 5, 1, '{}', NULL, 1000, 1000, 1400, 1400, NULL,
  NULL),
  (300, 1, '', 'order', NULL, 0, 'pending', 1, 0, 0, '{}', NULL, 1000, NULL, NULL, 1000, NULL,
  NULL),
  (400, 2, '', 'nightly', NULL, 0, 'paused', 3, 3, 4, '{}', NULL, 1000, 1000, NULL, 1300, NULL,
  NULL),
  (500, 1, '', 'order', NULL, 0, 'cancelled', 2, 2, 0, '{}', 'by hand', 1000, NULL, 1100, 1100,
  NULL, NULL),
  (600, 1, '', 'order', NULL, 0, 'failed', 2, 2, 0, '{}', NULL, 1000, 1000, 1100, 1100, NULL, NULL);

INSERT INTO scope VALUES
  (100, 101, NULL, NULL, 'order', 'process', 'open', NULL, '{"a":1}', 1000, NULL, NULL, NULL, NULL),
  (200, 201, NULL, NULL, 'order', 'process', 'completed', NULL, '{}', 1000, 1400, NULL, NULL, NULL),
  (400, 401, NULL, NULL, 'nightly', 'process', 'open', NULL, '{}', 1000, NULL, NULL, NULL, NULL);

INSERT INTO token VALUES
  (100, 102, 101, NULL, 'charge', 'flow_1', 'executing', 'forward', 1, 4, 1000, NULL, 0),
  (100, 103, 101, 102, 'pack', 'flow_2', 'waiting', 'forward', 0, 2, 1000, NULL, 0),
  (200, 202, 201, NULL, 'end', 'flow_9', 'completed', 'forward', 0, 5, 1000, 1400, 0);

INSERT INTO scope VALUES
  (100, 106, 101, 103, 'pack', 'multi_instance', 'open', NULL, '{}', 1100, NULL, NULL, 3,
    '["a","b","c"]');
INSERT INTO scope VALUES
  (100, 104, 106, 103, 'pack', 'iteration', 'open', 0, '{}', 1100, NULL, NULL, NULL, NULL),
  (100, 105, 106, 103, 'pack', 'iteration', 'terminated', 1, '{}', 1100, 1200, NULL, NULL, NULL);

INSERT INTO token VALUES
  (100, 110, 104, NULL, 'approve', 'flow_3', 'waiting', 'forward', 0, 2, 1100, NULL, 0),
  (100, 111, 104, NULL, 'cool_down', 'flow_4', 'waiting', 'forward', 0, 2, 1100, NULL, 0),
  (100, 112, 101, 102, 'join', 'flow_5', 'waiting', 'forward', 0, 2, 1100, NULL, 0),
  (100, 113, 101, NULL, 'ship', 'flow_6', 'waiting', 'forward', 3, 8, 1100, NULL, 0),
  (100, 114, 101, NULL, 'refund', 'flow_7', 'terminated', 'compensation', 0, 3, 1100, 1200, 0),
  (100, 115, 101, NULL, 'print', 'flow_8', 'ready', 'forward', 0, 1, 1100, NULL, 0);

-- instance_id, id, slug, node_id, name, type, status, ordinal, parent, token, attempt_count, max,
-- output_type, output, artifact, error_name, error_message, trace, span, created, started,
-- completed, updated
INSERT INTO step_record VALUES
  (100, 121, 'charge', 'charge', 'Charge', 'service_task', 'running', 1, NULL, 102, 1, 3,
   'none', NULL, NULL, NULL, NULL, '0123456789abcdef0123456789abcdef', '0123456789abcdef',
   1000, 1010, NULL, 1010, NULL, NULL),
  (100, 122, 'approve', 'approve', 'Approve', 'user_task', 'waiting', 2, NULL, 110, 1, 1,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1100, 1100, NULL, 1100, NULL, NULL),
  (100, 123, 'cool_down', 'cool_down', '', 'sleep', 'waiting', 3, NULL, 111, 1, 1,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1100, 1100, NULL, 1100, NULL, NULL),
  (100, 124, 'ship', 'ship', 'Ship', 'service_task', 'failed', 4, NULL, 113, 3, 3,
   'none', NULL, NULL, 'NoCarrier', 'No carrier is free.', NULL, NULL, 1100, 1100, 1300, 1300,
  NULL, NULL),
  (100, 125, 'check', 'check', 'Check', 'service_task', 'completed', 5, NULL, 102, 1, 3,
   'json', 'null', NULL, NULL, NULL, NULL, NULL, 1000, 1000, 1005, 1005, NULL, NULL),
  (100, 126, 'refund', 'refund', 'Refund', 'service_task', 'cancelled', 6, NULL, 114, 0, 3,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1100, NULL, 1200, 1200, NULL, NULL),
  (100, 127, 'print', 'print', 'Print', 'script_task', 'completed', 7, NULL, 115, 1, 1,
   'artifact', NULL, 'artifact://1', NULL, NULL, NULL, NULL, 1100, 1100, 1100, 1100, NULL, NULL),
  (400, 421, 'batch', 'batch', '', 'run', 'running', 1, NULL, NULL, 1, 3,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1000, 1000, NULL, 1000, NULL, NULL),
  (400, 422, 'batch/item', 'item', '', 'run', 'pending', 2, 421, NULL, 0, 3,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1100, NULL, NULL, 1100, NULL, NULL),
  (400, 423, 'approval', 'approval', '', 'wait', 'failed', 3, 421, NULL, 1, 1,
   'none', NULL, NULL, NULL, 'Timed out.', NULL, NULL, 1100, 1100, 1200, 1200, NULL, NULL),
  (400, 424, 'nap', 'nap', '', 'sleep', 'completed', 4, NULL, NULL, 1, 1,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1100, 1100, 1200, 1200, NULL, NULL);

INSERT INTO step_attempt VALUES
  (100, 121, 1, 'started', 'worker-1', 'none', NULL, NULL, NULL, 1010, NULL, NULL),
  (100, 124, 1, 'failed', 'worker-1', 'none', NULL, 'NoCarrier', 'No carrier.', 1100, 1110, 1120),
  (100, 124, 2, 'interrupted', 'worker-1', 'none', NULL, NULL, NULL, 1120, 1200, NULL),
  (100, 124, 3, 'failed', 'worker-2', 'none', NULL, 'NoCarrier', 'No carrier is free.', 1200, 1300,
   NULL),
  (100, 125, 1, 'succeeded', 'worker-1', 'json', 'null', NULL, NULL, 1000, 1005, NULL);

INSERT INTO external_task VALUES
  (131, 100, 102, 121, 'charge', 'payment', 0, 'locked', 3, 1000, 'worker-1', 5000, 1, '{}', 1000,
   NULL),
  (132, 100, 113, 124, 'ship', 'shipping', 5, 'failed', 0, 1120, NULL, NULL, 3, '{}', 1100, 1300),
  (133, 100, 102, 125, 'check', 'check', 0, 'completed', 3, 1000, NULL, NULL, 1, '{}', 1000, 1005),
  (134, 100, 114, 126, 'refund', 'payment', 0, 'cancelled', 3, 1100, NULL, NULL, 0, '{}', 1100,
    1200);

INSERT INTO user_task VALUES
  (141, 100, 110, 122, 'approve', 'Approve', 'open', 'kim', '["sales"]', '[]', 9000, NULL, 'form-1',
   50, 1100, NULL);

INSERT INTO timer VALUES
  (151, 100, 111, 123, 'cool_down', 'scheduled', 9000, 1, NULL, 1100, NULL, NULL, 0),
  (152, 100, 111, NULL, 'cool_down', 'fired', 1200, 1, 'R3/PT1M', 1100, 1201, NULL, 0);

INSERT INTO parallel_join VALUES
  (100, 161, 101, 'join', 1, 2, 2, 'fired', 1000, 1050, 'parallel'),
  (100, 162, 101, 'join', 2, 2, 1, 'open', 1100, NULL, 'parallel');

INSERT INTO join_arrival VALUES (100, 162, 'flow_5', 112, 1100);

INSERT INTO incident VALUES
  (171, 100, 113, 'ship', 'retries_exhausted', 'No attempt is left.', '{"task":"132"}', 'open',
    1300,
   NULL, NULL),
  (172, 100, 113, 'ship', 'expression_error', 'Unknown name.', '{}', 'resolved', 1000, 1050, 'kim');

INSERT INTO dead_letter VALUES
  (181, 100, 132, 'exhausted_task', 'open', 'No attempt is left.', '{}', 1300, NULL),
  (182, 100, NULL, 'expired_message', 'discarded', 'Nobody waited for it.', '{}', 1300, 1400);

INSERT INTO history_event VALUES
  (100, 1, 'instance_started', 'instance', 1000, '{"instance_id":"100"}'),
  (100, 2, 'token_placed', 'token', 1000, '{}');

INSERT INTO idempotency_key VALUES
  ('start-1', '', '00000000000000000000000000000000000000000000000000000000000000bb',
    '{"id":"100"}',
   1000, 9000);

INSERT INTO audit_entry VALUES (191, '', 100, 'kim', 'retry', '{}', 1400);

-- Of an instance that has ended: what may go when its time is over, and only whole.
INSERT INTO token VALUES
  (200, 203, 201, 202, 'pack', 'flow_2', 'completed', 'forward', 0, 2, 1000, 1300, 0),
  (200, 205, 201, 202, 'mail', 'flow_2', 'completed', 'forward', 0, 2, 1000, 1300, 0);
INSERT INTO scope VALUES
  (200, 204, 201, 203, 'pack', 'sub_process', 'completed', NULL, '{}', 1100, 1200, NULL, NULL,
   NULL);
INSERT INTO step_record VALUES
  (200, 221, 'charge', 'charge', 'Charge', 'service_task', 'completed', 1, NULL, 202, 1, 3,
   'none', NULL, NULL, NULL, NULL, NULL, NULL, 1000, 1010, 1020, 1020, NULL, NULL);
INSERT INTO step_attempt VALUES
  (200, 221, 1, 'succeeded', 'worker-1', 'none', NULL, NULL, NULL, 1010, 1020, NULL);
INSERT INTO external_task VALUES
  (231, 200, 202, 221, 'charge', 'payment', 0, 'completed', 3,
    1000, NULL, NULL, 1, '{}', 1000, 1020);
INSERT INTO user_task VALUES
  (241, 200, 202, 221, 'approve', 'Approve', 'completed', 'kim', '[]', '[]', NULL, NULL, NULL, 50,
   1100, 1200);
INSERT INTO timer VALUES (251, 200, 202, NULL, 'nap', 'fired', 1200, 1, NULL, 1100, 1201, NULL, 0);
INSERT INTO parallel_join VALUES (200, 261, 201, 'join', 1, 2, 2, 'fired', 1000, 1050, 'parallel');
INSERT INTO join_arrival VALUES (200, 261, 'flow_5', 202, 1050);
INSERT INTO incident VALUES
  (271, 200, 202, 'charge', 'bad_timer', 'Wrong.', '{}', 'resolved', 1000, 1050, 'kim');
INSERT INTO dead_letter VALUES
  (281, 200, 231, 'exhausted_task', 'discarded', 'No attempt is left.', '{}', 1300, 1350);
INSERT INTO history_event VALUES (200, 1, 'instance_started', 'instance', 1000, '{}');
INSERT INTO audit_entry VALUES (291, '', 200, 'kim', 'retry', '{}', 1400);

-- What is awaited, sent, received, started and undone. Position and what an earlier version of the
-- schema had not stand at the end of a row.
INSERT INTO timer VALUES
  (153, 100, NULL, NULL, 'tick', 'scheduled', 9000, 2, 'R/PT1H', 1100, NULL, 101, 1);
INSERT INTO event_subscription VALUES
  (301, 100, '', 111, NULL, 123, 'paid', 0, 'message', 'payment', 'A-1', 'open', 0, NULL, 1100,
   NULL),
  (302, 100, '', NULL, 101, NULL, 'stop', 0, 'signal', 'stop', NULL, 'open', 2, NULL, 1100, NULL),
  (303, 100, '', 111, NULL, NULL, 'ready', 1, 'conditional', '', NULL, 'cancelled', 0, 0, 1100,
   1200),
  (304, 200, '', 202, NULL, NULL, 'paid', 0, 'message', 'payment', NULL, 'triggered', 1, NULL,
   1100, 1200);
INSERT INTO pending_event VALUES
  (311, 100, '', 'tell', 'message', 'shipped', 'A-1', NULL, NULL, '{}', 'pending', 0, 1200, NULL),
  (312, NULL, '', NULL, 'signal', 'stop', NULL, NULL, NULL, '{}', 'pending', 302, 1200, NULL),
  (313, 200, '', 'order', 'call_ended', NULL, NULL, 100, 111, '{}', 'delivered', 0, 1300, 1400),
  (314, NULL, '', NULL, 'signal', 'stop', NULL, NULL, NULL, '{}', 'delivered', 302, 1200, 1300);
INSERT INTO inbound_event VALUES
  (321, '', 'payment', 'A-2', 'm-1', '{}', 1200, 9000, NULL, NULL),
  (322, '', 'payment', 'A-1', 'm-2', '{}', 1200, 9000, 304, 1200);
INSERT INTO definition_subscription VALUES
  (331, 1, '', 'order', 'ordered', 0, 'message', 'order', NULL, NULL, 1, 'open', 1000, NULL),
  (332, 1, '', 'order', 'weekly', 0, 'timer', NULL, 'R/P7D', 9000, 2, 'open', 1000, NULL),
  (333, 1, '', 'order', 'old', 0, 'timer', NULL, NULL, 900, 1, 'closed', 1000, 1100);
INSERT INTO compensation_record VALUES
  (100, 341, 101, 'charge', 'refund', NULL, 20, 'pending', NULL, '{}', 1100, NULL, NULL),
  (100, 342, 101, 'pack', NULL, 104, 21, 'running', 114, '{"a":1}', 1100, 1150, NULL),
  (200, 343, 201, 'pack', 'unpack', NULL, 3, 'completed', 203, '{}', 1100, 1150, 1200);

-- A flow has one row beside its steps.
INSERT INTO flow_run VALUES (100, 111, 'node:7', 1, NULL, 0, NULL, 1000, NULL),
  (200, 202, NULL, 0, 'enough', 5, 'key', NULL, 100);
-- Ends of flows that are told, and what is said of flows.
INSERT INTO flow_completion VALUES
  (200, 'order', 'completed', 1400, 'delivered', 2, NULL, NULL, 1500),
  (100, 'order', 'cancelled', 1100, 'pending', 1, 2000, 'closed', NULL),
  (400, 'order', 'failed', 1100, 'pending', 0, 1100, NULL, NULL);
INSERT INTO flow_kind VALUES ('order', 1), ('nightly', 0);

-- Decisions: a model in two versions, what it offers, and what an instance evaluated.
INSERT INTO decision_requirements VALUES
  (351, '', 'dish', 1, 'Dish', 'dish.dmn', '<definitions/>', '[]',
   '00000000000000000000000000000000000000000000000000000000000000aa', 3, 1000),
  (352, '', 'dish', 2, 'Dish', 'dish.dmn', '<definitions />', '[{"file":"a.dmn","source":"<d/>"}]',
   '00000000000000000000000000000000000000000000000000000000000000ab', 4, 1000);
INSERT INTO decision_definition VALUES
  (361, '', 'Dish', 1, 'decision', 'Dish', NULL, 351, 3, 1000),
  (362, '', 'Dish', 2, 'decision', 'Dish', 'v2', 352, 4, 1000),
  (363, '', 'Menu', 1, 'service', 'Menu', NULL, 352, 4, 1000);
INSERT INTO decision_evaluation VALUES
  (371, 200, 202, 221, 'decide', 361, 'Dish', 1, '{"season":"Winter"}', '"Stew"',
   '[{"number":1,"id":"r1"}]', '[]', '[]', NULL, 1200),
  (372, 100, 111, 121, 'decide', 362, 'Dish', 2, '{}', 'null', '[]', '[]', '[]', 'too deep', 1200);

-- Instances that went on with another version.
INSERT INTO instance_migration VALUES
  (381, 100, 4, 5, 1, '{"bill":"charge"}', 1100),
  (382, 200, 2, 5, 1, '{"charge":"elsewhere"}', 1100);

-- Many flows: a process that hosts them, limits with a run that waits and one that runs, schedules.
INSERT INTO flow_host VALUES ('node:7', 'node', 1000, 2000);
INSERT INTO flow_limit VALUES ('order', 1, NULL, 5, 1000, NULL, NULL);
INSERT INTO flow_slot VALUES (100, 'order', 'k', 0, 1000, NULL, NULL, NULL),
  (200, 'order', NULL, 3, 1000, NULL, NULL, NULL), (300, 'order', 'k', 0, 1000, NULL, NULL, NULL);
UPDATE flow_slot SET admitted_at = 1000, counts_until = 2000 WHERE run_id = 100;
UPDATE flow_slot SET left_at = 1200, counts_until = 1200 WHERE run_id = 300;
INSERT INTO flow_schedule VALUES (391, 'nightly', 'order', '{}', '@daily', 'skip', 'fire_once', 2,
  9000, 100, 1000);
