package a2a

import "time"

// Contact is how an agent behind a wire was met lately. Its zero value is an
// agent that has not been called.
type Contact struct {
	Interface Interface // the interface that calls use now, which may differ from the card

	Answered time.Time // when the agent last answered a call
	Failed   time.Time // when a call last failed without an answer of the agent
	Failure  string    // why, for an operator only: it shows details of the network

	// Until is when the next call is allowed after several failures in a row; zero
	// for an agent that works.
	Until time.Time
}

// Contacted is an Agent that records its latest successes and failures. It is found by
// type assertion.
type Contacted interface{ Contact() Contact }
