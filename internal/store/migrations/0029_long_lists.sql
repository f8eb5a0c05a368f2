-- +goose Up
-- What did not go well is rare, and looked for. Nothing else is written into these.
CREATE INDEX audit_outcome ON audit (outcome, at, id) WHERE outcome <> 'ok';
CREATE INDEX audit_kind_outcome ON audit (kind, outcome, at, id) WHERE outcome <> 'ok';

-- Those who have many tasks look for the few that stopped, and for those of one agent.
CREATE INDEX tasks_own_stopped ON tasks (owner, state, created, handle) WHERE settled = 1 AND state <> 'completed';
CREATE INDEX tasks_own_agent ON tasks (owner, agent, created, handle);

-- Somebody who did much is asked for one kind of it.
CREATE INDEX audit_actor_kind ON audit (actor_id, kind, at, id);
CREATE INDEX audit_actor_name_kind ON audit (actor, kind, at, id);

-- usage_hours without clients and users, of whom there are many: by the hour and
-- by the day, whose lengths in milliseconds span says.
CREATE TABLE usage_totals (
	span      BIGINT NOT NULL,
	hour      BIGINT NOT NULL,
	agent     TEXT   NOT NULL,
	tool      TEXT   NOT NULL,
	usecase   TEXT   NOT NULL,
	calls     BIGINT NOT NULL,
	errors    BIGINT NOT NULL,
	bytes_in  BIGINT NOT NULL,
	bytes_out BIGINT NOT NULL,
	millis    BIGINT NOT NULL,
	b0 BIGINT NOT NULL, b1 BIGINT NOT NULL, b2  BIGINT NOT NULL, b3  BIGINT NOT NULL, b4  BIGINT NOT NULL, b5  BIGINT NOT NULL, b6  BIGINT NOT NULL, b7  BIGINT NOT NULL,
	b8 BIGINT NOT NULL, b9 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL, b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL,
	PRIMARY KEY (span, hour, agent, tool, usecase)
);

INSERT INTO usage_totals
SELECT 3600000, hour, agent, tool, usecase, SUM(calls), SUM(errors), SUM(bytes_in), SUM(bytes_out), SUM(millis),
	SUM(b0), SUM(b1), SUM(b2), SUM(b3), SUM(b4), SUM(b5), SUM(b6), SUM(b7), SUM(b8), SUM(b9), SUM(b10), SUM(b11), SUM(b12), SUM(b13), SUM(b14), SUM(b15)
FROM usage_hours GROUP BY hour, agent, tool, usecase;

INSERT INTO usage_totals
SELECT 86400000, hour - hour % 86400000, agent, tool, usecase, SUM(calls), SUM(errors), SUM(bytes_in), SUM(bytes_out), SUM(millis),
	SUM(b0), SUM(b1), SUM(b2), SUM(b3), SUM(b4), SUM(b5), SUM(b6), SUM(b7), SUM(b8), SUM(b9), SUM(b10), SUM(b11), SUM(b12), SUM(b13), SUM(b14), SUM(b15)
FROM usage_totals GROUP BY hour - hour % 86400000, agent, tool, usecase;
