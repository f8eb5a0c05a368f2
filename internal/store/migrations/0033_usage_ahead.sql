-- +goose Up
-- What usage_hours adds up to for each client and each user, of whom there are many,
-- over the days that the console shows but the last: see usage_ahead.go. A build is
-- written row by row, and counts when usage_built names it.
CREATE TABLE usage_ahead (
	build     TEXT   NOT NULL,
	kind      TEXT   NOT NULL,
	name      TEXT   NOT NULL,
	calls     BIGINT NOT NULL,
	errors    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	millis    BIGINT NOT NULL,
	b0 BIGINT NOT NULL, b1 BIGINT NOT NULL, b2  BIGINT NOT NULL, b3  BIGINT NOT NULL, b4  BIGINT NOT NULL, b5  BIGINT NOT NULL, b6  BIGINT NOT NULL, b7  BIGINT NOT NULL,
	b8 BIGINT NOT NULL, b9 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL, b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL,
	PRIMARY KEY (build, kind, name)
);
CREATE INDEX usage_ahead_calls ON usage_ahead (build, kind, calls DESC, name);

CREATE TABLE usage_built (
	days  BIGINT PRIMARY KEY,
	build TEXT   NOT NULL,
	since BIGINT NOT NULL,
	until BIGINT NOT NULL,
	seen  BIGINT NOT NULL
);
