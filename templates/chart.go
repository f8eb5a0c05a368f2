package templates

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Chart shows a number over time as bars, drawn by the server. A part of each bar may stand for
// something else. Beside a few bars stand those of the period before.
type Chart struct {
	ID     string
	Title  string // a sentence of ours
	Bars   []Bar
	Millis bool   // the numbers are milliseconds
	Total  Text   // nil shows none
	Whole  string // name of the value of a bar, a sentence of ours
	Part   string // name of the part; "" is none
	Before string // name of the value before; "" is none
	Grave  bool   // the part is what went wrong
	Range  bool   // a bar goes from its part up to its value, on a logarithmic axis
}

// Bar is one bar of a Chart.
type Bar struct {
	Label  Text
	Tick   Text // below the axis, where there is room
	Value  int64
	Part   int64 // of Value
	Before int64
	Open   bool   // its time has not ended
	Href   string // leads to what is behind the bar
}

// The measures of a drawing, which is stretched to the width of the page.
const (
	chartWidth  = 960
	chartHeight = 160
)

// Box is a rectangle of the drawing.
type Box struct{ X, Y, W, H int64 }

// Drawn is a bar with its place.
type Drawn struct {
	Bar
	Whole, Part, Before Box
	Marked              bool // Tick is shown
}

// maxTicks bounds the labels below the axis.
const maxTicks = 6

// maxBarsCompared bounds the bars beside which those of the period before have room.
const maxBarsCompared = 14

// Compares tells whether the values before are drawn.
func (c Chart) Compares() bool { return c.Before != "" && !c.Range && len(c.Bars) <= maxBarsCompared }

// Draw places the bars.
func (c Chart) Draw() []Drawn {
	n := int64(len(c.Bars))
	high := c.scale()
	every := (n + maxTicks - 1) / maxTicks
	out := make([]Drawn, n)
	for i, b := range c.Bars {
		left := int64(i) * chartWidth / n
		right := int64(i+1) * chartWidth / n
		gap := min((right-left)/5, 12)
		x := left + gap/2
		w := max(right-left-gap, 1)
		whole := high(b.Value)
		part := high(min(b.Part, b.Value))
		before := Box{}
		if c.Compares() {
			before = Box{x, chartHeight - high(b.Before), w / 4, high(b.Before)}
			x += w / 4
			w -= w / 4
		}
		out[i] = Drawn{
			b,
			Box{x, chartHeight - whole, w, whole},
			Box{x, chartHeight - part, w, part},
			before,
			(int64(i)+every/2+1)%every == 0,
		}
		if c.Range {
			out[i].Whole.H = max(whole-part, min(whole, 2))
			out[i].Part.H = min(part, 3)
		}
	}

	return out
}

// scale returns what turns a value into a height; what is there at all can be seen.
func (c Chart) scale() func(int64) int64 {
	axis := c.values()
	top := float64(axis[0])
	bottom := float64(axis[len(axis)-1])
	return func(n int64) int64 {
		share := float64(n) / top
		if c.Range {
			share = math.Log(float64(n)/bottom) / math.Log(top/bottom)
		}
		if n <= 0 {
			return 0
		}
		return max(int64(share*chartHeight), 2)
	}
}

// values are those of the axis, from the top: a round number, its half and nothing, or powers of ten.
func (c Chart) values() []int64 {
	var lowest, highest int64 = math.MaxInt64, 2
	for _, b := range c.Bars {
		highest = max(highest, b.Value)
		if c.Compares() {
			highest = max(highest, b.Before)
		}
		for _, n := range []int64{b.Value, b.Part} {
			if n > 0 {
				lowest = min(lowest, n)
			}
		}
	}

	if c.Range {
		powers := []int64{1}
		for powers[0] < highest {
			powers = slices.Insert(powers, 0, powers[0]*10)
		}
		for len(powers) > 2 && powers[len(powers)-2] <= lowest {
			powers = powers[:len(powers)-1]
		}
		return powers
	}

	for unit := int64(1); ; unit *= 10 {
		for _, n := range []int64{2, 4, 6, 8, 10, 12, 16} {
			if n*unit >= highest {
				return []int64{n * unit, n * unit / 2, 0}
			}
		}
	}
}

// Axis are the values beside the chart, from the top.
func (c Chart) Axis() (texts []Text) {
	for _, n := range c.values() {
		texts = append(texts, c.Show(n))
	}
	return texts
}

// Grid is the path of a line at each value of the axis but the lowest.
func (c Chart) Grid() string {
	var path strings.Builder
	last := len(c.values()) - 1
	for i := range last {
		fmt.Fprintf(&path, "M0 %dH%d", max(i*chartHeight/last, 1), chartWidth)
	}
	return path.String()
}

// ViewBox is the measure of the drawing.
func (c Chart) ViewBox() template.HTMLAttr {
	return template.HTMLAttr(
		`viewBox="0 0 ` + strconv.Itoa(chartWidth) + " " + strconv.Itoa(chartHeight) + `"`,
	)
}

// Show renders a number of the chart.
func (c Chart) Show(n int64) Text {
	switch {
	case !c.Millis:
		return Number(n)
	case n == 1_000_000: // an axis may end there, which is not a whole number of minutes
		return Textf("{} s", "1000")
	}
	return Millis(n)
}
