package formats

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

var samples = []string{
	"", "a", "-", "A", "é", "\x00", "\xff", "a b", "0", "1", "a\n", "a-", "a.b", "a..b", "a.-b", "-a.b", "a_b", "😀",
	"😀.com", "a.c", "a.co",
	"0123456789abcdef01234567", "0123456789abcdef0123456", "0123456789ABCDEF0123456g",
	"aGVsbG8=", "aGVsbG8", "====", "ab==", "ab/+", "ab_-", "abcde===", "YQ==\n",
	"10.0.0.0/8", "010.0.0.0/08", "::/0", "10.0.0.0/33", "10.0.0.0", "127.0.0.1", "127.000.000.001", "::1",
	"::ffff:1.2.3.4", "fe80::1%a", "1.2.3", "256.0.0.1",
	"4220855426222389", "4220 8554 2622 2389", "4220855426213389", "374953669708156", "6011464355444102",
	"3548209662790989", "5139288802098206", "30190239451016",
	"2024-02-29", "2023-02-29", "2024-1-1", "2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "2024-01-01T24:00:00Z",
	"2024-01-01T00:00:60Z", "2024-01-01T00:00:00",
	"2024-01-01T00:00:00.123456789+01:00", "2024-01-01T00:00:00x5Z", "2024-01-01T00:00:00.Z",
	"2024-01-01T00:00:00.123", "2024-01-01tt", "2024-01-01T00:00:00Zt",
	"1h30m", "3 days 2 h", "1 d", "1w", "5 weeks", "1 µs", "1 micros", "2 mins", "2 m", "10 milliseconds", "1 nanos",
	"1 secs", "1 x", "99999999999999999999 s", "1h x", "3HOURS",
	"-1s", "1.5 h", "1 hr", "1 hrs", "1 wk", "1 wks", "9223372036854775807 w", "1 S", "1 sſ",
	"a@b", "a@b.c", "A <a@b.c>", "a@", "@b", "fff", "#ff00FF", "#ff", "rgb(0,31,255)", "rgb(0,  31, 255)",
	"rgb(256,0,0)", "rgb(01,0,0)", "rgb( 0,0,0 )",
	"3836221195", "1-61729-085-8", "3 401 01319 X", "3 401 01319 x", "9784873113685", "978-4-87311-368-5",
	"9784873113686", "3836221194", "X836221195", "0000000000", "0000000000000",
	"123-45-6789", "123 45 6789", "123456789", "123-45-678a", "00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01",
	"0000.5e00.5301", "00:00", "0000.5e00.5301.0000", "00:00:5e:00:53-01", "0:00:5e:00:53:001",
	"00:00:5E:00:53:0g", "00:00:00:00:00:00:00", "00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00",
	"0000.0000.0000.0000.0000.0000.0000.0000.0000.0000", "0000.0000",
	"https://a/b?c#d", "/a", "mailto:a", "http://[::1", "http://a/%zz", "*",
	"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B32D3A456426614174000",
	"123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-52d3-8456-426614174000",
	"123e4567-e89b-52d3-c456-426614174000",
}

// Each format accepts what upstream accepts, and each text has the same value, or the same error.
func FuzzFormatsAreThoseOfUpstream(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	f.Add(string(bytes.Repeat([]byte("a"), 63)))
	f.Add(string(bytes.Repeat([]byte("a"), 64)))
	for _, size := range []int{62, 63} { // a label with a dash
		f.Add("a-" + string(bytes.Repeat([]byte("a"), size-1)))
		f.Add("b.a-" + string(bytes.Repeat([]byte("a"), size-1)))
	}
	f.Add(string(bytes.Repeat([]byte("a."), 126)) + "aa")
	f.Add(string(bytes.Repeat([]byte("a."), 126)) + "a")
	f.Add(string(bytes.Repeat([]byte("ab."), 84)) + "abc")
	f.Add(string(bytes.Repeat([]byte("ab."), 84)) + "abcd")
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range ofCRDs {
			if have, want := of.Check(text), strfmt.Default.Validates(of.Name, text); have != want {
				t.Errorf("%s %q: have %v, want %v", of.Name, text, have, want)
			}
		}
		compare(t, text, ParseDuration, strfmt.ParseDuration)
		compare(t, text, ParseDateTime, func(text string) (time.Time, error) {
			d, err := strfmt.ParseDateTime(text)
			return time.Time(d), err
		})
		compare(t, text, asString(DecodeBase64), asString(func(text string) ([]byte, error) {
			var b strfmt.Base64
			err := b.UnmarshalText([]byte(text))
			return b, err
		}))
	})
}

// compare compares the results of two functions, and the texts of their errors.
func compare[T comparable](t *testing.T, text string, ours, upstream func(string) (T, error)) {
	t.Helper()
	have, err := ours(text)
	want, upstreamErr := upstream(text)
	if errorText(err) != errorText(upstreamErr) || err == nil && have != want {
		t.Errorf("%q: have %v, %v; want %v, %v", text, have, err, want, upstreamErr)
	}
}

func asString(f func(string) ([]byte, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		b, err := f(text)
		return string(b), err
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Each format accepts and rejects at least one sample; otherwise the comparison says little.
func TestSamplesTryBothSidesOfEachFormat(t *testing.T) {
	for _, of := range ofCRDs {
		if of.Name != "password" && !slices.ContainsFunc(samples, of.Check) { // a password is any string
			t.Errorf("no sample is a %s", of.Name)
		}
	}
}

func TestThereIsNoFormatWithAnotherName(t *testing.T) {
	for _, name := range []string{"", "ipv", "other", "dns-label"} {
		if _, ok := ForCRDs(name); ok {
			t.Errorf("%q is a format", name)
		}
	}
}
