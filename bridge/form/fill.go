package form

import (
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Problem says what is wrong with a field: a sentence with {} for the value, if there is one.
type Problem struct {
	Sentence string `json:"sentence"`
	Value    string `json:"value,omitempty"`
}

// FillJSON is Fill with the members of a JSON object.
func (f *Form) FillJSON(object json.RawMessage) (json.RawMessage, map[string]Problem) {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(object, &values) // what is no object has no members
	return f.Fill(func(name string) string { return inputText(values[name]) })
}

// Fill returns the object of the values that text returns for the fields, "" for none;
// or what is wrong, by the name of the field. Empty fields are left out.
func (f *Form) Fill(
	text func(name string) string,
) (content json.RawMessage, problems map[string]Problem) {
	var values object
	problems = map[string]Problem{}
	for _, field := range f.Fields {
		v, problem := field.value(text(field.Name))
		switch {
		case problem != nil:
			problems[field.Name] = *problem
		case v != nil:
			values.add(field.Name, v)
		}
	}

	if len(problems) > 0 {
		return nil, problems
	}

	return values.encode(), nil
}

// value parses the text in the field; nil is an empty field.
func (f Field) value(text string) (any, *Problem) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if f.Kind == Boolean {
		return text != "" && text != "false", nil
	}
	if text == "" {
		if f.Required {
			return nil, &Problem{Sentence: "Fill this in."}
		}
		return nil, nil
	}
	if f.Many {
		return f.list(text)
	}

	return f.single(text)
}

func (f Field) single(text string) (any, *Problem) {
	if len(f.Choices) > 0 {
		return f.chosen(text)
	}
	switch f.Kind {
	case Number, Integer:
		return f.number(text)
	default:
		return f.text(text)
	}
}

// list parses one value from each line.
func (f Field) list(text string) (any, *Problem) {
	values := []any{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		v, problem := f.single(line)
		if problem != nil {
			return nil, problem
		}
		values = append(values, v)
	}
	most := maxItems
	if f.MaxItems != nil {
		most = min(most, *f.MaxItems)
	}
	switch n := len(values); {
	case f.MinItems != nil && n < *f.MinItems:
		return nil, &Problem{"Enter at least {} values.", strconv.Itoa(*f.MinItems)}
	case n > most:
		return nil, &Problem{"Enter at most {} values.", strconv.Itoa(most)}
	}

	return values, nil
}

// chosen parses one of the choices.
func (f Field) chosen(text string) (any, *Problem) {
	for _, c := range f.Choices {
		if c.Value == text {
			if f.Kind == Text {
				return text, nil
			}
			return json.Number(text), nil
		}
	}
	return nil, &Problem{Sentence: "Choose one of the options."}
}

func (f Field) number(text string) (any, *Problem) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(text, "xX_pP"):
		return nil, &Problem{Sentence: "This must be a number."}
	case f.Kind == Integer && (n != math.Trunc(n) || math.Abs(n) > 1<<53):
		return nil, &Problem{Sentence: "This must be a whole number."}
	case f.Minimum != nil && n < *f.Minimum:
		return nil, &Problem{"This must be {} or more.", plain(*f.Minimum)}
	case f.Maximum != nil && n > *f.Maximum:
		return nil, &Problem{"This must be {} or less.", plain(*f.Maximum)}
	}

	if f.Kind == Integer {
		return int64(n), nil
	}

	return n, nil
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f Field) text(text string) (any, *Problem) {
	longest := MaxText
	if f.MaxLength != nil {
		longest = min(longest, *f.MaxLength)
	}

	n := utf8.RuneCountInString(text)
	switch {
	case f.MinLength != nil && n < *f.MinLength:
		return nil, &Problem{"Enter at least {} characters.", strconv.Itoa(*f.MinLength)}
	case n > longest:
		return nil, &Problem{"Enter at most {} characters.", strconv.Itoa(longest)}
	}

	if sentence := formatProblem(f.Format, text); sentence != "" {
		return nil, &Problem{Sentence: sentence}
	}

	return text, nil
}

// formatProblem says what is wrong with a text of a format, "" if it is valid.
func formatProblem(format, text string) string {
	switch format {
	case Email:
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return "This must be an e-mail address."
		}
	case URI:
		if u, err := url.Parse(text); err != nil || u.Scheme == "" || u.Host+u.Opaque == "" {
			return "This must be a whole address, such as https://example.com/."
		}
	case Date:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "This must be a date, such as 2026-01-31."
		}
	case DateTime:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "This must be a date and a time, such as 2026-01-31T09:30:00Z."
		}
	}
	return ""
}
