package templates

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Text is a piece of a page within a line. It writes itself in the language of
// the page, and escapes what is not ours.
type Text interface {
	in(l language) template.HTML
}

// Textf is a sentence of ours. Each {} in it stands for a value, which is a Text or a string.
// Strings are escaped, and each value is isolated.
func Textf(sentence string, values ...any) Text { return textf{sentence, values} }

// Verbatim is text of others: it is shown as it is.
func Verbatim(s string) Text { return verbatim(s) }

// English is text of ours that has no translation.
func English(s string) Text { return untranslated(s) }

// Code is text of others that is read letter by letter.
func Code(s string) Text { return code(s) }

// ID is an identifier, with a button that copies it.
func ID(s string) Text { return ident(s) }

// Pre is text of others in several lines, as a program wrote them.
func Pre(s string) Text { return pre(s) }

// When is a moment, shown by how far it is from now. The zero time is never.
func When(t, now time.Time) Text { return moment{t, now} }

// Clock is the time of day of a moment, which a script says in the reader's zone.
func Clock(t time.Time) Text { return clock(t) }

// Stamp is the date and time of a moment, which a script says in the reader's zone.
func Stamp(t time.Time) Text { return stamp(t) }

// Moment is the hour, or else the day, of a moment.
func Moment(t time.Time, hours bool) Text { return hour{t, hours} }

// Tick is the hour, or else the day without its year, of a moment, for the axis of a chart.
func Tick(t time.Time, hours bool) Text { return tick{t, hours} }

// Took is a length of time.
func Took(d time.Duration) Text { return span(d) }

// Millis is a length of time in milliseconds.
func Millis(ms int64) Text { return Took(time.Duration(ms) * time.Millisecond) }

// Number is a number with its thousands set apart.
func Number(n int64) Text { return number(n) }

// Count is a number of things that were counted up to most only.
func Count(n, most int) Text {
	if n >= most {
		return counted(most)
	}
	return number(n)
}

// Badge is a state: a word with a colour. The word says everything.
func Badge(t Tone, word string) Text { return badge{t, word} }

// Link is a text that leads to a page of ours, or to one over https.
func Link(href string, text Text) Text { return link{href, text} }

// Lines are texts below each other. Those after the first are quieter.
func Lines(texts ...Text) Text { return lines(texts) }

// List is texts below each other, all alike.
func List(texts ...Text) Text { return plainLines(texts) }

// Row is texts beside each other.
func Row(texts ...Text) Text { return row(texts) }

// Tone is the colour of a state.
type Tone string

// The tones. Plain is for what needs no attention.
const (
	Plain Tone = "plain"
	Live  Tone = "live" // for what goes on now
	Good  Tone = "good"
	Note  Tone = "note"
	Bad   Tone = "bad"
)

type (
	textf struct {
		sentence string
		values   []any
	}
	verbatim     string
	untranslated string
	code         string
	pre          string
	ident        string
	number       int64
	counted      int64
	span         time.Duration
	moment       struct{ t, now time.Time }
	clock        time.Time
	stamp        time.Time
	hour         struct {
		t     time.Time
		hours bool
	}
	tick  hour
	badge struct {
		tone Tone
		word string
	}
	link struct {
		href string
		text Text
	}
	lines      []Text
	plainLines []Text
	row        []Text
)

func (t textf) in(l language) template.HTML {
	values := make([]template.HTML, len(t.values))
	for i, v := range t.values {
		switch v := v.(type) {
		case string:
			values[i] = escape(v)
		case translated:
			values[i] = escape(v.words(l))
		case Text:
			values[i] = v.in(l)
		}
	}
	return l.fill(t.sentence, values)
}

