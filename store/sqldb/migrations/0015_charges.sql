-- +goose Up
-- What answers of agents cost: a quantity of an item (a call, or a unit that the agent reports), at the
-- price of one when it was charged. at is milliseconds since 1970.
CREATE TABLE usage_charges (
	id       TEXT   NOT NULL PRIMARY KEY,
	at       BIGINT NOT NULL,
	user_id  TEXT   NOT NULL,
	client   TEXT   NOT NULL,
	usecase  TEXT   NOT NULL,
	agent    TEXT   NOT NULL,
	item     TEXT   NOT NULL,
	currency TEXT   NOT NULL,
	price    TEXT   NOT NULL,
	quantity BIGINT NOT NULL
);
CREATE INDEX usage_charges_at ON usage_charges (at);
