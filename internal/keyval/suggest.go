package keyval

import (
	"fmt"
	"strings"
)

// Unknown is the error for a name that does not exist: it lists what does, and
// says which of it was probably meant. kind is what is named ("key", "workload").
func Unknown(kind, name string, names []string) error {
	return fmt.Errorf("unknown %s %q%s (there are %s)", kind, clip(name), suggestion(name, names), strings.Join(names, ", "))
}

// suggestion is ", did you mean X?", or nothing when no name is near.
func suggestion(name string, names []string) string {
	best, nearest := "", len(name)
	for _, n := range names {
		// Two slips in a word of four letters are another word.
		if d := edits(name, n); d < nearest && 2*d < max(len(name), len(n)) && d <= maxSlips {
			best, nearest = n, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// maxSlips is how many letters may differ between what was typed and what was meant.
const maxSlips = 2

// edits is the Levenshtein distance: how many bytes must be added, dropped or
// changed to turn a into b. Lengths that alone exceed maxSlips are not compared.
func edits(a, b string) int {
	if diff := len(a) - len(b); diff > maxSlips || diff < -maxSlips {
		return maxSlips + 1
	}
	row := make([]int, len(b)+1) // of a's prefix so far to every prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// clip shortens what a user typed to what an error can show.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	end := 0
	for i := range s {
		if i > most {
			break
		}
		end = i
	}
	return s[:end] + "..."
}
