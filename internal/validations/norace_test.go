//go:build !race

package validations

const isRace = false
