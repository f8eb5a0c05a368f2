package operator_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/raced"
	"rialto/internal/usage"
)

// endless is a store with more records than an export takes.
type (
	endless struct {
		usage.Store
		events
	}
	events struct{ audit.Store }
)

func (endless) Calls(_ context.Context, f usage.Filter) ([]usage.Record, error) {
	rows := make([]usage.Record, f.Limit)
	for i := range rows {
		at := f.After.At.Add(time.Duration(i+1) * time.Millisecond)
		rows[i] = usage.Record{ID: fmt.Sprint(at.UnixMilli()), At: at}
	}
	return rows, nil
}

func (endless) Events(_ context.Context, f audit.Filter) ([]audit.Event, error) {
	rows := make([]audit.Event, f.Limit)
	for i := range rows {
		at := f.After.At.Add(-time.Duration(i+1) * time.Millisecond)
		rows[i] = audit.Event{ID: fmt.Sprint(at.UnixMilli()), At: at}
	}
	return rows, nil
}

func (endless) Tallies(_ context.Context, f usage.Filter, _ usage.By, _ time.Duration) ([]usage.Tally, error) {
	return make([]usage.Tally, f.Limit), nil
}

func TestAnExportThatIsCutSaysSoAndGoesOn(t *testing.T) {
	raced.Skip(t)
	s := &operator.Service{UsageStore: endless{}, AuditStore: endless{}}
	last := func(text string) string {
		lines := strings.Split(strings.TrimRight(text, "\n]"), "\n")
		return lines[len(lines)-1]
	}
	var calls, events strings.Builder
	if err := operator.WriteCalls(&calls, operator.JSON, s.Calls(t.Context(), usage.Filter{}, "")); err != nil {
		t.Fatal(err)
	}
	var cut struct {
		Truncated bool
		Next      string `json:"next_page_token"`
	}
	if err := json.Unmarshal([]byte(last(calls.String())), &cut); err != nil || !cut.Truncated {
		t.Fatalf("got %q, %v", last(calls.String()), err)
	}
	for c, err := range s.Calls(t.Context(), usage.Filter{}, cut.Next) {
		if want := fmt.Sprint(time.Time{}.UnixMilli() + operator.MostExported + 1); err != nil || c.ID != want {
			t.Errorf("the rest begins with %s, %v, want %s", c.ID, err, want)
		}
		break
	}
	if err := operator.WriteEvents(&events, operator.CSV, s.AllEvents(t.Context(), audit.Filter{}, "")); err != nil {
		t.Fatal(err)
	}
	row, err := csv.NewReader(strings.NewReader(last(events.String()))).Read()
	if err != nil || len(row) != 9 || row[0] != "truncated" || (operator.Span{Cursor: row[1]}).Check() != nil {
		t.Errorf("got %q, %v", row, err)
	}
	if _, err := s.Usage(t.Context(), usage.Filter{}, usage.ByAgent, time.Hour); err == nil || !strings.Contains(err.Error(), "more than 10000 sums") {
		t.Errorf("sums: got %v", err)
	}
}

// TestACSVFileKeepsIDsAndNumbers tells what only looks like a formula from one.
func TestACSVFileKeepsIDsAndNumbers(t *testing.T) {
	for cell, want := range map[string]string{
		"-a91Ks_x-2": "-a91Ks_x-2", "-5": "-5", "1e5": "1e5", "https://app.example/id": "https://app.example/id",
		"=1+1": "'=1+1", "-1+1": "'-1+1", "-cmd|' /C calc'!A0": "'-cmd|' /C calc'!A0", "+1": "'+1", "@x": "'@x",
	} {
		var out bytes.Buffer
		calls := func(yield func(usage.Record, error) bool) { yield(usage.Record{UserID: cell, App: "Chat"}, nil) }
		if err := operator.WriteCalls(&out, operator.CSV, calls); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || rows[1][2] != want || rows[1][5] != "Chat" {
			t.Errorf("%s: got %q, %v, want %q", cell, rows, err, want)
		}
	}
}
