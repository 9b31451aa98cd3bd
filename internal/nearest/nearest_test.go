package nearest

import (
	"strings"
	"testing"
)

func TestNameFindsSlips(t *testing.T) {
	fields := []string{"targetType", "targetGroupARN", "serviceRef", "networking", "to", "ids", "tags"}
	for _, c := range []struct{ name, want string }{
		{"targetTyp", "targetType"},
		{"targettype", "targetType"},
		{"targetGroupArn", "targetGroupARN"},
		{"servcieRef", "serviceRef"},
		{"tgas", "tags"},
		{"networkPolicies", ""},
		{"x", ""},
		{"tags", ""},
	} {
		if have, _ := Name(c.name, fields); have != c.want {
			t.Errorf("Name(%q): have %q, want %q", c.name, have, c.want)
		}
	}
}

// The cheap checks that rule out candidates must not change the result.
func TestDistanceIsThatOfTheWholeTable(t *testing.T) {
	names := []string{
		"a", "ab", "ba", "abc", "acb", "elbv2.k8s.aws", "ebv2.k8s.aws", "elvb2.k8s.aws", "elbv2.platform.cloud",
		"TargetGroupBinding", "targetgroupbindings", "TargetGruopBinding", "Straße", "STRASSE", "ÄÖÜäöü", "äöüäöu",
		"aaaaaaaaaaaa", "bbbbbbbbbbbb", "abababababab", "İİİİİİ", "İİİİİi", "iiiiii", strings.Repeat("x", longest),
		strings.Repeat("x", longest-1), strings.Repeat("x", longest+1),
	}
	for _, a := range names {
		for _, b := range names {
			have, _ := Name(a, []string{b})
			want := ""
			lower := strings.ToLower
			near := len(a) <= longest && len(b) <= longest && wholeTable(lower(a), lower(b)) <= allowed(a)
			if a != b && (near || strings.EqualFold(a, b)) {
				want = b
			}
			if have != want {
				t.Errorf("Name(%q, %q): have %q, want %q", a, b, have, want)
			}
		}
	}
}

// All pairs of short words over three letters include every way to insert, delete, change and swap letters.
func TestDistanceOfShortWordsIsThatOfTheWholeTable(t *testing.T) {
	words := []string{""}
	for from := 0; len(words) < 3*81; {
		to := len(words)
		for _, w := range words[from:] {
			words = append(words, w+"a", w+"b", w+"c")
		}
		from = to
	}
	for _, a := range words {
		for _, b := range words {
			have, _ := Name(a, []string{b})
			want := ""
			if a != b && wholeTable(a, b) <= allowed(a) {
				want = b
			}
			if have != want {
				t.Fatalf("Name(%q, %q): have %q, want %q", a, b, have, want)
			}
		}
	}
}

// A longer name may have more wrong letters.
func TestHowManyLettersMayBeWrong(t *testing.T) {
	const word = "abcdefghijklmnop"
	for _, c := range []struct{ letters, most int }{
		{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}, {6, 2}, {9, 2}, {10, 2}, {11, 3}, {16, 3},
	} {
		name := word[:c.letters]
		for wrong := 1; wrong <= min(4, c.letters); wrong++ {
			_, ok := Name(name, []string{strings.Repeat("0", wrong) + name[wrong:]})
			if want := wrong <= c.most; ok != want {
				t.Errorf("%d of %d letters are wrong: have %v, want %v", wrong, c.letters, ok, want)
			}
		}
	}
}

func TestTheNearestNameWinsAndOfEqualsTheFirst(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"replicsa", []string{"replica", "replicas"}, "replica"}, // one letter more; two swapped
		{"replicaz", []string{"replicbb", "replicas"}, "replicas"},
		{"portName", []string{"portNamf", "portname"}, "portname"}, // a difference in case is nearer than an edit
		{"tagz", []string{"tags", "tagy"}, "tags"},
	} {
		if have, _ := Name(c.name, c.candidates); have != c.want {
			t.Errorf("Name(%q, %q): have %q, want %q", c.name, c.candidates, have, c.want)
		}
	}
}

