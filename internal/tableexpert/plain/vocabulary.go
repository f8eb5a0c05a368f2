package plain

import "strings"

// op is what a word does in a question.
type op int

const (
	none     op = iota
	count       // how many
	sum         // the total
	avg         // the average
	median      // the median
	share       // the percentage
	beyond      // asks for what is not done here
	largest     // the highest, or the first of an order
	smallest    // the lowest
	top         // top N
	bottom      // bottom N
	most        // the most of something
	fewest      // the fewest of something
	common      // most common
	rare        // least common
	latest      // last N, by date
	earliest    // first N, by date
	by          // per, for each
	sorted      // sorted by
	falling     // descending
	rising      // ascending
	over        // more than
	atLeast     // or more
	under       // less than
	atMost      // or less
	between     // between A and B
	exactly     // equal to
	before      // before a date
	after       // after a date
	since       // from a date on
	until       // up to a date
	not         // not, except
	without     // without
	with        // that have
	distinct    // different
	and         // and, or
	orMore      // or more, after the number
	orLess      // or less
	single      // which one
	filler      // a word without a part
)

// phrases lists the words for each op, separated by bars.
var phrases = map[op]string{
	count:    "how many|number of|count of|count the|count|cuántos|cuántas|cuantos|cuantas|número de|numero de|cantidad de",
	sum:      "total of|sum of|the sum|total|sum|overall|altogether|suma de|suma|total de",
	avg:      "on average|average|mean|avg|typical|promedio de|promedio|media de|medio|media",
	median:   "median|medians|mediana de|mediana",
	share:    "percentage of|percent of|share of|proportion of|fraction of|percentage|porcentaje de",
	beyond:   "ratio|correlation|correlate|trend|trends|growth|difference|compare|compared|versus|vs|predict|forecast|why|rate|rates|variance|deviation|percentile|cumulative|running|who have only|that have only|which have only|have only|has only|had only|with only|only have|only has|only had|exclusively|starts with|starting with|start with|begins with|beginning with|begin with|ends with|ending with|end with|empieza por|empiezan por|empieza con|empiezan con",
	largest:  "most expensive|maximum|max|highest|largest|biggest|greatest|costliest|máximo|maximo|máxima|mayor|mayores|más alto|más alta|más grande|más caro|más cara|más caros",
	smallest: "least expensive|minimum|min|lowest|smallest|cheapest|mínimo|minimo|menor|menores|más bajo|más baja|más pequeño|más pequeña|más barato|más barata|mínima|minima",
	top:      "top|best|principales|mejores",
	bottom:   "bottom|worst|peores",
	most:     "the most|most|más",
	fewest:   "the fewest|the least|fewest|least",
	common:   "most popular|most used|most common|most frequent|most often|más común|más comunes|más frecuente|más frecuentes",
	rare:     "least popular|least used|least common|least frequent|rarest|menos común|menos frecuente",
	latest:   "most recently|most recent|latest|newest|youngest|last|últimos|últimas|último|última|más reciente|más recientes|recent",
	earliest: "earliest|oldest|first|primeros|primeras|más antiguo|más antigua|más antiguos|más antiguas|primero|primera|primer",
	by:       "grouped by|group by|broken down by|split by|for each|for every|in each|by|per|each|por cada|por|cada|según",
	sorted:   "sorted by|ordered by|order by|sort by|ranked by|ordenado por|ordenada por|ordenadas por|ordenados por",
	falling:  "in descending order|descending|desc|largest first|highest first|newest first",
	rising:   "in ascending order|ascending|asc|smallest first|lowest first|oldest first",
	over:     "more than|greater than|longer than|larger than|higher than|bigger than|over|above|exceeding|exceed|exceeds|>|más de|mas de|mayor que|mayor de|mayores de|mayor a|mayores a|mayores que|superior a",
	atLeast:  "at least|no fewer than|no less than|not less than|minimum of|greater than or equal to|>=|≥|al menos|como mínimo",
	under:    "less than|shorter than|cheaper than|fewer than|lower than|smaller than|under|below|<|menos de|menor que|menor de|menores de|menor a|menores a|menores que|inferior a",
	atMost:   "at most|no more than|not more than|up to|maximum of|less than or equal to|<=|≤|como máximo|hasta",
	between:  "between|entre",
	exactly:  "equal to|equals|exactly|=|==|igual a",
	before:   "prior to|before|earlier than|older than|antes de|antes del",
	after:    "later than|after|newer than|younger than|después de|después del",
	since:    "since|starting|from|desde",
	until:    "until|till|through",
	orMore:   "or more|or higher|and up|o más",
	orLess:   "or less|or fewer|or lower|o menos",
	not:      "neither|outside|never|other than|except for|except|excluding|exclude|but not|is not|are not|not|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|non|no son|no están|no está|no es|no fueron|no fue|no han sido|no ha sido|nunca|excepto",
	without:  "don't have|do not have|doesn't have|does not have|didn't have|did not have|not have|that have no|who have no|which have no|have no|has no|with no|without|lacking|no|sin",
	with:     "that have|who have|which have|having|with|have|has|had|con|que tienen|tienen|tiene",
	distinct: "distinct|different|unique|distintos|distintas|diferentes",
	and:      "and|or|nor|as well as|ni|y|o|e",
	single:   "which|who|what|qué|que|cuál|cual|quién",
	filler: `a|an|the|of|in|on|at|for|to|is|are|was|were|be|been|do|does|did|there|their|its|it|they|them|this|these|those|that|
		show|list|give|me|us|tell|find|get|display|please|can|could|would|you|i|we|want|need|like|know|see|all|any|every|our|my|your|as|
		some|many|much|during|within|amount|amounts|value|values|record|records|row|rows|entry|entries|data|table|tables|list of|
		occurred|happened|took place|belong|belonging|made|come|came|located|whose|where|when|how|than|then|but|also|only|just|so|if|
		euro|euros|eur|dollar|dollars|usd|€|$|£|terms|based|according|select|generate|write|sql|query|run|result|results|answer|question|about|related|regarding|
		el|la|los|las|un|una|unos|unas|de|del|en|son|es|hay|al|muestra|muéstrame|dame|lista|listar|cuánto|cuanto|cuánta|para|a`,
}

// longestPhrase is how many words a phrase has at most.
const longestPhrase = 5

var vocabulary = func() map[string]op {
	out := map[string]op{}
	for o, list := range phrases {
		for p := range strings.SplitSeq(list, "|") {
			out[strings.Join(strings.Fields(p), " ")] = o
		}
	}
	return out
}()
