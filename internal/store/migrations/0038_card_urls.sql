-- +goose Up
-- An agent that is set up at another address is another agent: what it showed before
-- does not hold back what it shows there. '' is not known.
ALTER TABLE agent_cards ADD COLUMN url TEXT NOT NULL DEFAULT '';
