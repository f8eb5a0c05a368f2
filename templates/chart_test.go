package templates

import (
	"strings"
	"testing"
)

func TestTheAxisEndsAboveWhatIsDrawn(t *testing.T) {
	bars := func(n int, b Bar) []Bar { return append(make([]Bar, n-1), b) }
	for name, test := range map[string]struct {
		chart Chart
		want  string
	}{
		"few bars, beside those before":  {Chart{Before: "before", Bars: bars(7, Bar{Value: 9, Before: 900})}, "1,000 500 0"},
		"many bars, without them":        {Chart{Before: "before", Bars: bars(24, Bar{Value: 9, Before: 900})}, "10 5 0"},
		"nothing":                        {Chart{Bars: bars(7, Bar{})}, "2 1 0"},
		"a range":                        {Chart{Range: true, Millis: true, Bars: bars(7, Bar{Value: 3000, Part: 40, Before: 90_000})}, "10 s 1 s 100 ms 10 ms"},
		"a range that is a power of ten": {Chart{Range: true, Millis: true, Bars: bars(7, Bar{Value: 100, Part: 100})}, "100 ms 10 ms"},
		"an empty range":                 {Chart{Range: true, Millis: true, Bars: bars(7, Bar{})}, "10 ms 1 ms"},
	} {
		var got []string
		for _, text := range test.chart.Axis() {
			got = append(got, strings.NewReplacer(`<bdi class="data">`, "", "</bdi>", "").Replace(string(text.in(english))))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: got %s, want %s", name, s, test.want)
		}
	}
}

func TestBarsStandBesideThoseBefore(t *testing.T) {
	c := Chart{Before: "before", Bars: []Bar{{Value: 50, Part: 10, Before: 100}, {Value: 100}}}
	if d := c.Draw(); d[0].Before.H != chartHeight || d[0].Whole.H != chartHeight/2 || d[0].Part.H != chartHeight/10 || d[0].Whole.X != d[0].Before.X+d[0].Before.W || d[1].Before.H != 0 {
		t.Errorf("got %+v", d)
	}
	c.Range, c.Bars = true, []Bar{{Value: 1000, Part: 100}, {Value: 100, Part: 10}, {}}
	if d := c.Draw(); d[0].Whole.Y != 0 || d[0].Whole.H != chartHeight/2 || d[0].Before.H != 0 || d[1].Whole.H+d[1].Part.H >= chartHeight/2+5 || d[2].Whole.H != 0 {
		t.Errorf("got %+v", d)
	}
}
