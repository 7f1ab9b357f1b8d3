package cpumask

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseList(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []int
	}{
		{"", nil},
		{"\n", nil},
		{"0", []int{0}},
		{"0\n\x00", []int{0}},
		{" 3 , 1 ", []int{1, 3}},
		{"0-3,8", []int{0, 1, 2, 3, 8}},
		{"8,0-3,2", []int{0, 1, 2, 3, 8}},
		{"5-5", []int{5}},
		{"63-65", []int{63, 64, 65}},
		{"1,,2,", []int{1, 2}},
		{"0-7:1/2", []int{0, 2, 4, 6}},
		{"0-7:2/4", []int{0, 1, 4, 5}},
		{"1-6:2/4", []int{1, 2, 5, 6}},
		{"0-4:3/4", []int{0, 1, 2, 4}},
		{"0-3:4/4", []int{0, 1, 2, 3}},
		{"0-3:1/9", []int{0}},
		{"007", []int{7}},
		{"65535", []int{65535}},
	} {
		m, err := ParseList(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
		} else if got := slices.Collect(m.All()); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.in, got, c.want)
		}
	}
}

func TestParseListErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a", `"a" is not a CPU number`},
		{"1-", `item "1-"`},
		{"-1", `item "-1"`},
		{"1--2", `item "1--2"`},
		{"1,5-2", `item "5-2": range runs backwards`},
		{"65536", "beyond the limit of 65536 CPUs"},
		{"0-99999999", "beyond the limit"},
		{"99999999999999999999", "is not a CPU number"},
		{"0x3", "is not a CPU number"},
		{"0-7:2", "is not a CPU number"},
		{"0-7:0/4", "stride is not USED/GROUP"},
		{"0-7:5/4", "stride is not USED/GROUP"},
		{"3:1/2", "stride is not USED/GROUP"},
		{"0-7:1/0", "stride is not USED/GROUP"},
		{"0-7:1/2/3", "is not a CPU number"},
		{"1 2", "is not a CPU number"},
		{"(null)", "is not a CPU number"},
	} {
		if m, err := ParseList(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, error %v, want %q", c.in, m, err, c.want)
		}
	}
}

func TestString(t *testing.T) {
	for want, m := range map[string]Mask{
		"": nil, "0": Of(0), "0-1": Of(0, 1), "0,2": Of(0, 2), "62-65,70": Of(62, 63, 64, 65, 70), "0-4095": Full(4096),
	} {
		if got := m.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestParseHex(t *testing.T) {
	for in, want := range map[string]string{
		"0": "", "1": "0", "f": "0-3", "F\n": "0-3", "0xff": "0-7",
		"00000000,00000001": "0", "1,00000000": "32", "ff,0000000f": "0-3,32-39",
		"1,0": "32", "80000000,00000000,00000001": "0,95",
		"100000000": "32", "f0000000000000000": "64-67", "ffffffffffffffff": "0-63",
		"\x00f\x00": "0-3", " f ": "0-3", "1, 0": "32",
	} {
		if m, err := ParseHex(in); err != nil || m.String() != want {
			t.Errorf("%q: got %q, want %q (error %v)", in, m, want, err)
		}
	}
}

func TestParseHexErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "is not a hexadecimal number"},
		{"g", `"g" is not`},
		{"1,,2", `"" is not`},
		{"1,100000000", `"100000000" is not`},
		{"-1", `"-1" is not`},
		{strings.Repeat("0,", MaxParsed/32) + "0", "beyond the limit"},
		{strings.Repeat("f", MaxParsed/4+1), "is not a hexadecimal number"},
	} {
		if m, err := ParseHex(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, error %v, want %q", c.in, m, err, c.want)
		}
	}
}

// hex prints a mask as the kernel does; the package itself never needs to.
func hex(m Mask) string {
	var words []string
	for id := max(m.Last(), 0) / 32 * 32; id >= 0; id -= 32 {
		var w uint32
		for bit := range 32 {
			if m.Test(id + bit) {
				w |= 1 << bit
			}
		}
		words = append(words, fmt.Sprintf("%08x", w))
	}
	return strings.Join(words, ",")
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, m := pair(t, "ids")
		fromList, err := ParseList(m.String())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "list", fromList, s)
		fromHex, err := ParseHex(hex(m))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "hex", fromHex, s)
		unbroken, err := ParseHex(strings.ReplaceAll(hex(m), ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "unbroken hex", unbroken, s)
	})
}

func FuzzParseList(f *testing.F) {
	for _, s := range []string{"", "0-3,8\n", "0-31:2/4", "0-65535", "1,,2\x00", "9-1", "0-7:9/3", "65536"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseList(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		if m.Last() >= MaxParsed {
			t.Errorf("%q: holds %d", s, m.Last())
		}
		if again, err := ParseList(m.String()); err != nil || !again.Equal(m) {
			t.Errorf("%q: %s came back as %s (error %v)", s, m, again, err)
		}
	})
}

func FuzzParseHex(f *testing.F) {
	for _, s := range []string{"0", "ff,0000000f", "0xffffffffffffffff", "1,,2", ",", "00000000,00000001\n\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseHex(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error is not one line: %q", err)
			}
			return
		}
		if m.Last() >= MaxParsed {
			t.Errorf("%q: holds %d", s, m.Last())
		}
		if again, err := ParseHex(hex(m)); err != nil || !again.Equal(m) {
			t.Errorf("%q: %s came back as %s (error %v)", s, m, again, err)
		}
	})
}
