package cel

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kindvet/kindvet/internal/cel/environment"
)

// CanonicalQuantity returns a quantity as an API server writes it, such as 2500m for 2.5. isRounded rounds it up to
// thousandths. It returns false for a text that is not a quantity or has too large an exponent.
func CanonicalQuantity(text string, isRounded bool) (string, bool) {
	if len(text) > longestQuantity || !environment.IsQuantityInRange(text) {
		return "", false
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return "", false
	}
	if isRounded {
		q.RoundUp(resource.Milli)
	}
	return q.String(), true
}

// longestQuantity is the maximum number of characters of a quantity that is written again.
const longestQuantity = 1000