func wholeTable(a, b string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		table[i][0] = i
	}
	for j := range len(b) + 1 {
		table[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestNamesAreComparedWithoutMemory(t *testing.T) {
	candidates := []string{"TargetGroupBinding", "IngressClassParams", "ClusterNetworkPolicy", "TargetGruopBinding"}
	name := "TargetGroupBindings"
	if n := testing.AllocsPerRun(10, func() { Name(name, candidates) }); n > 1 { // the name in lower case
		t.Errorf("%v allocations", n)
	}
}

func TestSlipIsANameThatWasAlmostCertainlyMeantToBeAnother(t *testing.T) {
	known := []string{
		"action", "to", "ports", "domainNames", "join_method", "roles", "ipv6", "cpu", "minReplicas", "subnet1",
		"name", "uri",
	}
	for _, c := range []struct{ name, want string }{
		{"acton", "action"},
		{"domainName", "domainNames"},
		{"join_methd", "join_method"},
		{"joinMethod", "join_method"},
		{"rolse", "roles"},
		{"port", "ports"},
		{"URI", "uri"},
		{"Name", "name"},
		{"nam", ""}, // with three letters it is another word
		{"nama", "name"},
		{"gpu", ""},
		{"ipv4", ""},
		{"subnet2", ""},
		{"subnets", ""},
		{"maxReplicas", ""}, // two edits
		{"action", ""},
		{"", ""},
		{"-", ""},
	} {
		have, ok := Slip(c.name, known)
		if have != c.want || ok != (c.want != "") {
			t.Errorf("Slip(%q) is %q, %v; want %q", c.name, have, ok, c.want)
		}
	}
}

func TestTwinIsAnotherSpellingOfAName(t *testing.T) {
	known := []string{"roles", "to", "rules", "bot_name", "ipv4"}
	for _, c := range []struct{ name, want string }{
		{"rolse", "roles"}, {"orles", "roles"}, {"ruels", "rules"}, {"Roles", "roles"}, {"botName", "bot_name"},
		{"TO", "to"},
		{"role", ""}, {"ot", ""}, {"roles", ""}, {"sores", ""}, {"rlose", ""}, {"ipv6", ""}, {"IPv4", "ipv4"},
		{"", ""}, {"4", ""},
	} {
		if have, ok := Twin(c.name, known); have != c.want || ok != (c.want != "") {
			t.Errorf("Twin(%q) is %q, %v; want %q", c.name, have, ok, c.want)
		}
	}
}

// A value that is one letter away from an allowed one may be its opposite.
func TestValueIsNeverAnOpposite(t *testing.T) {
	allowed := []string{"internal", "internet-facing", "ipv4", "dualstack", "Foreground", "Background", "True", "inbound"}
	for _, c := range []struct{ value, want string }{
		{"external", ""}, {"ipv6", ""}, {"IPv4", "ipv4"}, {"Internal", "internal"}, {"intrenal", "internal"},
		{"internet", "internet-facing"}, {"inter", ""}, {"internetfacing", "internet-facing"}, {"in", ""},
		{"foreground", "Foreground"}, {"Froeground", "Foreground"}, {"Frground", ""}, {"Backg", "Background"},
		{"true", "True"}, {"Tru", "True"}, {"rue", ""}, {"unbound", ""}, {"outbound", ""}, {"ipv4", ""}, {"", ""},
	} {
		w := WorkFor(0)
		if have, ok := w.Value(c.value, allowed); have != c.want || ok != (have != "") {
			t.Errorf("Value(%q) is %q, %v; want %q", c.value, have, ok, c.want)
		}
	}
}

func TestNameIsNeverAnOpposite(t *testing.T) {
	for _, c := range []struct{ name, candidate string }{
		{"minItems", "maxItems"}, {"ingressRules", "egressRules"}, {"internalPort", "externalPort"},
		{"minAvailable", "maxUnavailable"}, {"startDate", "endDate"}, {"readOnly", "writeOnly"}, {"preStop", "postStop"}, {"ipv6Addresses", "ipv4Addresses"},
	} {
		for _, pair := range [][2]string{{c.name, c.candidate}, {c.candidate, c.name}} {
			if have, ok := Name(pair[0], []string{pair[1]}); ok {
				t.Errorf("Name(%q) is %q", pair[0], have)
			}
		}
	}
	if have, _ := Name("minItms", []string{"maxItems", "minItems"}); have != "minItems" {
		t.Errorf("have %q", have)
	}
}

// The work for a document is proportional to its size. Once it is used up, no name is found.
func TestWorkEnds(t *testing.T) {
	w := Work{Left: 5}
	far := []string{"alpha", "beta", "gamma", "delta", "epsilon"}
	if _, ok := w.Name("targetType", far); ok || w.Left != 0 {
		t.Errorf("%v, %d left", ok, w.Left)
	}
	for what, find := range map[string]func(string, []string) (string, bool){"Name": w.Name, "Value": w.Value,
		"Slip": w.Slip, "Twin": w.Twin} {
		if _, ok := find("Name", []string{"name"}); ok {
			t.Errorf("%s finds a name", what)
		}
	}
	if small, large := WorkFor(0).Left, WorkFor(1<<20).Left; small < 1000 || large < small || large > 100_000_000 {
		t.Errorf("%d, %d", small, large)
	}
}
