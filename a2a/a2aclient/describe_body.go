package a2aclient

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxShownBody bounds what an error shows of a body, in bytes.
const maxShownBody = 200

// describeBody tells the type of a body that is not A2A, and how it begins.
func describeBody(resp *http.Response, body []byte) string {
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty body"
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = "no media type"
	}
	return kind + " " + strconv.Quote(beginning(body))
}

// beginning returns the first words of a body in one line.
func beginning(body []byte) string {
	const more = 4 // white space in a row, which is left out
	text := strings.Join(
		strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), more*maxShownBody)]), "")),
		" ",
	)
	if len(text) > maxShownBody {
		text = strings.ToValidUTF8(text[:maxShownBody], "") + "…"
	}
	return text
}

// location returns where a redirect leads, without what may be secret there.
func location(resp *http.Response) string {
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || to.String() == "" {
		return "nowhere"
	}
	to.User = nil
	to.RawQuery = ""
	to.Fragment = ""
	return to.String()
}
