-- +goose Up
-- The public keys of clients that prove themselves by one: the set, or where it
-- is.
ALTER TABLE clients ADD COLUMN keys TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN keys_uri TEXT NOT NULL DEFAULT '';

-- Hashes of what others made and works once, such as the assertions of clients.
CREATE TABLE used_once (
	hash    TEXT   NOT NULL PRIMARY KEY,
	expires BIGINT NOT NULL
);

CREATE INDEX used_once_expires ON used_once (expires);
