package tableexpert

import "fmt"

// product is what a line of business costs and loses, per vehicle or
// household.
type product struct {
	premium   int // cents a year
	frequency int // claims in ten thousand years
	mean      int // cents of a claim
	causes    string
}

// products are set so that loss ratios come out as they do in the trade:
// liability and household well below motor, fleets near or above their
// premium, trucks worst.
func products() map[string]product {
	return map[string]product{
		"private motor": {
			42_000,
			1050,
			340_000,
			"8 collision, 4 parking damage, 3 glass, 2 theft, 2 hail, 1 wildlife, 1 fire",
		},
		"commercial motor": {
			128_000,
			1600,
			560_000,
			"9 collision, 4 manoeuvring, 3 cargo, 2 glass, 2 theft, 1 hail, 1 fire",
		},
		"household": {19_000, 760, 200_000, "6 water, 4 burglary, 3 storm, 1 fire, 1 glass"},
		"liability": {
			12_500,
			190,
			260_000,
			"5 property damage, 3 bodily injury, 1 financial loss",
		},
	}
}

// severity spreads claims around their mean: percent of it at each twentieth
// of the distribution. Most are small; a few make up half of the cost.
var severity = [21]int{
	4,
	8,
	11,
	15,
	18,
	21,
	24,
	28,
	32,
	36,
	41,
	46,
	52,
	59,
	68,
	80,
	96,
	121,
	168,
	295,
	1450,
}

// addClaims makes the claims of one vehicle or household, half-year by half-year.
func (g *insuranceData) addClaims(
	policy, vehicle int, p product, city string, deductible, from, until int,
) {
	frequency := p.frequency
	size := 100
	if vehicle > 0 {
		switch g.vehicles[vehicle-1][1] {
		case "truck":
			frequency = frequency * 5 / 4
			size = 170
		case "trailer":
			frequency = frequency / 3
			size = 60
		case "motorcycle":
			frequency = frequency / 2
		}
	}
	if city == "Berlin" || city == "Hamburg" || city == "Frankfurt" {
		frequency = frequency * 5 / 4
	}
	for d := from; d <= until; d += 182 {
		if on := d + g.roll(182); g.roll(20_000) < frequency && on <= until {
			g.addClaim(policy, vehicle, p, on, size, deductible)
		}
	}
}

// addClaim makes one loss of size percent of the usual.
func (g *insuranceData) addClaim(policy, vehicle int, p product, on, size, deductible int) {
	cause := g.pick(p.causes)
	switch cause {
	case "glass", "parking damage", "manoeuvring":
		size = size * 2 / 5
	case "fire", "theft", "bodily injury":
		size = size * 5 / 2
	}

	step := g.roll(20)
	within := g.roll(1000)
	percent := severity[step]*1000 + (severity[step+1]-severity[step])*within
	claimed := p.mean / 100 * size / 100 * percent / 1000 / 100 * 100
	reported := min(on+g.roll(100)*g.roll(100)/250, lastDay)
	status, paid, reserve, closed := g.settlement(claimed-deductible, reported, claimed)
	g.claims = append(g.claims, []any{
		fmt.Sprintf("C-%s-%06d", day(reported)[:4], len(g.claims)+1), policy, orNull(vehicle),
		day(on), day(reported), cause, status, claimed, paid, reserve, closed,
	})
}

// settlement returns how a claim over an amount was settled: the
// larger it is, the longer it takes.
func (g *insuranceData) settlement(
	due, reported, claimed int,
) (status string, paid, reserve int, closed any) {
	takes := g.between(10, 90) + min(claimed/20_000, 700)
	if due <= 0 || g.roll(100) < 6 {
		return "rejected", 0, 0, day(min(reported+g.between(5, 60), lastDay))
	}
	if reported+takes <= lastDay {
		return "closed", due * g.between(80, 100) / 100, 0, day(reported + takes)
	}

	paid = due * g.roll(60) / 100
	return "open", paid, due - paid, nil
}

func orNull(id int) any {
	if id == 0 {
		return nil
	}
	return id
}
