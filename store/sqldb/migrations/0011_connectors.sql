-- +goose Up
-- Connectors that an operator has added: MCP URLs for a team or a purpose. Their changes count in
-- agents_version.
CREATE TABLE connectors (
	name     TEXT   NOT NULL PRIMARY KEY,
	settings TEXT   NOT NULL,
	version  BIGINT NOT NULL,
	created  BIGINT NOT NULL,
	changed  BIGINT NOT NULL
);
