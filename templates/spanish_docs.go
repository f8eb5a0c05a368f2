package templates

// docsInSpanish translates the frame of the description of the API, as inSpanish
// does the sentences of the other pages. What the description itself says is in
// English.
var docsInSpanish = map[string]string{
	"API":                                "API",
	"For programs, the same as OpenAPI:": "Para programas, lo mismo como OpenAPI:",
	"Sections":                           "Secciones",
	"Members":                            "Miembros",
	"Name":                               "Nombre",
	"Type":                               "Tipo",
	"Meaning":                            "Significado",
	"required":                           "obligatorio",
	"Example":                            "Ejemplo",
	"No token is needed.":                "No hace falta ningún token.",
	"A token is optional.":               "El token es opcional.",
	"Scope:":                             "Ámbito:",
	"Any token of this server.":          "Cualquier token de este servidor.",
	"The same at:":                       "Lo mismo en:",
	"Parameters":                         "Parámetros",
	"Request":                            "Petición",
	"Call":                               "Llamada",
	"Answers":                            "Respuestas",
}
