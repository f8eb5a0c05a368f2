-- +goose Up
-- How often a shared document was looked at, and when last; 0 is never.
ALTER TABLE shares ADD COLUMN views BIGINT NOT NULL DEFAULT 0;
ALTER TABLE shares ADD COLUMN viewed BIGINT NOT NULL DEFAULT 0;
