// Package sample isn't used (by anyone.
package sample

import "fmt"

/* A comment with ` and " and {. */
var raw = `a raw "string" with \ and (
and a second line`

var runes = []rune{'a', '\'', '"', '(', '\u00e4', 'ä'}

func sum(list map[string][]int) (total int, err error) {
	for key, values := range list {
		if len(values) == 0 {
			return 0, fmt.Errorf("no values for %q: \"%v\" {", key, values)
		}
		for _, value := range values[1:] {
			total += value / 2
		}
	}
	return func(a int) int { return a }(total), nil
}
