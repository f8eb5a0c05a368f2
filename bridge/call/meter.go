package call

import (
	"math"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
)

// Meter charges for what agents answer, at the prices of their settings. All fields are required.
type Meter struct {
	Directory *directory.Directory
	Sink      Sink
}

// Charge implements runner.Meter. It charges for the message that the agent has answered, unless the
// task failed, and for the units that the agent reports when the task ends. The ids of the charges
// are those of the message and of the unit, so that each counts once.
func (m *Meter) Charge(e *ledger.Record) {
	agent := m.Directory.Lookup(e.Agent)
	if agent == nil || e.Unsent() || e.Pending() != nil {
		return
	}

	c := usage.Charge{
		At:       e.Updated,
		UserID:   e.Owner,
		Client:   e.Client,
		UseCase:  e.UseCase,
		Agent:    e.Agent,
		Currency: agent.Price.Currency,
	}
	charge := func(id, item, price string, quantity int64) {
		c.ID = e.Handle + "/" + id
		c.Item = item
		c.Price = price
		c.Quantity = quantity
		m.Sink.Charge(c)
	}
	if agent.Price.Call != "" && !ledger.Unsuccessful(e.State()) {
		message, _, _ := strings.Cut(e.MessageID, ledger.LeftByItself)
		charge(
			"message/"+message,
			usage.ItemCall,
			agent.Price.Call,
			1,
		)
	}

	if e.Task == nil || !e.State().Terminal() {
		return
	}
	for _, unit := range agent.Price.Units {
		if n := reported(e.Task, unit.Name); n > 0 {
			charge(
				"unit/"+unit.Name,
				unit.Name,
				unit.Price,
				n,
			)
		}
	}
}

// maxReported limits what an agent may report of a unit for one task.
const maxReported = 1e12

// reported returns how much of a unit the agent reports in the metadata of the task, or else of its
// last message. What is not a positive whole number counts as nothing.
func reported(t *a2a.Task, unit string) int64 {
	n := member(t.Metadata, unit)
	if n == 0 && t.Status.Message != nil {
		n = member(t.Status.Message.Metadata, unit)
	}
	if n != math.Trunc(n) || n < 0 || n > maxReported {
		return 0
	}
	return int64(n)
}

// member returns the number at a path of names with dots between.
func member(in map[string]any, path string) float64 {
	var value any = in
	for name := range strings.SplitSeq(path, ".") {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	n, _ := value.(float64)
	return n
}
