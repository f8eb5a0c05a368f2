-- +goose Up
-- The messages of callers who name them, so that one which is sent again is
-- not another. digest is of the name and the content, created when it was sent.
CREATE TABLE sent (
	owner   TEXT   NOT NULL,
	agent   TEXT   NOT NULL,
	digest  TEXT   NOT NULL,
	handle  TEXT   NOT NULL REFERENCES tasks (handle) ON DELETE CASCADE,
	created BIGINT NOT NULL,
	PRIMARY KEY (owner, agent, digest)
);

CREATE INDEX sent_handle ON sent (handle);
