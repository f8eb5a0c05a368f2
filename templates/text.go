package templates

import (
	"html/template"
	"strconv"
	"strings"
	"time"
)

// Text is a piece of a page within a line. It writes itself in the language of
// the page, and escapes what is not ours.
type Text interface {
	in(l language) template.HTML
}

// Say is a sentence of ours. The values stand where its {} are, each escaped and isolated.
func Say(sentence string, values ...string) Text { return said{sentence, values} }

// Data is text of others: it is shown as it is.
func Data(s string) Text { return data(s) }

// Code is text of others that is read letter by letter.
func Code(s string) Text { return code(s) }

// Pre is text of others in several lines, as a program wrote them.
func Pre(s string) Text { return pre(s) }

// When is a moment, shown by how far it is from now. The zero time is never.
func When(t, now time.Time) Text { return moment{t, now} }

// Moment is the hour, or else the day, of a moment, for the foot of a chart.
func Moment(t time.Time, hours bool) Text { return hour{t, hours} }

// Took is a length of time.
func Took(d time.Duration) Text { return span(d) }

// Number is a number with its thousands set apart.
func Number(n int64) Text { return number(n) }

// Badge is a state: a word with a colour. The word says everything.
func Badge(t Tone, word string) Text { return badge{t, word} }

// Link is a text that leads to a page of ours, or to one over https.
func Link(href string, text Text) Text { return link{href, text} }

// Lines are texts below each other. Those after the first are quieter.
func Lines(texts ...Text) Text { return lines(texts) }

// List is texts below each other, all alike.
func List(texts ...Text) Text { return alike(texts) }

// Row is texts beside each other.
func Row(texts ...Text) Text { return row(texts) }

// Tone is the colour of a state.
type Tone string

// The tones. Plain is for what needs no attention.
const (
	Plain Tone = "plain"
	Good  Tone = "good"
	Note  Tone = "note"
	Bad   Tone = "bad"
)

type (
	said struct {
		sentence string
		values   []string
	}
	data   string
	code   string
	pre    string
	number int64
	span   time.Duration
	moment struct{ t, now time.Time }
	hour   struct {
		t     time.Time
		hours bool
	}
	badge struct {
		tone Tone
		word string
	}
	link struct {
		href string
		text Text
	}
	lines []Text
	alike []Text
	row   []Text
)

func (s said) in(l language) template.HTML { return l.say(s.sentence, s.values...) }

func (d data) in(language) template.HTML {
	return template.HTML(`<bdi class="data">` + template.HTMLEscapeString(string(d)) + `</bdi>`)
}

func (c code) in(language) template.HTML {
	return template.HTML("<code>" + template.HTMLEscapeString(string(c)) + "</code>")
}

func (p pre) in(language) template.HTML {
	return template.HTML(`<code class="pre">` + template.HTMLEscapeString(string(p)) + "</code>")
}

func (h hour) in(l language) template.HTML {
	words := l.day(h.t)
	if h.hours {
		words += h.t.UTC().Format(" 15:04")
	}
	return template.HTML(`<time datetime="` + h.t.UTC().Format(time.RFC3339) + `">` + template.HTMLEscapeString(words) + `</time>`)
}

func (d span) in(l language) template.HTML {
	words := l.span(time.Duration(d))
	if t := time.Duration(d); t >= time.Second && t < 10*time.Second {
		tenths := strconv.FormatFloat(t.Seconds(), 'f', 1, 64)
		if l == spanish {
			tenths = strings.Replace(tenths, ".", ",", 1)
		}
		words = strings.Replace(l.text("{} s"), "{}", tenths, 1)
	}
	return template.HTML(`<bdi class="data">` + template.HTMLEscapeString(words) + `</bdi>`)
}

func (n number) in(l language) template.HTML { return template.HTML(l.number(int64(n))) }

func (b badge) in(l language) template.HTML {
	return template.HTML(`<span class="badge ` + string(b.tone) + `">` + template.HTMLEscapeString(l.text(b.word)) + `</span>`)
}

func (k link) in(l language) template.HTML {
	text := k.text.in(l)
	if !strings.HasPrefix(k.href, "https://") && (!strings.HasPrefix(k.href, "/") || strings.HasPrefix(k.href, "//")) {
		return text // an address that could run as code, or leads off the site, is no link
	}
	return template.HTML(`<a href="` + template.HTMLEscapeString(k.href) + `">` + string(text) + `</a>`)
}

func (x lines) in(l language) template.HTML { return below(l, x, "line quiet") }

func (x alike) in(l language) template.HTML { return below(l, x, "line") }

// below puts texts below each other; rest is the class of all but the first.
func below(l language, texts []Text, rest string) template.HTML {
	var b strings.Builder
	class := "line"
	for _, text := range texts {
		b.WriteString(`<span class="` + class + `">` + string(text.in(l)) + `</span>`)
		class = rest
	}
	return template.HTML(b.String())
}

func (x row) in(l language) template.HTML {
	var b strings.Builder
	for i, text := range x {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(text.in(l)))
	}
	return template.HTML(b.String())
}

// in says how long ago, or how soon, for a month around now, and the day
// otherwise. The exact moment is in the title.
func (m moment) in(l language) template.HTML {
	if m.t.IsZero() {
		return template.HTML(template.HTMLEscapeString(l.text("never")))
	}
	exact := m.t.UTC().Format(time.RFC3339)
	return template.HTML(`<time datetime="` + exact + `" title="` + exact + `">` + template.HTMLEscapeString(l.moment(m.t, m.now)) + `</time>`)
}

func (l language) moment(t, now time.Time) string {
	d := now.Sub(t)
	ago, soon := "{} ago", "in {}"
	sentence := ago
	if d < 0 {
		d, sentence = -d, soon
	}
	switch {
	case d < 5*time.Second && sentence == ago:
		return l.text("just now")
	case d < 31*24*time.Hour:
		return strings.Replace(l.text(sentence), "{}", l.span(d), 1)
	}
	return l.day(t)
}

// span says how long something takes, in its largest unit.
func (l language) span(d time.Duration) string {
	units := [...]struct {
		long    time.Duration
		unit    string
		atLeast time.Duration
	}{
		{24 * time.Hour, "{} d", 48 * time.Hour}, {time.Hour, "{} h", 2 * time.Hour}, {time.Minute, "{} min", 2 * time.Minute},
		{time.Second, "{} s", time.Second},
	}
	for _, u := range units {
		if d >= u.atLeast {
			return strings.Replace(l.text(u.unit), "{}", strconv.FormatInt(int64(d/u.long), 10), 1)
		}
	}
	return strings.Replace(l.text("{} ms"), "{}", strconv.FormatInt(d.Milliseconds(), 10), 1)
}

// day is the date, in words.
func (l language) day(t time.Time) string {
	t = t.UTC()
	month := l.text(t.Month().String()[:3])
	return strconv.Itoa(t.Day()) + " " + month + " " + strconv.Itoa(t.Year())
}

// number sets thousands apart with a thin space, which both languages take.
func (l language) number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) < 5 {
		return sign + digits
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}
