-- +goose Up
-- Each event is delivered to a webhook by itself. states narrows the events of task.changed to those
-- of some states, with a space before and after each; '' does not.
ALTER TABLE event_subscriptions ADD COLUMN states TEXT NOT NULL DEFAULT '';

-- Events that webhooks have not got yet. seq is the event's number in its log; 0 is the notice that
-- the subscription has ended. Of a webhook address and a lane, which is a task or an agent, only the
-- earliest is due: its events come in order, also those of several types. due and holder are as in
-- notices. body is what was sent in the attempt before. paused is 1 while the subscription is suspended
-- or ends, 2 for an event that was given up. In event_subscriptions, position, last, due, holder and
-- attempts are not used any more, and gap counts the notices that the receiver must get.
CREATE TABLE event_deliveries (
	subscription TEXT   NOT NULL REFERENCES event_subscriptions (id) ON DELETE CASCADE,
	seq          BIGINT NOT NULL,
	address      TEXT   NOT NULL,
	lane         TEXT   NOT NULL,
	at           BIGINT NOT NULL,
	due          BIGINT NOT NULL,
	holder       TEXT   NOT NULL DEFAULT '',
	attempts     BIGINT NOT NULL DEFAULT 0,
	body         TEXT   NOT NULL DEFAULT '',
	paused       BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (subscription, seq)
);

CREATE INDEX event_deliveries_due ON event_deliveries (due) WHERE paused = 0;
CREATE INDEX event_deliveries_lane ON event_deliveries (address, lane, at) WHERE paused = 0;
DROP INDEX event_subscriptions_due;

INSERT INTO event_deliveries (subscription, seq, address, lane, at, due, paused)
SELECT s.id, e.seq, s.address, CASE e.handle WHEN '' THEN e.agent ELSE e.handle END, e.at, e.at, 1 - s.active
FROM event_subscriptions s JOIN events e ON e.owner = s.owner AND e.name = s.name AND e.seq > s.position
WHERE s.verified > 0 AND s.ending = 0
AND s.task IN ('', e.handle) AND s.agent IN ('', e.agent) AND s.context IN ('', e.context_id);

INSERT INTO event_deliveries (subscription, seq, address, lane, at, due)
SELECT id, 0, address, '', 0, 0 FROM event_subscriptions WHERE ending = 1;

-- A change of a task's state is an event of task.changed as well, under an ID of its own.
CREATE OR REPLACE FUNCTION add_task_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE moved BOOLEAN := TRUE;
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.settled = 0 THEN
			RETURN NULL;
		END IF;
	ELSE
		moved := NEW.state <> OLD.state OR NEW.settled > OLD.settled;
		IF NEW.settled = OLD.settled AND NOT moved AND (NEW.summary = OLD.summary OR NEW.settled = 1) THEN
			RETURN NULL;
		END IF;
	END IF;
	INSERT INTO events (owner, name, seq, id, at, handle, agent, context_id, state, summary)
	SELECT owner, name, last + 1, NEW.handle || '.' || NEW.updated || CASE name WHEN 'task.changed' THEN '.changed' ELSE '' END,
		NEW.updated, NEW.handle, NEW.agent, substr(NEW.context_id, 1, 1000), NEW.state, NEW.summary
	FROM event_logs WHERE owner = NEW.owner AND (name = CASE WHEN NEW.settled = 0 THEN 'task.progress'
		WHEN NEW.state = 'completed' THEN 'task.completed' WHEN NEW.state = 'input-required' THEN 'task.input_required' WHEN NEW.state = 'auth-required' THEN 'task.auth_required' ELSE 'task.failed' END
	AND (NEW.settled = 1 OR NOT EXISTS (SELECT 1 FROM events e WHERE e.name = 'task.progress' AND e.owner = NEW.owner AND e.handle = NEW.handle AND e.at > NEW.updated - 15000))
	OR name = 'task.changed' AND moved)
	ORDER BY name FOR UPDATE;
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION announce_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE event_logs SET last = NEW.seq WHERE owner = NEW.owner AND name = NEW.name;
	INSERT INTO event_deliveries (subscription, seq, address, lane, at, due, paused)
	SELECT id, NEW.seq, address, CASE NEW.handle WHEN '' THEN NEW.agent ELSE NEW.handle END, NEW.at, NEW.at,
		CASE WHEN active = 1 AND ending = 0 THEN 0 ELSE 1 END
	FROM event_subscriptions WHERE owner = NEW.owner AND name = NEW.name AND verified > 0
		AND task IN ('', NEW.handle) AND agent IN ('', NEW.agent) AND context IN ('', NEW.context_id)
		AND (states = '' OR states LIKE '% ' || NEW.state || ' %');
	DELETE FROM events WHERE owner = NEW.owner AND name = NEW.name
		AND seq <= NEW.seq - (SELECT keep FROM event_logs WHERE owner = NEW.owner AND name = NEW.name);
	RETURN NULL;
END $$;
