-- +goose Up
-- The handle of the task that a call was about; '' is none, or a call of the version before.
ALTER TABLE usage_calls ADD COLUMN task TEXT NOT NULL DEFAULT '';
