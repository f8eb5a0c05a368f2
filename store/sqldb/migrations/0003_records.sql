-- +goose Up
-- Agents, connections of users with agents, usage and the audit log. Times are
-- milliseconds since 1970.

-- Agents that an operator has added. settings is JSON, secret is sealed, and removed is
-- 0 for agents that are there.
CREATE TABLE agents (
	name     TEXT   NOT NULL PRIMARY KEY,
	settings TEXT   NOT NULL,
	secret   TEXT   NOT NULL,
	version  BIGINT NOT NULL,
	created  BIGINT NOT NULL,
	changed  BIGINT NOT NULL,
	removed  BIGINT NOT NULL
);

-- Agents that are disabled, those of the configuration too.
CREATE TABLE agents_disabled (
	name  TEXT   NOT NULL PRIMARY KEY,
	since BIGINT NOT NULL
);

-- One row. Its version grows with each change of the two tables above, so that replicas
-- notice changes.
CREATE TABLE agents_version (version BIGINT NOT NULL);
INSERT INTO agents_version (version) VALUES (0);

-- The cards that each agent has shown at its url, by their content. The card with the
-- latest in_force is in force; it is 0 for cards that never were.
CREATE TABLE agent_cards (
	agent    TEXT   NOT NULL,
	digest   TEXT   NOT NULL,
	card     TEXT   NOT NULL,
	url      TEXT   NOT NULL,
	first    BIGINT NOT NULL,
	last     BIGINT NOT NULL,
	in_force BIGINT NOT NULL,
	PRIMARY KEY (agent, digest)
);

-- Credentials of users at agents, sealed. The owner '' holds our own registration at
-- the agent's authorization server. version changes with each write. holder renews the
-- credentials until held_until, and nobody else.
CREATE TABLE connections (
	owner      TEXT   NOT NULL,
	agent      TEXT   NOT NULL,
	kind       TEXT   NOT NULL,
	sealed     TEXT   NOT NULL,
	version    BIGINT NOT NULL,
	connected  BIGINT NOT NULL,
	updated    BIGINT NOT NULL,
	holder     TEXT   NOT NULL DEFAULT '',
	held_until BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (owner, agent)
);

-- Users who are at an agent's authorization server. state and browser are hashes.
CREATE TABLE connection_attempts (
	state   TEXT   NOT NULL PRIMARY KEY,
	browser TEXT   NOT NULL,
	owner   TEXT   NOT NULL,
	agent   TEXT   NOT NULL,
	task    TEXT   NOT NULL,
	sealed  TEXT   NOT NULL,
	expires BIGINT NOT NULL
);

CREATE INDEX connection_attempts_expires ON connection_attempts (expires);

-- Each call of an agent or a tool.
CREATE TABLE usage_calls (
	at        BIGINT NOT NULL,
	id        TEXT   NOT NULL,
	user_id   TEXT   NOT NULL,
	client    TEXT   NOT NULL,
	usecase   TEXT   NOT NULL,
	door      TEXT   NOT NULL,
	tool      TEXT   NOT NULL,
	agent     TEXT   NOT NULL,
	millis    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	outcome   TEXT   NOT NULL,
	PRIMARY KEY (at, id)
);

CREATE INDEX usage_calls_user ON usage_calls (user_id, at, id);
CREATE INDEX usage_calls_client ON usage_calls (client, at, id);
CREATE INDEX usage_calls_agent ON usage_calls (agent, at, id);
CREATE INDEX usage_calls_unsuccessful ON usage_calls (at, id) WHERE outcome <> 'ok';

-- The audit log. Rows are never changed. seq counts the events, and hash is of the event and of
-- the hash before it: see internal/audit.
CREATE TABLE audit (
	at       BIGINT NOT NULL,
	id       TEXT   NOT NULL,
	kind     TEXT   NOT NULL,
	outcome  TEXT   NOT NULL,
	actor_id TEXT   NOT NULL,
	actor    TEXT   NOT NULL,
	address  TEXT   NOT NULL,
	target   TEXT   NOT NULL,
	detail   TEXT   NOT NULL,
	seq      BIGINT NOT NULL UNIQUE,
	hash     TEXT   NOT NULL,
	PRIMARY KEY (at, id)
);

-- One row: the last event that was written, and the last that was deleted for its age. Those
-- who write or delete events lock it.
CREATE TABLE audit_chain (
	id           BIGINT NOT NULL PRIMARY KEY,
	seq          BIGINT NOT NULL,
	hash         TEXT   NOT NULL,
	dropped_seq  BIGINT NOT NULL,
	dropped_hash TEXT   NOT NULL
);
INSERT INTO audit_chain (id, seq, hash, dropped_seq, dropped_hash) VALUES (1, 0, '', 0, '');

CREATE INDEX audit_kind ON audit (kind, at, id);
CREATE INDEX audit_actor ON audit (actor_id, at, id);
CREATE INDEX audit_actor_kind ON audit (actor_id, kind, at, id);
CREATE INDEX audit_actor_name ON audit (actor, at, id);
CREATE INDEX audit_actor_name_kind ON audit (actor, kind, at, id);
CREATE INDEX audit_target ON audit (target, at, id);
CREATE INDEX audit_outcome ON audit (outcome, at, id) WHERE outcome <> 'ok';
CREATE INDEX audit_kind_outcome ON audit (kind, outcome, at, id) WHERE outcome <> 'ok';
