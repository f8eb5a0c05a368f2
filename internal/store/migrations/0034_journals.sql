-- +goose Up
-- One row for each server that writes tasks into a journal first (journal.go): up
-- to which generation of it they are all in this database.
CREATE TABLE journals (
	id TEXT NOT NULL PRIMARY KEY,
	done BIGINT NOT NULL
);
