-- +goose Up
-- Passwords that were tried in a row, and when the last of them was checked. key is the ID of an
-- account, or a MAC of a name without one: then unknown is 1.
CREATE TABLE guesses (
	key     TEXT   NOT NULL PRIMARY KEY,
	unknown BIGINT NOT NULL,
	n       BIGINT NOT NULL,
	at      BIGINT NOT NULL
);

CREATE INDEX guesses_unknown ON guesses (at) WHERE unknown = 1;

-- Replicas of the version before still write accounts.guesses; nothing reads it any more.
INSERT INTO guesses (key, unknown, n, at) SELECT id, 0, guesses, 0 FROM accounts WHERE guesses > 0;

-- The networks from which an account signed in last. network is a MAC of the address.
CREATE TABLE account_networks (
	account_id TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	network    TEXT   NOT NULL,
	at         BIGINT NOT NULL,
	PRIMARY KEY (account_id, network)
);

-- Links that sign an account in once. An account has one at most.
CREATE TABLE sign_in_links (
	hash       TEXT   NOT NULL PRIMARY KEY,
	account_id TEXT   NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE,
	expires    BIGINT NOT NULL
);

CREATE INDEX sign_in_links_expires ON sign_in_links (expires);
