CREATE FUNCTION add_task_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION announce_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	UPDATE event_logs SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name;
	UPDATE event_subscriptions SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name AND verified > 0
		AND task IN ('', NEW.handle) AND agent IN ('', NEW.agent) AND context IN ('', NEW.context_id);
	DELETE FROM events WHERE owner = NEW.owner AND name = NEW.name
		AND seq <= NEW.seq - (SELECT keep FROM event_logs WHERE owner = NEW.owner AND name = NEW.name);
	RETURN NULL;
END $$;
CREATE TABLE account_terms (
    id text NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE accounts (
    id text NOT NULL,
    name text NOT NULL,
    password text NOT NULL,
    disabled bigint DEFAULT 0 NOT NULL,
    admin bigint DEFAULT 0 NOT NULL,
    issuer text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    usecases text DEFAULT ''::text NOT NULL,
    created bigint NOT NULL,
    guesses bigint DEFAULT 0 NOT NULL
);
CREATE TABLE agent_cards (
    agent text NOT NULL,
    digest text NOT NULL,
    card text NOT NULL,
    url text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    in_force bigint NOT NULL
);
CREATE TABLE agents (
    name text NOT NULL,
    settings text NOT NULL,
    secret text NOT NULL,
    version bigint NOT NULL,
    created bigint NOT NULL,
    changed bigint NOT NULL,
    removed bigint NOT NULL
);
CREATE TABLE agents_disabled (
    name text NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE agents_version (
    version bigint NOT NULL
);
CREATE TABLE audit (
    at bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    actor_id text NOT NULL,
    actor text NOT NULL,
    address text NOT NULL,
    target text NOT NULL,
    detail text NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL
);
CREATE TABLE audit_chain (
    id bigint NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    dropped_seq bigint NOT NULL,
    dropped_hash text NOT NULL
);
CREATE TABLE client_documents (
    id text NOT NULL,
    body text NOT NULL,
    fetched bigint NOT NULL,
    fresh bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE client_terms (
    id text NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE clients (
    id text NOT NULL,
    name text NOT NULL,
    uri text NOT NULL,
    redirect_uris text NOT NULL,
    auth_method text NOT NULL,
    secret_hash text NOT NULL,
    grant_types text NOT NULL,
    application_type text DEFAULT ''::text NOT NULL,
    manage_hash text DEFAULT ''::text NOT NULL,
    keys text DEFAULT ''::text NOT NULL,
    keys_uri text DEFAULT ''::text NOT NULL,
    dpop_bound bigint DEFAULT 0 NOT NULL,
    registered bigint NOT NULL
);
CREATE TABLE codes (
    hash text NOT NULL,
    grant_id text NOT NULL,
    client_id text NOT NULL,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    jkt text DEFAULT ''::text NOT NULL,
    expires bigint NOT NULL,
    used bigint DEFAULT 0 NOT NULL
);
CREATE TABLE connection_attempts (
    state text NOT NULL,
    browser text NOT NULL,
    owner text NOT NULL,
    agent text NOT NULL,
    task text NOT NULL,
    sealed text NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE connections (
    owner text NOT NULL,
    agent text NOT NULL,
    kind text NOT NULL,
    sealed text NOT NULL,
    version bigint NOT NULL,
    connected bigint NOT NULL,
    updated bigint NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    held_until bigint DEFAULT 0 NOT NULL
);
CREATE TABLE document_terms (
    id text NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE event_logs (
    owner text NOT NULL,
    name text NOT NULL,
    epoch bigint NOT NULL,
    last bigint DEFAULT 0 NOT NULL,
    keep bigint NOT NULL,
    until bigint NOT NULL
);
CREATE TABLE event_subscriptions (
    id text NOT NULL,
    owner text NOT NULL,
    client text NOT NULL,
    grant_id text NOT NULL,
    name text NOT NULL,
    task text NOT NULL,
    agent text NOT NULL,
    context text NOT NULL,
    host text NOT NULL,
    address text NOT NULL,
    config text NOT NULL,
    fence text NOT NULL,
    verified bigint DEFAULT 0 NOT NULL,
    active bigint DEFAULT 0 NOT NULL,
    expires bigint NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    last bigint DEFAULT 0 NOT NULL,
    gap bigint DEFAULT 0 NOT NULL,
    due bigint DEFAULT 0 NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    failing bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    failure text DEFAULT ''::text NOT NULL,
    since bigint DEFAULT 0 NOT NULL,
    tried bigint DEFAULT 0 NOT NULL,
    missed bigint DEFAULT 0 NOT NULL,
    ending bigint DEFAULT 0 NOT NULL
);
CREATE TABLE events (
    owner text NOT NULL,
    name text NOT NULL,
    seq bigint NOT NULL,
    id text NOT NULL,
    at bigint NOT NULL,
    handle text NOT NULL,
    agent text NOT NULL,
    context_id text NOT NULL,
    state text NOT NULL,
    summary text NOT NULL,
    use_cases text DEFAULT ''::text NOT NULL
);
CREATE TABLE goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE grants (
    id text NOT NULL,
    account_id text NOT NULL,
    client_id text NOT NULL,
    client_name text DEFAULT ''::text NOT NULL,
    scope text NOT NULL,
    resource text NOT NULL,
    parent text DEFAULT ''::text NOT NULL,
    auth_time bigint NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    revoked bigint DEFAULT 0 NOT NULL,
    used bigint DEFAULT 0 NOT NULL
);
CREATE TABLE logins (
    state text NOT NULL,
    browser text NOT NULL,
    provider text NOT NULL,
    handle text NOT NULL,
    scope text NOT NULL,
    next text NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE notices (
    handle text NOT NULL,
    webhook text NOT NULL,
    version bigint NOT NULL,
    settled bigint NOT NULL,
    task text NOT NULL,
    host text NOT NULL,
    due bigint NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    failure text DEFAULT ''::text NOT NULL,
    dead bigint DEFAULT 0 NOT NULL
);
CREATE TABLE refresh_tokens (
    hash text NOT NULL,
    grant_id text NOT NULL,
    client_id text NOT NULL,
    parent text NOT NULL,
    jkt text DEFAULT ''::text NOT NULL,
    expires bigint NOT NULL,
    used bigint DEFAULT 0 NOT NULL,
    uses bigint DEFAULT 0 NOT NULL,
    successor text DEFAULT ''::text NOT NULL
);
CREATE TABLE replicas (
    id text NOT NULL,
    heartbeats bigint NOT NULL,
    agents bigint DEFAULT 0 NOT NULL
);
CREATE TABLE requests (
    handle text NOT NULL,
    browser text NOT NULL,
    client_id text NOT NULL,
    redirect_uri text NOT NULL,
    redirect_sent bigint NOT NULL,
    state text NOT NULL,
    scope text NOT NULL,
    resource text NOT NULL,
    challenge text NOT NULL,
    jkt text DEFAULT ''::text NOT NULL,
    signed_in_after bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE sent (
    owner text NOT NULL,
    agent text NOT NULL,
    digest text NOT NULL,
    handle text NOT NULL,
    created bigint NOT NULL
);
CREATE TABLE session_notes (
    session text NOT NULL,
    name text NOT NULL,
    owner text NOT NULL,
    value text,
    until bigint NOT NULL
);
CREATE TABLE sessions (
    hash text NOT NULL,
    account_id text NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL,
    grants_until bigint DEFAULT 0 NOT NULL
);
CREATE TABLE setup_code (
    id bigint NOT NULL,
    hash text NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE shares (
    hash text NOT NULL,
    id text NOT NULL,
    owner text NOT NULL,
    document text NOT NULL,
    title text NOT NULL,
    handle text NOT NULL,
    content text,
    created bigint NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE signing_keys (
    seq bigint NOT NULL,
    kid text NOT NULL,
    private text NOT NULL,
    active bigint NOT NULL,
    expires bigint NOT NULL,
    signed_until bigint DEFAULT 0 NOT NULL
);
CREATE TABLE task_words (
    id bigint NOT NULL,
    handle text NOT NULL,
    words tsvector NOT NULL
);
ALTER TABLE task_words ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME task_words_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tasks (
    handle text NOT NULL,
    owner text NOT NULL,
    client text NOT NULL,
    agent text NOT NULL,
    message_id text NOT NULL,
    context_id text DEFAULT ''::text NOT NULL,
    state text NOT NULL,
    summary text NOT NULL,
    task text,
    failure text,
    settled bigint NOT NULL,
    holder text NOT NULL,
    sender text DEFAULT ''::text NOT NULL,
    due bigint NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    watched bigint DEFAULT 0 NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    context_name text DEFAULT ''::text NOT NULL,
    indexed bigint DEFAULT 0 NOT NULL,
    past text,
    asked text DEFAULT ''::text NOT NULL,
    trace text DEFAULT ''::text NOT NULL,
    size bigint DEFAULT 0 NOT NULL
);
CREATE TABLE usage_calls (
    at bigint NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    client text NOT NULL,
    usecase text NOT NULL,
    door text NOT NULL,
    tool text NOT NULL,
    agent text NOT NULL,
    millis bigint NOT NULL,
    bytes_in bigint NOT NULL,
    bytes_out bigint NOT NULL,
    outcome text NOT NULL
);
CREATE TABLE usage_days (
    dimension text NOT NULL,
    key text NOT NULL,
    at bigint NOT NULL,
    calls bigint NOT NULL,
    errors bigint NOT NULL,
    bytes_in bigint NOT NULL,
    bytes_out bigint NOT NULL,
    millis bigint NOT NULL,
    b0 bigint NOT NULL,
    b1 bigint NOT NULL,
    b2 bigint NOT NULL,
    b3 bigint NOT NULL,
    b4 bigint NOT NULL,
    b5 bigint NOT NULL,
    b6 bigint NOT NULL,
    b7 bigint NOT NULL,
    b8 bigint NOT NULL,
    b9 bigint NOT NULL,
    b10 bigint NOT NULL,
    b11 bigint NOT NULL,
    b12 bigint NOT NULL,
    b13 bigint NOT NULL,
    b14 bigint NOT NULL,
    b15 bigint NOT NULL
);
CREATE TABLE usage_hours (
    dimension text NOT NULL,
    at bigint NOT NULL,
    key text NOT NULL,
    calls bigint NOT NULL,
    errors bigint NOT NULL,
    bytes_in bigint NOT NULL,
    bytes_out bigint NOT NULL,
    millis bigint NOT NULL,
    b0 bigint NOT NULL,
    b1 bigint NOT NULL,
    b2 bigint NOT NULL,
    b3 bigint NOT NULL,
    b4 bigint NOT NULL,
    b5 bigint NOT NULL,
    b6 bigint NOT NULL,
    b7 bigint NOT NULL,
    b8 bigint NOT NULL,
    b9 bigint NOT NULL,
    b10 bigint NOT NULL,
    b11 bigint NOT NULL,
    b12 bigint NOT NULL,
    b13 bigint NOT NULL,
    b14 bigint NOT NULL,
    b15 bigint NOT NULL
);
CREATE TABLE used_once (
    hash text NOT NULL,
    expires bigint NOT NULL
);
CREATE TABLE webhooks (
    handle text NOT NULL,
    id text NOT NULL,
    host text NOT NULL,
    config text NOT NULL,
    created bigint NOT NULL
);
INSERT INTO account_terms VALUES ('-DBEBj4pYD4k98tRJ6A2Fw', 'alice');
INSERT INTO account_terms VALUES ('scRNqLDeQn7q_7zNf5fKuw', 'bob');
INSERT INTO accounts VALUES ('-DBEBj4pYD4k98tRJ6A2Fw', 'alice', '$argon2id$v=19$m=19456,t=2,p=1$H20vpNxs0dFKsK4Qkx2bVQ$ZgiaqE2w3G2Bbm5FA83WotQPPv0vcOe5huZGwGSRu2s', 0, 1, '', '', '', 1795486949296, 0);
INSERT INTO accounts VALUES ('scRNqLDeQn7q_7zNf5fKuw', 'bob', '$argon2id$v=19$m=19456,t=2,p=1$vE3+8PxyaHhQJCekOInfrw$0+5obCCQw+ZwgsMUTpyEIcecZcI3T4lPIGr7HY5Z3PU', 0, 0, '', '', '', 1795486949492, 0);
INSERT INTO agent_cards VALUES ('expert', 'e3c857ea45402945d409c9f0d31634dc411e7429cc12d71d0cace3f687d99d32', '{"capabilities":{"extensions":[{"description":"The JSON Schema of the data that each skill takes.","params":{"skills":{"discover_topics":{"input":{"additionalProperties":false,"properties":{"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"explain":{"input":{"additionalProperties":false,"properties":{"question":{"description":"Instead of sql, a simple question.","type":"string"},"sql":{"description":"One SELECT (SQLite).","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"fetch":{"input":{"additionalProperties":false,"properties":{"id":{"description":"An id that search has found, such as claims/42 or table:claims.","minLength":1,"type":"string"}},"required":["id"],"type":"object"},"readOnly":true},"list_gold":{"input":{"additionalProperties":false,"properties":{"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"peek":{"input":{"additionalProperties":false,"properties":{"limit":{"description":"At most so many rows to show.","maximum":1000,"minimum":1,"type":"integer"},"table":{"description":"Name of the table.","minLength":1,"type":"string"}},"required":["table"],"type":"object"},"readOnly":true},"query_table_expert":{"input":{"additionalProperties":false,"properties":{"limit":{"description":"At most so many rows of the answer.","maximum":1000,"minimum":1,"type":"integer"},"question":{"description":"Instead of sql, a simple question in English or Spanish.","type":"string"},"sql":{"description":"One SELECT (SQLite). The skills schema and peek describe the tables.","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"schema":{"input":{"additionalProperties":false,"properties":{"table":{"description":"Only this table.","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"search":{"input":{"additionalProperties":false,"properties":{"query":{"description":"Words to look for.","minLength":1,"type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":["query"],"type":"object"},"readOnly":true}}},"uri":"urn:rialto:a2a:skill-forms:1"}],"streaming":true},"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],"description":"Runs SQL on tables, read-only, searches them and looks rows up. Send one SELECT; the skills schema and peek describe the tables. The tables are claims, customers, line_results, policies, premiums, vehicles.","name":"Table Expert","skills":[{"description":"Finds rows, tables and columns by words. Takes text, or data {\"query\": \"…\"}; returns {\"results\": [{\"id\", \"title\", \"snippet\"}]}, best first.","examples":["hail Munich truck"],"id":"search","name":"Search the tables","tags":["search","read-only"]},{"description":"Returns one thing that search has found, with the rows that refer to it and that it refers to. Takes an id as text, or data {\"id\": \"…\"}; returns {\"id\", \"title\", \"text\", \"metadata\"}.","examples":["claims/42","table:claims"],"id":"fetch","name":"Fetch a row or table","tags":["fetch","read-only"]},{"description":"Runs one reading SQL statement (SQLite: SELECT, WITH … SELECT, VALUES). Send SQL: the skills \"schema\" and \"peek\" tell the tables, columns and first rows. A simple question in English or Spanish is taken, too; one that could be misread is asked back with the schema. Takes text, or data {\"sql\": \"…\", \"limit\": 200} or {\"question\": \"…\"}; returns a table and {\"sql\", \"columns\", \"rows\", \"row_count\", \"truncated\"}.","examples":["SELECT count(*) FROM claims","How many claims are there?"],"id":"query_table_expert","name":"Query the tables","tags":["sql","analytics","read-only"]},{"description":"Lists the topics that the tables belong to, and which of them is the caller''s. Takes nothing; returns {\"topics\": [{\"id\", \"title\", \"description\", \"tables\"}], \"selected\"}. The other skills take one as data {\"topic\": \"…\"}.","examples":["What is there to ask about?"],"id":"discover_topics","name":"Discover topics","tags":["topics","read-only"]},{"description":"Lists tables, columns, types, keys and row counts. Takes nothing, or a table as text or data {\"table\": \"…\"}.","examples":["What tables are there?","claims"],"id":"schema","name":"Describe the tables","tags":["schema","read-only"]},{"description":"Says what a question or statement would do, without doing it. Takes text, or data {\"question\": \"…\"} or {\"sql\": \"…\"}; returns {\"sql\", \"read_as\", \"plan\"}.","examples":["How many claims are there?"],"id":"explain","name":"Explain a query","tags":["sql","explain","read-only"]},{"description":"Lists the tables that are ready to be relied on, with their topics. Takes nothing, or data {\"topic\": \"…\"}; returns {\"tables\": [{\"id\", \"name\", \"description\", \"row_count\", \"topics\"}]}.","examples":["Which tables are ready to use?"],"id":"list_gold","name":"List the tables to rely on","tags":["schema","read-only"]},{"description":"Shows the first rows of a table. Takes its name as text, or data {\"table\": \"…\", \"limit\": 10}.","examples":["claims"],"id":"peek","name":"Peek into a table","tags":["sample","read-only"]}],"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"http://127.0.0.1:28184"},{"protocolBinding":"JSONRPC","protocolVersion":"0.3","url":"http://127.0.0.1:28184"},{"protocolBinding":"HTTP+JSON","protocolVersion":"1.0","url":"http://127.0.0.1:28184"},{"protocolBinding":"HTTP+JSON","protocolVersion":"0.3","url":"http://127.0.0.1:28184"}],"version":"1.0.0"}', 'http://127.0.0.1:28184', 1795486951353, 1795486951353, 1795486951353);
INSERT INTO agents_version VALUES (0);
INSERT INTO audit VALUES (1795486949306, '01a20b5c-9fba-7f24-8682-31c770e6572a', 'account.added', 'ok', '', 'command line', '', 'alice', 'administrator', 1, '726b72226a4d7352924f0694f31fe9b970c717dbffab0f6406449de17d787b41');
INSERT INTO audit VALUES (1795486949511, '01a20b5c-a087-7238-ae2a-b75c1763fec1', 'account.added', 'ok', '', 'command line', '', 'bob', 'no administrator', 2, 'e7b252c50089a6baa17014743f17cb2c27d629a0c0cacbe5dec1f2736d231a78');
INSERT INTO audit VALUES (1795486950829, '01a20b5c-a5ad-722c-a613-f013fbfdc730', 'token.issued', 'ok', '', 'command line', '', 'bob', 'mcp:tools; 2026-11-24T03:22:30Z', 3, '3223737492f7975e7f29737fb75fa7058352ddface10d4e28e790073812b510b');
INSERT INTO audit VALUES (1795486949806, '01a20b5c-a1ae-7dc4-86f2-aaedceef013f', 'settings.changed', 'ok', '', 'server', '', 'D2xdCEShlZ5bu5QP', 'dev', 4, '9f41e44a78b928da415bad99b65e362d0b10db17dde33170bd3e9319e9f51854');
INSERT INTO audit VALUES (1795486951331, '01a20b5c-a7a3-7c71-902d-542aa88b26dd', 'token.issued', 'ok', '', 'command line', '', 'alice', 'mcp:tools; 2026-11-24T03:22:31Z', 5, 'd2f9f1a6f237d5700499d0d15b053d079273e3a4829797447aa95a0316c9d074');
INSERT INTO audit VALUES (1795486952363, '01a20b5c-abab-7873-abe4-d19107c73ea0', 'token.issued', 'ok', '', 'command line', '', 'bob', 'mcp:tools; 2026-11-24T03:22:32Z', 6, '41a4d2f3110e9aebc7d726d30951831e608461767a33dc740e2404393438ee80');
INSERT INTO audit VALUES (1795486952482, '01a20b5c-ac22-76da-a4db-e652bd0ece9d', 'token.issued', 'ok', '', 'command line', '', 'alice', 'mcp:tools; 2026-11-24T03:22:32Z', 7, '7dd6b031aa42cab785756ec1b64f0b1f2d550165111f8de387b26f1ddfb7a2e1');
INSERT INTO audit VALUES (1795486952556, '01a20b5c-ac6c-7c76-aacc-8f4dfc7d4cbe', 'client.registered', 'ok', '', '', '127.0.0.1', 'rialto_client_qre_C6-xYhJkAaMg4nbpdGuftY0STJRJEXQA_dCnSWc', 'App', 8, 'e5d950d32908757ac94e5d660da8a44d0a18069d8127f4ffcead374bfcc2375b');
INSERT INTO audit_chain VALUES (1, 8, 'e5d950d32908757ac94e5d660da8a44d0a18069d8127f4ffcead374bfcc2375b', 0, '');
INSERT INTO client_terms VALUES ('rialto_client_qre_C6-xYhJkAaMg4nbpdGuftY0STJRJEXQA_dCnSWc', 'rialto_client_qre_c6-xyhjkaamg4nbpdgufty0stjrjexqa_dcnswc');
INSERT INTO client_terms VALUES ('rialto_client_qre_C6-xYhJkAaMg4nbpdGuftY0STJRJEXQA_dCnSWc', 'app');
INSERT INTO clients VALUES ('rialto_client_qre_C6-xYhJkAaMg4nbpdGuftY0STJRJEXQA_dCnSWc', 'App', '', 'https://app.example/cb', 'none', '', 'authorization_code refresh_token', '', 'UTx2BcZY9OezCrU-hkVsztWPAeXdZS-wcb6QXeNwccg', '', '', 0, 1795486952548);
INSERT INTO goose_db_version VALUES (1, 0, true, '2026-11-24 02:22:28.571185');
INSERT INTO goose_db_version VALUES (2, 1, true, '2026-11-24 02:22:28.582637');
INSERT INTO goose_db_version VALUES (3, 2, true, '2026-11-24 02:22:28.739242');
INSERT INTO goose_db_version VALUES (4, 3, true, '2026-11-24 02:22:28.951154');
INSERT INTO goose_db_version VALUES (5, 4, true, '2026-11-24 02:22:29.111125');
INSERT INTO grants VALUES ('YAFb-5joUhkZcwM7EjvuJQ', 'scRNqLDeQn7q_7zNf5fKuw', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28084/mcp', '', 1795486950758, 1795486950758, 1795490550758, 0, 0);
INSERT INTO grants VALUES ('DJ05lNXoaFJTyWvN_GB0FA', '-DBEBj4pYD4k98tRJ6A2Fw', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28084/mcp', '', 1795486951317, 1795486951317, 1795490551317, 0, 1795486951346);
INSERT INTO grants VALUES ('XKhb7cQoOtRDmOyFoYmfoQ', '-DBEBj4pYD4k98tRJ6A2Fw', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28084/mcp', '', 1795486952470, 1795486952470, 1795490552470, 0, 1795486952491);
INSERT INTO grants VALUES ('zbp6bWB6_zOc7VcoP3PJlw', 'scRNqLDeQn7q_7zNf5fKuw', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28084/mcp', '', 1795486952357, 1795486952357, 1795490552357, 0, 1795486952376);
INSERT INTO signing_keys VALUES (1, '2SJR4Ki6TKIWkt9AQnruZ3_iT89qFexvJhmAro8_oFo', 'F0Dsk9JP5AlqDd311iwj5sI9Opj-VlblNqd_7K2M_gOPavzR05kbt7_5P6XxyiACD8cXGD2mtl-tEALfPZk9xJLYzrZ0phsFXtK-IL8PCrgb586sBe7c3Vl476xB0QhCKHj1UH8VdOPCwL_YCw3IilrQ_tGZc3CnNWwMmodF4bV_VlfnZ51ZjGmevyuLeJMuWi82_RF19rh37AWv1FKCW19iOsjIHg', 1795486949814, 1818814949814, 1795491150758);
INSERT INTO task_words OVERRIDING SYSTEM VALUE VALUES (1, '01a20b5c-a7cb-723a-83d7-977a0addeb6c', '''911a4cca1c_1'' ''911a4cca1c_160'' ''911a4cca1c__0ffcad8bedb2d0a90793'' ''911a4cca1c_are'' ''911a4cca1c_as'' ''911a4cca1c_claims'' ''911a4cca1c_columns'' ''911a4cca1c_count'' ''911a4cca1c_expert'' ''911a4cca1c_false'' ''911a4cca1c_from'' ''911a4cca1c_how'' ''911a4cca1c_is'' ''911a4cca1c_many'' ''911a4cca1c_number'' ''911a4cca1c_of'' ''911a4cca1c_open'' ''911a4cca1c_read'' ''911a4cca1c_result'' ''911a4cca1c_row'' ''911a4cca1c_rows'' ''911a4cca1c_running'' ''911a4cca1c_select'' ''911a4cca1c_sql'' ''911a4cca1c_status'' ''911a4cca1c_the'' ''911a4cca1c_truncated'' ''911a4cca1c_was'' ''911a4cca1c_where''');
INSERT INTO task_words OVERRIDING SYSTEM VALUE VALUES (2, '01a20b5c-abbb-7663-8776-33708aff4b57', '''4d5ae6b0a6__c59966d4d83072f25323'' ''4d5ae6b0a6_a'' ''4d5ae6b0a6_about'' ''4d5ae6b0a6_and'' ''4d5ae6b0a6_answer'' ''4d5ae6b0a6_are'' ''4d5ae6b0a6_as'' ''4d5ae6b0a6_claims'' ''4d5ae6b0a6_customers'' ''4d5ae6b0a6_describe'' ''4d5ae6b0a6_expert'' ''4d5ae6b0a6_hello'' ''4d5ae6b0a6_how'' ''4d5ae6b0a6_i'' ''4d5ae6b0a6_line'' ''4d5ae6b0a6_many'' ''4d5ae6b0a6_one'' ''4d5ae6b0a6_or'' ''4d5ae6b0a6_peek'' ''4d5ae6b0a6_policies'' ''4d5ae6b0a6_premiums'' ''4d5ae6b0a6_question'' ''4d5ae6b0a6_questions'' ''4d5ae6b0a6_results'' ''4d5ae6b0a6_schema'' ''4d5ae6b0a6_select'' ''4d5ae6b0a6_send'' ''4d5ae6b0a6_simple'' ''4d5ae6b0a6_skills'' ''4d5ae6b0a6_such'' ''4d5ae6b0a6_tables'' ''4d5ae6b0a6_the'' ''4d5ae6b0a6_there'' ''4d5ae6b0a6_these'' ''4d5ae6b0a6_vehicles''');
INSERT INTO tasks VALUES ('01a20b5c-a7cb-723a-83d7-977a0addeb6c', '-DBEBj4pYD4k98tRJ6A2Fw', 'cli', 'expert', 'e9ae63e9-51e6-4a48-984e-92d135b5736e', '95a7c2d5-6037-4343-9472-c72bd5b6f6af', 'completed', '1 row. Read as: the number of claims; where claims.status is open. The SQL was: SELECT count(*) AS count FROM claims WHERE claims.status = ''open''', '{"id":"fbb60032-6261-448b-9467-a4024501fa7e","contextId":"95a7c2d5-6037-4343-9472-c72bd5b6f6af","status":{"state":"completed","message":{"messageId":"f9cce326-b938-4dcf-ac93-6cd0111d0464","contextId":"95a7c2d5-6037-4343-9472-c72bd5b6f6af","taskId":"fbb60032-6261-448b-9467-a4024501fa7e","role":"agent","parts":[{"text":"1 row. Read as: the number of claims; where claims.status is open. The SQL was: SELECT count(*) AS count FROM claims WHERE claims.status = ''open''"}]},"timestamp":"2026-11-24T02:22:32.195Z"},"artifacts":[{"artifactId":"result","name":"result","parts":[{"text":"| count |\n| --- |\n| 160 |"},{"data":{"sql":"SELECT count(*) AS count FROM claims WHERE claims.status = ''open''","columns":["count"],"rows":[[160]],"row_count":1,"truncated":false},"mediaType":"application/json"}]}],"history":[{"messageId":"e9ae63e9-51e6-4a48-984e-92d135b5736e","contextId":"95a7c2d5-6037-4343-9472-c72bd5b6f6af","taskId":"fbb60032-6261-448b-9467-a4024501fa7e","role":"user","parts":[{"text":"How many claims are open?"}]},{"messageId":"c020fef1-1d95-4ec3-a428-92381228634c","contextId":"95a7c2d5-6037-4343-9472-c72bd5b6f6af","taskId":"fbb60032-6261-448b-9467-a4024501fa7e","role":"agent","parts":[{"text":"Running SELECT count(*) AS count FROM claims WHERE claims.status = ''open''"}]}]}', NULL, 1, '', '', 1795486962210, 1795486951371, 1795486952210, 0, '', '', 1, '{"statuses":[{"state":"submitted","since":1795486951404},{"state":"working","since":1795486952196},{"state":"completed","since":1795486952209}]}', 'How many claims are open?', '', 0);
INSERT INTO tasks VALUES ('01a20b5c-abbb-7663-8776-33708aff4b57', 'scRNqLDeQn7q_7zNf5fKuw', 'cli', 'expert', '53b566e9-0ecd-4c6c-b093-8bda0db5ff62', 'f42ff157-1cba-4875-9698-2cf0201395df', 'completed', 'I answer questions about these tables: claims, customers, line_results, policies, premiums, vehicles. Send one SELECT (the skills schema and peek describe the tables), or a simple question such as: H…', '{"id":"8fd5c9c3-87b6-48f6-9ffa-f2ab8a330de0","contextId":"f42ff157-1cba-4875-9698-2cf0201395df","status":{"state":"completed","message":{"messageId":"d9a26d0b-2886-444c-b2b8-c4bcdd48b9da","contextId":"f42ff157-1cba-4875-9698-2cf0201395df","taskId":"8fd5c9c3-87b6-48f6-9ffa-f2ab8a330de0","role":"agent","parts":[{"text":"I answer questions about these tables: claims, customers, line_results, policies, premiums, vehicles. Send one SELECT (the skills schema and peek describe the tables), or a simple question such as: How many claims are there?"}]},"timestamp":"2026-11-24T02:22:32.38Z"},"history":[{"messageId":"53b566e9-0ecd-4c6c-b093-8bda0db5ff62","contextId":"f42ff157-1cba-4875-9698-2cf0201395df","taskId":"8fd5c9c3-87b6-48f6-9ffa-f2ab8a330de0","role":"user","parts":[{"text":"hello"}]}]}', NULL, 1, '', '', 0, 1795486952379, 1795486952382, 0, '', '', 1, '{"statuses":[{"state":"submitted","since":1795486952381},{"state":"completed","since":1795486952381}]}', 'hello', '', 0);
INSERT INTO usage_calls VALUES (1795486951350, '9b6ecab3-bf56-4c90-b19e-cf14ac4bd775', '-DBEBj4pYD4k98tRJ6A2Fw', 'cli', '', 'mcp', 'send_task', 'expert', 867, 48, 438, 'ok');
INSERT INTO usage_calls VALUES (1795486952379, 'fef46fc9-dfa6-4f38-8bf1-7d675ae69351', 'scRNqLDeQn7q_7zNf5fKuw', 'cli', '', 'mcp', 'send_task', 'expert', 2, 28, 350, 'ok');
INSERT INTO usage_calls VALUES (1795486952494, 'e22fe2c4-4deb-47d8-847e-351ff0acfe1e', '-DBEBj4pYD4k98tRJ6A2Fw', 'cli', '', 'mcp', 'search', '', 37, 18, 850, 'ok');
INSERT INTO usage_days VALUES ('', '', 1795478400000, 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('agent', '', 1795478400000, 1, 0, 18, 850, 37, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('agent', 'expert', 1795478400000, 2, 0, 76, 788, 869, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('client', 'cli', 1795478400000, 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('tool', 'search', 1795478400000, 1, 0, 18, 850, 37, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('tool', 'send_task', 1795478400000, 2, 0, 76, 788, 869, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('usecase', '', 1795478400000, 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('user_id', '-DBEBj4pYD4k98tRJ6A2Fw', 1795478400000, 2, 0, 66, 1288, 904, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('user_id', 'scRNqLDeQn7q_7zNf5fKuw', 1795478400000, 1, 0, 28, 350, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('', 1795485600000, '', 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('agent', 1795485600000, '', 1, 0, 18, 850, 37, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('agent', 1795485600000, 'expert', 2, 0, 76, 788, 869, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('client', 1795485600000, 'cli', 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('tool', 1795485600000, 'search', 1, 0, 18, 850, 37, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('tool', 1795485600000, 'send_task', 2, 0, 76, 788, 869, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('usecase', 1795485600000, '', 3, 0, 94, 1638, 906, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('user_id', 1795485600000, '-DBEBj4pYD4k98tRJ6A2Fw', 2, 0, 66, 1288, 904, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('user_id', 1795485600000, 'scRNqLDeQn7q_7zNf5fKuw', 1, 0, 28, 350, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
SELECT pg_catalog.setval('goose_db_version_id_seq', 5, true);
SELECT pg_catalog.setval('task_words_id_seq', 2, true);
ALTER TABLE ONLY account_terms
    ADD CONSTRAINT account_terms_pkey PRIMARY KEY (id, term);
ALTER TABLE ONLY accounts
    ADD CONSTRAINT accounts_name_key UNIQUE (name);
ALTER TABLE ONLY accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY agent_cards
    ADD CONSTRAINT agent_cards_pkey PRIMARY KEY (agent, digest);
ALTER TABLE ONLY agents_disabled
    ADD CONSTRAINT agents_disabled_pkey PRIMARY KEY (name);
ALTER TABLE ONLY agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (name);
ALTER TABLE ONLY audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (id);
ALTER TABLE ONLY audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY audit
    ADD CONSTRAINT audit_seq_key UNIQUE (seq);
ALTER TABLE ONLY client_documents
    ADD CONSTRAINT client_documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY client_terms
    ADD CONSTRAINT client_terms_pkey PRIMARY KEY (id, term);
ALTER TABLE ONLY clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY codes
    ADD CONSTRAINT codes_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY connection_attempts
    ADD CONSTRAINT connection_attempts_pkey PRIMARY KEY (state);
ALTER TABLE ONLY connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (owner, agent);
ALTER TABLE ONLY document_terms
    ADD CONSTRAINT document_terms_pkey PRIMARY KEY (id, term);
ALTER TABLE ONLY event_logs
    ADD CONSTRAINT event_logs_pkey PRIMARY KEY (owner, name);
ALTER TABLE ONLY event_subscriptions
    ADD CONSTRAINT event_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (owner, name, seq);
ALTER TABLE ONLY goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY (state);
ALTER TABLE ONLY notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (handle, webhook, version);
ALTER TABLE ONLY refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY replicas
    ADD CONSTRAINT replicas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (handle);
ALTER TABLE ONLY sent
    ADD CONSTRAINT sent_pkey PRIMARY KEY (owner, agent, digest);
ALTER TABLE ONLY session_notes
    ADD CONSTRAINT session_notes_pkey PRIMARY KEY (session, name);
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY setup_code
    ADD CONSTRAINT setup_code_pkey PRIMARY KEY (id);
ALTER TABLE ONLY shares
    ADD CONSTRAINT shares_id_key UNIQUE (id);
ALTER TABLE ONLY shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY signing_keys
    ADD CONSTRAINT signing_keys_kid_key UNIQUE (kid);
ALTER TABLE ONLY signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY task_words
    ADD CONSTRAINT task_words_handle_key UNIQUE (handle);
ALTER TABLE ONLY task_words
    ADD CONSTRAINT task_words_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (handle);
ALTER TABLE ONLY usage_calls
    ADD CONSTRAINT usage_calls_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (dimension, key, at);
ALTER TABLE ONLY usage_hours
    ADD CONSTRAINT usage_hours_pkey PRIMARY KEY (dimension, at, key);
ALTER TABLE ONLY used_once
    ADD CONSTRAINT used_once_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (handle, id);
CREATE INDEX account_terms_term ON account_terms USING btree (term, id);
CREATE INDEX accounts_admin ON accounts USING btree (name) WHERE (admin = 1);
CREATE INDEX accounts_disabled ON accounts USING btree (name) WHERE (disabled = 1);
CREATE UNIQUE INDEX accounts_identity ON accounts USING btree (issuer, subject) WHERE (issuer <> ''::text);
CREATE INDEX audit_actor ON audit USING btree (actor_id, at, id);
CREATE INDEX audit_actor_kind ON audit USING btree (actor_id, kind, at, id);
CREATE INDEX audit_actor_name ON audit USING btree (actor, at, id);
CREATE INDEX audit_actor_name_kind ON audit USING btree (actor, kind, at, id);
CREATE INDEX audit_kind ON audit USING btree (kind, at, id);
CREATE INDEX audit_kind_outcome ON audit USING btree (kind, outcome, at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX audit_outcome ON audit USING btree (outcome, at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX audit_target ON audit USING btree (target, at, id);
CREATE INDEX client_documents_by_age ON client_documents USING btree (fetched, id);
CREATE INDEX client_documents_expires ON client_documents USING btree (expires);
CREATE INDEX client_terms_term ON client_terms USING btree (term, id);
CREATE INDEX clients_by_age ON clients USING btree (registered, id);
CREATE INDEX codes_grant ON codes USING btree (grant_id);
CREATE INDEX codes_unused ON codes USING btree (expires) WHERE (used = 0);
CREATE INDEX connection_attempts_expires ON connection_attempts USING btree (expires);
CREATE INDEX document_terms_term ON document_terms USING btree (term, id);
CREATE INDEX event_logs_name ON event_logs USING btree (name);
CREATE INDEX event_logs_until ON event_logs USING btree (until);
CREATE INDEX event_subscriptions_due ON event_subscriptions USING btree (due) WHERE ((active = 1) AND ((last > "position") OR (ending = 1)));
CREATE INDEX event_subscriptions_expires ON event_subscriptions USING btree (expires) WHERE (expires > 0);
CREATE INDEX event_subscriptions_grant ON event_subscriptions USING btree (grant_id);
CREATE INDEX event_subscriptions_log ON event_subscriptions USING btree (owner, name);
CREATE INDEX events_at ON events USING btree (at);
CREATE UNIQUE INDEX events_id ON events USING btree (owner, name, id);
CREATE INDEX events_progress ON events USING btree (owner, handle, at) WHERE (name = 'task.progress'::text);
CREATE INDEX grants_client_used ON grants USING btree (client_id, used);
CREATE INDEX grants_created ON grants USING btree (created, id);
CREATE INDEX grants_expires ON grants USING btree (expires);
CREATE INDEX grants_of_account ON grants USING btree (account_id, created, id);
CREATE INDEX grants_of_client ON grants USING btree (client_id, created, id);
CREATE INDEX logins_expires ON logins USING btree (expires);
CREATE INDEX notices_dead ON notices USING btree (version) WHERE (dead = 1);
CREATE INDEX notices_due ON notices USING btree (due) WHERE (dead = 0);
CREATE INDEX refresh_tokens_expires ON refresh_tokens USING btree (expires);
CREATE INDEX refresh_tokens_grace ON refresh_tokens USING btree (used) WHERE (successor <> ''::text);
CREATE INDEX refresh_tokens_grant ON refresh_tokens USING btree (grant_id);
CREATE INDEX requests_client ON requests USING btree (client_id);
CREATE INDEX requests_expires ON requests USING btree (expires);
CREATE INDEX sent_handle ON sent USING btree (handle);
CREATE INDEX session_notes_owner ON session_notes USING btree (owner);
CREATE INDEX sessions_account ON sessions USING btree (account_id);
CREATE INDEX sessions_expires ON sessions USING btree (expires);
CREATE INDEX shares_expires ON shares USING btree (expires);
CREATE INDEX shares_handle ON shares USING btree (handle) WHERE (handle <> ''::text);
CREATE INDEX shares_owner ON shares USING btree (owner, created, id);
CREATE INDEX task_words_words ON task_words USING gin (words);
CREATE INDEX tasks_agent_size ON tasks USING btree (agent, size) WHERE (size > 0);
CREATE INDEX tasks_all ON tasks USING btree (created, handle);
CREATE INDEX tasks_changed ON tasks USING btree (state, updated) WHERE ((settled = 1) AND (state <> 'completed'::text));
CREATE INDEX tasks_context ON tasks USING btree (owner, agent, context_id) WHERE (context_id <> ''::text);
CREATE INDEX tasks_context_name ON tasks USING btree (owner, agent, context_name) WHERE (context_name <> ''::text);
CREATE INDEX tasks_created ON tasks USING btree (owner, created, handle);
CREATE INDEX tasks_index_queue ON tasks USING btree (updated) WHERE ((settled = 1) AND (indexed = 0));
CREATE INDEX tasks_name ON tasks USING btree (owner, agent, name) WHERE (name <> ''::text);
CREATE INDEX tasks_of_agent ON tasks USING btree (agent, created, handle);
CREATE INDEX tasks_own_agent ON tasks USING btree (owner, agent, created, handle);
CREATE INDEX tasks_own_size ON tasks USING btree (owner, size) WHERE (size > 0);
CREATE INDEX tasks_own_stopped ON tasks USING btree (owner, state, created, handle) WHERE ((settled = 1) AND (state <> 'completed'::text));
CREATE INDEX tasks_own_updated ON tasks USING btree (owner, updated, agent, state);
CREATE INDEX tasks_running ON tasks USING btree (owner, holder) WHERE (settled = 0);
CREATE INDEX tasks_stopped ON tasks USING btree (state, created, handle) WHERE ((settled = 1) AND (state <> 'completed'::text));
CREATE INDEX tasks_waiting ON tasks USING btree (due) WHERE ((settled = 1) AND (state = 'auth-required'::text));
CREATE INDEX usage_calls_agent ON usage_calls USING btree (agent, at, id);
CREATE INDEX usage_calls_client ON usage_calls USING btree (client, at, id);
CREATE INDEX usage_calls_unsuccessful ON usage_calls USING btree (at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX usage_calls_user ON usage_calls USING btree (user_id, at, id);
CREATE INDEX used_once_expires ON used_once USING btree (expires);
CREATE TRIGGER events_added AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION announce_event();
CREATE TRIGGER tasks_event AFTER INSERT OR UPDATE OF state, settled ON tasks FOR EACH ROW EXECUTE FUNCTION add_task_event();
ALTER TABLE ONLY account_terms
    ADD CONSTRAINT account_terms_id_fkey FOREIGN KEY (id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY client_terms
    ADD CONSTRAINT client_terms_id_fkey FOREIGN KEY (id) REFERENCES clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY codes
    ADD CONSTRAINT codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY document_terms
    ADD CONSTRAINT document_terms_id_fkey FOREIGN KEY (id) REFERENCES client_documents(id) ON DELETE CASCADE;
ALTER TABLE ONLY event_subscriptions
    ADD CONSTRAINT event_subscriptions_owner_name_fkey FOREIGN KEY (owner, name) REFERENCES event_logs(owner, name) ON DELETE CASCADE;
ALTER TABLE ONLY events
    ADD CONSTRAINT events_owner_name_fkey FOREIGN KEY (owner, name) REFERENCES event_logs(owner, name) ON DELETE CASCADE;
ALTER TABLE ONLY grants
    ADD CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY notices
    ADD CONSTRAINT notices_handle_webhook_fkey FOREIGN KEY (handle, webhook) REFERENCES webhooks(handle, id) ON DELETE CASCADE;
ALTER TABLE ONLY refresh_tokens
    ADD CONSTRAINT refresh_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY sent
    ADD CONSTRAINT sent_handle_fkey FOREIGN KEY (handle) REFERENCES tasks(handle) ON DELETE CASCADE;
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_handle_fkey FOREIGN KEY (handle) REFERENCES tasks(handle) ON DELETE CASCADE;
