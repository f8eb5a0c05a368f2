-- +goose Up
-- Lists say what an agent was asked: of a task that works, nothing else is known.
ALTER TABLE tasks ADD COLUMN asked TEXT NOT NULL DEFAULT '';
