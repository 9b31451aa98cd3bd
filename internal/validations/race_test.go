//go:build race

package validations

// isRace reports whether the race detector is on, which makes long evaluations about fifteen times slower.
const isRace = true
