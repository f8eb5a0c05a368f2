// Package cli knows the commands of the program: each decodes its flags, calls one
// function and prints the result. It does not know the wires or the database.
package cli
