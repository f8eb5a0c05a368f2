package templates

import (
	"html/template"
	"path"
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
	Up         *Way
	Title      string // data; "" is a request without text
	Agent      string // its name
	AgentTitle string // its title, or its name
	State      string // a sentence; "" for a document that is no task
	Tone       Tone   // of State
	Lead       []Text // below the title, beside each other
	Facts      []Fact // at the side
	Fields     [][2]string
	Progress   TaskProgress

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

// TaskProgress is how a task goes on.
type TaskProgress struct {
	Live    string // the address of an event stream of changes; "" without one
	Lives   bool   // it changes without the reader
	Busy    string // the agent's last message; "" is not said
	Elapsed Text   // how long it has run; nil where it does not
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
	Tone   Tone   // "danger" for a failure
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

// Download returns the address of the one file that the page shows; "" if there are several, or none.
func (t Task) Download() (href string) {
	for _, result := range t.Results {
		for _, part := range result.Parts {
			if part.Href != "" && href != "" {
				return ""
			}
			href += part.Href
		}
	}
	return href
}

// Wrong reports whether the page shows a form with something to correct.
func (t Task) Wrong() bool { return t.Ask != nil && t.Ask.Wrong() }

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

// PDF reports whether the part is a file that browsers show at Href with the parameter view.
func (p TaskPart) PDF() bool { return p.File && p.Href != "" && p.Kind == "application/pdf" }

// Extension returns the end of the name of a file, such as "csv"; "" if it has none, or a long one.
func (p TaskPart) Extension() string {
	end := strings.TrimPrefix(path.Ext(p.Name), ".")
	if len(end) > 4 {
		return ""
	}
	return end
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
	Step  string // the agent's words for a step; "" for another event
	Tone  Tone   // of a state; "" for another event
	For   Text   // how long it lasted; nil is not known
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
	Until Text   // when Link ends
	Undo  string // ID of Link
	Links []SharedLink
	Error string
}

// SharedLink is a link that the owner has made, and can end.
type SharedLink struct {
	ID         string
	Made, Ends Text
	Views      Text // how often it was opened; nil is not known
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
// email, url, date, datetime-local, number, checkbox, or select or textarea; checks is a checkbox for
// each choice, and lines a textarea that takes one value on each line.
type AskField struct {
	Name, Description, Input string
	Label                    Text
	Value                    string
	Required                 bool
	Choices                  []AskChoice
	Least, Most, Step        string // of number; "" is no limit
	Shortest, Longest        int    // of text; 0 is no limit
	At                       string // of datetime-local: Value as RFC 3339 has it
	First                    bool   // it is the first to correct
	Wrong, WrongValue        string // the problem: a sentence, and the value in it
}

// About returns the ids of the texts that describe the nth field.
func (f AskField) About(n int) string {
	var ids []string
	if f.Description != "" {
		ids = append(ids, "about-"+strconv.Itoa(n))
	}
	switch f.Input {
	case "lines":
		ids = append(ids, "lines-"+strconv.Itoa(n))
	case "datetime-local":
		ids = append(ids, "zone-"+strconv.Itoa(n))
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
