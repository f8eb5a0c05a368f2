package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// Where the pages find what an operator may set: the same addresses whether or not anything is set.
const (
	BrandStyle = Prefix + "brand.css"
	BrandLogo  = Prefix + "brand-logo"
)

// MaxLogo is how large a logo may be, in bytes: it is on every page.
const MaxLogo = 64 << 10

// Brand is what an operator sets of the look. The zero value is our own.
type Brand struct {
	name        string
	style, logo file
}

// NewBrand returns a brand with the name of the product, an accent colour, as #rrggbb, and a logo,
// the content of an SVG, PNG or WebP file. All are optional. The error says which of them cannot be
// taken, and why.
func NewBrand(name, accent string, logo []byte) (Brand, error) {
	b := Brand{name: name, logo: files["logo.svg"]}
	if accent != "" {
		c, err := parseColour(accent)
		if err != nil {
			return Brand{}, err
		}
		b.style = newFile([]byte(c.style()), "text/css; charset=utf-8")
	}
	if len(logo) > 0 {
		kind, err := logoType(logo)
		if err != nil {
			return Brand{}, err
		}
		b.logo = newFile(logo, kind)
	}

	return b, nil
}

// Logo returns the address of the logo and its media type. The address of one that
// an operator has set changes with its content.
func (b Brand) Logo() (address, mediaType string) {
	if own := files["logo.svg"]; b.logo.content == nil || b.logo.hash == own.hash {
		return URL("logo.svg"), own.contentType
	}
	return BrandLogo + "?v=" + b.logo.hash, b.logo.contentType
}

func newFile(content []byte, kind string) file {
	sum := sha256.Sum256(content)
	return file{content, kind, hex.EncodeToString(sum[:8])}
}

// logoType tells what a logo is by its content: a name can lie.
func logoType(logo []byte) (string, error) {
	if len(logo) > MaxLogo {
		return "", fmt.Errorf("the logo has %d bytes; %d is the most", len(logo), MaxLogo)
	}

	switch kind := http.DetectContentType(logo); {
	case kind == "image/png", kind == "image/webp":
		return kind, nil
	case bytes.Contains(logo[:min(len(logo), 1024)], []byte("<svg")):
		return "image/svg+xml", nil
	}

	return "", errors.New("the logo is no SVG, PNG or WebP image")
}

func (b Brand) of(path string) (file, bool) {
	switch path {
	case BrandStyle:
		return file{b.style.content, "text/css; charset=utf-8", b.style.hash}, true
	case BrandLogo:
		return b.icon("logo.svg"), true
	case Favicon, TouchIcon:
		return b.icon(path[1:]), true
	case Manifest:
		return b.manifest(), true
	case Robots:
		return files[path[1:]], true
	}
	return file{}, false
}

// colour is red, green and blue in sRGB, from 0 to 1.
type colour [3]float64

func parseColour(s string) (colour, error) {
	digits, ok := strings.CutPrefix(s, "#")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil || len(digits) != 6 {
		return colour{}, fmt.Errorf("%q is no colour: write it as #rrggbb, for example #0b666a", s)
	}
	return colour{float64(n>>16&255) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}, nil
}

func (c colour) String() string {
	return fmt.Sprintf(
		"#%02x%02x%02x",
		byte(math.Round(c[0]*255)),
		byte(math.Round(c[1]*255)),
		byte(math.Round(c[2]*255)),
	)
}

// luminance is the relative luminance (WCAG 2.2).
func (c colour) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is the contrast ratio of two colours (WCAG 2.2), from 1 to 21.
func (c colour) contrast(d colour) float64 {
	a := c.luminance()
	b := d.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// mix mixes a share of d into c.
func (c colour) mix(d colour, share float64) (mixed colour) {
	for i := range c {
		mixed[i] = c[i] + (d[i]-c[i])*share
	}
	return mixed
}

// The grounds that text in the accent colour stands on, in style.css: the least
// favourable of each theme.
var (
	black, white = colour{0, 0, 0}, colour{1, 1, 1}
	lightGround  = colour{0xf4 / 255., 0xf6 / 255., 0xf7 / 255.} // --paper
	darkGround   = colour{0x1c / 255., 0x26 / 255., 0x2d / 255.} // --sunken
)

// readable moves c towards an end just so far that text in it can be read on a
// ground (WCAG 2.2, success criterion 1.4.3, asks for 4.5).
func (c colour) readable(ground, end colour) colour {
	for share := 0.0; share < 1; share += 0.02 {
		if mixed := c.mix(end, share); mixed.contrast(ground) >= 4.6 {
			return mixed
		}
	}
	return end
}

// style returns the tokens of style.css that hang on the accent, in both themes.
func (c colour) style() string {
	tokens := func(ground, end colour) string {
		accent := c.readable(ground, end)
		on := white
		if accent.contrast(black) > accent.contrast(white) {
			on = black
		}
		return fmt.Sprintf(
			"--accent: %s; --accent-hover: %s; --on-accent: %s;",
			accent,
			accent.mix(end, .2),
			on,
		)
	}
	return fmt.Sprintf(
		":root { %s }\n@media (prefers-color-scheme: dark) { :root { %s } }\n",
		tokens(lightGround, black),
		tokens(darkGround, white),
	)
}
