package grammar

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// token is a word, or several that mean one thing.
type token struct {
	said  string // as written
	text  string // folded
	op    op
	names []name
}

var (
	wordPattern = regexp.MustCompile(`[\pL\d](?:[\pL\d_.,\-/'@&]*[\pL\d%])?|[<>]=?|[^\s\pL\d?!.;:¿¡"'()]`)
	folder      = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n", "ö", "o", "ä", "a", "ß", "ss", "’", "'")
)

// fold returns the words of a text as they are compared: in lower case and without accents.
func fold(s string) string {
	return strings.Join(wordPattern.FindAllString(folder.Replace(strings.ToLower(strings.ReplaceAll(s, "’", "'"))), -1), " ")
}

const (
	maxQuestion = 1000 // bytes
	maxPhrase   = 7    // words
)

// lex divides a question into the longest phrases that mean something. Words without
// content are left out.
func (s *Schema) lex(question string) []token {
	names := s.names()
	said := wordPattern.FindAllString(folder.Replace(strings.ToLower(question[:min(len(question), maxQuestion)])), -1)
	var out []token
	for i := 0; i < len(said); {
		t, n := token{said: said[i], text: strings.TrimSuffix(said[i], "'s")}, 1
		for size := min(maxPhrase, len(said)-i); size > 0; size-- {
			text := strings.TrimSuffix(strings.Join(said[i:i+size], " "), "'s")
			if means, op := names[text], phrases()[text]; len(means) > 0 || op != "" {
				t, n = token{strings.Join(said[i:i+size], " "), text, op, means}, size
				break
			}
		}
		if i += n; t.op != filler || len(t.names) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// op is what a phrase does in a question.
type op string

const (
	filler   op = "filler"   // says nothing
	link     op = "link"     // of, in, with
	count    op = "count"    // how many
	howMuch  op = "how much" // the sum
	sum      op = "sum"
	avg      op = "avg"
	largest  op = "max"
	smallest op = "min"
	latest   op = "latest"
	earliest op = "earliest"
	top      op = "top"
	most     op = "most"
	percent  op = "percent"
	list     op = "list"
	by       op = "by"
	over     op = ">"
	atLeast  op = ">="
	under    op = "<"
	atMost   op = "<="
	exactly  op = "="
	orMore   op = "or more"
	orLess   op = "or less"
	between  op = "between"
	from     op = "from"
	to       op = "to"
	on       op = "on" // "from 2015 on"
	since    op = "since"
	before   op = "before"
	after    op = "after"
	not      op = "not"
	without  op = "without"
	and      op = "and"
	or       op = "or"
	comma    op = ","
)

// phrases returns what each phrase does.
var phrases = index(map[op]string{
	filler: "the|a|an|is|are|was|were|be|been|being|there|do|does|did|please|so far|i|me|we|us|our|my|you|can you|could you|would you|i want to know|i would like to see|that|who|all|all the|all our|currently|in total|altogether|overall|in the data|in the database|any|some|" +
		"el|la|los|las|lo|un|una|unos|unas|hay|habia|hubo|existen|es|son|fue|fueron|era|eran|esta|estan|estaban|que|cual es|cuales son|se|han|ha|haya|sido|todos|todas|todos los|todas las|en total|por favor|nuestros|nuestras|nuestro|nuestra|quiero ver|quiero saber|en la base de datos|" +
		"living|live|lives|located|based|viven|vive|caused|sold|made|causados|causadas|vendidas|vendidos|contratadas|registrados|registradas|what is|what's|what was|what were|what are|tell me|what|do you have|we have|do we have|have we|tenemos|sean|sea|insured|right now|now|ever|we ever had|we ever|asegurado|asegurados|asegurada|aseguradas|ahora|actualmente|alguno|alguna|algun",
	link:     "of|in|for|with|at|having|have|has|had|during|belonging to|from the|de|del|en|con|para|durante|tiene|tienen|tenian|tuvieron|tuvo|in the|per annum|al",
	count:    "how many|number of|the number of|count of|count|count the|total number of|the total number of|how many different kinds of|cuantos|cuantas|numero de|numero total de|cantidad de|cuenta|cuenta los|cuenta las",
	howMuch:  "how much|how much money|cuanto|cuanto dinero|cuanta",
	sum:      "total|sum|sum of|the sum of|total of|suma|suma de|total de|la suma de",
	avg:      "average|average of|mean|avg|promedio|promedio de|media|medio|media de|el promedio de|la media de",
	largest:  "maximum|max|highest|largest|biggest|greatest|most expensive|costliest|maximo|maxima|mas alto|mas alta|mas altos|mas altas|mas grande|mas grandes|mayor|mayores|mas caro|mas cara|mas caros|mas caras|mas elevado|mas elevada",
	smallest: "minimum|min|lowest|smallest|least expensive|cheapest|minimo|minima|mas bajo|mas baja|mas bajos|mas bajas|mas pequeno|mas pequena|mas pequenos|mas pequenas|menor|menores|mas barato|mas barata|mas baratos|mas baratas",
	latest:   "latest|newest|most recent|last|ultimo|ultima|ultimos|ultimas|mas reciente|mas recientes|mas nuevo|mas nuevos",
	earliest: "oldest|earliest|mas antiguo|mas antigua|mas antiguos|mas antiguas|primer|primeros|primeras",
	top:      "top|the top|los principales|las principales",
	most:     "most|the most|mas",
	percent:  "percentage of|what percentage of|percent of|what percent of|proportion of|what proportion of|share of|what share of|% of|what % of|porcentaje de|que porcentaje de|que proporcion de|proporcion de|% de|que % de",
	list:     "list|show|show me|give me|get|display|find|which|which are|lista|listame|muestra|muestrame|ensename|dame|cual|cuales|que",
	by:       "by|per|for each|each|in each|broken down by|grouped by|split by|por|por cada|cada|segun|agrupado por|agrupados por|desglosado por",
	over:     "over|above|more than|greater than|bigger than|larger than|higher than|exceeding|of more than|of over|mas de|mas que|de mas de|mayor que|mayor de|mayores que|mayores de|superior a|superiores a|por encima de|>",
	atLeast:  "at least|of at least|no less than|al menos|como minimo|por lo menos|>=",
	under:    "under|below|less than|fewer than|lower than|smaller than|of less than|menos de|menos que|de menos de|menor que|menor de|menores que|menores de|inferior a|inferiores a|por debajo de|<",
	atMost:   "at most|no more than|not more than|up to|como maximo|como mucho|a lo sumo|<=",
	exactly:  "exactly|equal to|exactamente|igual a|=",
	orMore:   "or more|o mas", orLess: "or less|or fewer|o menos",
	between: "between|entre", from: "from|starting from", to: "to|through|hasta|a", on: "on|onwards|onward|en adelante", since: "since|desde|a partir de|from",
	before: "before|prior to|earlier than|antes de|anterior a|anteriores a", after: "after|later than|despues de|posterior a|posteriores a",
	not:     "not|no|isn't|aren't|don't|doesn't|didn't|wasn't|weren't|non|outside|outside of|not from|not in|fuera de|except|except for|excluding|other than|excepto|salvo|excluyendo",
	without: "without|without any|with no|have no|has no|having no|had no|do not have|does not have|did not have|don't have|don't have any|doesn't have|do not have any|who do not have|sin|sin ningun|sin ninguna|no tienen|no tiene|no tienen ningun|no tienen ninguna|que no tienen|que no tienen ningun|que no tienen ninguna|que no tienen una|que no tienen un",
	and:     "and|y|e|as well as|and also|along with", or: "or|o|u", comma: ",",
})

// index turns the lists of phrases around. A phrase of two lists belongs to the one that
// is last by name, which nothing depends on but "from" and "que", listed here.
func index(lists map[op]string) func() map[string]op {
	all := map[string]op{}
	for op, list := range lists {
		for phrase := range strings.SplitSeq(list, "|") {
			all[phrase] = op
		}
	}
	all["from"], all["a"], all["que"] = from, filler, list
	return func() map[string]op { return all }
}

var numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
var spanishNumbers = strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce")

// number reads 3, three, 10,000, 1.5 and 50k. A dot before three
// digits is ambiguous: that is no number.
func number(s string) (float64, bool) {
	for _, words := range [][]string{numberWords, spanishNumbers} {
		if i := slices.Index(words, s); i >= 0 {
			return float64(i), true
		}
	}
	scale := 1.0
	for suffix, factor := range map[string]float64{"k": 1e3, "m": 1e6} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, scale = rest, factor
		}
	}
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return n * scale, err == nil
}

var plainNumber = regexp.MustCompile(`^\d{1,12}$|^\d{1,3}(,\d{3})+(\.\d+)?$|^\d{1,9}\.(\d{1,2}|\d{4,6})$`)

// dotted is a number such as 40.000, whose dot divides groups where people say euros in
// Spanish.
var dotted = regexp.MustCompile(`^\d{1,3}(\.\d{3})+$`)
