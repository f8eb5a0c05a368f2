-- +goose Up
-- Where a session came from, roughly; when it was last used; and when the person last proved who they
-- are in it. Sessions of the version before have none of these.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN proved BIGINT NOT NULL DEFAULT 0;

-- Passkeys of local accounts. id is the credential ID, in base64url; credential has its public key, as
-- JSON. sign_count only grows, or stays 0 for authenticators that do not count.
CREATE TABLE passkeys (
	id         TEXT   NOT NULL PRIMARY KEY,
	account_id TEXT   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	name       TEXT   NOT NULL,
	credential TEXT   NOT NULL,
	sign_count BIGINT NOT NULL,
	created    BIGINT NOT NULL,
	used       BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX passkeys_account ON passkeys (account_id);

-- Hashes of the recovery codes that were not used.
CREATE TABLE recovery_codes (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	hash       TEXT NOT NULL,
	PRIMARY KEY (account_id, hash)
);
