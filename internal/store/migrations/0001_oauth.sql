-- +goose Up
-- Times are milliseconds since 1970; 0 stands for "never". Columns named hash,
-- handle or browser hold SHA-256 digests: nothing here lets its reader in.
CREATE TABLE accounts (
	id         TEXT   NOT NULL PRIMARY KEY,
	name       TEXT   NOT NULL UNIQUE,
	password   TEXT   NOT NULL,
	disabled   BIGINT NOT NULL DEFAULT 0,
	created    BIGINT NOT NULL
);

CREATE TABLE sessions (
	hash       TEXT   NOT NULL PRIMARY KEY,
	account_id TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created    BIGINT NOT NULL,
	expires    BIGINT NOT NULL
);

CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- redirect_uris and grant_types are lists with a space between: neither may
-- hold one.
CREATE TABLE clients (
	id            TEXT   NOT NULL PRIMARY KEY,
	name          TEXT   NOT NULL,
	uri           TEXT   NOT NULL,
	redirect_uris TEXT   NOT NULL,
	auth_method   TEXT   NOT NULL,
	secret_hash   TEXT   NOT NULL,
	grant_types   TEXT   NOT NULL,
	registered    BIGINT NOT NULL
);

CREATE INDEX clients_registered ON clients (registered);

CREATE TABLE requests (
	handle        TEXT   NOT NULL PRIMARY KEY,
	browser       TEXT   NOT NULL,
	client_id     TEXT   NOT NULL,
	redirect_uri  TEXT   NOT NULL,
	redirect_sent BIGINT NOT NULL,
	state         TEXT   NOT NULL,
	scope         TEXT   NOT NULL,
	resource      TEXT   NOT NULL,
	challenge     TEXT   NOT NULL,
	login         BIGINT NOT NULL,
	expires       BIGINT NOT NULL
);

CREATE INDEX requests_expires ON requests (expires);
CREATE INDEX requests_client ON requests (client_id);

-- client_id is no foreign key: tokens issued by hand name a client that never
-- registered.
CREATE TABLE grants (
	id         TEXT   NOT NULL PRIMARY KEY,
	account_id TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	client_id  TEXT   NOT NULL,
	scope      TEXT   NOT NULL,
	resource   TEXT   NOT NULL,
	auth_time  BIGINT NOT NULL,
	created    BIGINT NOT NULL,
	expires    BIGINT NOT NULL,
	revoked    BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX grants_account ON grants (account_id);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_expires ON grants (expires);

-- A used code stays as long as its grant, so that its second use is noticed.
CREATE TABLE codes (
	hash         TEXT   NOT NULL PRIMARY KEY,
	grant_id     TEXT   NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	client_id    TEXT   NOT NULL,
	redirect_uri TEXT   NOT NULL,
	challenge    TEXT   NOT NULL,
	expires      BIGINT NOT NULL,
	used         BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX codes_grant ON codes (grant_id);
CREATE INDEX codes_unused ON codes (expires) WHERE used = 0;

-- successor is the next refresh token, encrypted under this one's plain text;
-- it is there for as long as the grace of this one may last.
CREATE TABLE refresh_tokens (
	hash      TEXT   NOT NULL PRIMARY KEY,
	grant_id  TEXT   NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	client_id TEXT   NOT NULL,
	parent    TEXT   NOT NULL,
	expires   BIGINT NOT NULL,
	used      BIGINT NOT NULL DEFAULT 0,
	uses      BIGINT NOT NULL DEFAULT 0,
	successor TEXT   NOT NULL DEFAULT ''
);

CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires);
CREATE INDEX refresh_tokens_grace ON refresh_tokens (used) WHERE successor <> '';

-- private is encrypted under the operator's secret.
CREATE TABLE signing_keys (
	seq     BIGINT NOT NULL PRIMARY KEY,
	kid     TEXT   NOT NULL UNIQUE,
	private TEXT   NOT NULL,
	active  BIGINT NOT NULL,
	expires BIGINT NOT NULL
);
