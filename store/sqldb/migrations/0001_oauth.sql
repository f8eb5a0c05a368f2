-- +goose Up
-- The authorization server. Times are milliseconds since 1970; 0 means never. Columns
-- named hash, handle or browser hold SHA-256 digests: what is read here grants nothing.
-- Lists are joined with a space.

-- issuer and subject are those of the identity provider; both are '' for local
-- accounts. usecases is what the provider allows, '' if it sets no limit. admin is the
-- role that may grant the scope of that name. guesses is how many passwords were tried in a row.
CREATE TABLE accounts (
	id       TEXT   NOT NULL PRIMARY KEY,
	name     TEXT   NOT NULL UNIQUE,
	password TEXT   NOT NULL,
	disabled BIGINT NOT NULL DEFAULT 0,
	admin    BIGINT NOT NULL DEFAULT 0,
	issuer   TEXT   NOT NULL DEFAULT '',
	subject  TEXT   NOT NULL DEFAULT '',
	usecases TEXT   NOT NULL DEFAULT '',
	created  BIGINT NOT NULL,
	guesses  BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX accounts_identity ON accounts (issuer, subject) WHERE issuer <> '';
CREATE INDEX accounts_admin ON accounts (name) WHERE admin = 1;
CREATE INDEX accounts_disabled ON accounts (name) WHERE disabled = 1;

-- Grants that are given in a session end at grants_until; 0 sets no end.
CREATE TABLE sessions (
	hash         TEXT   NOT NULL PRIMARY KEY,
	account_id   TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created      BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	grants_until BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires);

-- manage_hash is of the registration access token (RFC 7592). keys are the public keys
-- of the client, or keys_uri is where they are. dpop_bound is 1 if all tokens of the
-- client must be bound to a key (RFC 9449 section 5.2).
CREATE TABLE clients (
	id               TEXT   NOT NULL PRIMARY KEY,
	name             TEXT   NOT NULL,
	uri              TEXT   NOT NULL,
	redirect_uris    TEXT   NOT NULL,
	auth_method      TEXT   NOT NULL,
	secret_hash      TEXT   NOT NULL,
	grant_types      TEXT   NOT NULL,
	application_type TEXT   NOT NULL DEFAULT '',
	manage_hash      TEXT   NOT NULL DEFAULT '',
	keys             TEXT   NOT NULL DEFAULT '',
	keys_uri         TEXT   NOT NULL DEFAULT '',
	dpop_bound       BIGINT NOT NULL DEFAULT 0,
	registered       BIGINT NOT NULL
);

CREATE INDEX clients_by_age ON clients (registered, id);

-- Client ID metadata documents, by their URL.
CREATE TABLE client_documents (
	id      TEXT   NOT NULL PRIMARY KEY,
	body    TEXT   NOT NULL,
	fetched BIGINT NOT NULL,
	fresh   BIGINT NOT NULL,
	expires BIGINT NOT NULL
);

CREATE INDEX client_documents_expires ON client_documents (expires);
CREATE INDEX client_documents_by_age ON client_documents (fetched, id);

-- Authorization requests. jkt is the thumbprint of the key that must be proved to use
-- what the row stands for (RFC 9449), or ''.
CREATE TABLE requests (
	handle          TEXT   NOT NULL PRIMARY KEY,
	browser         TEXT   NOT NULL,
	client_id       TEXT   NOT NULL,
	redirect_uri    TEXT   NOT NULL,
	redirect_sent   BIGINT NOT NULL,
	state           TEXT   NOT NULL,
	scope           TEXT   NOT NULL,
	resource        TEXT   NOT NULL,
	challenge       TEXT   NOT NULL,
	jkt             TEXT   NOT NULL DEFAULT '',
	signed_in_after BIGINT NOT NULL,
	expires         BIGINT NOT NULL
);

CREATE INDEX requests_expires ON requests (expires);
CREATE INDEX requests_client ON requests (client_id);

-- Browsers that are at an identity provider. handle is that of the request which the
-- person allowed before, '' for a sign-in to our own pages.
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

-- client_id is no foreign key: tokens issued by hand name a client that never
-- registered. client_name is what the client was called when the person allowed it, ''
-- if no person did. parent is the grant whose token was exchanged for one of this grant (RFC
-- 8693), or ''; a grant is only valid with its parent. used is the time of the last
-- use, to the minute.
CREATE TABLE grants (
	id          TEXT   NOT NULL PRIMARY KEY,
	account_id  TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	client_id   TEXT   NOT NULL,
	client_name TEXT   NOT NULL DEFAULT '',
	scope       TEXT   NOT NULL,
	resource    TEXT   NOT NULL,
	parent      TEXT   NOT NULL DEFAULT '',
	auth_time   BIGINT NOT NULL,
	created     BIGINT NOT NULL,
	expires     BIGINT NOT NULL,
	revoked     BIGINT NOT NULL DEFAULT 0,
	used        BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX grants_expires ON grants (expires);
CREATE INDEX grants_created ON grants (created, id);
CREATE INDEX grants_of_account ON grants (account_id, created, id);
CREATE INDEX grants_of_client ON grants (client_id, created, id);
CREATE INDEX grants_client_used ON grants (client_id, used);

-- A used code stays as long as its grant, so that its second use is noticed.
CREATE TABLE codes (
	hash         TEXT   NOT NULL PRIMARY KEY,
	grant_id     TEXT   NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	client_id    TEXT   NOT NULL,
	redirect_uri TEXT   NOT NULL,
	challenge    TEXT   NOT NULL,
	jkt          TEXT   NOT NULL DEFAULT '',
	expires      BIGINT NOT NULL,
	used         BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX codes_grant ON codes (grant_id);
CREATE INDEX codes_unused ON codes (expires) WHERE used = 0;

-- successor is the next refresh token, encrypted under this one's plain text. It is
-- there for as long as the grace of this one may last.
CREATE TABLE refresh_tokens (
	hash      TEXT   NOT NULL PRIMARY KEY,
	grant_id  TEXT   NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	client_id TEXT   NOT NULL,
	parent    TEXT   NOT NULL,
	jkt       TEXT   NOT NULL DEFAULT '',
	expires   BIGINT NOT NULL,
	used      BIGINT NOT NULL DEFAULT 0,
	uses      BIGINT NOT NULL DEFAULT 0,
	successor TEXT   NOT NULL DEFAULT ''
);

CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires);
CREATE INDEX refresh_tokens_grace ON refresh_tokens (used) WHERE successor <> '';

-- private is encrypted under the operator's secret. signed_until is when the last token
-- that the key signed expires.
CREATE TABLE signing_keys (
	seq          BIGINT NOT NULL PRIMARY KEY,
	kid          TEXT   NOT NULL UNIQUE,
	private      TEXT   NOT NULL,
	active       BIGINT NOT NULL,
	expires      BIGINT NOT NULL,
	signed_until BIGINT NOT NULL DEFAULT 0
);

-- Hashes of what works once, such as the assertions of clients.
CREATE TABLE used_once (
	hash    TEXT   NOT NULL PRIMARY KEY,
	expires BIGINT NOT NULL
);

CREATE INDEX used_once_expires ON used_once (expires);

-- The code with which the first account is made. There is at most one row.
CREATE TABLE setup_code (
	id      BIGINT NOT NULL PRIMARY KEY,
	hash    TEXT   NOT NULL,
	expires BIGINT NOT NULL
);
