-- +goose Up
-- 1 for a client all of whose tokens must be bound to a key (RFC 9449 section 5.2).
ALTER TABLE clients ADD COLUMN dpop_bound BIGINT NOT NULL DEFAULT 0;
