-- +goose Up
-- Times are milliseconds since 1970. task and failure are JSON, or NULL while
-- there is none, and summary the beginning of what the agent said last. Settled
-- tasks have no holder.
CREATE TABLE tasks (
	handle       TEXT   NOT NULL PRIMARY KEY,
	owner        TEXT   NOT NULL,
	client       TEXT   NOT NULL,
	agent        TEXT   NOT NULL,
	message_id   TEXT   NOT NULL,
	context_id   TEXT   NOT NULL DEFAULT '',
	state        TEXT   NOT NULL,
	summary      TEXT   NOT NULL,
	task         TEXT,
	failure      TEXT,
	settled      BIGINT NOT NULL,
	holder       TEXT   NOT NULL,
	lease_until  BIGINT NOT NULL,
	created      BIGINT NOT NULL,
	updated      BIGINT NOT NULL
);

-- A page of somebody's tasks, the latest first.
CREATE INDEX tasks_created ON tasks (owner, created, handle);

CREATE INDEX tasks_context ON tasks (owner, agent, context_id);

-- The unsettled tasks are few however long the ledger is.
CREATE INDEX tasks_unsettled ON tasks (lease_until) WHERE settled = 0;
CREATE INDEX tasks_running ON tasks (owner) WHERE settled = 0;
CREATE INDEX tasks_settled ON tasks (updated) WHERE settled = 1;
