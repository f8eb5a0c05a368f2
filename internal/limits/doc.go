// Package limits tests that docs/limits.md has the size and time limits of the program that are not
// settings. Each limit is a constant or a default of the package that enforces it; the test reads the
// values there. No product code imports this package.
package limits
