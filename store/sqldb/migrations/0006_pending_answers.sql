-- +goose Up
-- polled is 1 for tasks whose agents are polled though they are not in auth-required: the agent has
-- not got the latest answer, or perhaps not. past has the answer.
ALTER TABLE tasks ADD COLUMN polled BIGINT NOT NULL DEFAULT 0;

DROP INDEX tasks_waiting;
CREATE INDEX tasks_waiting ON tasks (due) WHERE settled = 1 AND (state = 'auth-required' OR polled = 1);
