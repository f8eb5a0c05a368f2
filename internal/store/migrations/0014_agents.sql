-- +goose Up
-- The agents that an operator has added. settings is JSON, secret is sealed, and
-- removed is 0 for those that are there.
CREATE TABLE agents (
    name     TEXT   NOT NULL PRIMARY KEY,
    settings TEXT   NOT NULL,
    secret   TEXT   NOT NULL,
    version  BIGINT NOT NULL,
    created  BIGINT NOT NULL,
    changed  BIGINT NOT NULL,
    removed  BIGINT NOT NULL
);

-- The agents that are disabled, of the configuration too.
CREATE TABLE agents_disabled (
    name  TEXT   NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL
);

-- One row, whose version grows with each change of the tables above: by it the
-- replicas see that there was one.
CREATE TABLE agents_version (version BIGINT NOT NULL);
INSERT INTO agents_version (version) VALUES (0);
