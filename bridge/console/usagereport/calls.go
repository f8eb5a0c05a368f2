package usagereport

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rialto/internal/usage"
	"rialto/templates"
)

// Zone is the zone of the reader, as the script of the pages tells it: UTC and some hours. The numbers
// of calls are sums of whole hours.
func Zone(r *http.Request) *time.Location {
	cookie, err := r.Cookie("zone")
	if err != nil {
		return time.UTC
	}
	minutes, err := strconv.Atoi(cookie.Value)
	if err != nil || minutes < -12*60 || minutes > 14*60 {
		return time.UTC
	}
	return time.FixedZone("", minutes/60*3600)
}

// outcomes are the badges of calls.
var outcomes = map[usage.Outcome]templates.Text{
	usage.OK:       templates.Textf("Done"),
	usage.Failed:   templates.Badge(templates.Bad, "Failed"),
	usage.Refused:  templates.Badge(templates.Note, "Refused"),
	usage.Canceled: templates.Badge(templates.Plain, "Canceled"),
}

// Cell shows what a column of the list of calls has of a call. What a call is about narrows the list.
func (r *Report) Cell(call usage.Record, column string) templates.Text {
	switch column {
	case "user":
		return r.narrow(column, call.UserID, call.User)
	case "client":
		return r.narrow(column, call.Client, call.App)
	case "agent":
		return r.narrow(column, call.Agent, "")
	case "tool":
		return r.narrow(column, call.Tool, "")
	case "door":
		return templates.Verbatim(strings.ToUpper(call.Door))
	case "outcome":
		return outcomes[call.Outcome]
	case "milliseconds":
		return templates.Millis(call.Millis)
	}

	return nil
}

// narrow leads to the calls with a value, which a name may stand for.
func (r *Report) narrow(column, value, name string) templates.Text {
	if value == "" {
		return templates.Verbatim("–")
	}
	return templates.Link(r.here(column, value), templates.Verbatim(cmp.Or(name, value)))
}
