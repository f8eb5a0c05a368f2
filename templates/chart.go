package templates

import (
	"html/template"
	"strconv"
)

// Chart shows a number over time as bars, drawn by the server: the second part
// of a bar stands for those of the first that went wrong.
type Chart struct {
	ID    string
	Title string // a sentence of ours
	Bars  []Bar
	Unit  func(n int64) Text // how a number is shown; nil is Number
	Total Text               // nil shows none
	Two   bool               // bars have a second part, for errors
}

// Bar is one bar of a Chart.
type Bar struct {
	Label Text
	Value int64
	Bad   int64 // how much of Value went wrong
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
	Whole, Bad Box
}

// Draw places the bars. The highest one fills the height.
func (c Chart) Draw() []Drawn {
	var highest int64 = 1
	for _, b := range c.Bars {
		highest = max(highest, b.Value)
	}
	out := make([]Drawn, len(c.Bars))
	for i, b := range c.Bars {
		left, right := int64(i)*chartWidth/int64(len(c.Bars)), int64(i+1)*chartWidth/int64(len(c.Bars))
		gap := min((right-left)/5, 6)
		high, bad := scale(b.Value, highest), scale(min(b.Bad, b.Value), highest)
		out[i] = Drawn{b, Box{left + gap/2, chartHeight - high, max(right-left-gap, 1), high}, Box{left + gap/2, chartHeight - bad, max(right-left-gap, 1), bad}}
	}
	return out
}

// scale returns a height; what is there at all can be seen.
func scale(n, highest int64) int64 {
	if n <= 0 {
		return 0
	}
	return max(int64(float64(n)/float64(highest)*chartHeight), 2)
}

// ViewBox is the measure of the drawing.
func (c Chart) ViewBox() template.HTMLAttr {
	return template.HTMLAttr(`viewBox="0 0 ` + strconv.Itoa(chartWidth) + " " + strconv.Itoa(chartHeight) + `"`)
}

// Show renders a number of the chart.
func (c Chart) Show(n int64) Text {
	if c.Unit != nil {
		return c.Unit(n)
	}
	return Number(n)
}

// Highest is the number at the top of the chart.
func (c Chart) Highest() Text {
	var highest int64
	for _, b := range c.Bars {
		highest = max(highest, b.Value)
	}
	return c.Show(highest)
}

// Span is the label of the first and of the last bar.
func (c Chart) Span() []Text {
	if len(c.Bars) == 0 {
		return nil
	}
	return []Text{c.Bars[0].Label, c.Bars[len(c.Bars)-1].Label}
}
