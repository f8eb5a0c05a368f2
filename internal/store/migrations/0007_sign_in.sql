-- +goose Up
-- People whom an identity provider vouches for: its issuer, and what it calls
-- the person. Both are '' for local accounts. usecases holds the use cases that
-- the provider grants the person, '' if it sets no limit.
ALTER TABLE accounts ADD COLUMN issuer TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN usecases TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX accounts_identity ON accounts (issuer, subject) WHERE issuer <> '';

-- When a grant ends at the latest that is given in the session; 0 sets no end.
ALTER TABLE sessions ADD COLUMN grants_until BIGINT NOT NULL DEFAULT 0;

-- Browsers that are at an identity provider. handle is that of the request that
-- the person allowed before, '' for a sign-in to our own pages.
CREATE TABLE logins (
	state    TEXT   NOT NULL PRIMARY KEY,
	browser  TEXT   NOT NULL,
	provider TEXT   NOT NULL,
	handle   TEXT   NOT NULL,
	scope    TEXT   NOT NULL,
	next     TEXT   NOT NULL,
	expires  BIGINT NOT NULL
);

CREATE INDEX logins_expires ON logins (expires);

-- The code with which the first account may be made. There is one at a time.
CREATE TABLE setup_code (
	id      BIGINT NOT NULL PRIMARY KEY,
	hash    TEXT   NOT NULL,
	expires BIGINT NOT NULL
);
