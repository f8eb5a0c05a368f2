-- +goose Up
-- Tasks, their webhooks, and the links that share their results. Times are
-- milliseconds since 1970.

-- task, failure and past are JSON, or NULL. summary is the beginning of what the agent
-- said last, asked what it was asked. settled is 1 for tasks that nobody follows; they
-- have no holder, and lease_until is then when to poll a task in auth-required again.
-- name and context_name are the caller's names of the task (A2A 0.1 only) and of the
-- conversation, '' where the agent's are used. watched is 1 if the task has, or had,
-- webhooks. indexed is 1 if the search index has the task as it is.
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
	updated      BIGINT NOT NULL,
	watched      BIGINT NOT NULL DEFAULT 0,
	name         TEXT   NOT NULL DEFAULT '',
	context_name TEXT   NOT NULL DEFAULT '',
	indexed      BIGINT NOT NULL DEFAULT 0,
	past         TEXT,
	asked        TEXT   NOT NULL DEFAULT ''
);

-- Each index costs every task a write, so most of them have few rows: tasks that run,
-- that wait, that did not complete. The indexes of all tasks by time differ by engine.
CREATE INDEX tasks_running ON tasks (owner, lease_until) WHERE settled = 0;
CREATE INDEX tasks_waiting ON tasks (lease_until) WHERE settled = 1 AND state = 'auth-required';
CREATE INDEX tasks_stopped ON tasks (state, created, handle) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_own_stopped ON tasks (owner, state, created, handle) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_own_updated ON tasks (owner, updated, agent, state);
CREATE INDEX tasks_name ON tasks (owner, agent, name) WHERE name <> '';
CREATE INDEX tasks_context_name ON tasks (owner, agent, context_name) WHERE context_name <> '';

-- Messages of callers who give them an ID, so that a repeated message is found. digest
-- is of the ID and the content.
CREATE TABLE sent (
	owner   TEXT   NOT NULL,
	agent   TEXT   NOT NULL,
	digest  TEXT   NOT NULL,
	handle  TEXT   NOT NULL REFERENCES tasks (handle) ON DELETE CASCADE,
	created BIGINT NOT NULL,
	PRIMARY KEY (owner, agent, digest)
);

CREATE INDEX sent_handle ON sent (handle);

-- config is sealed: it holds the credentials that we send to the webhook.
CREATE TABLE webhooks (
	handle  TEXT   NOT NULL REFERENCES tasks (handle) ON DELETE CASCADE,
	id      TEXT   NOT NULL,
	host    TEXT   NOT NULL,
	config  TEXT   NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (handle, id)
);

-- The outbox. version is the time of the change and orders the notices of a webhook.
-- due is when to try next; while somebody holds a notice, it is when the lease ends.
CREATE TABLE notices (
	handle   TEXT   NOT NULL,
	webhook  TEXT   NOT NULL,
	version  BIGINT NOT NULL,
	settled  BIGINT NOT NULL,
	task     TEXT   NOT NULL,
	host     TEXT   NOT NULL,
	due      BIGINT NOT NULL,
	holder   TEXT   NOT NULL DEFAULT '',
	attempts BIGINT NOT NULL DEFAULT 0,
	failure  TEXT   NOT NULL DEFAULT '',
	dead     BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (handle, webhook, version),
	FOREIGN KEY (handle, webhook) REFERENCES webhooks (handle, id) ON DELETE CASCADE
);

CREATE INDEX notices_due ON notices (due) WHERE dead = 0;
CREATE INDEX notices_dead ON notices (version) WHERE dead = 1;

-- Links to documents. hash is of the link's secret. The document is the task with the
-- handle, or content, which is JSON.
CREATE TABLE shares (
	hash     TEXT   NOT NULL PRIMARY KEY,
	id       TEXT   NOT NULL UNIQUE,
	owner    TEXT   NOT NULL,
	document TEXT   NOT NULL,
	title    TEXT   NOT NULL,
	handle   TEXT   NOT NULL,
	content  TEXT,
	created  BIGINT NOT NULL,
	expires  BIGINT NOT NULL
);

CREATE INDEX shares_owner ON shares (owner, created, id);
CREATE INDEX shares_expires ON shares (expires);
CREATE INDEX shares_handle ON shares (handle) WHERE handle <> '';
