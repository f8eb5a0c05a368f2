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
		{"SELECT without its last letter", text("query_table_expert", "SELEC 1"), "send one SELECT"},
		{"without the skill", text("", "SELEC 1"), "send one SELECT"},
		{"as an argument", data("query_table_expert", `{"query": "SELCT 1"}`), "send one SELECT"},
		{"letters changed about", text("query_table_expert", "SELCET * FROM claims"), "send one SELECT"},
		{"of a column alone", text("query_table_expert", "slect name"), "send one SELECT"},
		{"a letter too many", text("query_table_expert", "SELECTT count(*) FROM claims"), "send one SELECT"},
		{"behind a comment", text("query_table_expert", "-- all\nSELET number FROM claims"), "send one SELECT"},
		{"clauses in another order", text("query_table_expert", "FROM claims SELECT *"), "send one SELECT"},
		{"DELETE without FROM", text("query_table_expert", "DELETE claims"), "DELETE is not available"},
		{"UPDATE without SET", text("query_table_expert", "UPDATE claims WHERE id = 1"), "UPDATE is not available"},
		{"INSERT without INTO", text("query_table_expert", "INSERT claims VALUES (1)"), "INSERT is not available"},
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
