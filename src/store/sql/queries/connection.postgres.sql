-- How a connection is set up, and transactions.

-- name: connection_set
-- $1 setting, $2 value. For the life of the connection.
SELECT set_config($1, $2, false)

-- name: connection_schema
-- $1 schema: the only place where names are looked for.
SELECT set_config('search_path', quote_ident($1), false)

-- name: connection_durable
-- An acknowledged write survives a crash, whatever the server's file says. Stronger settings stay.
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'

-- name: connection_time
-- The database's time in milliseconds since 1970.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint

-- name: transaction_begin_write
BEGIN ISOLATION LEVEL READ COMMITTED

-- name: transaction_begin_read
-- All statements see the same state.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: transaction_commit
COMMIT

-- name: transaction_rollback
ROLLBACK

-- name: transaction_lock
-- $1 name of what one node at a time may do. Held until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended($1, 0))

-- name: stuck_session_end
-- $1 milliseconds. A node that was frozen while it was sending has a session that waits for the
-- rest, without end and with all its locks, for a session that waits in the middle is not idle.
-- Ends such sessions of the own role in this database; no rights are needed for that.
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
  AND state = 'active' AND wait_event = 'ClientRead'
  AND query_start < clock_timestamp() - $1 * interval '1 millisecond'

-- name: session_lock
-- $1 name of what one session at a time may have. Held until the end of the session.
SELECT pg_try_advisory_lock(hashtextextended($1, 0))

-- name: wakeup_notify
-- $1 channel. Without payload: equal ones of a transaction are one.
SELECT pg_notify($1, '')
