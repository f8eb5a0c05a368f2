-- +goose Up
-- Files that people and programs send apart from a tool call, by one-time links of which only the hash is
-- kept. content names the bytes, '' until they have come. task is the handle of the task that has the
-- file, '' for none; awaited is 1 while that task waits for it. Times are milliseconds since 1970.
CREATE TABLE uploads (
	id         TEXT   NOT NULL PRIMARY KEY,
	hash       TEXT   NOT NULL UNIQUE,
	owner      TEXT   NOT NULL,
	connector  TEXT   NOT NULL,
	name       TEXT   NOT NULL,
	media_type TEXT   NOT NULL,
	sha256     TEXT   NOT NULL,
	size       BIGINT NOT NULL,
	content    TEXT   NOT NULL DEFAULT '',
	task       TEXT   NOT NULL DEFAULT '',
	awaited    BIGINT NOT NULL DEFAULT 0,
	expires    BIGINT NOT NULL
);
CREATE INDEX uploads_owner ON uploads (owner);
CREATE INDEX uploads_expires ON uploads (expires);
CREATE INDEX uploads_content ON uploads (content);
CREATE INDEX uploads_task ON uploads (task) WHERE task <> '';
CREATE INDEX uploads_awaited ON uploads (awaited) WHERE awaited = 1;

CREATE TABLE upload_chunks (
	content TEXT   NOT NULL,
	number  BIGINT NOT NULL,
	bytes   BYTEA  NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (content, number)
);
CREATE INDEX upload_chunks_first ON upload_chunks (created) WHERE number = 0;
