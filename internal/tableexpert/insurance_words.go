package tableexpert

import "strings"

// insuranceVocabulary lists other words for the built-in tables, columns and values: a
// table or column, then its words; indented, a value of the column, then its words.
const insuranceVocabulary = `
customers: client, cliente, policyholder
customers.segment: segmento
  private: particular, privado
  commercial: business, comercial, empresa, corporate
customers.industry: sector, branch
  logistics: logística
  construction: construcción
  retail: comercio minorista
  catering: hostelería
  agriculture: agricultura
customers.city: town, ciudad
  Berlin: berlinés
  Hamburg: Hamburgo
  Munich: München
  Cologne: Köln, Colonia
  Frankfurt: Fráncfort
  Dresden: Dresde
  Hanover: Hannover
  Nuremberg: Nürnberg
  Mainz: Maguncia
  Freiburg: Friburgo
customers.state: federal state, bundesland, estado federado
  Bavaria: Baviera, Bayern
  Hesse: Hessen
  Saxony: Sajonia, Sachsen
customers.customer_since: joined, customer since, became customers, se registraron
policies: contract, póliza, contrato
policies.line: line of business, ramo, línea
  private motor: private car insurance, motor particular, automóvil particular
  commercial motor: fleet insurance, motor comercial, flota
  household: home insurance, home, hogar
  liability: responsabilidad civil
policies.start_date: began, begin, beginning, starting, empezaron, empezó, iniciadas, iniciaron, comenzaron
policies.end_date: terminaron, acabaron
policies.status: estado
  active: in force, activo, vigente
  cancelled: canceled, cancelado
  expired: vencido, caducado, expirado
policies.annual_premium_cents: prima, prima anual
policies.deductible_cents: excess, franquicia
policies.channel: sales channel, canal
  agent: agente
  broker: corredor, corredores
  online: por internet, en línea
  bank: banco
vehicles: vehículo
vehicles.kind: type, tipo, vehicle type, tipo de vehículo
  car: coche, turismo
  motorcycle: motorbike, moto, motocicleta
  van: furgoneta
  truck: lorry, camión
  trailer: remolque
vehicles.make: brand, marca
  Mercedes-Benz: Mercedes
  Volkswagen: VW
vehicles.model_year: año del modelo
vehicles.value_cents: valor
vehicles.annual_km: kilometers, kilometres, kilómetros, annual mileage, mileage
claims: loss, siniestro, reclamación, reclamaciones
claims.occurred_on: happened, ocurrieron, ocurrió, ocurrido
claims.reported_on: filed, declarado, declararon, notificado, notificaron, reportado, reportaron
claims.closed_on: cerrado, settled
claims.cause: causa
  collision: crash, colisión, colisiones
  parking damage: aparcamiento
  glass: cristal, cristales, lunas
  theft: robo
  hail: hailstorm, granizo
  wildlife: animales
  fire: incendio, fuego
  water: water damage, agua
  burglary: robo en vivienda
  storm: tormenta
claims.status: estado
  open: pending, abierto, pendiente
  closed: settled, cerrado
  rejected: denied, declined, rechazado
claims.claimed_cents: claim amount, reclamado, importe reclamado
claims.paid_cents: paid out, pay, pay out, payout, pagado, pago, pagó, pagamos
claims.reserve_cents: reserva
premiums.earned_cents: earned premium, prima devengada, primas devengadas
line_results.loss_ratio_percent: siniestralidad
`

// insuranceWords reads the list.
func insuranceWords() map[string]synonyms {
	out := map[string]synonyms{}
	at := ""
	for line := range strings.Lines(strings.TrimSpace(insuranceVocabulary)) {
		thing, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if list := strings.Split(words, ", "); strings.HasPrefix(line, " ") {
			out[at].values[thing] = list
		} else {
			at, out[thing] = thing, synonyms{list, map[string][]string{}}
		}
	}
	return out
}
