package templates

// Connect lets a person connect an agent: sign in at its authorization server, or store a key. Each
// form posts way, the number of the way, and task; that of a key posts value, and that of a
// password username as well. The form that forgets posts decision=forget.
type Connect struct {
	Product     string
	Agent       string // its name
	Title       string // what it calls itself
	Description string
	Connected   bool
	Since       string // when it was connected
	Task        string // that the person came from, and goes to afterwards; "" is none
	TaskPath    string // of its page
	Switch      string // where another account signs in, if the task that the link names is not of this one
	Error       string // why the page is shown again
	Ways        []ConnectWay
}

// ConnectWay is one way to connect the agent.
type ConnectWay struct {
	Number      int
	Kind        string // oauth, device, bearer, basic or api_key
	Host        string // of oauth and device: where the person signs in; "" is not known
	Name        string // of api_key: what the agent calls the key
	Description string // of the agent's
}

// Device gives a person a code to enter at an agent's authorization server. The form
// posts way, task and device, which is Handle.
type Device struct {
	Product string
	Agent   string
	Code    string
	URL     string // where to enter it
	Host    string // of URL
	Way     int
	Task    string
	Handle  string
	Notice  string // the outcome so far; "" is none
}
