package uploads

import (
	"cmp"
	"mime"
	"strings"
)

const binary = "application/octet-stream"

// checkType compares the type that was said with the one that the first bytes show
// (http.DetectContentType), and returns the type of the file. Bytes that show nothing in particular
// can be of any type but those that show themselves.
func checkType(said, sniffed string) (string, error) {
	shown, _, err := mime.ParseMediaType(sniffed)
	if err != nil {
		shown = binary
	}
	if said == "" || said == binary {
		return shown, nil
	}

	fits := said == shown || family(said) == family(shown)
	switch family(shown) {
	case binary:
		fits = fits || !shows[said]
	case "text/plain", "text/html", "text/xml": // words of any language, markup included
		fits = fits || !shows[said] && !isMedia(said)
	case "application/zip": // documents of office programs are archives
		fits = fits || strings.HasPrefix(said, "application/") && !shows[said]
	case "application/ogg":
		fits = fits || isMedia(said)
	}
	if !fits {
		return said, refuse(
			ErrMediaType, "The file is of the type %s. Accepted here: %s.", shown, said,
		)
	}
	return said, nil
}

// shows are the types whose first bytes always tell them.
var shows = map[string]bool{
	"application/pdf": true, "image/png": true, "image/jpeg": true, "image/gif": true,
	"image/webp": true, "image/bmp": true, "application/gzip": true, "application/zip": true,
	"application/wasm": true, "application/vnd.rar": true,
}

// family returns one name for a type that has several.
func family(t string) string {
	return cmp.Or(map[string]string{
		"application/x-gzip":           "application/gzip",
		"application/x-zip-compressed": "application/zip",
		"application/x-rar-compressed": "application/vnd.rar",
		"image/jpg":                    "image/jpeg",
		"audio/mp3":                    "audio/mpeg",
		"audio/wav":                    "audio/wave",
		"audio/x-wav":                  "audio/wave",
		"video/x-msvideo":              "video/avi",
		"application/xml":              "text/xml",
	}[t], t)
}

func isMedia(t string) bool {
	top, _, _ := strings.Cut(t, "/")
	if t == "image/svg+xml" {
		return false
	}
	return top == "image" || top == "audio" || top == "video" || top == "font"
}