// escape escapes text for a page.
func escape(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

func (v verbatim) in(language) template.HTML {
	return `<bdi class="data">` + escape(string(v)) + `</bdi>`
}

func (u untranslated) in(language) template.HTML {
	return `<span lang="en">` + escape(string(u)) + `</span>`
}

func (c code) in(language) template.HTML {
	return "<code>" + escape(string(c)) + "</code>"
}

func (p pre) in(language) template.HTML {
	return `<code class="pre">` + escape(string(p)) + "</code>"
}

func (i ident) in(l language) template.HTML {
	value := escape(string(i))
	button := `<button type="button" class="copier" data-text="` + value + `" data-done="` + escape(l.text("Copied")) +
		`" aria-label="` + escape(l.text("Copy the ID")) + `"></button>`
	return `<span class="id"><code title="` + value + `">` + value + `</code>` + button + `</span>`
}

func (c clock) in(language) template.HTML {
	t := time.Time(c).UTC()
	return timeElement("clock", t, t.Format("15:04:05 UTC"))
}

func (s stamp) in(l language) template.HTML {
	t := time.Time(s).UTC()
	return timeElement("stamp", t, l.day(t)+t.Format(" 15:04:05 UTC"))
}

// timeElement shows a time, which is exact in its attributes.
func timeElement(class string, t time.Time, words string) template.HTML {
	exact := template.HTML(t.UTC().Format(time.RFC3339))
	if class != "" {
		class = ` class="` + class + `"`
	}
	return `<time` + template.HTML(class) + ` datetime="` + exact + `" title="` + exact + `">` + escape(words) + `</time>`
}

func (h hour) in(l language) template.HTML {
	words := l.day(h.t)
	if h.hours {
		words += h.t.UTC().Format(" 15:04")
	}
	return `<time datetime="` + template.HTML(h.t.UTC().Format(time.RFC3339)) + `">` + escape(words) + `</time>`
}

func (k tick) in(l language) template.HTML {
	t := k.t.UTC()
	if k.hours {
		return template.HTML(t.Format("15:04"))
	}
	return escape(strings.TrimSuffix(l.day(t), t.Format(" 2006")))
}

func (d span) in(l language) template.HTML {
	t := time.Duration(d)
	words := l.span(t)
	if t >= time.Second && t < 10*time.Second {
		tenths := strings.TrimSuffix(strconv.FormatFloat(t.Seconds(), 'f', 1, 64), ".0")
		if l == spanish {
			tenths = strings.Replace(tenths, ".", ",", 1)
		}
		words = strings.Replace(l.text("{} s"), "{}", tenths, 1)
	}
	return verbatim(words).in(l)
}

func (n number) in(l language) template.HTML { return template.HTML(l.number(int64(n))) }

func (c counted) in(l language) template.HTML { return template.HTML(l.number(int64(c)) + "+") }

func (b badge) in(l language) template.HTML {
	return `<span class="badge ` + template.HTML(b.tone) + `">` + escape(l.text(b.word)) + `</span>`
}

func (k link) in(l language) template.HTML {
	text := k.text.in(l)
	path := strings.HasPrefix(k.href, "/") && !strings.HasPrefix(k.href, "//")
	if !path && !strings.HasPrefix(k.href, "https://") {
		return text // an address that could run as code, or leads off the site, is no link
	}
	return `<a href="` + escape(k.href) + `">` + text + `</a>`
}

func (x lines) in(l language) template.HTML { return below(l, x, "line quiet") }

func (x plainLines) in(l language) template.HTML { return below(l, x, "line") }

// below puts texts below each other; rest is the class of all but the first.
func below(l language, texts []Text, rest template.HTML) (all template.HTML) {
	class := template.HTML("line")
	for _, text := range texts {
		all += `<span class="` + class + `">` + text.in(l) + `</span>`
		class = rest
	}
	return all
}

func (x row) in(l language) (all template.HTML) {
	for i, text := range x {
		if i > 0 {
			all += " "
		}
		all += text.in(l)
	}
	return all
}

// in says how long ago, or how soon, for a month around now, and the day
// otherwise. The exact moment is in the title.
func (m moment) in(l language) template.HTML {
	if m.t.IsZero() {
		return escape(l.text("never"))
	}
	return timeElement("", m.t, l.moment(m.t, m.now))
}

func (l language) moment(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d >= 0 && d < 5*time.Second:
		return l.text("just now")
	case d.Abs() >= 31*24*time.Hour:
		return l.day(t)
	case d < 0:
		return strings.Replace(l.text("in {}"), "{}", l.age(-d), 1)
	}
	return strings.Replace(l.text("{} ago"), "{}", l.age(d), 1)
}

// age says a length of time in its largest unit, from one hour on in hours.
func (l language) age(d time.Duration) string {
	if d >= time.Hour && d < 2*time.Hour {
		return strings.Replace(l.text("{} h"), "{}", "1", 1)
	}
	return l.span(d)
}

type spanUnit struct {
	unit, least time.Duration
	sentence    string
}

// spanUnits are the units of lengths of time, and the least length that is said in each.
var spanUnits = []spanUnit{
	{24 * time.Hour, 48 * time.Hour, "{} d"},
	{time.Hour, 2 * time.Hour, "{} h"},
	{time.Minute, 2 * time.Minute, "{} min"},
	{time.Second, time.Second, "{} s"},
	{time.Millisecond, math.MinInt64, "{} ms"},
}

// span says how long something takes, in its largest unit.
func (l language) span(d time.Duration) string {
	i := slices.IndexFunc(spanUnits, func(u spanUnit) bool { return d >= u.least })
	u := spanUnits[i]
	return strings.Replace(l.text(u.sentence), "{}", strconv.FormatInt(int64(d/u.unit), 10), 1)
}

// day is the date, in words.
func (l language) day(t time.Time) string {
	t = t.UTC()
	month := l.text(t.Month().String()[:3])
	return strconv.Itoa(t.Day()) + " " + month + " " + strconv.Itoa(t.Year())
}

// number sets thousands apart as the language does.
func (l language) number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	separator := ","
	if l == spanish {
		separator = "."
	}
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}
