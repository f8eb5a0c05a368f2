package templates

import (
	"strings"
	"testing"
)

func TestASentenceWithValuesInItIsRecognized(t *testing.T) {
	for s, want := range map[string]string{
		"The agent crm wants to know who you are. Connect it with your own account at https://r.example/connect/crm; then it gets your message.":                                            "El agente crm quiere saber quién eres. Conéctalo con tu propia cuenta en https://r.example/connect/crm; entonces recibirá tu mensaje.",
		`credentials: type: "x" is not one of a, b; leave it out to send the secret as the agent's card asks`:                                                                               `credenciales: tipo: "x" no es ninguno de a, b; omítelo para enviar el secreto como pida la tarjeta del agente`,
		"no answer from the agent at h:1: dial tcp 1.2.3.4:1: connect: connection refused":                                                                                                  "el agente en h:1 no responde: 1.2.3.4:1 rechaza la conexión",
		`Its card asks for credentials that are not set: "k" (an API key in the header "X": set credentials.type to api_key) and "m" (mutual TLS: set credentials.cert_file and key_file).`: `Su tarjeta pide credenciales que no están puestas: "k" (una clave de API en header "X": elige las credenciales api_key) y "m" (TLS mutuo: pon credentials.cert_file y key_file en la configuración).`,
		"url: {} {} is not an http or https address": "dirección: {} {} no es una dirección http o https",
		"The agent gave no reason.":                  "El agente no dio ningún motivo.",
		"15 rows. The SQL was: SELECT 1":             "15 rows. The SQL was: SELECT 1",
		"":                                           "",
		"Fish and chips":                             "Fish and chips",
		"12: 13 is not an https address":             "12: 13 is not an https address",
	} {
		if got := spanish.known(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
		if got := english.known(s); got != s {
			t.Errorf("%q: got %q in English", s, got)
		}
	}
	if got := string(Because("Couldn't add this agent: {}", "credentials: <b>").in(spanish)); !strings.Contains(got, "credenciales: &lt;b&gt;") {
		t.Errorf("got %s", got)
	}
	if got := string(Known("<i>").in(spanish)); !strings.Contains(got, "&lt;i&gt;") {
		t.Errorf("got %s", got)
	}
}

func TestMadeSentencesTakeTheSameValues(t *testing.T) {
	for s, translated := range sentences["made"] {
		if n := strings.Count(s, "{}"); n < strings.Count(translated, "{}") {
			t.Errorf("%q and %q do not take the same values", s, translated)
		}
	}
}
