-- +goose Up
-- What an A2A caller calls the task (only A2A 0.1 does) and the conversation,
-- where that is not the agent's word; '' where it is.
ALTER TABLE tasks ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN context_name TEXT NOT NULL DEFAULT '';

CREATE INDEX tasks_name ON tasks (owner, agent, name) WHERE name <> '';
CREATE INDEX tasks_context_name ON tasks (owner, agent, context_name) WHERE context_name <> '';

-- A page of somebody's tasks with an agent, the latest changed first.
CREATE INDEX tasks_updated ON tasks (owner, agent, updated, handle);
