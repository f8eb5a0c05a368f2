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

// Fill is a sentence of ours. Texts stand where its {} are.
func Fill(sentence string, values ...Text) Text { return filled{sentence, values} }

// Data is text of others: it is shown as it is.
func Data(s string) Text { return data(s) }

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
func List(texts ...Text) Text { return alike(texts) }

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
	said struct {
		sentence string
		values   []string
	}
	filled struct {
		sentence string
		values   []Text
	}
	data         string
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
	lines []Text
	alike []Text
	row   []Text
)

func (s said) in(l language) template.HTML { return l.say(s.sentence, s.values...) }

func (f filled) in(l language) template.HTML {
	values := make([]template.HTML, len(f.values))
	for i, v := range f.values {
		values[i] = v.in(l)
	}
	return l.fill(f.sentence, values)
}

func (d data) in(language) template.HTML {
	return template.HTML(`<bdi class="data">` + template.HTMLEscapeString(string(d)) + `</bdi>`)
}

func (u untranslated) in(language) template.HTML {
	return template.HTML(`<span lang="en">` + template.HTMLEscapeString(string(u)) + `</span>`)
}

func (c code) in(language) template.HTML {
	return template.HTML("<code>" + template.HTMLEscapeString(string(c)) + "</code>")
}

func (p pre) in(language) template.HTML {
	return template.HTML(`<code class="pre">` + template.HTMLEscapeString(string(p)) + "</code>")
}

func (i ident) in(l language) template.HTML {
	value := template.HTMLEscapeString(string(i))
	return template.HTML(`<span class="id"><code title="` + value + `">` + value + `</code><button type="button" class="copier" data-text="` + value +
		`" data-done="` + template.HTMLEscapeString(l.text("Copied")) + `" aria-label="` + template.HTMLEscapeString(l.text("Copy the ID")) + `"></button></span>`)
}

func (c clock) in(language) template.HTML {
	t := time.Time(c).UTC()
	exact := t.Format(time.RFC3339)
	return template.HTML(`<time class="clock" datetime="` + exact + `" title="` + exact + `">` + t.Format("15:04:05 UTC") + `</time>`)
}

func (s stamp) in(l language) template.HTML {
	t := time.Time(s).UTC()
	exact := t.Format(time.RFC3339)
	return template.HTML(`<time class="stamp" datetime="` + exact + `" title="` + exact + `">` + template.HTMLEscapeString(l.day(t)) + t.Format(" 15:04:05 UTC") + `</time>`)
}

func (h hour) in(l language) template.HTML {
	words := l.day(h.t)
	if h.hours {
		words += h.t.UTC().Format(" 15:04")
	}
	return template.HTML(`<time datetime="` + h.t.UTC().Format(time.RFC3339) + `">` + template.HTMLEscapeString(words) + `</time>`)
}

func (k tick) in(l language) template.HTML {
	if k.hours {
		return template.HTML(k.t.UTC().Format("15:04"))
	}
	return template.HTML(strings.TrimSuffix(template.HTMLEscapeString(l.day(k.t)), k.t.UTC().Format(" 2006")))
}

func (d span) in(l language) template.HTML {
	words := l.span(time.Duration(d))
	if t := time.Duration(d); t >= time.Second && t < 10*time.Second {
		tenths := strings.TrimSuffix(strconv.FormatFloat(t.Seconds(), 'f', 1, 64), ".0")
		if l == spanish {
			tenths = strings.Replace(tenths, ".", ",", 1)
		}
		words = strings.Replace(l.text("{} s"), "{}", tenths, 1)
	}
	return template.HTML(`<bdi class="data">` + template.HTMLEscapeString(words) + `</bdi>`)
}

func (n number) in(l language) template.HTML { return template.HTML(l.number(int64(n))) }

func (c counted) in(l language) template.HTML { return template.HTML(l.number(int64(c)) + "+") }

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
		return strings.Replace(l.text(sentence), "{}", l.age(d), 1)
	}
	return l.day(t)
}

// age says a length of time in its largest unit, from one hour on in hours.
func (l language) age(d time.Duration) string {
	if d >= time.Hour && d < 2*time.Hour {
		return strings.Replace(l.text("{} h"), "{}", "1", 1)
	}
	return l.span(d)
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

// number sets thousands apart as the language does.
func (l language) number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	separator := ','
	if l == spanish {
		separator = '.'
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune(separator)
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}
