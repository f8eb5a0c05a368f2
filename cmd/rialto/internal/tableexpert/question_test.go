package tableexpert_test

import (
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/tableexpert"
)

// reply answers the question of a task.
func reply(t *testing.T, e *tableexpert.Expert, task *a2a.Task, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	if task.Status.State != a2a.InputRequired {
		t.Fatalf("got %s %s, want a question", task.Status.State, task.Status.Message.Text())
	}
	req.Message.TaskID = task.ID
	return send(t, e, req)
}

// form returns the form that a question comes with.
func form(task *a2a.Task) string {
	for _, p := range task.Status.Message.Parts {
		if d, ok := p.Content.(a2a.Data); ok {
			return string(d)
		}
	}
	return ""
}

func TestAnAnswerContinuesTheQuestion(t *testing.T) {
	e := builtIn(t)
	for _, c := range []struct {
		name     string
		question string
		answer   *a2a.SendRequest
		want     string
	}{
		{"with the table", "How many are there?", text("", "the vehicles"), "SELECT count(*) AS count FROM vehicles"},
		{"with the form", "How many are there?", data("", `{"table": "vehicles"}`), "SELECT count(*) AS count FROM vehicles"},
		{"with a SELECT", "why are claims late", text("", "SELECT 1 AS one"), "1 row"},
		{"with a SELECT in the form", "why are claims late", data("", `{"sql": "SELECT 1 AS one"}`), "1 row"},
		{"with other words in the form", "why are claims late", data("", `{"sql": "how many claims are open"}`), "SELECT count(*) AS count FROM claims WHERE claims.status = 'open'"},
		{"with other words", "why are claims late", text("", "how many claims are open"), "SELECT count(*) AS count FROM claims WHERE claims.status = 'open'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := send(t, e, text("", c.question))
			done := reply(t, e, asked, c.answer)
			if done.ID != asked.ID || done.Status.State != a2a.Completed {
				t.Errorf("got task %s %s, want %s completed", done.ID, done.Status.State, asked.ID)
			}
			contains(t, done.Status.Message.Text(), c.want)
		})
	}
}

func TestTheFormAsksForWhatIsMissing(t *testing.T) {
	asked := send(t, builtIn(t), text("", "How many are there?"))
	contains(t, asked.Status.Message.Text(), "Which table", "claims, customers, line_results, policies, premiums, vehicles", "one SELECT")
	contains(t, form(asked), `"enum":["claims"`)
	asked = send(t, builtIn(t), text("", "why are claims late"))
	contains(t, asked.Status.Message.Text(), "why, late", "one SELECT")
	contains(t, form(asked), `"sql"`)
	contains(t, asked.Artifacts[0].Text(), "## claims", "claimed_cents")
	one := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"sales.csv": "id,amount\n1,10\n2,20\n"})})
	if got := sql(t, one, "SELECT 2"); got != "[[2]]" {
		t.Fatal(got)
	}
	contains(t, form(send(t, one, text("", "How many are there?"))), `"sql"`)
}

func TestDecliningEndsTheTaskOnce(t *testing.T) {
	e := builtIn(t)
	for _, no := range []string{"no", "No, thanks.", "never mind", "No, gracias", "The user declined to answer."} {
		asked := send(t, e, text("", "why are claims late"))
		if done := reply(t, e, asked, text("", no)); done.Status.State != a2a.Rejected || done.ID != asked.ID {
			t.Errorf("%s: got %s, want the task rejected", no, done.Status.State)
		}
	}
}

func TestAQuestionIsNotAskedBackForEver(t *testing.T) {
	e := builtIn(t)
	task := send(t, e, text("", "why are claims late"))
	for range 10 {
		if task.Status.State == a2a.Failed {
			return
		}
		task = reply(t, e, task, text("", "because"))
	}
	t.Errorf("got %s after ten rounds, want failed", task.Status.State)
}

func TestWhatIsNotAboutTheTablesLeavesNoOpenTask(t *testing.T) {
	e := builtIn(t)
	for _, said := range []string{"hello", "Hi there!", "Thanks!", "¡Hola!", "Muchas gracias", "What can you do?", "¿Qué puedes hacer?", "Who won the world cup?", "What will the weather be like in Berlin tomorrow?", "hm", "???", "Cuéntame un chiste"} {
		task := send(t, e, text("", said))
		if task.Status.State != a2a.Completed || len(task.Artifacts) > 0 {
			t.Errorf("%s: got %s with %d artifacts, want a direct reply", said, task.Status.State, len(task.Artifacts))
		}
		contains(t, task.Status.Message.Text(), "claims, customers", "one SELECT")
	}
}

// The examples of README.md, of the guides and of the demo have answers.
func TestTheExamplesOfTheGuidesAreAnswered(t *testing.T) {
	e := builtIn(t)
	for question, want := range map[string]string{
		"How many claims are open?":                  "160",
		"How many claims are there?":                 "3447",
		"How many claims were there per cause?":      "collision",
		"How many hail claims were there in 2025?":   "count",
		"Average claimed amount by cause":            "average_claimed",
		"Total paid for theft claims in 2024":        "total_paid",
		"List the open claims in Munich":             "open",
		"Policies with a deductible under 200":       "deductible_cents",
		"¿Cuántos clientes hay en Berlín?":           "713",
		"importe reclamado medio por causa":          "hail",
		"¿Cuál es la prima media por ramo?":          "household",
		"¿Cuántas pólizas de hogar hay en Hamburgo?": "count",
	} {
		task := send(t, e, text("", question))
		if task.Status.State != a2a.Completed || len(task.Artifacts) == 0 {
			t.Errorf("%s: got %s %s", question, task.Status.State, task.Status.Message.Text())
			continue
		}
		contains(t, task.Artifacts[0].Text(), want)
	}
}

// These had wrong answers once.
func TestQuestionsThatHadWrongAnswers(t *testing.T) {
	e := builtIn(t)
	for _, question := range []string{
		"policies cancelled in 2025", "claims closed in 2025", "claims in 2025 rejected", "which ten customers had the highest claims last year",
		"how many agents are there",                     // not the policies that agents sold
		"share of open claims by cause",                 // is it a share of all open claims, or of each cause?
		"Total paid claims in 2024",                     // their number, or what was paid
		"customers whose policies are cancelled",        // all of them, or some
		"customers with active policies without claims", // the customers without claims, or the policies
		"premiums by year",                              // their number, or their sum
		"commercial policies",                           // is commercial the customer, or the line?
		"claims over 10000 and at most 2000 in the last quarter of 2024",
	} {
		task := send(t, e, text("", question))
		if task.Status.State != a2a.InputRequired || !strings.Contains(task.Status.Message.Text(), "one SELECT") {
			t.Errorf("%s: got %s %s", question, task.Status.State, task.Status.Message.Text())
		}
	}
}
