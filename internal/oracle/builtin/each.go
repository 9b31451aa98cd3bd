package builtin

import (
	"runtime"
	"sync"
)

// Each calls f for each index below n, on all processors.
func Each(n int, f func(i int)) {
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for p := range processors {
		workers.Go(func() {
			for i := p; i < n; i += processors {
				f(i)
			}
		})
	}
	workers.Wait()
}
