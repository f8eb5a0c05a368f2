package money

import (
	"math/big"
	"testing"
)

func TestACurrencyIsWrittenAsISO4217WritesIt(t *testing.T) {
	for code, want := range map[string]bool{
		"EUR": true, "JPY": true, "KWD": true,
		"eur": false, "EURO": false, "€": false, "ZZZ": false, "": false,
	} {
		if got := IsCurrency(code); got != want {
			t.Errorf("%q: got %t, want %t", code, got, want)
		}
	}
}

func TestAPriceIsADecimalNumberThatIsNotNegative(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "0.05": true, "12": true, "0.000000000001": true,
		"-0.05": false, "1/3": false, "1e9": false, ".5": false, "0,05": false, "free": false, "": false,
		"0.0000000000001": false, "1000000000": false,
	} {
		if got := IsPrice(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestACostIsExactUntilItIsWritten(t *testing.T) {
	for _, c := range []struct {
		price    string
		quantity int64
		currency string
		want     string
	}{
		{"0.05", 3, "EUR", "0.15"},
		{"0.000002", 1_234_567, "EUR", "2.47"},
		{"0.005", 1, "EUR", "0.01"},
		{"0.0049", 1, "EUR", "0.00"},
		{"0.5", 1, "JPY", "1"},
		{"0.0015", 1, "KWD", "0.002"},
		{"999999999.99", 9_000_000_000_000_000, "USD", "8999999999910000000000000.00"},
	} {
		if got := Format(Cost(c.price, c.quantity), c.currency); got != c.want {
			t.Errorf("%d at %s %s: got %s, want %s", c.quantity, c.price, c.currency, got, c.want)
		}
	}
	sum := new(big.Rat)
	for range 1000 {
		sum.Add(sum, Cost("0.001", 1))
	}
	if got := Format(sum, "EUR"); got != "1.00" {
		t.Errorf("a thousand thousandths: got %s, want 1.00", got)
	}
}
