package machine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestBadDescriptions: what is malformed gives one line that says where and why,
// whatever the form.
func TestBadDescriptions(t *testing.T) {
	const head, tail = "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\">\n", "</object>\n</topology>\n"
	const pu = "<object type=\"PU\" os_index=\"0\"/>\n"
	const lscpu = "# CPU,Core,Socket,Node\n0,0,0,0\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"XML cut off":            {head + pu, []string{"hwloc XML, line 5", "unexpected EOF"}},
		"XML of another kind":    {"<html>\n</html>", []string{"line 1", "<html> is no topology"}},
		"XML without CPUs":       {head + tail, []string{"no PU"}},
		"XML syntax":             {head + "<object type=>\n" + tail, []string{"line 4"}},
		"XML entity":             {"<!DOCTYPE a [<!ENTITY b \"c\">]>\n<topology><object type=\"&b;\"/></topology>", []string{"line 2", "entity"}},
		"XML PU without number":  {head + "<object type=\"PU\"/>\n" + tail, []string{"line 4", "os_index"}},
		"XML PU twice":           {head + pu + pu + tail, []string{"CPU 0 is described twice"}},
		"XML huge PU":            {head + "<object type=\"PU\" os_index=\"4000000000\"/>\n" + tail, []string{"line 4", "limit"}},
		"XML wrong PU":           {head + "<object type=\"PU\" os_index=\"-1\"/>\n" + tail, []string{"line 4", "not a number"}},
		"XML huge node":          {head + "<object type=\"NUMANode\" os_index=\"70000\" cpuset=\"0x1\"/>\n" + tail, []string{"line 4", "0..1023"}},
		"XML cpuset":             {head + "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xfgh\"/>\n" + tail, []string{"line 4", "hexadecimal"}},
		"XML huge cpuset":        {head + "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1" + strings.Repeat(",", 1<<16) + "\"/>\n" + tail, []string{"line 4", "too many"}},
		"XML nested without end": {head + strings.Repeat("<object type=\"Group\">", 5000), []string{"line 4", "deeper than"}},
		"XML matrix":             {head + pu + "</object>\n<distances2 type=\"NUMANode\" nbobjs=\"2\" kind=\"5\"><indexes>0 1</indexes><u64values>10</u64values></distances2>\n</topology>", []string{"line 6", "1 values, want 4"}},
		"XML huge matrix":        {head + pu + "</object>\n<distances2 type=\"NUMANode\" nbobjs=\"2000000000\" kind=\"5\"></distances2>\n</topology>", []string{"line 6", "nbobjs"}},
		"lscpu number":           {lscpu + "1,x,0,0\n", []string{"lscpu: line 3", `core "x" is not a number`}},
		"lscpu too many":         {lscpu + "1,0,0,0,5\n", []string{"line 3", "5 values for 4 columns"}},
		"lscpu twice":            {lscpu + "0,0,0,0\n", []string{"CPU 0 is described twice"}},
		"lscpu huge":             {lscpu + "999999999,0,0,0\n", []string{"CPU 999999999"}},
		"lscpu no number":        {lscpu + ",0,0,0\n", []string{"line 3", "no CPU number"}},
		"lscpu no core":          {"# CPU,Socket\n0,0\n", []string{"no column CORE"}},
		"lscpu all offline":      {"# CPU,Core,Online\n0,0,N\n", []string{"no CPU that is online"}},
		"lscpu huge node":        {"# CPU,Core,Node\n0,0,5000\n", []string{"node 5000"}},
		"lscpu long line":        {lscpu + strings.Repeat("1", 2<<20), []string{"line 3", "longer than"}},
		"lscpu no table":         {"CPU(s): 4\n", []string{"cores are unknown"}},
		"lscpu counts":           {"CPU(s): 4\nThread(s) per core: many\n", []string{`Thread(s) per core: "many"`}},
		"lscpu CPUs":             {"CPU(s): A\n", []string{`CPU(s): "A"`}},
		"lscpu all counts":       {"CPU(s): 4\nThread(s) per core: a\nCore(s) per socket: b\nSocket(s): c\n", []string{"is not a number"}},
		"lscpu node list":        {"CPU(s): 4\nThread(s) per core: 1\nCore(s) per socket: 4\nSocket(s): 1\nNUMA node0 CPU(s): 0-x\n", []string{"NUMA node0 CPU(s)"}},
		"lscpu 0 CPUs":           {"CPU(s): 0\nThread(s) per core: 1\n", []string{"no CPU that is online"}},
		"JSON cut off":           {`{"lscpu": [{"field":`, []string{"lscpu JSON: byte", "truncated"}},
		"JSON of another kind":   {`{"a": 1}`, []string{`neither "lscpu" nor "cpus"`}},
		"JSON types":             {`{"lscpu": 5}`, []string{"lscpu JSON: byte"}},
		"JSON nested":            {`{"lscpu":` + strings.Repeat(`[{"children":`, 20000), []string{"lscpu JSON: byte", "depth"}},
		"JSON number":            {`{"cpus":[{"cpu":0,"core":0.5}]}`, []string{`core "0.5"`}},
		"JSON without CPU":       {`{"cpus":[{"core":0}]}`, []string{"no column CPU"}},
		"YAML of nothing":        {"layout:\n", []string{"YAML", "neither layout nor parts"}},
		"YAML of both":           {"layout: {sockets: 1, cores: 1, threads: 1}\nparts: {online: 0}\n", []string{"both"}},
		"YAML unknown key":       {"parts: {online: 0, speed: 5}\n", []string{"YAML", "speed"}},
		"YAML list":              {"parts: {online: 0-x}\n", []string{"online"}},
		"YAML empty list":        {"parts: {online: \"\"}\n", []string{"online: the list is empty"}},
		"YAML huge":              {"parts: {online: 0-999999999}\n", []string{"online"}},
		"YAML family":            {"layout: {sockets: 1, cores: 1, threads: 1}\nextends: nothing\n", []string{`cost family "nothing"`}},
		"YAML distances":         {"parts: {online: 0, nodes: [{id: 0, distances: [10, 20]}]}\nextends: cascadelake\n", []string{"2 distances for 1 nodes"}},
		"YAML capacity":          {"parts: {online: 0, capacities: [{capacity: 5000, cpus: 0}]}\nextends: cascadelake\n", []string{"capacity 5000"}},
		"YAML counts":            {"parts: {online: 0, counts: {l7: 5}}\nextends: cascadelake\n", []string{"l7"}},
	} {
		m, err := readDescription(strings.NewReader(c.text), "x")
		if err == nil || m != nil {
			t.Errorf("%s: machine %v, error %v", name, m != nil, err)
			continue
		}
		if s := err.Error(); strings.Contains(s, "\n") || len(s) > 500 {
			t.Errorf("%s: not one short line: %q", name, s)
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q lacks %q", name, err, w)
			}
		}
	}
}

