-- +goose Up
-- The cards that each agent has shown, by what they say. The one that was put in
-- force last counts; in_force is 0 for those that never were.
CREATE TABLE agent_cards (
    agent    TEXT   NOT NULL,
    digest   TEXT   NOT NULL,
    card     TEXT   NOT NULL,
    first    BIGINT NOT NULL,
    last     BIGINT NOT NULL,
    in_force BIGINT NOT NULL,
    PRIMARY KEY (agent, digest)
);
