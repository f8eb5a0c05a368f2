-- +goose Up
-- use_case is the one that the task was begun with, '' for none or several: its agent gets it
-- again with the messages that continue the task.
ALTER TABLE tasks ADD COLUMN use_case TEXT NOT NULL DEFAULT '';
