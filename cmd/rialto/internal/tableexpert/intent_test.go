package tableexpert_test

import (
	"testing"

	"rialto/a2a"
)

func TestBadSQLIsAFailedTask(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct {
		name string
		req  *a2a.SendRequest
		want string
	}{
		{"DELETE", text("query_table_expert", "DELETE FROM claims"), "DELETE is not available"},
		{"UPDATE", text("query_table_expert", "UPDATE claims SET id = 1"), "UPDATE is not available"},
		{"INSERT", text("query_table_expert", "INSERT INTO claims VALUES (1)"), "INSERT is not available"},
		{"a bare expression", text("query_table_expert", "count(*)"), "send one SELECT"},
		{"a misspelt VALUES", text("query_table_expert", "VALEUS (1)"), "send one SELECT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := send(t, e, c.req)
			if task.Status.State != a2a.Failed {
				t.Errorf("got %s, want failed", task.Status.State)
			}
			contains(t, task.Status.Message.Text(), c.want)
		})
	}
}

// Almost SQL is no answer and no change: the schema comes back, and the way to write it.
func TestMisspelledSQLIsAskedBack(t *testing.T) {
	e := builtIn(t)
	for _, c := range []string{
		"SELCET * FROM claims", "slect name of claims", "SELECTT count(*) FROM claims", "-- all\nSELET number FROM claims",
		"FROM claims SELECT *", "DELETE claims", "UPDATE claims WHERE id = 1", "INSERT claims VALUES (1)",
	} {
		task := send(t, e, text("query_table_expert", c))
		if task.Status.State != a2a.InputRequired {
			t.Errorf("%s: got %s, want it asked back", c, task.Status.State)
		}
		contains(t, task.Status.Message.Text(), "one SELECT")
	}
}

func TestAQuestionForTheQuerySkillIsNotTakenForSQL(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct {
		question string
		want     a2a.State
	}{
		{"How many are there?", a2a.InputRequired},
		{"Which ones cost more than 1000?", a2a.InputRequired},
		{"Which ones (the big ones)?", a2a.InputRequired},
		{"How many vehicles (trucks) are there?", a2a.Completed},
		{"Update me on the claims from 2024", a2a.InputRequired},
		{"Delete nothing, only tell me of the claims", a2a.InputRequired},
		{"Detect claims from Munich", a2a.InputRequired},
		{"Selected claims of 2024, please", a2a.InputRequired},
		{"vehicles", a2a.Completed},
	} {
		t.Run(c.question, func(t *testing.T) {
			if task := send(t, e, text("query_table_expert", c.question)); task.Status.State != c.want {
				t.Errorf("got %s %q, want %s", task.Status.State, task.Status.Message.Text(), c.want)
			}
		})
	}
}
