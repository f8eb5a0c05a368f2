package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// header returns what to send to an agent with each request; none when no
// credentials are configured. The token of the person who calls is never among
// them: it was made for us (RFC 8707 section 2).
func (c credentialsConfig) header() (http.Header, error) {
	if c == (credentialsConfig{}) {
		return nil, nil
	}
	secret, err := c.secret()
	if err != nil {
		return nil, err
	}
	name, scheme := c.Header, c.Scheme
	if name == "" {
		name = "Authorization"
	}
	if scheme == "" && strings.EqualFold(name, "Authorization") {
		scheme = "Bearer"
	}
	value := strings.TrimSpace(scheme + " " + secret)
	if !httpguts.ValidHeaderFieldName(name) {
		return nil, fmt.Errorf("header: %q is not the name of a header", name)
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return nil, errors.New("scheme and secret hold characters that a header cannot carry")
	}
	return http.Header{http.CanonicalHeaderKey(name): {value}}, nil
}

func (c credentialsConfig) secret() (string, error) {
	var secret string
	switch {
	case c.value != "":
		return c.value, nil
	case c.Env != "" && c.File != "":
		return "", errors.New("set env or file, not both")
	case c.Env != "":
		secret = os.Getenv(c.Env)
		if secret == "" {
			return "", fmt.Errorf("the environment variable %s is empty", c.Env)
		}
	case c.File != "":
		b, err := os.ReadFile(c.File)
		if err != nil {
			return "", err
		}
		secret = strings.TrimSpace(string(b))
	default:
		return "", errors.New("set env or file to where the secret is")
	}
	if strings.ContainsAny(secret, "\r\n") {
		return "", errors.New("the secret has more than one line")
	}
	return secret, nil
}
