package templates

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
)

// Task shows a task, or another document, to its owner, to an operator, or to a reader with a link:
// fields that a reader has no right to are empty. The form of Ask posts pause, once and, for each
// field, the value under "field:NAME"; for files it posts files. Other forms post do: cancel, retry,
// share or revoke.
type Task struct {
	Frame
	Up     *Way
	Title  string // data; "" is a request without text
	Agent  string // its name
	State  string // a sentence; "" for a document that is no task
	Tone   Tone   // of State
	Lead   []Text // below the title, beside each other
	Facts  []Fact // at the side
	Fields [][2]string
	Live   string // the address of an event stream of changes; "" without one
	Lives  bool   // it changes without the reader
	Busy   string // the agent's last message; "" is not said

	Alert  *TaskAlert
	Notice TaskNotice

	Says  []TaskPart // what the agent asks
	Ask   *Ask       // what the agent wants to know; nil if nothing
	Grant *Grant     // the grant that the agent waits for; nil if none

	Results []TaskResult
	Cut     bool // there is more
	History TaskHistory

	Cancel  *Button // nil shows none; its word is the page's
	Retry   *Button
	Sharing *Sharing
	Until   Text // how long the address works; nil is no shared page
}

// TaskNotice says why an action on the page has failed. The zero value is none.
type TaskNotice struct {
	Text    string // a sentence of ours
	Reason  string // the agent's reason, in its words; "" is none
	Connect string // where the person connects the agent before it takes an answer; "" is nowhere
}

// TaskHistory is the timeline of a task.
type TaskHistory struct {
	Events  []TaskEvent
	Left    string // how many messages it leaves out; "" is none
	Dropped string // how many replaced results are not kept; "" is none
}

// TaskAlert says why a task did not do what it should, and what to do.
type TaskAlert struct {
	Title  string // a sentence of ours
	Reason Text   // nil is none
	Remedy string // a sentence of ours; "" is none
	Ways   []Way  // where to look
}

// TaskResult is one thing that a task has produced. It has an ID where its first part can be copied.
type TaskResult struct {
	Name, Description string
	Says              bool // it is the last message of the agent, and Name its name
	Parts             []TaskPart
}

// TaskPart is one piece of a result or a message: one of HTML, Text, Data, a file or a link.
type TaskPart struct {
	ID     string        // identifies the text for its copy button; "" has none
	HTML   template.HTML // rendered Markdown, which is safe
	Text   string
	Data   *DataTable
	Fold   bool // Data is shown on request
	File   bool
	Name   string // of a file
	Kind   string // its media type
	Size   string
	Href   string // where the file, or the text as a file, is; "" is nowhere
	Image  bool   // the file is an image that browsers show
	Leaves string // an address elsewhere
}

// DataTable shows JSON as tables. What does not fit is in JSON alone.
type DataTable struct {
	Pairs   [][2]string // names and values
	Columns []string
	Numbers []bool // by column: it holds numbers
	Rows    [][]string
	More    string // how many rows are left out; "" is none
	JSON    string
}

// Plain reports whether nothing but JSON is shown.
func (d DataTable) Plain() bool { return len(d.Pairs)+len(d.Rows) == 0 }

// TaskEvent is an entry of the timeline.
type TaskEvent struct {
	ID    string
	At    Text // nil if it is not known
	Title Text
	Tone  Tone // of a state; "" for another event
	For   Text // how long it lasted; nil is not known
	Parts []TaskPart
	Long  string      // the beginning of Parts, where they are folded
	Fold  []TaskEvent // events that are shown on request, under Title
}

// Sharing is how the owner of a document shares it. Its forms post do=share, or revoke=ID.
type Sharing struct {
	Open  bool // it unfolds
	For   Text // how long a link lasts
	Task  bool // it is a task
	Link  string
	Until Text // when Link ends
	Links []SharedLink
	Error string
}

// SharedLink is a link that the owner has made, and can end.
type SharedLink struct {
	ID         string
	Made, Ends Text
}

// Ask is a form that an agent asks to have filled in.
type Ask struct {
	Pause, Once        string
	Title, Description string
	Fields             []AskField
	Files              bool // files may go along
	FilesWrong         string
}

// Wrong tells whether something that was filled in has to be changed.
func (a Ask) Wrong() bool {
	return a.FilesWrong != "" ||
		slices.ContainsFunc(a.Fields, func(f AskField) bool { return f.Wrong != "" })
}

// AskField is one of its fields. Input is the type of the HTML input: text,
// email, url, date, number, checkbox, or select or textarea; checks is a checkbox for
// each choice, and lines a textarea that takes one value on each line.
type AskField struct {
	Name, Label, Description, Input string
	Value                           string
	Required                        bool
	Choices                         []AskChoice
	Least, Most, Step               string // of number; "" is no limit
	Shortest, Longest               int    // of text; 0 is no limit
	Hint                            string // how a value looks
	Wrong, WrongValue               string // the problem: a sentence, and the value in it
}

// About returns the ids of the texts that describe the nth field.
func (f AskField) About(n int) string {
	var ids []string
	if f.Description != "" {
		ids = append(ids, "about-"+strconv.Itoa(n))
	}
	if f.Input == "lines" {
		ids = append(ids, "lines-"+strconv.Itoa(n))
	}
	if f.Wrong != "" {
		ids = append(ids, "wrong-"+strconv.Itoa(n))
	}

	return strings.Join(ids, " ")
}

// AskChoice is a value that a field takes.
type AskChoice struct {
	Value, Title string
	On           bool
}

// Grant is something that a person does elsewhere before an agent goes on.
type Grant struct {
	Pause, Once string
	Visit       string // where; "" is not known
	Host        string // of Visit
	Connect     bool   // Visit is a page of ours, where the person connects the agent
	Why         Text   // why the agent waits, in our words; nil if its message says so
}
