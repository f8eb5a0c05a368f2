-- +goose Up
-- A page of A2A lists the tasks that changed last, and tells how many there are. An
-- owner of a million had each of them read for it. What is older than an agent keeps
-- is found by when it began: no task changes before that. The new index is made first:
-- from the other step on, replicas of the version before cannot even read.
CREATE INDEX tasks_own_updated ON tasks (owner, updated, agent, state);
DROP INDEX tasks_settled;
