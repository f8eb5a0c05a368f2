-- +goose Up
-- What is different on PostgreSQL: search, and the indexes of all tasks.

-- The search index. Each word begins with its owner, so that a search goes through one
-- owner's tasks. The ids rise with time.
CREATE TABLE task_words (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, handle TEXT NOT NULL UNIQUE, words TSVECTOR NOT NULL);
CREATE INDEX task_words_words ON task_words USING gin (words);

-- Tasks that the search index does not have yet.
CREATE INDEX tasks_index_queue ON tasks (updated) WHERE settled = 1 AND indexed = 0;

CREATE INDEX tasks_all ON tasks (created, handle);
CREATE INDEX tasks_created ON tasks (owner, created, handle);
CREATE INDEX tasks_of_agent ON tasks (agent, created, handle);
CREATE INDEX tasks_own_agent ON tasks (owner, agent, created, handle);
CREATE INDEX tasks_context ON tasks (owner, agent, context_id) WHERE context_id <> '';

-- An operator finds clients, documents and accounts by the words of their names. Each
-- term is such a name from one word on, so that a search is a range of an index.
CREATE TABLE client_terms (
	id   TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
	term TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id, term)
);
CREATE INDEX client_terms_term ON client_terms (term, id);

CREATE TABLE document_terms (
	id   TEXT NOT NULL REFERENCES client_documents (id) ON DELETE CASCADE,
	term TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id, term)
);
CREATE INDEX document_terms_term ON document_terms (term, id);

CREATE TABLE account_terms (
	id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	term TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id, term)
);
CREATE INDEX account_terms_term ON account_terms (term, id);
