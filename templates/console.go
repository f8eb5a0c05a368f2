package templates

// Console is a page on which people run their side of the server, or operators
// the server: a frame with the ways to the others, and sections below each
// other. All of these pages share the same parts.
type Console struct {
	Frame
	Title    string // a sentence of ours, for the window and the heading
	Heading  Text   // instead of Title above the page; nil is Title
	Lead     Text
	Up       *Way // the list that the page is a part of
	Actions  []Button
	Sections []Section
	Live     string // where an event stream tells that the page has changed; "" is nowhere
}

// Frame is what the pages of a Console have in common.
type Frame struct {
	Product string
	User    string // who is signed in
	SignOut string // where the sign-out form goes
	Areas   []Way  // the ways at the top
	Ways    []Way  // the ways within the area
	Done    Text   // what has just been done; nil is nothing
	Failed  Text   // what could not be done
}

// Way leads to another page.
type Way struct {
	Href string
	Name string // a sentence of ours
	Here bool   // it is this page, or the one above it
}

// Section is a part of a Console page. Empty parts are left out; the others stand in this order.
type Section struct {
	ID     string // required
	Title  string // a sentence of ours
	Lead   Text
	Ways   []Way // the views of the section, as tabs
	Facts  []Fact
	Notes  []Remark
	Filter *Filter
	Charts []Chart
	Table  *Table
	Steps  []Step
	Pages  []Block
	Form   *Form
	Grave  bool // what is done here cannot be undone
}

// Fact is a value with its label.
type Fact struct {
	Name  string // a sentence of ours
	Value Text
}

// Remark is something to know before going on.
type Remark struct {
	Tone Tone // Note or Bad; Plain and Good are calm
	Text Text
}

// Table is a list. On a phone each row becomes a card.
type Table struct {
	Columns []Column
	Rows    []Entry
	Empty   Text   // what is said where there are no rows
	First   string // leads to the first page; "" on the first
	Next    string // leads to the next page; "" on the last
}

// Column is a column of a Table.
type Column struct {
	Name  string // a sentence of ours
	Right bool   // holds numbers
}

// Entry is a row of a Table: a cell for each column, and what can be done.
type Entry struct {
	ID      string
	Cells   []Text
	Actions []Button
}

// Button does something, by a POST, or leads somewhere, by a GET.
type Button struct {
	Action string // where the form goes
	Get    bool
	Word   string // a sentence of ours
	About  string // the object of the action, for screen readers
	Grave  bool
	First  bool // the main thing to do on the page
	Hidden []Value
}

// Value is a hidden field of a form.
type Value struct{ Name, Value string }

// Filter chooses rows of a list, by a GET to the page itself.
type Filter struct {
	Action string
	Fields []Field
	Clear  string // leads to the list without a filter; "" if there is none
}

// Form is a form to fill in.
type Form struct {
	Action string
	Fields []Field
	Hidden []Value
	Word   string // label of the button, a sentence of ours
	Also   []Choice
	Grave  bool
	Cancel string // where to go instead; "" is nowhere
	Error  Text   // why it is shown again
}

// Choice is another button of a Form, which sends a value of its own.
type Choice struct{ Name, Value, Word string }

// Field is a field of a Form or Filter.
type Field struct {
	Name     string
	Kind     string // "text", "url", "date", "password", "search", "number", "area", "choice" or "check"
	Label    string // a sentence of ours
	Help     Text
	Value    string
	Options  []Option // of a choice
	Required bool
	Bad      bool // it is why the form is shown again
	Complete string
	Min, Max int // characters; 0 is no bound
}

// Option is a choice. A Word is a sentence of ours; without it the value is shown as it is.
type Option struct{ Value, Word string }

// Checked tells whether a check is set.
func (f Field) Checked() bool { return f.Value != "" }

// Step is a thing that was looked at, and how it went.
type Step struct {
	Tone  Tone
	Mark  string
	Title Text
	Facts []Fact
}

// Block is text of others as it came, line by line.
type Block struct {
	Title Text
	Text  string
	Copy  string // an ID for a copy button; "" shows none
}

func (Console) file() string { return "console" }

// HeadingText is what stands above the page.
func (c Console) HeadingText() Text {
	if c.Heading != nil {
		return c.Heading
	}
	return Say(c.Title)
}

// Acts tells whether something can be done to a row.
func (t Table) Acts() bool {
	for _, r := range t.Rows {
		if len(r.Actions) > 0 {
			return true
		}
	}
	return false
}
