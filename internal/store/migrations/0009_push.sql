-- +goose Up
-- The webhooks that want to be told of a task. config is sealed: it holds what
-- proves to them who we are.
CREATE TABLE webhooks (
	handle  TEXT   NOT NULL REFERENCES tasks (handle) ON DELETE CASCADE,
	id      TEXT   NOT NULL,
	host    TEXT   NOT NULL,
	config  TEXT   NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (handle, id)
);

-- A task that has, or had, webhooks: writing it fills the outbox.
ALTER TABLE tasks ADD COLUMN watched BIGINT NOT NULL DEFAULT 0;

-- What webhooks are still to be told. version is the moment of the change and
-- orders what one webhook hears; due is when to try (again), which for a notice
-- that somebody holds is when its lease runs out.
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
