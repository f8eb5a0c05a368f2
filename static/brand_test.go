package static_test

import (
	"io"
	"math"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rialto/static"
)

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>`

func fetch(t *testing.T, b static.Brand, target string) (kind, content string) {
	t.Helper()
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	body, err := io.ReadAll(w.Result().Body)
	if w.Code != 200 || err != nil || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%s: got %d, %v, %v", target, w.Code, w.Header(), err)
	}
	return w.Header().Get("Content-Type"), string(body)
}

func TestWithoutABrandThePagesAreOurs(t *testing.T) {
	if _, css := fetch(t, static.Brand{}, static.BrandStyle); css != "" {
		t.Errorf("got %q, want no style", css)
	}
	if kind, logo := fetch(t, static.Brand{}, static.BrandLogo); kind != "image/svg+xml" || !strings.Contains(logo, "<svg") {
		t.Errorf("got %s, %q, want our logo", kind, logo)
	}
}

func TestALogoIsServedAsWhatItIs(t *testing.T) {
	for logo, want := range map[string]string{
		svg:                                    "image/svg+xml",
		"\x89PNG\r\n\x1a\n and so on":          "image/png",
		"RIFF\x00\x00\x00\x00WEBPVP8 and more": "image/webp",
	} {
		b, err := static.NewBrand("Acme", "", []byte(logo))
		if err != nil {
			t.Fatal(err)
		}
		if kind, got := fetch(t, b, static.BrandLogo); kind != want || got != logo {
			t.Errorf("got %s, %q, want %s", kind, got, want)
		}
	}
}

func TestWhatIsNoLogoOrNoColourIsRefused(t *testing.T) {
	for want, of := range map[string][2]string{
		"no SVG, PNG or WebP": {"", "<html><script>alert(1)</script>"},
		"is the most":         {"", svg + strings.Repeat(" ", static.MaxLogo)},
		"write it as #rrggbb": {"teal", ""},
		`"#12345" is no`:      {"#12345", ""},
		`"#}body{}" is no`:    {"#}body{}", ""},
	} {
		if _, err := static.NewBrand("Acme", of[0], []byte(of[1])); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// TestAnyAccentCanBeRead looks at text in the accent colour, and at text on it.
func TestAnyAccentCanBeRead(t *testing.T) {
	token := regexp.MustCompile(`--accent: (#\w{6}); --accent-hover: (#\w{6}); --on-accent: (#\w{6});`)
	for _, accent := range []string{"#000000", "#ffffff", "#ffee00", "#0b666a", "#ff0000", "#0000ff", "#808080", "#7f7f00"} {
		b, err := static.NewBrand("Acme", accent, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, css := fetch(t, b, static.BrandStyle)
		themes := token.FindAllStringSubmatch(css, -1)
		if len(themes) != 2 {
			t.Fatalf("%s: got %s", accent, css)
		}
		for i, grounds := range [][]string{{"#f4f6f7", "#ffffff"}, {"#0e1418", "#161e24", "#1c262d"}} {
			for _, ground := range grounds {
				if got := contrast(t, themes[i][1], ground); got < 4.5 {
					t.Errorf("%s: got %s on %s, a contrast of %.2f", accent, themes[i][1], ground, got)
				}
			}
			for _, under := range themes[i][1:3] {
				if got := contrast(t, themes[i][3], under); got < 4.5 {
					t.Errorf("%s: got %s on %s, a contrast of %.2f", accent, themes[i][3], under, got)
				}
			}
		}
	}
}

// contrast is that of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) float64 {
		n, err := strconv.ParseUint(colour[1:], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			v := float64(n>>(8*i)&255) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func TestIconsAreTheLogoOfTheOperator(t *testing.T) {
	b, err := static.NewBrand("Acme", "", []byte(svg))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{static.Favicon, static.TouchIcon} {
		if kind, got := fetch(t, b, path); kind != "image/svg+xml" || got != svg {
			t.Errorf("%s: got %s, %q", path, kind, got)
		}
	}
}
