package authserver_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

// basic renders a Basic header of the halves around the colon.
func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

func TestD1ToD5AClientAuthenticatesAsItRegistered(t *testing.T) {
	r := newRig(t)
	none, header, body := r.newClient("none"), r.newClient("client_secret_basic"), r.newClient("client_secret_post")
	other := r.newClient("client_secret_basic")
	// The code is checked after the client: invalid_grant means "came in".
	form := func(c client) params { return codeForm(c, "rialto_code_x") }
	for name, test := range map[string]struct {
		form   params
		header string
		status int
		code   string
	}{
		"none":                           {form(none), "", 400, "invalid_grant"},
		"secret in the header":           {form(header).with(params{"client_id": "-"}), basic(header.id, header.secret), 400, "invalid_grant"},
		"secret in the header, id twice": {form(header), basic(header.id, header.secret), 400, "invalid_grant"},
		"secret in the body":             {form(body).with(params{"client_secret": body.secret}), "", 400, "invalid_grant"},
		"D1 wrong secret in the header":  {form(header), basic(header.id, header.secret+"x"), 401, "invalid_client"},
		"D1 other client's secret":       {form(header), basic(header.id, other.secret), 401, "invalid_client"},
		"D1 wrong secret in the body":    {form(body).with(params{"client_secret": "x"}), "", 401, "invalid_client"},
		"D1 no secret":                   {form(body), "", 401, "invalid_client"},
		"D1 empty secret":                {form(header), basic(header.id, ""), 401, "invalid_client"},
		"D1 no client":                   {form(none).with(params{"client_id": "-"}), "", 401, "invalid_client"},
		"D1 unknown client":              {form(none).with(params{"client_id": "cli"}), "", 401, "invalid_client"},
		"D2 header and body":             {form(header).with(params{"client_secret": header.secret}), basic(header.id, header.secret), 400, "invalid_request"},
		"D2 header and body of others":   {form(none), basic(header.id, header.secret), 400, "invalid_request"},
		"D4 header instead of body":      {form(body), basic(body.id, body.secret), 401, "invalid_client"},
		"D4 body instead of header":      {form(header).with(params{"client_secret": header.secret}), "", 401, "invalid_client"},
		"D5 public client with a secret": {form(none).with(params{"client_secret": "x"}), "", 401, "invalid_client"},
		"D5 public client with a header": {form(none), basic(none.id, ""), 401, "invalid_client"},
		"D1 not base64":                  {form(header), "Basic %%%", 401, "invalid_client"},
		"D1 no colon":                    {form(header), "Basic " + base64.StdEncoding.EncodeToString([]byte(header.id)), 401, "invalid_client"},
		"D1 other scheme":                {form(none), "Bearer x", 401, "invalid_client"},
		"D3 a broken escape":             {form(header), basic(header.id, "%zz"), 401, "invalid_client"},
		"D3 NUL after decoding":          {form(header), basic(header.id, "%00"), 401, "invalid_client"},
		"scheme in other letter case":    {form(header), strings.Replace(basic(header.id, header.secret), "Basic", "bAsIc", 1), 400, "invalid_grant"},
		"D3 everything escaped":          {form(header), basic(escaped(header.id), escaped(header.secret)), 400, "invalid_grant"},
		"D1 white space within the pair": {form(header), "Basic  " + basic(header.id, header.secret)[6:12] + " " + basic(header.id, header.secret)[12:], 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			if test.header == "" {
				a = r.form("/token", test.form)
			} else {
				a = r.form("/token", test.form, "Authorization", test.header)
			}
			refused(t, a, test.status, test.code)
			if challenge := a.header.Get("WWW-Authenticate"); (test.status == 401) != strings.HasPrefix(challenge, "Basic ") {
				t.Errorf("got WWW-Authenticate %q with status %d", challenge, test.status)
			}
		})
	}
	t.Run("D2 two headers", func(t *testing.T) {
		pair := basic(header.id, header.secret)
		refused(t, r.form("/token", form(header), "Authorization", pair, "Authorization", pair), 400, "invalid_request")
	})
}

// escaped percent-encodes every byte, as some clients do.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[s[i]>>4])+string("0123456789abcdef"[s[i]&15])))
	}
	return b.String()
}

