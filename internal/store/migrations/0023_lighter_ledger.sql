-- +goose Up
-- Each index is written with each task, twice at least. Unsettled tasks are few,
-- so one index of them serves those who count an owner's and those who look for
-- leases that ran out.
DROP INDEX tasks_unsettled;
DROP INDEX tasks_running;
CREATE INDEX tasks_running ON tasks (owner, lease_until) WHERE settled = 0;

-- A task has no conversation until its agent has answered.
DROP INDEX tasks_context;
CREATE INDEX tasks_context ON tasks (owner, agent, context_id) WHERE context_id <> '';

-- A page of A2A tells how many tasks there are on all pages, so it reads all of
-- its owner's, by whichever index.
DROP INDEX tasks_updated;
