-- +goose Up
-- When to look at a task again that waits in auth-required, which nobody follows, is
-- in lease_until. Those that waited when this came are due.
CREATE INDEX tasks_waiting ON tasks (lease_until) WHERE settled = 1 AND state = 'auth-required';
