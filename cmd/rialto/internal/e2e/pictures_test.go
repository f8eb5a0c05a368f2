package e2e

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPictures draws every page into the folder that RIALTO_PICTURES names: light and dark, on a
// phone and on a desktop, and in Spanish on a desktop. RIALTO_PAGES chooses pages, as for
// TestPages. With the folder docs/images it draws those that the documentation shows.
func TestPictures(t *testing.T) {
	folder, err := filepath.Abs(os.Getenv("RIALTO_PICTURES"))
	if os.Getenv("RIALTO_PICTURES") == "" || err != nil {
		t.Skip("RIALTO_PICTURES names no folder for the pictures")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	pages(t, "RIALTO_PICTURES="+folder)
	if strings.HasSuffix(folder, documentation) {
		shrink(t, folder)
	}
}

// documentation is the end of the folder's path that holds the pictures of the documentation.
const documentation = "docs/images"

// largestPicture is how many bytes a picture of the documentation may have.
const largestPicture = 80 << 10

func TestPicturesOfTheDocumentationAreSmall(t *testing.T) {
	all, err := filepath.Glob("../../../../docs/images/*.png")
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d pictures, %v", len(all), err)
	}
	for _, path := range all {
		if info, err := os.Stat(path); err != nil || info.Size() > largestPicture {
			t.Errorf("%s has %d bytes, want %d at most (%v)", path, info.Size(), largestPicture, err)
		}
	}
}

// shrink writes the pictures of a folder anew with 256 colours at most, which is
// the colors of the page, except at the edges of letters.
func shrink(t *testing.T, folder string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var small bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(whole)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := os.WriteFile(path, small.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// paletted returns an image in its most frequent colours; what has another gets
// the nearest.
func paletted(img image.Image) *image.Paletted {
	bounds, seen := img.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			seen[at(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(seen), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(seen[b], seen[a]), bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B}))
	})
	var palette color.Palette
	for _, c := range frequent[:min(len(frequent), 256)] {
		palette = append(palette, c)
	}
	out, nearest := image.NewPaletted(bounds, palette), map[color.RGBA]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := at(x, y)
			i, ok := nearest[c]
			if !ok {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
