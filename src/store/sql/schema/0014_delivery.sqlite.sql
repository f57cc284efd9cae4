-- Delivery: a signal that is on its way to one instance, and an instance that begins by an event.
--
-- Rules of earlier tables that grow are changed where SQLite keeps their text, as in 0011_event.

PRAGMA writable_schema = ON;

-- A signal is spread over those that wait for it, in portions: one row for each instance that
-- hears it (signal_to), and one for each that begins by it (start), whose key is chosen with it.
UPDATE sqlite_schema SET sql = replace(replace(sql,
  'kind = ''message'' OR kind = ''signal'' OR kind = ''call'' OR kind = ''call_ended''
    OR kind = ''call_escalated'' OR kind = ''call_cancelled''),',
  'kind = ''message'' OR kind = ''signal'' OR kind = ''signal_to'' OR kind = ''start''
    OR kind = ''call'' OR kind = ''call_ended'' OR kind = ''call_escalated''
    OR kind = ''call_cancelled''),'),
  'ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL END',
  'ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL
      AND (kind <> ''signal_to'' OR (name IS NOT NULL AND name <> '''')) END')
WHERE type = 'table' AND name = 'pending_event';

PRAGMA writable_schema = RESET;
