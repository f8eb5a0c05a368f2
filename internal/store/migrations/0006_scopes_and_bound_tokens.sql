-- +goose Up
-- admin is the role of an account that may grant the scope of that name.
ALTER TABLE accounts ADD COLUMN admin BIGINT NOT NULL DEFAULT 0;

-- jkt is the thumbprint of the key that must be proved to use what the row
-- stands for (RFC 9449), or empty.
ALTER TABLE requests ADD COLUMN jkt TEXT NOT NULL DEFAULT '';
ALTER TABLE codes ADD COLUMN jkt TEXT NOT NULL DEFAULT '';
ALTER TABLE refresh_tokens ADD COLUMN jkt TEXT NOT NULL DEFAULT '';

-- parent is the grant whose token was exchanged for one of this grant (RFC
-- 8693), or empty. A grant is worth nothing without its parent.
ALTER TABLE grants ADD COLUMN parent TEXT NOT NULL DEFAULT '';
