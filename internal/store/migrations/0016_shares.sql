-- +goose Up
-- A document that its owner shows to whoever has a link. The secret of the link
-- is kept as its SHA-256. What is a task of the ledger names it by its handle and
-- goes with it; what is not is kept as it was, as JSON.
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

-- A page of what somebody shares, the latest first.
CREATE INDEX shares_owner ON shares (owner, created, id);
CREATE INDEX shares_expires ON shares (expires);
CREATE INDEX shares_handle ON shares (handle) WHERE handle <> '';
