package tableexpert

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

var update = flag.Bool("update", false, "write insurance/tables.sqlite.gz")

const insuranceTables = "insurance/tables.sqlite.gz"

// TestTheBuiltInTablesAreThoseThatAreMadeHere makes the rows up and compares them with the file.
func TestTheBuiltInTablesAreThoseThatAreMadeHere(t *testing.T) {
	made := makeInsurance(t)
	if *update {
		writeInsurance(t, made)
	}
	src, err := insurance()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"customers", "policies", "vehicles", "claims", "premiums"} {
		if dump(t, src.image, table) != dump(t, made, table) {
			t.Errorf("%s: the file has other rows: -update writes it", table)
		}
	}
}

// dump returns all rows of a table.
func dump(t *testing.T, image []byte, table string) string {
	t.Helper()
	var all strings.Builder
	box := &sqlbox.Box{Image: slices.Clone(image)}
	for from := 0; ; from += maxRows {
		res, err := box.QueryTrusted(t.Context(), maxRows, fmt.Sprintf(
			"SELECT * FROM %s WHERE id > %d ORDER BY id", table, from,
		))
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Rows) == 0 {
			return all.String()
		}
		fmt.Fprintln(&all, res.Rows)
	}
}

func writeInsurance(t *testing.T, image []byte) {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(image)
	if err := errors.Join(err, w.Close(), os.WriteFile(insuranceTables, b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// makeInsurance makes the built-in tables: the same rows on every platform, which is why it reckons
// in integers only.
func makeInsurance(t *testing.T) []byte {
	t.Helper()
	ctx := t.Context()
	b, err := newBuilder(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	run := func(file string) {
		text, err := os.ReadFile(filepath.Join("testdata/insurance", file))
		if err := errors.Join(err, b.exec(ctx, string(text))); err != nil {
			t.Fatal(err)
		}
	}

	run("tables.sql")
	g := newInsuranceData()
	for _, of := range []struct {
		table string
		rows  [][]any
	}{
		{"customers", g.customers}, {"policies", g.policies}, {"vehicles", g.vehicles},
		{"claims", g.claims}, {"premiums", g.premiums},
	} {
		if err := b.fill(ctx, of.table, of.rows); err != nil {
			t.Fatalf("making %s: %v", of.table, err)
		}
	}
	run("views.sql")
	image, err := b.freeze(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// fill adds rows, each with its number as the first value.
func (b *builder) fill(ctx context.Context, table string, rows [][]any) error {
	insertion, err := b.insertion(ctx, table, len(rows[0])+1)
	if err != nil {
		return err
	}
	defer insertion.Close()
	for i, row := range rows {
		if _, err := insertion.ExecContext(ctx, append([]any{i + 1}, row...)...); err != nil {
			return err
		}
	}

	return nil
}

// insuranceData makes the rows up.
type insuranceData struct {
	random    *rand.PCG
	customers [][]any
	policies  [][]any
	vehicles  [][]any
	claims    [][]any
	premiums  [][]any
}

const (
	customerCount = 4000
	lastDay       = 2007 // 2026-06-30; day 1 is 2021-01-01
)

func newInsuranceData() *insuranceData {
	g := &insuranceData{random: rand.NewPCG(1871, 2026)}
	for i := range customerCount {
		g.addCustomer(i + 1)
	}
	return g
}

// roll returns a number from 0 to n-1.
func (g *insuranceData) roll(n int) int { return int(g.random.Uint64() % uint64(n)) }

// between returns a number from lo to hi.
func (g *insuranceData) between(lo, hi int) int { return lo + g.roll(hi-lo+1) }

// pick draws from words written "weight word, weight word", with weights
// from 1 to 9.
func (g *insuranceData) pick(weighted string) string {
	var words []string
	for entry := range strings.SplitSeq(weighted, ", ") {
		weight, word, _ := strings.Cut(entry, " ")
		for range weight[0] - '0' {
			words = append(words, word)
		}
	}
	return words[g.roll(len(words))]
}

// day returns the date of a day, 1 being 2021-01-01.
func day(n int) string { return time.Date(2021, 1, n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

const cities = `9 Berlin/Berlin, 6 Hamburg/Hamburg, 5 Munich/Bavaria, 4 Cologne/North Rhine-Westphalia,
3 Frankfurt/Hesse, 3 Stuttgart/Baden-Württemberg, 3 Düsseldorf/North Rhine-Westphalia, 2 Leipzig/Saxony,
2 Dortmund/North Rhine-Westphalia, 2 Essen/North Rhine-Westphalia, 2 Bremen/Bremen, 2 Dresden/Saxony,
2 Hanover/Lower Saxony, 2 Nuremberg/Bavaria, 1 Kiel/Schleswig-Holstein, 1 Rostock/Mecklenburg-Vorpommern,
1 Erfurt/Thuringia, 1 Mainz/Rhineland-Palatinate, 1 Freiburg/Baden-Württemberg, 1 Kassel/Hesse`

func (g *insuranceData) addCustomer(id int) {
	city, state, _ := strings.Cut(g.pick(strings.ReplaceAll(cities, "\n", " ")), "/")
	since := g.between(-5000, 1900)
	segment := "private"
	industry := any(nil)
	if g.roll(100) < 14 {
		segment = "commercial"
		industry = g.pick(
			"5 logistics, 4 construction, 4 trades, 3 retail, 2 catering, 2 agriculture, 1 taxi, 1 health care",
		)
	}

	g.customers = append(
		g.customers,
		[]any{fmt.Sprintf("Customer %05d", id), segment, industry, city, state, day(since)},
	)
	lines := "6 private motor, 4 household, 3 liability"
	if segment == "commercial" {
		lines = "6 commercial motor, 2 liability"
	}

	for n := g.between(1, 10)/4 + 1; n > 0; n-- {
		g.addPolicy(id, g.pick(lines), city, since)
	}
}

// term makes up from when until when a policy runs, for a customer of then.
func (g *insuranceData) term(since int) (start, until int, end any, status string) {
	start = max(since, g.between(since, since+2500))
	start = min(start, lastDay-30)
	r := g.roll(100)
	switch {
	case r >= 22 || start+365 >= lastDay:
		return start, lastDay, nil, "active"
	case r < 7:
		status = "expired"
	default:
		status = "cancelled"
	}

	until = g.between(max(start+365, 1), lastDay)
	return start, until, day(until), status
}

// addPolicy makes a contract with its vehicles, premiums and claims.
func (g *insuranceData) addPolicy(customer int, line, city string, since int) {
	start, until, end, status := g.term(since)
	id := len(g.policies) + 1
	firstVehicle := len(g.vehicles) + 1
	risks := 1
	switch line {
	case "private motor":
		g.addVehicle(id, "9 car, 2 motorcycle, 1 van")
	case "commercial motor":
		risks = g.between(1, 6)
		for range risks {
			g.addVehicle(id, "4 van, 4 truck, 3 car, 1 trailer")
		}
	}

	p := products()[line]
	premium := risks * p.premium * g.between(75, 130) / 100 / 100 * 100
	deductible := []int{0, 15000, 30000, 50000, 100000}[g.roll(5)]
	year := day(start)[:4]
	g.policies = append(g.policies, []any{
		fmt.Sprintf("P-%s-%06d", year, id),
		customer,
		line,
		day(start),
		end,
		status,
		premium,
		deductible,
		g.pick("5 agent, 3 broker, 3 online, 1 bank"),
	})
	g.addPremiums(id, premium, max(start, 1), until)
	for i := range risks {
		vehicle := 0
		if strings.HasSuffix(line, "motor") {
			vehicle = firstVehicle + i
		}
		g.addClaims(id, vehicle, p, city, deductible, max(start, 1), until)
	}
}

func (g *insuranceData) addVehicle(policy int, kinds string) {
	kind := g.pick(kinds)
	makes := "9 Volkswagen, 6 Mercedes-Benz, 6 BMW, 5 Audi, 4 Opel, 4 Skoda, 3 Ford, 3 Toyota, 2 Hyundai, 2 Tesla"
	value := 2_600_000
	km := 13_000
	switch kind {
	case "motorcycle":
		makes = "3 BMW, 3 Honda, 2 Yamaha, 2 Kawasaki, 1 KTM"
		value = 900_000
		km = 5_000
	case "van":
		makes = "5 Mercedes-Benz, 5 Volkswagen, 3 Ford, 2 Fiat, 2 Renault"
		value = 3_400_000
		km = 28_000
	case "truck":
		makes = "5 Mercedes-Benz, 4 MAN, 3 Scania, 3 Volvo, 3 DAF, 2 Iveco"
		value = 9_800_000
		km = 85_000
	case "trailer":
		makes = "3 Krone, 3 Schmitz Cargobull, 2 Kögel"
		value = 2_900_000
		km = 60_000
	}

	year := g.between(2009, 2025)
	worth := value * (100 - 5*(2025-year)) / 100 * g.between(70, 140) / 100
	g.vehicles = append(g.vehicles, []any{
		policy,
		kind,
		g.pick(makes),
		year,
		worth / 100 * 100,
		km * g.between(40, 180) / 100 / 100 * 100,
	})
}

// addPremiums spreads the premium over the calendar years.
func (g *insuranceData) addPremiums(policy, premium, from, until int) {
	for year := 2021; year <= 2026; year++ {
		first := int(
			time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Sub(time.Date(2020, 12, 31, 0, 0, 0, 0, time.UTC)).Hours() / 24,
		)
		days := min(until, first+364) - max(from, first) + 1
		if days > 0 {
			g.premiums = append(g.premiums, []any{policy, year, premium * min(days, 365) / 365})
		}
	}
}
