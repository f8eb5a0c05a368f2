-- +goose Up
-- What is different on SQLite: search, and the indexes of all tasks.

-- The search index. Each word begins with its owner, so that a search goes through one
-- owner's tasks. The ids rise with time.
CREATE TABLE task_texts (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE task_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'");
CREATE VIRTUAL TABLE task_vocabulary USING fts5vocab(task_words, instance);

-- Tasks that the search index does not have yet.
CREATE INDEX tasks_index_queue ON tasks (settled, owner, agent, context_id) WHERE indexed = 0;

-- Without handles, which only order tasks of one millisecond: each task pays for them.
-- Conversations are words of the search index instead of an index of their own.
CREATE INDEX tasks_all ON tasks (created);
CREATE INDEX tasks_created ON tasks (owner, created);
CREATE INDEX tasks_of_agent ON tasks (agent, created);
CREATE INDEX tasks_own_agent ON tasks (owner, agent, created);

-- The ID that the write-behind file has in common with this database. There is at most
-- one row.
CREATE TABLE write_behind (id TEXT NOT NULL PRIMARY KEY);

-- An operator finds clients, documents and accounts by the words of their names. Each
-- term is such a name from one word on, so that a search is a range of an index.
CREATE TABLE client_terms (
	id   TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	term TEXT NOT NULL,
	PRIMARY KEY (id, term)
) WITHOUT ROWID;
CREATE INDEX client_terms_term ON client_terms (term, id);

CREATE TABLE document_terms (
	id   TEXT NOT NULL REFERENCES client_documents (id) ON DELETE CASCADE,
	term TEXT NOT NULL,
	PRIMARY KEY (id, term)
) WITHOUT ROWID;
CREATE INDEX document_terms_term ON document_terms (term, id);

CREATE TABLE account_terms (
	id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	term TEXT NOT NULL,
	PRIMARY KEY (id, term)
) WITHOUT ROWID;
CREATE INDEX account_terms_term ON account_terms (term, id);
