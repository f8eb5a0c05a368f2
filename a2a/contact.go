package a2a

import "time"

// Contact is how an agent behind a wire was met lately. Its zero value is an
// agent that has not been called.
type Contact struct {
	Interface Interface // what calls take now, whatever the card says

	Answered time.Time // when the agent last answered a call
	Failed   time.Time // when a call last got no answer of the agent's
	Failure  string    // why, for an operator: it tells of the inside of a network

	// Until is when the next call is let through to an agent that did not work
	// several times in a row; zero for one that works.
	Until time.Time
}

// Contacted is an Agent that remembers how it was met. It is found by type
// assertion.
type Contacted interface{ Contact() Contact }
