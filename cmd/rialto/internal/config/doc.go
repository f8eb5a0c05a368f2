// Package config knows the settings of the program: it reads them from the
// configuration file, the environment and flags, fills in defaults and checks
// them. It does not know what the settings are used for while the program runs.
package config
