package server

import (
	"log/slog"
	"net/http"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/tableexpert"
)

func TestTheTableExpertListsItsTasks(t *testing.T) {
	agent, err := StartTableExpert(t.Context(), tableexpert.Config{Log: slog.New(slog.DiscardHandler)}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Close() })
	c, err := (&a2aclient.Dialer{Header: http.Header{"Authorization": {"Bearer " + agent.token}}}).Dial(t.Context(), agent.url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("How many claims are open?")); err != nil {
		t.Fatal(err)
	}
	page, err := c.Tasks(t.Context(), a2a.TaskFilter{})
	if err != nil || len(page.Tasks) != 1 || page.Tasks[0].Status.State != a2a.Completed {
		t.Errorf("got %+v, %v", page, err)
	}
}
