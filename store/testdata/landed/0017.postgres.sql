CREATE FUNCTION add_task_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE moved BOOLEAN := TRUE;
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.settled = 0 THEN
			RETURN NULL;
		END IF;
	ELSE
		moved := NEW.state <> OLD.state OR NEW.settled > OLD.settled;
		IF NEW.settled = OLD.settled AND NOT moved AND (NEW.summary = OLD.summary OR NEW.settled = 1) THEN
			RETURN NULL;
		END IF;
	END IF;
	INSERT INTO events (owner, name, seq, id, at, handle, agent, context_id, state, summary)
	SELECT owner, name, last + 1, NEW.handle || '.' || NEW.updated || CASE name WHEN 'task.changed' THEN '.changed' ELSE '' END,
		NEW.updated, NEW.handle, NEW.agent, substr(NEW.context_id, 1, 1000), NEW.state, NEW.summary
	FROM event_logs WHERE owner = NEW.owner AND (name = CASE WHEN NEW.settled = 0 THEN 'task.progress'
		WHEN NEW.state = 'completed' THEN 'task.completed' WHEN NEW.state = 'input-required' THEN 'task.input_required' WHEN NEW.state = 'auth-required' THEN 'task.auth_required' ELSE 'task.failed' END
	AND (NEW.settled = 1 OR NOT EXISTS (SELECT 1 FROM events e WHERE e.name = 'task.progress' AND e.owner = NEW.owner AND e.handle = NEW.handle AND e.at > NEW.updated - 15000))
	OR name = 'task.changed' AND moved)
	ORDER BY name FOR UPDATE;
	RETURN NULL;
END $$;
CREATE FUNCTION announce_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
	UPDATE event_logs SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name;
	INSERT INTO event_deliveries (subscription, seq, address, lane, at, due, paused)
	SELECT id, NEW.seq, address, CASE NEW.handle WHEN '' THEN NEW.agent ELSE NEW.handle END, NEW.at, NEW.at,
		CASE WHEN active = 1 AND ending = 0 THEN 0 ELSE 1 END
	FROM event_subscriptions WHERE owner = NEW.owner AND name = NEW.name AND verified > 0
		AND task IN ('', NEW.handle) AND agent IN ('', NEW.agent) AND context IN ('', NEW.context_id)
		AND (states = '' OR states LIKE '% ' || NEW.state || ' %');
	DELETE FROM events WHERE owner = NEW.owner AND name = NEW.name
		AND seq <= NEW.seq - (SELECT keep FROM event_logs WHERE owner = NEW.owner AND name = NEW.name);
	RETURN NULL;