// TestEveryDescriptionCut: a text that ends anywhere is an error or a machine, and
// never a panic.
func TestEveryDescriptionCut(t *testing.T) {
	m, err := Load("synthetic:sockets=2,cores=2,threads=2")
	if err != nil {
		t.Fatal(err)
	}
	var yaml bytes.Buffer
	if err := m.WriteYAML(&yaml); err != nil {
		t.Fatal(err)
	}
	texts := []string{asXML(m, ""), asXML(m, "3.0"), yaml.String()}
	for _, write := range lscpuForms {
		texts = append(texts, write(m))
	}
	for _, text := range texts {
		for n := range len(text) {
			if n%7 == 0 {
				_, _ = readDescription(strings.NewReader(text[:n]), "x")
			}
		}
	}
}

func FuzzDescription(f *testing.F) {
	m, err := Load("synthetic:sockets=2,cores=2,threads=2")
	if err != nil {
		f.Fatal(err)
	}
	for _, version := range []string{"", "2.0", "3.0"} {
		f.Add([]byte(asXML(m, version)))
	}
	for _, write := range lscpuForms {
		f.Add([]byte(write(m)))
	}
	f.Add([]byte("CPU(s): 4\nThread(s) per core: 1\nCore(s) per socket: 4\nSocket(s): 1\nNUMA node0 CPU(s): 0-3\n"))
	f.Add([]byte(`{"lscpu": [{"field":"CPU(s):","data":"8","children":[{"field":"Socket(s):","data":1}]}]}`))
	f.Add([]byte("parts: {online: 0-3, cores: [\"0,2\"], nodes: [{id: 0, cpus: 0-3, distances: [10]}]}\nextends: cascadelake\n"))
	f.Add([]byte("layout: {sockets: 1, cores: 2, threads: 2}\nextends: xeon\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readDescription(bytes.NewReader(data), "x")
		if err != nil {
			if s := err.Error(); strings.Contains(s, "\n") || len(s) > 2000 {
				t.Errorf("not one short line: %q", s)
			}
			return
		}
		if m == nil {
			return // an archive, for others to read
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		_ = fmt.Sprint(m.Summary(), m.Hardware)
	})
}
