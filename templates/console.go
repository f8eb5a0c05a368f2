package templates

import (
	"html/template"
	"slices"

	"rialto/internal/uptime"
)

// Console is a page on which people run their side of the server, or operators
// the server: a frame with the ways to the others, and sections below each
// other. All of these pages share the same parts.
type Console struct {
	Frame
	Title    string // a sentence of ours, for the window and the heading
	Name     string // the thing that the page is about, which the window names first; "" is none
	Heading  Text   // instead of Title above the page; nil is Title
	Status   Text   // beside the heading
	Lead     Text
	Up       *Way // the list that the page is a part of
	Actions  []Button
	Top      *Section // above the others, as wide as the page
	Sections []Section
	Aside    []Section // beside the others on a wide window, below them on others
	Live     string    // where an event stream tells that the page has changed; "" is nowhere
}

// Frame is what the pages of a Console have in common.
type Frame struct {
	Product string
	User    string  // who is signed in
	SignOut string  // where the sign-out form goes
	Areas   []Way   // the ways at the top
	Ways    []Way   // the ways within the area
	Waiting int     // how many tasks wait for the user
	Done    Text    // what has just been done; nil is nothing
	Undo    *Button // undoes it; nil where that cannot be undone
}

// Way leads to another page.
type Way struct {
	Href  string
	Name  string // a sentence of ours
	Here  bool   // it is this page, or the one above it
	Group string // heading above it and those after it, a sentence of ours
	Count int    // how many things wait for the reader there
}

// Section is a part of a Console page. Empty parts are left out; the others stand in this order.
type Section struct {
	ID      string // required
	Title   string // a sentence of ours
	Count   int    // behind the title; 0 shows none
	Lead    Text
	Verdict *Verdict
	Ways    []Way  // the views of the section, as tabs
	Choose  string // the name of Ways, a sentence of ours; "" is "Views"
	Notes   []Remark
	Filter  *Filter
	Stats   []Stat
	Items   []Item
	Uptime  *uptime.History
	Facts   []Fact
	Charts  []Chart
	Table   *Table
	Steps   []Step
	Pages   []Block
	Form    *Form
	Grave   bool // what is done here cannot be undone
	Fold    bool // unfolds at a click on Title
	Setup   bool // says what to do on a server that has just been set up
}

// Verdict is a conclusion with what to do about it.
type Verdict struct {
	Tone  Tone
	Mark  string
	Text  Text
	Check string // a sentence of ours that ends the text
	Do    Text
	Lines []Block
	Apps  Text // who is concerned
}

// Stat is a number that leads to the list behind it.
type Stat struct {
	Name  string // a sentence of ours
	Value Text
	Sub   Text // nil shows none
	Href  string
	Tone  Tone // of the value; "" is Plain
}

// Item is a thing to look at, which its text links to.
type Item struct {
	Tone Tone
	Word string // the kind of thing, a sentence of ours
	Text Text
	Sub  Text // nil shows none
	When Text // nil shows none
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
	Dense   bool    // on a phone the cells after the first share a line, without the names of their columns
	Bulk    *Button // for the rows that are ticked; nil is nothing
	Empty   string  // the sentence in place of rows, one of ours
	Total   Text    // how many rows there are on all pages; nil shows none
	First   string  // leads to the first page, in lists that are only read forward
	Prev    string  // leads to the page before; "" on the first
	Next    string  // leads to the next page; "" on the last
}

// Column is a column of a Table.
type Column struct {
	Name  string // a sentence of ours
	Right bool   // holds numbers
	Sort  string // leads to the list sorted by this column; "" if it is not sorted by it
	Order string // "ascending" or "descending" if the list is sorted by it now
}

// Entry is a row of a Table: a cell for each column, and what can be done.
type Entry struct {
	Group   string // heading of this row and those after it, a sentence of ours
	Cells   []Text
	Actions []Button
	Pick    string // ticks the row for Bulk; "" does not
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
	Hidden []Value // kept as they are
	Clear  string  // leads to the list without a filter; "" if there is none
}

// Form is a form to fill in.
type Form struct {
	Action      string
	Fields      []Field
	More        []Field // folded under "Advanced"
	Open        bool    // More is unfolded
	Hidden      []Value
	Word        string // label of the button, a sentence of ours; "" has none
	Passkey     string // options for a passkey, as JSON, whose answer is posted as passkey; "" has none
	PasskeyWord string // label of its button, a sentence of ours
	Busy        string // shown with a cancel button while the answer is awaited; "" is nothing
	Also        []Choice
	Grave       bool
	Cancel      string // where to go instead; "" is nowhere
	Error       Text   // why it is shown again
}

// Choice is another button of a Form, which sends a value of its own.
type Choice struct{ Name, Value, Word string }

// Field is a field of a Form or Filter.
type Field struct {
	Name     string
	Kind     string  // "text", "url", "date", "password", "search", "number", "area", "choice" or "check"
	Label    string  // a sentence of ours
	Labels   []Label // instead, by the choice before it
	Help     string  // a sentence of ours
	Value    string
	Options  []Option // of a choice
	Suggest  []string // values to choose from while typing
	Hint     string   // an example, where nothing is typed
	For      []string // the values of the choice before it with which the field is shown; none: always
	Required bool
	Bad      bool // it is why the form is shown again
	Complete string
	Min, Max int // characters; 0 is no bound
}

// Label is the label of a field while the choice before it has one of some values.
type Label struct {
	For  []string // the values
	Word string   // a sentence of ours
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
	Sub   Text // nil shows none
	Facts []Fact
}

// Block is text of others as it came, line by line.
type Block struct {
	Title Text
	Text  string
	Prose template.HTML // is shown instead of Text, unless it is ""
	Copy  string        // an ID for a copy button; "" shows none
}

func (Console) file() string { return "console" }

// HeadingText is what stands above the page.
func (c Console) HeadingText() Text {
	if c.Heading != nil {
		return c.Heading
	}
	return Textf(c.Title)
}

// Acts tells whether something can be done to a row.
func (t Table) Acts() bool {
	return slices.ContainsFunc(t.Rows, func(e Entry) bool { return len(e.Actions) > 0 })
}

// Picks tells whether a row can be ticked.
func (t Table) Picks() bool {
	return slices.ContainsFunc(t.Rows, func(e Entry) bool { return e.Pick != "" })
}
