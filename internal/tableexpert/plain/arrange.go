package plain

import "slices"

// arrange puts times that are said before what they are about behind it, where they are
// read: "in 2024, how many claims were there" is "how many claims were there in 2024",
// and "last year's claims by cause" is "claims last year by cause".
func arrange(items []item) []item {
	first := slices.IndexFunc(items, item.names)
	if first < 0 {
		return items
	}
	at := slices.IndexFunc(items[:first], item.time)
	if at < 0 || at > 0 && limits(items[at-1].op) {
		return items
	}
	from, to := at, at+1
	for from > 0 && leadsTo(items[from-1]) {
		from--
	}
	for to < first && (items[to].time() || links(items[to]) && items[to+1].time() || items[from].op == since && isOnward(items[to])) {
		to++
	}
	behind := len(items)
	if from == at && to == first {
		for behind = to; behind < len(items) && items[behind].names(); {
			behind++
		}
	}
	return slices.Concat(items[:from], items[to:behind], items[from:to], items[behind:])
}

// names reports whether the item names something that the schema has.
func (it item) names() bool {
	return it.op == none && !it.time() && (it.table != nil || len(it.columns) > 0 || len(it.values) > 0)
}

// limits reports whether a number after o says how many, or how large, and is no year.
func limits(o op) bool {
	return slices.Contains([]op{top, bottom, latest, earliest, largest, smallest, common, rare, over, atLeast, under, atMost, exactly}, o)
}

// leadsTo reports whether the word says how what follows is meant: "in", "since", "not".
func leadsTo(it item) bool {
	if it.op == filler {
		return slices.Contains([]string{"in", "during", "for", "on", "within", "en", "para"}, it.words)
	}
	return slices.Contains([]op{before, after, since, until, between, not}, it.op)
}

// links reports whether the word stands between two times.
func links(it item) bool {
	return it.op == and || it.op == until || it.op == filler && (it.words == "to" || it.words == "a")
}

func isOnward(it item) bool {
	return slices.Contains([]string{"on", "onward", "onwards"}, it.words)
}

// versus reads "in 2024 compared to 2023": both, each by itself.
func (r *reading) versus() {
	for i := range r.items {
		it := &r.items[i]
		if it.op != beyond || !slices.Contains([]string{"versus", "vs", "compared"}, it.words) {
			continue
		}
		before, after := i-1, i+1
		for before >= 0 && r.items[before].op == filler {
			before--
		}
		for after < len(r.items) && (r.items[after].op == filler || r.items[after].op == with) {
			after++
		}
		if before < 0 || after == len(r.items) || r.items[before].period == nil || r.items[after].period == nil {
			continue
		}
		for j := i; j < after; j++ {
			r.items[j].op = filler
		}
		it.op = and
		r.groups = append(r.groups, group{unit: r.items[after].period.unit()})
	}
}

// unit is the length of a time.
func (p *period) unit() string {
	for _, unit := range []string{"day", "week", "month", "quarter"} {
		if !step(p.from, unit, 1).Before(p.to) {
			return unit
		}
	}
	return "year"
}

// postposed puts what Spanish says behind a noun before it: "salario medio", "importe
// máximo y mínimo".
func postposed(items []item) []item {
	out := slices.Clone(items)
	for i := 0; i < len(out); i++ {
		if !out[i].names() || i+1 < len(out) && out[i+1].op == and { // "paid and total reserve" is no Spanish
			continue
		}
		end := i + 1
		for at := end; at < len(out) && (out[at].op == and || slices.Contains(adjectives, out[at].words)); at++ {
			if out[at].op != and {
				end = at + 1
			}
		}
		if run := out[i+1 : end]; !slices.ContainsFunc(run, func(it item) bool { return it.op == and }) {
			slices.Reverse(run) // salario medio más alto
		}
		out = slices.Concat(out[:i], out[i+1:end], out[i:i+1], out[end:])
		i = end - 1
	}
	return out
}

var adjectives = []string{"medio", "media", "promedio", "mediano", "mediana", "total", "total de", "más reciente", "más recientes", "más antiguo", "más antigua", "más antiguos", "más antiguas", "máximo", "máxima", "maximo", "maxima", "mínimo", "mínima", "minimo", "minima",
	"más alto", "más alta", "más bajo", "más baja", "más caro", "más cara", "más barato", "más barata", "más grande", "más pequeño", "más pequeña"}
