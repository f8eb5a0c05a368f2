-- +goose Up
-- What kind of application a client says that it is: native, web, or nothing.
ALTER TABLE clients ADD COLUMN application_type TEXT NOT NULL DEFAULT '';
