-- How a connection is set up. SQLite's defaults are not ours: foreign keys off, no log.

-- name: connection_foreign_keys
PRAGMA foreign_keys = ON

-- name: connection_recursive_triggers
-- So that REPLACE fires the triggers that refuse a deletion.
PRAGMA recursive_triggers = ON

-- name: connection_journal
-- Must come before the first table is made, outside a transaction.
PRAGMA journal_mode = WAL

-- name: connection_synchronous_full
PRAGMA synchronous = FULL

-- name: connection_synchronous_normal
PRAGMA synchronous = NORMAL

-- name: connection_temporary_in_memory
-- Savepoints keep copies of pages. Left alone they go to a file from 64 KiB on: half the speed.
PRAGMA temp_store = MEMORY

-- name: connection_cache_writer
-- In KiB when negative: 64 MiB, filled only as far as the database is read.
PRAGMA cache_size = -65536

-- name: connection_cache_reader
PRAGMA cache_size = -8192

-- name: connection_query_only
PRAGMA query_only = ON

-- name: transaction_begin_write
BEGIN IMMEDIATE

-- name: transaction_begin_read
BEGIN

-- name: transaction_commit
COMMIT

-- name: transaction_rollback
ROLLBACK

-- name: savepoint_begin
SAVEPOINT unit

-- name: savepoint_release
RELEASE unit

-- name: savepoint_rollback
ROLLBACK TO unit