func TestD6ToD13TheTokenEndpointIsStrict(t *testing.T) {
	r := newRig(t)
	c, confidential := r.newClient("none"), r.newClient("client_secret_post")
	good := codeForm(c, "rialto_code_x").encode()
	for name, test := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"D6 credentials in the query":      {r.request("POST", "/token?client_secret=x", formType, good), 400, "invalid_request"},
		"D6 the code in the query":         {r.request("POST", "/token?code=x", formType, good), 400, "invalid_request"},
		"D7 JSON":                          {r.request("POST", "/token", "application/json", `{"grant_type":"authorization_code"}`), 400, "invalid_request"},
		"D7 no content type":               {r.request("POST", "/token", "", good), 400, "invalid_request"},
		"D7 multipart":                     {r.request("POST", "/token", "multipart/form-data; boundary=x", good), 400, "invalid_request"},
		"a charset does no harm":           {r.request("POST", "/token", formType+"; charset=UTF-8", good), 400, "invalid_grant"},
		"D8 grant_type twice":              {r.request("POST", "/token", formType, good+"&grant_type=authorization_code"), 400, "invalid_request"},
		"D8 code twice":                    {r.request("POST", "/token", formType, good+"&code=y"), 400, "invalid_request"},
		"D8 two empty values are none":     {r.request("POST", "/token", formType, good+"&scope=&scope="), 400, "invalid_grant"},
		"D9 a body that is too large":      {r.request("POST", "/token", formType, good+"&x="+strings.Repeat("x", 16<<10)), 413, "invalid_request"},
		"D10 unknown grant":                {r.request("POST", "/token", formType, "grant_type=urn:x"), 400, "unsupported_grant_type"},
		"D10 password":                     {r.request("POST", "/token", formType, "grant_type=password&username=ada&client_id="+c.id), 400, "unsupported_grant_type"},
		"D10 no grant":                     {r.request("POST", "/token", formType, "client_id="+c.id), 400, "invalid_request"},
		"D13 client_credentials, public":   {r.request("POST", "/token", formType, "grant_type=client_credentials&client_id="+c.id), 400, "unauthorized_client"},
		"D13 client_credentials, a secret": {r.request("POST", "/token", formType, "grant_type=client_credentials&client_id="+confidential.id+"&client_secret="+confidential.secret), 400, "unauthorized_client"},
		"a broken escape":                  {r.request("POST", "/token", formType, good+"&x=%zz"), 400, "invalid_request"},
		"broken UTF-8":                     {r.request("POST", "/token", formType, good+"&x=%ff"), 400, "invalid_request"},
		"NUL":                              {r.request("POST", "/token", formType, good+"&x=%00"), 400, "invalid_request"},
		"an empty body":                    {r.request("POST", "/token", formType, ""), 400, "invalid_request"},
		"missing code":                     {r.request("POST", "/token", formType, codeForm(c, "-").encode()), 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			a := r.do(test.request)
			refused(t, a, test.status, test.code)
			if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Content-Type") != "application/json" { // D14
				t.Errorf("got headers %v, want JSON that is not stored", a.header)
			}
		})
	}
	t.Run("D6 GET", func(t *testing.T) {
		a := r.do(r.request("GET", "/token?"+good, "", ""))
		if a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("got %d, Allow %q, want 405 and POST", a.status, a.header.Get("Allow"))
		}
	})
}

func TestD15BrowsersMayCallWhatNeedsNoCookie(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/token", "/register", "/revoke", "/jwks.json"} {
		a := r.do(r.request("OPTIONS", path, "", "", "Origin", "https://app.example", "Access-Control-Request-Method", "POST"))
		h := a.header
		if a.status != 204 || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") || h.Get("Access-Control-Allow-Methods") == "" {
			t.Errorf("%s: got %d %v, want a permissive preflight without credentials", path, a.status, h)
		}
	}
	if got := r.form("/token", params{}).header.Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("an error has Access-Control-Allow-Origin %q, want *", got)
	}
	for _, path := range []string{"/authorize", "/signin"} {
		for _, method := range []string{"OPTIONS", "GET"} {
			if got := r.do(r.request(method, path, "", "", "Origin", "https://app.example")).header.Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("%s %s has Access-Control-Allow-Origin %q, want none", method, path, got)
			}
		}
	}
}

func TestD14ATokenIsNotStoredByCaches(t *testing.T) {
	r := newRig(t)
	got := r.tokens(r.newClient("none"), nil)
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("got headers %v", got.header)
	}
}
