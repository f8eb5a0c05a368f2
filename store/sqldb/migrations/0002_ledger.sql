-- +goose Up
-- Tasks, their webhooks, and the links that share their results. Times are
-- milliseconds since 1970.

-- task, failure and past are JSON, or NULL. summary is the beginning of what the agent
-- said last, asked what it was asked, trace the traceparent of the call that sent the latest
-- message. holder is the replica that follows the task, sender the one that sent it the latest message. settled is 1 for tasks that nobody follows: they
-- have no holder, and a sender only if another replica presumed that they failed. due is
-- when to poll a task in auth-required again.
-- name and context_name are the caller's names of the task (A2A 0.1 only) and of the
-- conversation, '' where the agent's are used. watched is 1 if the task has, or had,
-- webhooks. indexed is 1 if the search index has the task as it is. size is the bytes of task and
-- past, or 0 if they are few: small tasks do not count for quotas.
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
	sender       TEXT   NOT NULL DEFAULT '',
	due          BIGINT NOT NULL,
	created      BIGINT NOT NULL,
	updated      BIGINT NOT NULL,
	watched      BIGINT NOT NULL DEFAULT 0,
	name         TEXT   NOT NULL DEFAULT '',
	context_name TEXT   NOT NULL DEFAULT '',
	indexed      BIGINT NOT NULL DEFAULT 0,
	past         TEXT,
	asked        TEXT   NOT NULL DEFAULT '',
	trace        TEXT   NOT NULL DEFAULT '',
	size         BIGINT NOT NULL DEFAULT 0
);

-- Each index costs every task a write, so most of them have few rows: tasks that run,
-- that wait, that did not complete, that are large. The indexes of all tasks by time differ by engine.
CREATE INDEX tasks_running ON tasks (owner, holder) WHERE settled = 0;
CREATE INDEX tasks_waiting ON tasks (due) WHERE settled = 1 AND state = 'auth-required';
CREATE INDEX tasks_stopped ON tasks (state, created, handle) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_changed ON tasks (state, updated) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_own_stopped ON tasks (owner, state, created, handle) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_own_size ON tasks (owner, size) WHERE size > 0;
CREATE INDEX tasks_agent_size ON tasks (agent, size) WHERE size > 0;
CREATE INDEX tasks_own_updated ON tasks (owner, updated, agent, state);
CREATE INDEX tasks_name ON tasks (owner, agent, name) WHERE name <> '';
CREATE INDEX tasks_context_name ON tasks (owner, agent, context_name) WHERE context_name <> '';

-- The replicas that live. Each counts its heartbeats; one whose count stands still is removed.
CREATE TABLE replicas (
	id         TEXT   NOT NULL PRIMARY KEY,
	heartbeats BIGINT NOT NULL,
	agents     BIGINT NOT NULL DEFAULT 0 -- the version of the list of agents that it offers
);

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

-- What replicas share of MCP sessions: the resources that a session watches, and the questions
-- that its client has not answered, with the answers. session is not the ID that clients have.
CREATE TABLE session_notes (
	session TEXT   NOT NULL,
	name    TEXT   NOT NULL,
	owner   TEXT   NOT NULL,
	value   TEXT,
	until   BIGINT NOT NULL,
	PRIMARY KEY (session, name)
);

CREATE INDEX session_notes_owner ON session_notes (owner);

-- Events for MCP clients. A log holds the events of one type for one owner. It exists from the first
-- subscription or poll until a day after the last, so that owners who want no events cost nothing.
-- Triggers on tasks write the events in the transaction that changes the task, and lock the log
-- until it commits: a reader never sees a number before a smaller one. last is the latest
-- number, keep how many events stay. epoch is when the log was made, and part of every cursor.
CREATE TABLE event_logs (
	owner TEXT   NOT NULL,
	name  TEXT   NOT NULL,
	epoch BIGINT NOT NULL,
	last  BIGINT NOT NULL DEFAULT 0,
	keep  BIGINT NOT NULL,
	until BIGINT NOT NULL,
	PRIMARY KEY (owner, name)
);

CREATE INDEX event_logs_name ON event_logs (name);
CREATE INDEX event_logs_until ON event_logs (until);

-- id is the same on every path to a receiver. handle is '' for events that are not of a task;
-- use_cases are those of their agent.
CREATE TABLE events (
	owner      TEXT   NOT NULL,
	name       TEXT   NOT NULL,
	seq        BIGINT NOT NULL,
	id         TEXT   NOT NULL,
	at         BIGINT NOT NULL,
	handle     TEXT   NOT NULL,
	agent      TEXT   NOT NULL,
	context_id TEXT   NOT NULL,
	state      TEXT   NOT NULL,
	summary    TEXT   NOT NULL,
	use_cases  TEXT   NOT NULL DEFAULT '',
	PRIMARY KEY (owner, name, seq),
	FOREIGN KEY (owner, name) REFERENCES event_logs (owner, name) ON DELETE CASCADE
);

CREATE UNIQUE INDEX events_id ON events (owner, name, id);
CREATE INDEX events_at ON events (at);
CREATE INDEX events_progress ON events (owner, handle, at) WHERE name = 'task.progress';

-- Webhooks that get events. task, agent and context narrow the events, '' does not. config is
-- sealed: it holds the address and the secret. address is a hash of the address. fence is another value each time the row is made.
-- verified is 0 while the receiver is asked whether it wants events. position is the number up to
-- which all events were delivered or given up, last that of the latest event for it, gap is 1
-- if the receiver must be told that events were lost. due and holder are as in notices. Of tried
-- attempts since a moment, missed failed. ending is 1 until the receiver knows that it ended.
CREATE TABLE event_subscriptions (
	id        TEXT   NOT NULL PRIMARY KEY,
	owner     TEXT   NOT NULL,
	client    TEXT   NOT NULL,
	grant_id  TEXT   NOT NULL,
	name      TEXT   NOT NULL,
	task      TEXT   NOT NULL,
	agent     TEXT   NOT NULL,
	context   TEXT   NOT NULL,
	host      TEXT   NOT NULL,
	address   TEXT   NOT NULL,
	config    TEXT   NOT NULL,
	fence     TEXT   NOT NULL,
	verified  BIGINT NOT NULL DEFAULT 0,
	active    BIGINT NOT NULL DEFAULT 0,
	expires   BIGINT NOT NULL,
	position  BIGINT NOT NULL DEFAULT 0,
	last      BIGINT NOT NULL DEFAULT 0,
	gap       BIGINT NOT NULL DEFAULT 0,
	due       BIGINT NOT NULL DEFAULT 0,
	holder    TEXT   NOT NULL DEFAULT '',
	attempts  BIGINT NOT NULL DEFAULT 0,
	failing   BIGINT NOT NULL DEFAULT 0,
	delivered BIGINT NOT NULL DEFAULT 0,
	failure   TEXT   NOT NULL DEFAULT '',
	since     BIGINT NOT NULL DEFAULT 0,
	tried     BIGINT NOT NULL DEFAULT 0,
	missed    BIGINT NOT NULL DEFAULT 0,
	ending    BIGINT NOT NULL DEFAULT 0,
	FOREIGN KEY (owner, name) REFERENCES event_logs (owner, name) ON DELETE CASCADE
);

CREATE INDEX event_subscriptions_log ON event_subscriptions (owner, name);
CREATE INDEX event_subscriptions_grant ON event_subscriptions (grant_id);
CREATE INDEX event_subscriptions_expires ON event_subscriptions (expires) WHERE expires > 0;
CREATE INDEX event_subscriptions_due ON event_subscriptions (due) WHERE active = 1 AND (last > position OR ending = 1);
