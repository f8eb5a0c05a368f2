package templates

import (
	"slices"
	"strconv"
	"strings"
)

// Task shows a task to its owner, and asks them what its agent asks. The form
// posts pause, once and, for each field, the value under "field:NAME"; for files
// it posts files. What the agent says is shown as the text that it is.
type Task struct {
	Product string
	Agent   string
	ID      string
	Path    string // path of the page; its events are below it, at /events
	State   string // a sentence
	Updated string // when it last changed, in words of RFC 3339
	Lives   bool   // it changes without the reader
	Message string // what the agent said last
	Said    Text   // Message with values in it, where it is ours; nil: Message is all

	Notice string // why the page is shown again, or the result of an answer; "" is none
	Wrong  bool   // Notice is about something that went wrong
	Reason string // the agent's reason for Notice, in its words; "" is none
	First  string // where the person connects the agent before it takes an answer; "" is nowhere

	Ask   *Ask   // what the agent wants to know; nil if nothing
	Grant *Grant // the grant that the agent waits for; nil if none

	Results []TaskResult
	More    string // the page with more of them
	History []TaskTurn
	Past    *TaskPast // nil if there is nothing to tell
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
	return a.FilesWrong != "" || slices.ContainsFunc(a.Fields, func(f AskField) bool { return f.Wrong != "" })
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
}

// TaskResult is one thing that a task has produced.
type TaskResult struct {
	Name, Description string
	Parts             []TaskPart
}

// TaskPart is one piece of a result: text, or a link to a file.
type TaskPart struct {
	Text      string
	URL, Name string
	Kind      string // the media type
}

// TaskPast is what has been of a task.
type TaskPast struct {
	States   []TaskState
	Replaced []TaskVersion // the latest first
	Dropped  string        // how many more there were; "" is none
}

// TaskState is a state that a task has been in: a sentence, and since when.
type TaskState struct{ State, Since string }

// TaskVersion is a result as it was until its agent replaced it. The text names the
// files; those that can be had are in Files.
type TaskVersion struct {
	Name, Until, Text string
	Files             []TaskPart
}

// TaskTurn is a message of the conversation.
type TaskTurn struct {
	Yours bool
	Text  string
}
