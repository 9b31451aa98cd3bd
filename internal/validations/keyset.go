package validations

// keySet holds values by their keys. Most sets are small, and are searched without a map.
type keySet struct {
	keys     []string
	values   []eachValue
	index    map[string]int // of a large set
	isFilled bool           // with the values at the other paths of a rule
}

// smallSet is the maximum size of a set without a map.
const smallSet = 16

func (k *keySet) reset() {
	*k = keySet{keys: k.keys[:0], values: k.values[:0]}
}

// add adds a value. If there is one with the same key, that remains the one that find returns.
func (k *keySet) add(key string, v eachValue) {
	if _, ok := k.find(key); ok {
		return
	}
	k.keys, k.values = append(k.keys, key), append(k.values, v)
	switch {
	case k.index != nil:
		k.index[key] = len(k.keys) - 1
	case len(k.keys) > smallSet:
		k.index = make(map[string]int, 2*len(k.keys))
		for i, key := range k.keys {
			k.index[key] = i
		}
	}
}

func (k *keySet) find(key string) (eachValue, bool) {
	if k.index != nil {
		i, ok := k.index[key]
		if !ok {
			return eachValue{}, false
		}
		return k.values[i], true
	}
	for i := range k.keys {
		if k.keys[i] == key {
			return k.values[i], true
		}
	}
	return eachValue{}, false
}
