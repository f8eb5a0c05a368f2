package store

import "github.com/pressly/goose/v3"

// leanMigration leaves out of SQLite's indexes of tasks what each task pays for
// and few ask for: the handles, which only tell tasks of one millisecond apart,
// and the conversations, which are words from now on. indexed is 0 of a task that
// the index of words does not have, 1 if it has it without its conversation, and 2
// if it has all; tasks_fresh is for the first two.
func leanMigration(dialect goose.Dialect) *goose.Migration {
	if dialect == goose.DialectPostgres {
		return migration(31)
	}
	return migration(31,
		`DROP INDEX tasks_created`, `CREATE INDEX tasks_created ON tasks (owner, created)`,
		`DROP INDEX tasks_all`, `CREATE INDEX tasks_all ON tasks (created)`,
		`DROP INDEX tasks_of_agent`, `CREATE INDEX tasks_of_agent ON tasks (agent, created)`,
		`DROP INDEX tasks_own_agent`, `CREATE INDEX tasks_own_agent ON tasks (owner, agent, created)`,
		`DROP INDEX tasks_context`,
		`DROP INDEX tasks_unindexed`,
		`CREATE INDEX tasks_fresh ON tasks (indexed, settled, owner, agent, context_id) WHERE indexed < 2`)
}