END $$;
CREATE TABLE account_networks (
    account_id text NOT NULL,
    network text NOT NULL,
    at bigint NOT NULL
);
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
CREATE TABLE connectors (
    name text NOT NULL,
    settings text NOT NULL,
    version bigint NOT NULL,
    created bigint NOT NULL,
    changed bigint NOT NULL
);
CREATE TABLE document_terms (
    id text NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE event_deliveries (
    subscription text NOT NULL,
    seq bigint NOT NULL,
    address text NOT NULL,
    lane text NOT NULL,
    at bigint NOT NULL,
    due bigint NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    body text DEFAULT ''::text NOT NULL,
    paused bigint DEFAULT 0 NOT NULL
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
    ending bigint DEFAULT 0 NOT NULL,
    states text DEFAULT ''::text NOT NULL
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
CREATE TABLE guesses (
    key text NOT NULL,
    unknown bigint NOT NULL,
    n bigint NOT NULL,
    at bigint NOT NULL
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
CREATE TABLE passkeys (
    id text NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    credential text NOT NULL,
    sign_count bigint NOT NULL,
    created bigint NOT NULL,
    used bigint DEFAULT 0 NOT NULL
);
CREATE TABLE recovery_codes (
    account_id text NOT NULL,
    hash text NOT NULL
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
    grants_until bigint DEFAULT 0 NOT NULL,
    network text DEFAULT ''::text NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    seen bigint DEFAULT 0 NOT NULL,
    proved bigint DEFAULT 0 NOT NULL
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
    expires bigint NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    viewed bigint DEFAULT 0 NOT NULL
);
CREATE TABLE sign_in_links (
    hash text NOT NULL,
    account_id text NOT NULL,
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
    size bigint DEFAULT 0 NOT NULL,
    use_case text DEFAULT ''::text NOT NULL,
    polled bigint DEFAULT 0 NOT NULL
);
CREATE TABLE upload_chunks (
    content text NOT NULL,
    number bigint NOT NULL,
    bytes bytea NOT NULL,
    created bigint NOT NULL
);
CREATE TABLE uploads (
    id text NOT NULL,
    hash text NOT NULL,
    owner text NOT NULL,
    connector text NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    content text DEFAULT ''::text NOT NULL,
    task text DEFAULT ''::text NOT NULL,
    awaited bigint DEFAULT 0 NOT NULL,
    expires bigint NOT NULL
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
    outcome text NOT NULL,
    task text DEFAULT ''::text NOT NULL
);
CREATE TABLE agent_probes (
    agent text NOT NULL,
    url text NOT NULL,
    began bigint NOT NULL,
    until bigint NOT NULL,
    cause text NOT NULL
);
CREATE TABLE usage_charges (
    id text NOT NULL,
    at bigint NOT NULL,
    user_id text NOT NULL,
    client text NOT NULL,
    usecase text NOT NULL,
    agent text NOT NULL,
    item text NOT NULL,
    currency text NOT NULL,
    price text NOT NULL,
    quantity bigint NOT NULL
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
INSERT INTO account_terms VALUES ('V-7sZ8EE4IjRgN6yssXRxA', 'alice');
INSERT INTO account_terms VALUES ('gdoC_IZQzLUUYKXddXyr8g', 'bob');
INSERT INTO accounts VALUES ('V-7sZ8EE4IjRgN6yssXRxA', 'alice', '$argon2id$v=19$m=19456,t=2,p=1$gQV65Xe2pkhSD+7hSePGVQ$pQC7UK8Z/R0zRm91HhuunGjNqifJSF9nLfCS3+x0dXw', 0, 1, '', '', '', 1795486962327, 0);
INSERT INTO accounts VALUES ('gdoC_IZQzLUUYKXddXyr8g', 'bob', '$argon2id$v=19$m=19456,t=2,p=1$d1aUQ5gTUyLY2gofE0yjgw$9EoFEXiDAZzL/wo4DqedCC0+DOrF4Ihwrs7kg/njaKw', 0, 0, '', '', '', 1795486962533, 0);
INSERT INTO agent_cards VALUES ('expert', 'c1001eeb35776c1cc1279c8a9dc7cd2ccd5d06d0f99bfeea64b208e7945b1f0c', '{"capabilities":{"extensions":[{"description":"The JSON Schema of the data that each skill takes.","params":{"skills":{"discover_topics":{"input":{"additionalProperties":false,"properties":{"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"explain":{"input":{"additionalProperties":false,"properties":{"question":{"description":"Instead of sql, a simple question.","type":"string"},"sql":{"description":"One SELECT (SQLite).","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"fetch":{"input":{"additionalProperties":false,"properties":{"id":{"description":"An id that search has found, such as claims/42 or table:claims.","minLength":1,"type":"string"}},"required":["id"],"type":"object"},"readOnly":true},"list_gold":{"input":{"additionalProperties":false,"properties":{"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"peek":{"input":{"additionalProperties":false,"properties":{"limit":{"description":"At most so many rows to show.","maximum":1000,"minimum":1,"type":"integer"},"table":{"description":"Name of the table.","minLength":1,"type":"string"}},"required":["table"],"type":"object"},"readOnly":true},"query_table_expert":{"input":{"additionalProperties":false,"properties":{"limit":{"description":"At most so many rows of the answer.","maximum":1000,"minimum":1,"type":"integer"},"question":{"description":"Instead of sql, a simple question in English or Spanish.","type":"string"},"sql":{"description":"One SELECT (SQLite). The skills schema and peek describe the tables.","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"schema":{"input":{"additionalProperties":false,"properties":{"table":{"description":"Only this table.","type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":[],"type":"object"},"readOnly":true},"search":{"input":{"additionalProperties":false,"properties":{"query":{"description":"Words to look for.","minLength":1,"type":"string"},"topic":{"description":"Keep to the tables of this topic, from discover_topics.","type":"string"}},"required":["query"],"type":"object"},"readOnly":true}}},"uri":"urn:rialto:a2a:skill-forms:1"}],"streaming":true},"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],"description":"Runs SQL on tables, read-only, searches them and looks rows up. Send one SELECT; the skills schema and peek describe the tables. The tables are claims, customers, line_results, policies, premiums, vehicles.","name":"Table Expert","skills":[{"description":"Finds rows, tables and columns by words. Takes text, or data {\"query\": \"…\"}; returns {\"results\": [{\"id\", \"title\", \"snippet\"}]}, best first.","examples":["hail Munich truck"],"id":"search","name":"Search the tables","tags":["search","read-only"]},{"description":"Returns one thing that search has found, with the rows that refer to it and that it refers to. Takes an id as text, or data {\"id\": \"…\"}; returns {\"id\", \"title\", \"text\", \"metadata\"}.","examples":["claims/42","table:claims"],"id":"fetch","name":"Fetch a row or table","tags":["fetch","read-only"]},{"description":"Runs one reading SQL statement (SQLite: SELECT, WITH … SELECT, VALUES). Send SQL: the skills \"schema\" and \"peek\" tell the tables, columns and first rows. A simple question in English or Spanish is taken, too; one that could be misread is asked back with the schema. Takes text, or data {\"sql\": \"…\", \"limit\": 200} or {\"question\": \"…\"}; returns a table and {\"sql\", \"columns\", \"rows\", \"row_count\", \"truncated\"}.","examples":["SELECT count(*) FROM claims","How many claims are there?"],"id":"query_table_expert","name":"Query the tables","tags":["sql","analytics","read-only"]},{"description":"Lists the topics that the tables belong to, and which of them is the caller''s. Takes nothing; returns {\"topics\": [{\"id\", \"title\", \"description\", \"tables\"}], \"selected\"}. The other skills take one as data {\"topic\": \"…\"}.","examples":["What is there to ask about?"],"id":"discover_topics","name":"Discover topics","tags":["topics","read-only"]},{"description":"Lists tables, columns, types, keys and row counts. Takes nothing, or a table as text or data {\"table\": \"…\"}.","examples":["What tables are there?","claims"],"id":"schema","name":"Describe the tables","tags":["schema","read-only"]},{"description":"Says what a question or statement would do, without doing it. Takes text, or data {\"question\": \"…\"} or {\"sql\": \"…\"}; returns {\"sql\", \"read_as\", \"plan\"}.","examples":["How many claims are there?"],"id":"explain","name":"Explain a query","tags":["sql","explain","read-only"]},{"description":"Lists the tables that are ready to be relied on, with their topics. Takes nothing, or data {\"topic\": \"…\"}; returns {\"tables\": [{\"id\", \"name\", \"description\", \"row_count\", \"topics\"}]}.","examples":["Which tables are ready to use?"],"id":"list_gold","name":"List the tables to rely on","tags":["schema","read-only"]},{"description":"Shows the first rows of a table. Takes its name as text, or data {\"table\": \"…\", \"limit\": 10}.","examples":["claims"],"id":"peek","name":"Peek into a table","tags":["sample","read-only"]}],"supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"http://127.0.0.1:28185"},{"protocolBinding":"JSONRPC","protocolVersion":"0.3","url":"http://127.0.0.1:28185"},{"protocolBinding":"HTTP+JSON","protocolVersion":"1.0","url":"http://127.0.0.1:28185"},{"protocolBinding":"HTTP+JSON","protocolVersion":"0.3","url":"http://127.0.0.1:28185"}],"version":"1.0.0"}', 'http://127.0.0.1:28185', 1795486963933, 1795486963933, 1795486963933);
INSERT INTO agents_version VALUES (0);
INSERT INTO audit VALUES (1795486962337, '01a20b5c-d2a1-77e0-9ecd-e218fb56445d', 'account.added', 'ok', '', 'command line', '', 'alice', 'administrator', 1, '88a56f3c142afba4ed49e121283f179c9fcc68da40215ed37485c099c4a96f9f');
INSERT INTO audit VALUES (1795486962538, '01a20b5c-d36a-7ddd-ac21-f65ce4d4c40b', 'account.added', 'ok', '', 'command line', '', 'bob', 'no administrator', 2, '310e34d9a881bfd044933f827d1cbf09a1b49641ae526655132992e97ee97822');
INSERT INTO audit VALUES (1795486963791, '01a20b5c-d84f-72ca-818c-69f3584df290', 'token.issued', 'ok', '', 'command line', '', 'bob', 'mcp:tools; 2026-11-24T03:22:43Z', 3, 'dccf7e38e52f0a34bf0001a400a72dbc8dae27cf3d7032c548746f0823a384b8');
INSERT INTO audit VALUES (1795486963920, '01a20b5c-d8d0-7494-80ea-25049ceb1347', 'token.issued', 'ok', '', 'command line', '', 'alice', 'mcp:tools; 2026-11-24T03:22:43Z', 4, 'af211cb96fe43c5e01361112adf762f6a7a996dd450881d5d282468580be1451');
INSERT INTO audit VALUES (1795486962969, '01a20b5c-d519-7306-8438-ea1eb5d15bdb', 'settings.changed', 'ok', '', 'server', '', 'OMwejNNSyBQXGpvK', 'dev', 5, '551a126f0a50ee1e7f447ea3534e167db4f4db4393e1af241075ec2dda0560f2');
INSERT INTO audit VALUES (1795486964583, '01a20b5c-db67-77e2-abfb-7d686c2bf71f', 'token.issued', 'ok', '', 'command line', '', 'bob', 'mcp:tools; 2026-11-24T03:22:44Z', 6, '7c6fa2c4effbb3cbcade3b4b6b9f8b1fe443a4634e204b7e653c770e995e554d');
INSERT INTO audit VALUES (1795486964689, '01a20b5c-dbd1-72a6-b586-7f9a53ce39ac', 'token.issued', 'ok', '', 'command line', '', 'alice', 'mcp:tools; 2026-11-24T03:22:44Z', 7, '2e74ddaf5e2c5994e5665a1e69e0100d2688bf66da79dc1e55719293257a965d');
INSERT INTO audit VALUES (1795486964738, '01a20b5c-dc02-7234-814e-a75500207d2b', 'client.registered', 'ok', '', '', '127.0.0.1', 'rialto_client_sdl6wBUC5pm-cKrntZTc88TCdTwBmpGGeUfsLkOIZdM', 'App', 8, 'be315e812c25052b79c2162b6b3adaf837c4cc834a4b024d73be19f2a24e9dc1');
INSERT INTO audit_chain VALUES (1, 8, 'be315e812c25052b79c2162b6b3adaf837c4cc834a4b024d73be19f2a24e9dc1', 0, '');
INSERT INTO client_terms VALUES ('rialto_client_sdl6wBUC5pm-cKrntZTc88TCdTwBmpGGeUfsLkOIZdM', 'rialto_client_sdl6wbuc5pm-ckrntztc88tcdtwbmpggeufslkoizdm');
INSERT INTO client_terms VALUES ('rialto_client_sdl6wBUC5pm-cKrntZTc88TCdTwBmpGGeUfsLkOIZdM', 'app');
INSERT INTO clients VALUES ('rialto_client_sdl6wBUC5pm-cKrntZTc88TCdTwBmpGGeUfsLkOIZdM', 'App', '', 'https://app.example/cb', 'none', '', 'authorization_code refresh_token', '', '-9K3BXTB6TeIs2AGx-1o3DAKLcgVBsDxlKLcJsiaAvw', '', '', 0, 1795486964734);
INSERT INTO goose_db_version VALUES (1, 0, true, '2026-11-24 02:22:41.700791');
INSERT INTO goose_db_version VALUES (2, 1, true, '2026-11-24 02:22:41.711983');
INSERT INTO goose_db_version VALUES (3, 2, true, '2026-11-24 02:22:41.812801');
INSERT INTO goose_db_version VALUES (4, 3, true, '2026-11-24 02:22:41.951094');
INSERT INTO goose_db_version VALUES (5, 4, true, '2026-11-24 02:22:42.114929');
INSERT INTO goose_db_version VALUES (6, 5, true, '2026-11-24 02:22:42.254833');
INSERT INTO goose_db_version VALUES (7, 6, true, '2026-11-24 03:16:13.583069');
INSERT INTO goose_db_version VALUES (8, 7, true, '2026-11-24 03:16:13.591007');
INSERT INTO goose_db_version VALUES (9, 10, true, '2026-11-24 15:50:17.074427');
INSERT INTO goose_db_version VALUES (10, 11, true, '2026-11-24 16:44:28.719883');
INSERT INTO goose_db_version VALUES (11, 12, true, '2026-11-24 19:15:25.945674');
INSERT INTO goose_db_version VALUES (12, 13, true, '2026-11-24 19:56:40.151967');
INSERT INTO goose_db_version VALUES (13, 14, true, '2026-11-28 13:49:09.648228');
INSERT INTO goose_db_version VALUES (14, 15, true, '2026-11-28 14:27:45.609725');
INSERT INTO goose_db_version VALUES (15, 16, true, '2026-11-28 21:37:06.295028');
INSERT INTO goose_db_version VALUES (16, 17, true, '2026-11-28 22:03:11.280541');
INSERT INTO grants VALUES ('KWc64Bycey_iuteJMMRQDw', 'gdoC_IZQzLUUYKXddXyr8g', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28085/mcp', '', 1795486963777, 1795486963777, 1795490563777, 0, 0);
INSERT INTO grants VALUES ('3Qhy4I54fHlwd8tZTG4TzQ', 'gdoC_IZQzLUUYKXddXyr8g', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28085/mcp', '', 1795486964536, 1795486964536, 1795490564536, 0, 1795486964591);
INSERT INTO grants VALUES ('cEGPoLXK3PPErcEv23Q4yg', 'V-7sZ8EE4IjRgN6yssXRxA', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28085/mcp', '', 1795486964679, 1795486964679, 1795490564679, 0, 1795486964694);
INSERT INTO grants VALUES ('w-0m3qYeVtnPRk97BxM0vw', 'V-7sZ8EE4IjRgN6yssXRxA', 'cli', '', 'mcp:tools', 'http://127.0.0.1:28085/mcp', '', 1795486963907, 1795486963907, 1795490563907, 0, 1795486963928);
INSERT INTO signing_keys VALUES (1, 'z4aQRZijgvuHASrARthLp8che6W2uM1FJ7bwVUnVffk', 'omXsHcp3b0Xc0SpkUDs16v84TERc78lAdYWdTKq4nvX7jIASKP8qHb8CnWZLuTL4gNrO_m8N9sM1XP1xukmEXYhcGE-opLlETK2dqfAWIEGeFc-qJVQhWuTLGBWvrq6mp1nqaqJP4oK79PXWleX1zgNWAaebmGnIjdNma81c-L1BVnWlgW9-SP8doRnLR87F38iPkZEALlkkMHAE293uNDScIKzVTA', 1795486962970, 1818814962970, 1795491163777);
INSERT INTO task_words OVERRIDING SYSTEM VALUE VALUES (1, '01a20b5c-d8e1-74ac-8902-71d0a8ef6e85', '''d09f049b90_1'' ''d09f049b90_160'' ''d09f049b90__0c0e0fe3021d4f7b98a3'' ''d09f049b90_are'' ''d09f049b90_as'' ''d09f049b90_claims'' ''d09f049b90_columns'' ''d09f049b90_count'' ''d09f049b90_expert'' ''d09f049b90_false'' ''d09f049b90_from'' ''d09f049b90_how'' ''d09f049b90_is'' ''d09f049b90_many'' ''d09f049b90_number'' ''d09f049b90_of'' ''d09f049b90_open'' ''d09f049b90_read'' ''d09f049b90_result'' ''d09f049b90_row'' ''d09f049b90_rows'' ''d09f049b90_running'' ''d09f049b90_select'' ''d09f049b90_sql'' ''d09f049b90_status'' ''d09f049b90_the'' ''d09f049b90_truncated'' ''d09f049b90_was'' ''d09f049b90_where''');
INSERT INTO task_words OVERRIDING SYSTEM VALUE VALUES (2, '01a20b5c-db75-7672-81ae-597ce5235f42', '''453ee72a5d__e2f560ab182915188c7c'' ''453ee72a5d_a'' ''453ee72a5d_about'' ''453ee72a5d_and'' ''453ee72a5d_answer'' ''453ee72a5d_are'' ''453ee72a5d_as'' ''453ee72a5d_claims'' ''453ee72a5d_customers'' ''453ee72a5d_describe'' ''453ee72a5d_expert'' ''453ee72a5d_hello'' ''453ee72a5d_how'' ''453ee72a5d_i'' ''453ee72a5d_line'' ''453ee72a5d_many'' ''453ee72a5d_one'' ''453ee72a5d_or'' ''453ee72a5d_peek'' ''453ee72a5d_policies'' ''453ee72a5d_premiums'' ''453ee72a5d_question'' ''453ee72a5d_questions'' ''453ee72a5d_results'' ''453ee72a5d_schema'' ''453ee72a5d_select'' ''453ee72a5d_send'' ''453ee72a5d_simple'' ''453ee72a5d_skills'' ''453ee72a5d_such'' ''453ee72a5d_tables'' ''453ee72a5d_the'' ''453ee72a5d_there'' ''453ee72a5d_these'' ''453ee72a5d_vehicles''');
INSERT INTO tasks VALUES ('01a20b5c-d8e1-74ac-8902-71d0a8ef6e85', 'V-7sZ8EE4IjRgN6yssXRxA', 'cli', 'expert', '6a007b05-a05f-4d04-9338-e26d12faf4d5', 'fdc87148-5e4e-49c7-bc64-660109e74a07', 'completed', '1 row. Read as: the number of claims; where claims.status is open. The SQL was: SELECT count(*) AS count FROM claims WHERE claims.status = ''open''', '{"id":"e826f45c-1936-4b76-92f9-253514f50816","contextId":"fdc87148-5e4e-49c7-bc64-660109e74a07","status":{"state":"completed","message":{"messageId":"57be1531-346f-4458-b2cf-3544b346bc00","contextId":"fdc87148-5e4e-49c7-bc64-660109e74a07","taskId":"e826f45c-1936-4b76-92f9-253514f50816","role":"agent","parts":[{"text":"1 row. Read as: the number of claims; where claims.status is open. The SQL was: SELECT count(*) AS count FROM claims WHERE claims.status = ''open''"}]},"timestamp":"2026-11-24T02:22:44.457Z"},"artifacts":[{"artifactId":"result","name":"result","parts":[{"text":"| count |\n| --- |\n| 160 |"},{"data":{"sql":"SELECT count(*) AS count FROM claims WHERE claims.status = ''open''","columns":["count"],"rows":[[160]],"row_count":1,"truncated":false},"mediaType":"application/json"}]}],"history":[{"messageId":"6a007b05-a05f-4d04-9338-e26d12faf4d5","contextId":"fdc87148-5e4e-49c7-bc64-660109e74a07","taskId":"e826f45c-1936-4b76-92f9-253514f50816","role":"user","parts":[{"text":"How many claims are open?"}]},{"messageId":"c72a7c62-2fbe-4983-a21e-aad2fcfc11e7","contextId":"fdc87148-5e4e-49c7-bc64-660109e74a07","taskId":"e826f45c-1936-4b76-92f9-253514f50816","role":"agent","parts":[{"text":"Running SELECT count(*) AS count FROM claims WHERE claims.status = ''open''"}]}]}', NULL, 1, '', '', 1795486974466, 1795486963937, 1795486964466, 0, '', '', 1, '{"statuses":[{"state":"submitted","since":1795486963947},{"state":"working","since":1795486964456},{"state":"completed","since":1795486964465}]}', 'How many claims are open?', '', 0, '', 0);
INSERT INTO tasks VALUES ('01a20b5c-db75-7672-81ae-597ce5235f42', 'gdoC_IZQzLUUYKXddXyr8g', 'cli', 'expert', '9614ced9-cd96-47d8-9ae8-031a4ae37126', '3829df4f-3787-42b9-8c39-083c3253e364', 'completed', 'I answer questions about these tables: claims, customers, line_results, policies, premiums, vehicles. Send one SELECT (the skills schema and peek describe the tables), or a simple question such as: H…', '{"id":"e29a1d9b-8b21-4ade-b3fc-4cf1c0942c0e","contextId":"3829df4f-3787-42b9-8c39-083c3253e364","status":{"state":"completed","message":{"messageId":"517005c3-2d87-410b-8d03-c071203c054b","contextId":"3829df4f-3787-42b9-8c39-083c3253e364","taskId":"e29a1d9b-8b21-4ade-b3fc-4cf1c0942c0e","role":"agent","parts":[{"text":"I answer questions about these tables: claims, customers, line_results, policies, premiums, vehicles. Send one SELECT (the skills schema and peek describe the tables), or a simple question such as: How many claims are there?"}]},"timestamp":"2026-11-24T02:22:44.6Z"},"history":[{"messageId":"9614ced9-cd96-47d8-9ae8-031a4ae37126","contextId":"3829df4f-3787-42b9-8c39-083c3253e364","taskId":"e29a1d9b-8b21-4ade-b3fc-4cf1c0942c0e","role":"user","parts":[{"text":"hello"}]}]}', NULL, 1, '', '', 0, 1795486964597, 1795486964601, 0, '', '', 1, '{"statuses":[{"state":"submitted","since":1795486964600},{"state":"completed","since":1795486964600}]}', 'hello', '', 0, '', 0);
INSERT INTO usage_calls VALUES (1795486963931, 'd349c4e6-7f60-4229-9c4c-fc4b10772eac', 'V-7sZ8EE4IjRgN6yssXRxA', 'cli', '', 'mcp', 'send_task', 'expert', 543, 48, 438, 'ok', '');
INSERT INTO usage_calls VALUES (1795486964597, '46dd189e-5af9-4aae-b2c6-d5b943d84436', 'gdoC_IZQzLUUYKXddXyr8g', 'cli', '', 'mcp', 'send_task', 'expert', 12, 28, 350, 'ok', '');
INSERT INTO usage_calls VALUES (1795486964696, '8cd1c6b3-3a0c-4646-852f-7d3633eab670', 'V-7sZ8EE4IjRgN6yssXRxA', 'cli', '', 'mcp', 'search', '', 26, 18, 850, 'ok', '');
INSERT INTO usage_days VALUES ('', '', 1795478400000, 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('agent', '', 1795478400000, 1, 0, 18, 850, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('agent', 'expert', 1795478400000, 2, 0, 76, 788, 555, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('client', 'cli', 1795478400000, 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('tool', 'search', 1795478400000, 1, 0, 18, 850, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('tool', 'send_task', 1795478400000, 2, 0, 76, 788, 555, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('usecase', '', 1795478400000, 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('user_id', 'V-7sZ8EE4IjRgN6yssXRxA', 1795478400000, 2, 0, 66, 1288, 569, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_days VALUES ('user_id', 'gdoC_IZQzLUUYKXddXyr8g', 1795478400000, 1, 0, 28, 350, 12, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('', 1795485600000, '', 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('agent', 1795485600000, '', 1, 0, 18, 850, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('agent', 1795485600000, 'expert', 2, 0, 76, 788, 555, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('client', 1795485600000, 'cli', 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('tool', 1795485600000, 'search', 1, 0, 18, 850, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('tool', 1795485600000, 'send_task', 2, 0, 76, 788, 555, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('usecase', 1795485600000, '', 3, 0, 94, 1638, 581, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('user_id', 1795485600000, 'V-7sZ8EE4IjRgN6yssXRxA', 2, 0, 66, 1288, 569, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_hours VALUES ('user_id', 1795485600000, 'gdoC_IZQzLUUYKXddXyr8g', 1, 0, 28, 350, 12, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
SELECT pg_catalog.setval('goose_db_version_id_seq', 16, true);
SELECT pg_catalog.setval('task_words_id_seq', 2, true);
ALTER TABLE ONLY account_networks
    ADD CONSTRAINT account_networks_pkey PRIMARY KEY (account_id, network);
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
ALTER TABLE ONLY connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (name);
ALTER TABLE ONLY document_terms
    ADD CONSTRAINT document_terms_pkey PRIMARY KEY (id, term);
ALTER TABLE ONLY event_deliveries
    ADD CONSTRAINT event_deliveries_pkey PRIMARY KEY (subscription, seq);
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
ALTER TABLE ONLY guesses
    ADD CONSTRAINT guesses_pkey PRIMARY KEY (key);
ALTER TABLE ONLY logins
    ADD CONSTRAINT logins_pkey PRIMARY KEY (state);
ALTER TABLE ONLY notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (handle, webhook, version);
ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (account_id, hash);
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
ALTER TABLE ONLY sign_in_links
    ADD CONSTRAINT sign_in_links_account_id_key UNIQUE (account_id);
ALTER TABLE ONLY sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash);
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
ALTER TABLE ONLY upload_chunks
    ADD CONSTRAINT upload_chunks_pkey PRIMARY KEY (content, number);
ALTER TABLE ONLY uploads
    ADD CONSTRAINT uploads_hash_key UNIQUE (hash);
ALTER TABLE ONLY uploads
    ADD CONSTRAINT uploads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY usage_calls
    ADD CONSTRAINT usage_calls_pkey PRIMARY KEY (at, id);
ALTER TABLE ONLY agent_probes
    ADD CONSTRAINT agent_probes_pkey PRIMARY KEY (agent, url, began);
ALTER TABLE ONLY usage_charges
    ADD CONSTRAINT usage_charges_pkey PRIMARY KEY (id);
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
CREATE INDEX event_deliveries_due ON event_deliveries USING btree (due) WHERE (paused = 0);
CREATE INDEX event_deliveries_lane ON event_deliveries USING btree (address, lane, at) WHERE (paused = 0);
CREATE INDEX event_logs_name ON event_logs USING btree (name);
CREATE INDEX event_logs_until ON event_logs USING btree (until);
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
CREATE INDEX guesses_unknown ON guesses USING btree (at) WHERE (unknown = 1);
CREATE INDEX logins_expires ON logins USING btree (expires);
CREATE INDEX notices_dead ON notices USING btree (version) WHERE (dead = 1);
CREATE INDEX notices_due ON notices USING btree (due) WHERE (dead = 0);
CREATE INDEX passkeys_account ON passkeys USING btree (account_id);
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
CREATE INDEX sign_in_links_expires ON sign_in_links USING btree (expires);
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
CREATE INDEX tasks_waiting ON tasks USING btree (due) WHERE ((settled = 1) AND ((state = 'auth-required'::text) OR (polled = 1)));
CREATE INDEX upload_chunks_first ON upload_chunks USING btree (created) WHERE (number = 0);
CREATE INDEX uploads_awaited ON uploads USING btree (awaited) WHERE (awaited = 1);
CREATE INDEX uploads_content ON uploads USING btree (content);
CREATE INDEX uploads_expires ON uploads USING btree (expires);
CREATE INDEX uploads_owner ON uploads USING btree (owner);
CREATE INDEX uploads_task ON uploads USING btree (task) WHERE (task <> ''::text);
CREATE INDEX usage_calls_agent ON usage_calls USING btree (agent, at, id);
CREATE INDEX usage_calls_client ON usage_calls USING btree (client, at, id);
CREATE INDEX usage_calls_unsuccessful ON usage_calls USING btree (at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX usage_calls_user ON usage_calls USING btree (user_id, at, id);
CREATE INDEX usage_charges_at ON usage_charges USING btree (at);
CREATE INDEX used_once_expires ON used_once USING btree (expires);
CREATE TRIGGER events_added AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION announce_event();
CREATE TRIGGER tasks_event AFTER INSERT OR UPDATE OF state, settled ON tasks FOR EACH ROW EXECUTE FUNCTION add_task_event();
ALTER TABLE ONLY account_networks
    ADD CONSTRAINT account_networks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY account_terms
    ADD CONSTRAINT account_terms_id_fkey FOREIGN KEY (id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY client_terms
    ADD CONSTRAINT client_terms_id_fkey FOREIGN KEY (id) REFERENCES clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY codes
    ADD CONSTRAINT codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY document_terms
    ADD CONSTRAINT document_terms_id_fkey FOREIGN KEY (id) REFERENCES client_documents(id) ON DELETE CASCADE;
ALTER TABLE ONLY event_deliveries
    ADD CONSTRAINT event_deliveries_subscription_fkey FOREIGN KEY (subscription) REFERENCES event_subscriptions(id) ON DELETE CASCADE;
ALTER TABLE ONLY event_subscriptions
    ADD CONSTRAINT event_subscriptions_owner_name_fkey FOREIGN KEY (owner, name) REFERENCES event_logs(owner, name) ON DELETE CASCADE;
ALTER TABLE ONLY events
    ADD CONSTRAINT events_owner_name_fkey FOREIGN KEY (owner, name) REFERENCES event_logs(owner, name) ON DELETE CASCADE;
ALTER TABLE ONLY grants
    ADD CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY notices
    ADD CONSTRAINT notices_handle_webhook_fkey FOREIGN KEY (handle, webhook) REFERENCES webhooks(handle, id) ON DELETE CASCADE;
ALTER TABLE ONLY passkeys
    ADD CONSTRAINT passkeys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY recovery_codes
    ADD CONSTRAINT recovery_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY refresh_tokens
    ADD CONSTRAINT refresh_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY sent
    ADD CONSTRAINT sent_handle_fkey FOREIGN KEY (handle) REFERENCES tasks(handle) ON DELETE CASCADE;
ALTER TABLE ONLY sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY sign_in_links
    ADD CONSTRAINT sign_in_links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT webhooks_handle_fkey FOREIGN KEY (handle) REFERENCES tasks(handle) ON DELETE CASCADE;
