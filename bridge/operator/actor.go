package operator

// Actor is who does something, for the audit log.
type Actor struct {
	ID      string // of the account; "" is nobody who signed in
	Name    string
	Address string // of the network; "" if there is none
}

// CommandLine is whoever may read the server's database.
var CommandLine = Actor{Name: "command line"}
