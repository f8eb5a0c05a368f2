package templates

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Text is a piece of a page within a line. It writes itself in the language of
// the page, and escapes what is not ours.
type Text interface {
	in(l language) template.HTML
}

// textFunc writes a text in the language of the page.
type textFunc func(l language) template.HTML

func (f textFunc) in(l language) template.HTML { return f(l) }

// markup is a text that is the same in every language.
type markup template.HTML

func (m markup) in(language) template.HTML { return template.HTML(m) }

// escape escapes text for a page.
func escape(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

// Textf is a sentence of ours. Each {} in it stands for a value, which is a Text or a string.
// Strings are escaped, and each value is isolated.
func Textf(sentence string, values ...any) Text {
	return textFunc(func(l language) template.HTML {
		all := make([]template.HTML, len(values))
		for i, v := range values {
			switch v := v.(type) {
			case string:
				all[i] = escape(v)
			case translated:
				all[i] = escape(v.words(l))
			case Text:
				all[i] = v.in(l)
			}
		}
		return l.fill(sentence, all)
	})
}

// Verbatim is text of others: it is shown as it is.
func Verbatim(s string) Text { return markup(`<bdi class="data">` + escape(s) + `</bdi>`) }

// English is text of ours that has no translation.
func English(s string) Text { return markup(`<span lang="en">` + escape(s) + `</span>`) }

// Code is text of others that is read letter by letter.
func Code(s string) Text { return markup("<code>" + escape(s) + "</code>") }

// Pre is text of others in several lines, as a program wrote them.
func Pre(s string) Text { return markup(`<code class="pre">` + escape(s) + "</code>") }

// ID is an identifier, with a button that copies it.
func ID(s string) Text {
	return textFunc(func(l language) template.HTML {
		value := escape(s)
		button := `<button type="button" class="copier" data-text="` + value + `" data-done="` +
			escape(l.text("Copied")) + `" aria-label="` + escape(l.text("Copy the ID")) +
			`"></button>`
		return `<span class="id"><code title="` + value + `">` + value + `</code>` + button + `</span>`
	})
}

// Times are in UTC. A script (time.js) says them in the reader's zone and locale, in the form that
// their class names.

// When is a moment, shown by how far it is from now: how long ago, or how soon, for a month around
// now, and the day otherwise. The zero time is never.
func When(t, now time.Time) Text {
	return textFunc(func(l language) template.HTML {
		if t.IsZero() {
			return escape(l.text("never"))
		}
		return timeElement("ago", t, l.moment(t, now))
	})
}

// Clock is the time of day of a moment.
func Clock(t time.Time) Text {
	return markup(timeElement("clock", t, t.UTC().Format("15:04:05 UTC")))
}

// Stamp is the date and time of a moment.
func Stamp(t time.Time) Text { return dateTime("stamp", t, " 15:04:05 UTC") }

// Minute is the date and time of a moment without its seconds.
func Minute(t time.Time) Text { return dateTime("minute", t, " 15:04 UTC") }

// Date is the day of a moment.
func Date(t time.Time) Text { return dateTime("day", t, "") }

// dateTime is the day of a moment, and its time in a layout.
func dateTime(class string, t time.Time, layout string) Text {
	t = t.UTC()
	return textFunc(func(l language) template.HTML {
		return timeElement(class, t, l.day(t)+t.Format(layout))
	})
}

// timeElement shows a time, which is exact in its attributes.
func timeElement(class string, t time.Time, words string) template.HTML {
	exact := template.HTML(t.UTC().Format(time.RFC3339))
	if class != "" {
		class = ` class="` + class + `"`
	}
	return `<time` + template.HTML(class) + ` datetime="` + exact + `" title="` + exact + `">` +
		escape(words) + `</time>`
}

// Hour is the hour of a moment, for the axis of a chart.
func Hour(t time.Time) Text {
	return markup(timeElement("hour", t, t.UTC().Format("15:04")))
}

// Day is a day of the reader, in whose zone the time is. It is the same in every zone.
func Day(t time.Time) Text {
	return textFunc(func(l language) template.HTML { return escape(l.day(t)) })
}

// DayOfYear is a Day without its year, for the axis of a chart.
func DayOfYear(t time.Time) Text {
	return textFunc(func(l language) template.HTML {
		return escape(strings.TrimSuffix(l.day(t), t.Format(" 2006")))
	})
}

// Elapsed is how long something has run. A script counts on.
func Elapsed(since, now time.Time) Text {
	s := int(max(now.Sub(since), 0) / time.Second)
	return markup(timeElement("elapsed", since, fmt.Sprintf("%d:%02d", s/60, s%60)))
}

// Tile is a letter that stands for an app, an agent or a person. Its colour comes from the name.
func Tile(name string) template.HTML {
	colour := fnv.New32a()
	colour.Write([]byte(name))
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(name))
	return template.HTML(fmt.Sprintf(
		`<span class="tile t%d" aria-hidden="true">`, colour.Sum32()%8,
	)) + escape(strings.ToUpper(string(first))) + `</span>`
}

// Named is a text with the tile of a name before it.
func Named(name string, text Text) Text {
	return textFunc(func(l language) template.HTML {
		return `<span class="named">` + Tile(name) + `<span>` + text.in(l) + `</span></span>`
	})
}

