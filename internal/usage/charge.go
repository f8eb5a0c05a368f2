package usage

import "time"

// Charge is what a part of an agent's answer costs: a quantity of an item.
type Charge struct {
	ID       string // a charge with the ID of an earlier one is ignored
	At       time.Time
	UserID   string
	Client   string
	UseCase  string
	Agent    string
	Item     string // ItemCall, or a unit that the agent reports
	Currency string // ISO 4217
	Price    string // of one, decimal
	Quantity int64
}

// ItemCall is the item of a message that an agent has answered.
const ItemCall = "call"

// Cost is the sum of the charges of a group for one item of an agent, at one price.
type Cost struct {
	Key      string // the group
	Agent    string
	Item     string
	Currency string
	Price    string
	Quantity int64
}

// Charge queues a charge to be written. It neither waits nor fails.
func (l *Log) Charge(c Charge) { l.Charges.Add(c) }
