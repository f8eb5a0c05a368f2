-- +goose Up
-- Whether agents answered their probes: a row is a time in which all of them ended alike. cause is why
-- the agent did not answer, in English, and '' where it did. Times are milliseconds since 1970.
CREATE TABLE agent_probes (
	agent TEXT   NOT NULL,
	url   TEXT   NOT NULL,
	began BIGINT NOT NULL,
	until BIGINT NOT NULL, -- the last of these probes
	cause TEXT   NOT NULL,
	PRIMARY KEY (agent, url, began)
);
