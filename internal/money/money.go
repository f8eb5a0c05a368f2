// Package money computes costs as exact fractions, and writes them in the smallest unit of their
// currency, such as cents. It does not convert currencies.
package money

import (
	"math/big"
	"regexp"

	"golang.org/x/text/currency"
)

var decimal = regexp.MustCompile(`^\d{1,9}(\.\d{1,12})?$`)

// IsPrice reports whether text is a price: a decimal number, not negative, such as 0.000002.
func IsPrice(text string) bool { return decimal.MatchString(text) }

// IsCurrency reports whether code is a currency as ISO 4217 writes it, such as EUR.
func IsCurrency(code string) bool {
	unit, err := currency.ParseISO(code)
	return err == nil && unit.String() == code
}

// Parse returns the value of a price or an amount, 0 if text is neither.
func Parse(text string) *big.Rat {
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return value
}

// Cost returns what a quantity costs at a price.
func Cost(price string, quantity int64) *big.Rat {
	return new(big.Rat).Mul(Parse(price), new(big.Rat).SetInt64(quantity))
}

// Format rounds an amount to the smallest unit of its currency, halves up, and writes it.
func Format(amount *big.Rat, code string) string {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return amount.FloatString(2)
	}
	digits, _ := currency.Standard.Rounding(unit)
	return amount.FloatString(digits)
}
