-- Delivery: a signal that is on its way to one instance, and an instance that begins by an event.
--
-- The twin of 0014_delivery.sqlite.sql. Rules that grow come again NOT VALID: what older rows have
-- was checked by the narrower ones.

-- A signal is spread over those that wait for it, in portions: one row for each instance that
-- hears it (signal_to), and one for each that begins by it (start), whose key is chosen with it.
ALTER TABLE pending_event DROP CONSTRAINT pending_event_kind;
ALTER TABLE pending_event ADD CONSTRAINT pending_event_kind CHECK (
  kind = 'message' OR kind = 'signal' OR kind = 'signal_to' OR kind = 'start' OR kind = 'call'
  OR kind = 'call_ended' OR kind = 'call_escalated' OR kind = 'call_cancelled') NOT VALID;
ALTER TABLE pending_event DROP CONSTRAINT pending_event_name;
ALTER TABLE pending_event ADD CONSTRAINT pending_event_name CHECK (
  CASE WHEN kind = 'message' OR kind = 'signal' THEN name IS NOT NULL AND name <> ''
    AND target_instance_id IS NULL
  ELSE target_instance_id IS NOT NULL AND correlation_key IS NULL
    AND (kind <> 'signal_to' OR (name IS NOT NULL AND name <> '')) END) NOT VALID;
