-- +goose Up
-- The hash of the token with which a client manages its registration; '' for
-- clients that registered before there was one.
ALTER TABLE clients ADD COLUMN manage_hash TEXT NOT NULL DEFAULT '';
