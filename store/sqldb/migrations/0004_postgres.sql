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

-- The events of tasks: see event_logs. A report of progress is an event at most every 15 seconds. No
-- client asks for a context_id of more than 1000 characters, which is the agent's.
CREATE FUNCTION add_task_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.settled = 0 THEN
			RETURN NULL;
		END IF;
	ELSIF NEW.settled = OLD.settled AND NEW.state = OLD.state AND (NEW.summary = OLD.summary OR NEW.settled = 1) THEN
		RETURN NULL;
	END IF;
	INSERT INTO events (owner, name, seq, id, at, handle, agent, context_id, state, summary)
	SELECT owner, name, last + 1, NEW.handle || '.' || NEW.updated, NEW.updated, NEW.handle, NEW.agent, substr(NEW.context_id, 1, 1000), NEW.state, NEW.summary
	FROM event_logs WHERE owner = NEW.owner AND name = CASE WHEN NEW.settled = 0 THEN 'task.progress'
		WHEN NEW.state = 'completed' THEN 'task.completed' WHEN NEW.state = 'input-required' THEN 'task.input_required' WHEN NEW.state = 'auth-required' THEN 'task.auth_required' ELSE 'task.failed' END
	AND (NEW.settled = 1 OR NOT EXISTS (SELECT 1 FROM events e WHERE e.name = 'task.progress' AND e.owner = NEW.owner AND e.handle = NEW.handle AND e.at > NEW.updated - 15000))
	FOR UPDATE;
	RETURN NULL;
END $$;

CREATE TRIGGER tasks_event AFTER INSERT OR UPDATE OF state, settled ON tasks FOR EACH ROW EXECUTE FUNCTION add_task_event();

CREATE FUNCTION announce_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE event_logs SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name;
	UPDATE event_subscriptions SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name AND verified > 0
		AND task IN ('', NEW.handle) AND agent IN ('', NEW.agent) AND context IN ('', NEW.context_id);
	DELETE FROM events WHERE owner = NEW.owner AND name = NEW.name
		AND seq <= NEW.seq - (SELECT keep FROM event_logs WHERE owner = NEW.owner AND name = NEW.name);
	RETURN NULL;
END $$;

CREATE TRIGGER events_added AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION announce_event();
-- Sums of calls by the hour and by the day, for each value of each dimension: agent, tool,
-- usecase, client, user_id, or '' for all calls. b0 to b15 count calls by duration, within the
-- bounds of internal/usage. Hours are read in a short range of time, days for long ones.
CREATE TABLE usage_hours (
	dimension TEXT   NOT NULL,
	at        BIGINT NOT NULL,
	key       TEXT   NOT NULL,
	calls     BIGINT NOT NULL,
	errors    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	millis    BIGINT NOT NULL,
	b0 BIGINT NOT NULL, b1 BIGINT NOT NULL, b2  BIGINT NOT NULL, b3  BIGINT NOT NULL, b4  BIGINT NOT NULL, b5  BIGINT NOT NULL, b6  BIGINT NOT NULL, b7  BIGINT NOT NULL,
	b8 BIGINT NOT NULL, b9 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL, b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL,
	PRIMARY KEY (dimension, at, key)
);

CREATE TABLE usage_days (
	dimension TEXT   NOT NULL,
	key       TEXT   NOT NULL,
	at        BIGINT NOT NULL,
	calls     BIGINT NOT NULL,
	errors    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	millis    BIGINT NOT NULL,
	b0 BIGINT NOT NULL, b1 BIGINT NOT NULL, b2  BIGINT NOT NULL, b3  BIGINT NOT NULL, b4  BIGINT NOT NULL, b5  BIGINT NOT NULL, b6  BIGINT NOT NULL, b7  BIGINT NOT NULL,
	b8 BIGINT NOT NULL, b9 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL, b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL,
	PRIMARY KEY (dimension, key, at)
);