// Took is a length of time.
func Took(d time.Duration) Text {
	return textFunc(func(l language) template.HTML { return Verbatim(l.exactSpan(d)).in(l) })
}

// Millis is a length of time in milliseconds.
func Millis(ms int64) Text { return Took(time.Duration(ms) * time.Millisecond) }

// Number is a number with its thousands set apart.
func Number(n int64) Text {
	return textFunc(func(l language) template.HTML { return template.HTML(l.number(strconv.FormatInt(n, 10))) })
}

// Percent is a number of hundredths, with a point before its decimals.
func Percent(digits string) Text {
	return textFunc(func(l language) template.HTML {
		sign := "%"
		if l == spanish {
			sign = "\u00a0%"
		}
		return escape(l.number(digits) + sign)
	})
}

// Amount is a sum of money, with a point before its decimals.
func Amount(digits, currency string) Text {
	return textFunc(func(l language) template.HTML { return escape(l.number(digits) + "\u00a0" + currency) })
}

// Count is a number of things that were counted up to most only.
func Count(n, most int) Text {
	if n < most {
		return Number(int64(n))
	}
	return textFunc(
		func(l language) template.HTML { return template.HTML(l.number(strconv.Itoa(most)) + "+") },
	)
}

// Spark draws a line through two numbers or more, as high as a line of text.
func Spark(numbers []int64) Text {
	most := max(1, slices.Max(numbers))
	var points []byte
	for i, n := range numbers {
		points = fmt.Appendf(points, "%d,%d ", 10*i, 20-20*n/most)
	}
	line := fmt.Sprintf(
		`<svg class="spark" viewBox="0 0 %d 20" aria-hidden="true"><polyline points="%s"/></svg>`,
		10*(len(numbers)-1),
		points,
	)
	return markup(line)
}

// Badge is a state: a word with a colour. The word says everything.
func Badge(t Tone, word string) Text {
	return textFunc(func(l language) template.HTML {
		return `<span class="badge ` + template.HTML(t) + `">` + escape(l.text(word)) + `</span>`
	})
}

// Link is a text that leads to a page of ours, or to one over https. An address that could run as
// code, or leads off the site, is no link.
func Link(href string, text Text) Text {
	path := strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//")
	if !path && !strings.HasPrefix(href, "https://") {
		return text
	}
	return textFunc(func(l language) template.HTML {
		return `<a href="` + escape(href) + `">` + text.in(l) + `</a>`
	})
}

// Lines are texts below each other. Those after the first are quieter.
func Lines(texts ...Text) Text { return below(texts, "line quiet") }

// List is texts below each other, all alike.
func List(texts ...Text) Text { return below(texts, "line") }

// below puts texts below each other; rest is the class of all but the first.
func below(texts []Text, rest template.HTML) Text {
	return textFunc(func(l language) (all template.HTML) {
		class := template.HTML("line")
		for _, text := range texts {
			all += `<span class="` + class + `">` + text.in(l) + `</span>`
			class = rest
		}
		return all
	})
}

// Row is texts beside each other.
func Row(texts ...Text) Text {
	return textFunc(func(l language) (all template.HTML) {
		for i, text := range texts {
			if i > 0 {
				all += " "
			}
			all += text.in(l)
		}
		return all
	})
}

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

// moment says how far a moment is. Those to come are said to the nearest minute.
func (l language) moment(t, now time.Time) string {
	sentence := "{} ago"
	d := now.Sub(t)
	switch {
	case d > -time.Second && d < 5*time.Second:
		return l.text("just now")
	case d.Abs() >= 31*24*time.Hour:
		return l.day(t.UTC())
	case d <= -time.Minute:
		d = d.Round(time.Minute)
	}
	if d < 0 {
		sentence = "in {}"
	}
	return strings.Replace(l.text(sentence), "{}", l.whole(d.Abs()), 1)
}

// whole says a length of time in the largest unit of which it has one.
func (l language) whole(d time.Duration) string {
	i := slices.IndexFunc(spanUnits, func(u spanUnit) bool { return d >= u.unit })
	return spanUnits[i].of(l, d)
}

// exactSpan says how long something takes, with tenths of a second below ten seconds.
func (l language) exactSpan(d time.Duration) string {
	if d < time.Second || d >= 10*time.Second {
		return l.span(d)
	}
	tenths := strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0")
	return strings.Replace(l.text("{} s"), "{}", l.number(tenths), 1)
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
	return spanUnits[i].of(l, d)
}

func (u spanUnit) of(l language, d time.Duration) string {
	return strings.Replace(l.text(u.sentence), "{}", strconv.FormatInt(int64(d/u.unit), 10), 1)
}

// day is the date, in words.
func (l language) day(t time.Time) string {
	month := l.text(t.Month().String()[:3])
	return strconv.Itoa(t.Day()) + " " + month + " " + strconv.Itoa(t.Year())
}

// number sets thousands apart as the language does. digits has a point before its decimals.
func (l language) number(digits string) string {
	thousands := ","
	point := "."
	if l == spanish {
		thousands, point = point, thousands
	}

	whole, decimals, has := strings.Cut(digits, ".")
	first := strings.IndexAny(whole, "0123456789")
	for i := len(whole) - 3; i > first; i -= 3 {
		whole = whole[:i] + thousands + whole[i:]
	}
	if !has {
		return whole
	}
	return whole + point + decimals
}
