-- +goose Up
-- Each call of an agent or a tool. Times are milliseconds since 1970.
CREATE TABLE usage_calls (
	at        BIGINT NOT NULL,
	id        TEXT   NOT NULL,
	user_id   TEXT   NOT NULL,
	client    TEXT   NOT NULL,
	usecase   TEXT   NOT NULL,
	door      TEXT   NOT NULL,
	tool      TEXT   NOT NULL,
	agent     TEXT   NOT NULL,
	millis    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	outcome   TEXT   NOT NULL,
	PRIMARY KEY (at, id)
);

-- The same by the hour, added up, for charts. b0 to b15 count calls by how long
-- they took: the bounds are in internal/usage.
CREATE TABLE usage_hours (
	hour      BIGINT NOT NULL,
	agent     TEXT   NOT NULL,
	tool      TEXT   NOT NULL,
	usecase   TEXT   NOT NULL,
	client    TEXT   NOT NULL,
	user_id   TEXT   NOT NULL,
	calls     BIGINT NOT NULL,
	errors    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	millis    BIGINT NOT NULL,
	b0 BIGINT NOT NULL, b1 BIGINT NOT NULL, b2  BIGINT NOT NULL, b3  BIGINT NOT NULL, b4  BIGINT NOT NULL, b5  BIGINT NOT NULL, b6  BIGINT NOT NULL, b7  BIGINT NOT NULL,
	b8 BIGINT NOT NULL, b9 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL, b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL,
	PRIMARY KEY (hour, agent, tool, usecase, client, user_id)
);

-- Who did what. Rows are added and forgotten, never changed.
CREATE TABLE audit (
	at       BIGINT NOT NULL,
	id       TEXT   NOT NULL,
	kind     TEXT   NOT NULL,
	outcome  TEXT   NOT NULL,
	actor_id TEXT   NOT NULL,
	actor    TEXT   NOT NULL,
	address  TEXT   NOT NULL,
	target   TEXT   NOT NULL,
	detail   TEXT   NOT NULL,
	PRIMARY KEY (at, id)
);

CREATE INDEX audit_kind ON audit (kind, at, id);
CREATE INDEX audit_actor ON audit (actor_id, at, id);
CREATE INDEX audit_actor_name ON audit (actor, at, id);
CREATE INDEX audit_target ON audit (target, at, id);
