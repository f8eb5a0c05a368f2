// Package neterr says for people why a peer was not reached: the errors of net, net/http and crypto/tls
// name system calls and packages. It does not say which peer: callers name it as their reader knows
// it, if they may.
package neterr

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"

	"rialto/internal/i18n"
)

// The reasons why a peer was not reached, as clauses about it.
var (
	Refused    = i18n.New("nothing listens there. Is it running, and is the port right?")
	Unresolved = i18n.New("its name does not resolve. Is it spelled right?")
	Late       = i18n.New("it did not answer in time. Does a firewall stop the connection?")
	Broken     = i18n.New("the connection to it broke")
	TakesPlain = i18n.New(
		"it speaks plain HTTP and was asked over HTTPS; let it serve TLS, or write http:// in its URL",
	)
	TakesTLS = i18n.New("it speaks HTTPS and was asked over plain HTTP; write https:// in its URL")
)

// Explain returns the reason in err: one of these variables, or the fault of a certificate. Without a
// reason, it returns err.
func Explain(err error) error {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		network     net.Error
		operation   *net.OpError
	)
	switch {
	case errors.As(err, &name):
		return Unresolved
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.As(err, &certificate):
		why := strings.TrimPrefix(certificate.Err.Error(), "x509: ")
		return i18n.Errorf("its certificate is not valid: %s", why)
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/",
		errors.Is(err, http.ErrSchemeMismatch):
		return TakesPlain
	case err != nil && strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		return TakesTLS // a TLS alert (RFC 8446 section 6), which net/http reports in its text only
	case errors.As(err, &network) && network.Timeout():
		return Late
	case errors.As(err, &operation) && operation.Op == "remote error": // of crypto/tls: an alert
		why := strings.TrimPrefix(operation.Err.Error(), "tls: ")
		return i18n.Errorf("it refused the TLS connection: %s", why)
	case errors.As(err, &operation):
		return Broken
	}
	return err
}
