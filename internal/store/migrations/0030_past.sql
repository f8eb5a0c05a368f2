-- +goose Up
-- What has been of a task and was replaced, as JSON; NULL where there is nothing.
ALTER TABLE tasks ADD COLUMN past TEXT;
