-- +goose Up
-- What users have connected agents with. What proves who they are is sealed; the
-- owner '' holds what the agent's authorization server knows this server by.
CREATE TABLE connections (
	owner      TEXT   NOT NULL,
	agent      TEXT   NOT NULL,
	kind       TEXT   NOT NULL,
	sealed     TEXT   NOT NULL,
	version    BIGINT NOT NULL, -- another after each change
	connected  BIGINT NOT NULL,
	updated    BIGINT NOT NULL,
	holder     TEXT   NOT NULL DEFAULT '', -- who renews it now,
	held_until BIGINT NOT NULL DEFAULT 0,  -- and until when nobody else does
	PRIMARY KEY (owner, agent)
);

-- Users who are away at an agent's authorization server.
CREATE TABLE connection_attempts (
	state   TEXT   PRIMARY KEY, -- a hash
	browser TEXT   NOT NULL,    -- a hash
	owner   TEXT   NOT NULL,
	agent   TEXT   NOT NULL,
	task    TEXT   NOT NULL,
	sealed  TEXT   NOT NULL,
	expires BIGINT NOT NULL
);
CREATE INDEX connection_attempts_expires ON connection_attempts (expires);
