package templates

import (
	"errors"
	"strings"
	"testing"

	"rialto/internal/i18n"
)

func TestAMessageIsShownInTheLanguageOfTheReader(t *testing.T) {
	same := func(s string) string { return s }
	connect := i18n.New("The agent %s wants to know who you are. Connect it with your own account at %s; then it gets your message.", "<crm>", "https://r.example/connect/crm")
	credentials := i18n.Errorf("credentials: %w", i18n.Errorf("type: %q is not one of %s; leave it out to send the secret as the agent's card asks", "x", "a, b"))
	for _, c := range []struct {
		text Text
		want string
	}{
		{Message(connect, same), "El agente &lt;crm&gt; quiere saber quién eres. Conéctalo con tu propia cuenta en https://r.example/connect/crm; entonces recibirá tu mensaje."},
		{Errorf("It cannot be set up so: {}", credentials, same), "credentials: type: &#34;x&#34; no es ninguno de a, b; omítelo para enviar el secreto como pida la tarjeta del agente"},
		{Errorf("It cannot be set up so: {}", errors.New("<b>"), same), "&lt;b&gt;"},
		{Message(connect, func(string) string { return "cut" }), "cut"},
		{Translated("wrong password"), "contraseña incorrecta"},
		{Translated("{} says"), "{} says"}, // a sentence without its value is data
		{Translated("Fish and chips"), "Fish and chips"},
	} {
		if got := string(c.text.in(spanish)); !strings.Contains(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if got := string(Message(connect, same).in(english)); !strings.Contains(got, "wants to know who you are") {
		t.Errorf("got %s", got)
	}
}
