package templates

// inSpanish translates the sentences of the pages. A test keeps it complete:
// every sentence in html/ has its line here.
var inSpanish = map[string]string{
	// Signing in.
	"Username":                    "Usuario",
	"Password":                    "Contraseña",
	"Sign in":                     "Iniciar sesión",
	"Sign in to {}":               "Inicia sesión en {}",
	"Signed in as {}":             "Has iniciado sesión como {}",
	"Use another account":         "Usar otra cuenta",
	"Sign out":                    "Cerrar sesión",
	"Signed out":                  "Sesión cerrada",
	"You are signed out":          "Has cerrado la sesión",
	"Go to the start page":        "Ir a la página de inicio",
	"Wrong username or password.": "El usuario o la contraseña no son correctos.",

	"Apps that you connected stay connected.": "Las aplicaciones que conectaste siguen conectadas.",

	// The first account.
	"First account":          "Primera cuenta",
	"Set up {}":              "Configura {}",
	"Setup code":             "Código de configuración",
	"Make the account":       "Crear la cuenta",
	"8 characters at least.": "Al menos 8 caracteres.",
	"There is no account yet. Make the first one with the setup code that the server showed when it started.": "Todavía no hay ninguna cuenta. Crea la primera con el código de configuración que mostró el servidor al arrancar.",
	"There is no account on this server yet.": "Todavía no hay ninguna cuenta en este servidor.",
	"Make the first account":                  "Crear la primera cuenta",
	"Then come back to this page.":            "Después vuelve a esta página.",
	"This username cannot be used. Take letters, digits and punctuation, without spaces.":    "Este nombre de usuario no sirve. Usa letras, cifras y signos, sin espacios.",
	"This password cannot be used. It needs 8 characters at least.":                          "Esta contraseña no sirve. Necesita al menos 8 caracteres.",
	"The setup code is wrong, or it has expired. The server shows a new one when it starts.": "El código de configuración no es correcto o ha caducado. El servidor muestra uno nuevo al arrancar.",

	// Letting an app in.
	"Connect an app":            "Conectar una aplicación",
	"{} wants to connect to {}": "{} quiere conectarse a {}",
	"It will be able to":        "Podrá",
	"You return to":             "Volverás a",
	"About the app":             "Sobre la aplicación",
	"Allow":                     "Permitir",
	"Sign in and allow":         "Iniciar sesión y permitir",
	"Allow anyway":              "Permitir de todos modos",
	"Sign in and allow anyway":  "Iniciar sesión y permitir de todos modos",
	"Refuse":                    "Rechazar",

	"Only go on if you started this yourself, just now.":                           "Continúa solo si has empezado esto tú, ahora mismo.",
	"That is an app on this computer. Any program that runs here could be asking.": "Es una aplicación de este ordenador. Cualquier programa que se ejecute aquí podría estar pidiéndolo.",
	"It registered itself. Nobody has verified its name.":                          "Se registró por su cuenta. Nadie ha verificado su nombre.",

	"This is probably not who it says it is.":     "Probablemente no es quien dice ser.",
	"If you did not expect this, refuse.":         "Si no lo esperabas, recházalo.",
	"I know that this app does not come from {}.": "Sé que esta aplicación no es de {}.",
	"The app calls itself {}, a name that looks like {}. But its answer would go to {}, which does not belong to them.": "La aplicación se llama {}, un nombre parecido a {}. Pero su respuesta iría a {}, que no les pertenece.",

	"Sign in to allow this.": "Inicia sesión para permitirlo.",
	"Another account is signed in by now. Check it and decide again.": "Ahora hay otra cuenta con la sesión iniciada. Compruébala y decide de nuevo.",
	"Too many attempts. Wait a little and try again.":                 "Demasiados intentos. Espera un poco e inténtalo de nuevo.",
	"Read the warning first.":                                         "Lee antes la advertencia.",

	// What goes wrong.
	"The app waits for its answer at {}.": "La aplicación espera su respuesta en {}.",
	"This link does not work":             "Este enlace no funciona",
	"This did not work":                   "No ha funcionado",
	"The request is too long.":            "La petición es demasiado larga.",
	"The app asks to be answered at an address that it did not register.":                                   "La aplicación pide que se le responda en una dirección que no registró.",
	"The app is not registered here, or its registration has expired.":                                      "La aplicación no está registrada aquí, o su registro ha caducado.",
	"This page has been answered already.":                                                                  "Esta página ya se ha contestado.",
	"This page has been answered already, or it has waited too long.":                                       "Esta página ya se ha contestado o ha esperado demasiado.",
	"The form was not complete.":                                                                            "El formulario no estaba completo.",
	"Go back to the app and start again.":                                                                   "Vuelve a la aplicación y empieza de nuevo.",
	"Go back to the app and start again. If it happens again, remove the connection there and add it anew.": "Vuelve a la aplicación y empieza de nuevo. Si vuelve a ocurrir, elimina allí la conexión y añádela otra vez.",
	"Go back to the app and start again. If it happens again, tell the people who make the app.":            "Vuelve a la aplicación y empieza de nuevo. Si vuelve a ocurrir, avisa a quienes hacen la aplicación.",
	"The app asked for something that is not possible":                                                      "La aplicación ha pedido algo que no es posible",
	"This request did not come from our page":                                                               "Esta petición no viene de nuestra página",
	"Another site may have sent it, or your browser keeps no cookies.":                                      "Puede que la haya enviado otro sitio, o que tu navegador no guarde cookies.",
	"Too many requests":                 "Demasiadas peticiones",
	"This address has asked too often.": "Esta dirección ha preguntado demasiadas veces.",
	"Try again in a minute.":            "Inténtalo de nuevo dentro de un minuto.",
	"Try again in a moment.":            "Inténtalo de nuevo dentro de un momento.",
	"The server cannot answer now.":     "El servidor no puede responder ahora.",
	"There is nothing here":             "Aquí no hay nada",

	// Going back.
	"Allowed":        "Permitida",
	"Refused":        "Rechazada",
	"You allowed {}": "Has permitido a {}",
	"You refused {}": "Has rechazado a {}",
	"Return to {}":   "Volver a {}",
	"Nothing was shared. You go back to the app now.":                 "No se ha compartido nada. Ahora vuelves a la aplicación.",
	"You go back to the app now. If nothing happens, use the button.": "Ahora vuelves a la aplicación. Si no ocurre nada, usa el botón.",
	"You can close this window once the app has answered.":            "Puedes cerrar esta ventana cuando la aplicación haya respondido.",

	"Only for the use case {}":                                        "Solo para el caso de uso {}",
	"Choose at least one thing that the app may do, or refuse.":       "Elige al menos una cosa que la aplicación pueda hacer, o recházala.",
	"Only an administrator can allow that, and this account is none.": "Solo un administrador puede permitirlo, y esta cuenta no lo es.",

	// What the scopes mean.
	"Search and read, and give tasks to the agents, as you": "Buscar y leer, y encargar tareas a los agentes, en tu nombre",

	"See the agents and your tasks":                             "Ver los agentes y tus tareas",
	"Give tasks to the agents, as you":                          "Encargar tareas a los agentes, en tu nombre",
	"Run this server: see and change what belongs to everybody": "Administrar este servidor: ver y cambiar lo que es de todos",

	// Home.
	"Start":                               "Inicio",
	"Agents":                              "Agentes",
	"How to connect":                      "Cómo conectarse",
	"Copy":                                "Copiar",
	"Copied":                              "Copiado",
	"No agent is connected yet.":          "Todavía no hay ningún agente conectado.",
	"Your chat, connected to your agents": "Tu chat, conectado a tus agentes",
	"Add this address as a connector in your chat app. It asks you to sign in here once, and can then hand work to your agents.": "Añade esta dirección como conector en tu aplicación de chat. Te pedirá que inicies sesión aquí una vez y después podrá encargar trabajo a tus agentes.",
}
