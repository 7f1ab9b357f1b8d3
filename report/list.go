package report

import (
	"io"
	"slices"
	"strings"

	"schedlab/machine"
	"schedlab/policy"
	"schedlab/workload"
)

// list is a titled table whose columns are JSON keys too.
type list struct {
	key     string // what the JSON array is called
	columns []string
	rows    [][]string
}

func (o Out) list(all ...list) error {
	return o.print(
		func(w io.Writer) error { return listTables(w, all) },
		func(w io.Writer) error { return writeJSON(w, listDoc(all)) },
		func(w io.Writer) error { return listCSV(w, all) },
		nil,
	)
}

func listTables(w io.Writer, all []list) error {
	for i, l := range all {
		if i > 0 {
			if err := lines(w, ""); err != nil {
				return err
			}
		}
		g := grid{header: l.columns, right: len(l.columns)}
		for _, r := range l.rows {
			g.add(slices.Clone(r)...)
		}
		if err := g.write(w); err != nil {
			return err
		}
	}
	return nil
}

// listDoc is every list under its key; the encoder sorts the keys of maps.
func listDoc(all []list) map[string][]map[string]string {
	d := map[string][]map[string]string{}
	for _, l := range all {
		d[l.key] = []map[string]string{}
		for _, r := range l.rows {
			o := map[string]string{}
			for i, c := range l.columns {
				o[c] = r[i]
			}
			d[l.key] = append(d[l.key], o)
		}
	}
	return d
}

// listCSV has a first column that names the list where there are several, and
// the columns of all of them.
func listCSV(w io.Writer, all []list) error {
	if len(all) == 1 {
		return writeCSV(w, all[0].columns, all[0].rows)
	}
	header := []string{"list"}
	at := map[string]int{}
	for _, l := range all {
		for _, c := range l.columns {
			if _, ok := at[c]; !ok {
				at[c] = len(header)
				header = append(header, c)
			}
		}
	}
	var rows [][]string
	for _, l := range all {
		for _, r := range l.rows {
			row := make([]string, len(header))
			row[0] = l.key
			for i, c := range l.columns {
				row[at[c]] = r[i]
			}
			rows = append(rows, row)
		}
	}
	return writeCSV(w, header, rows)
}

// Machines prints the presets.
func (o Out) Machines(presets []machine.PresetInfo) error {
	l := list{key: "machines", columns: []string{"name", "summary"}}
	for _, p := range presets {
		l.rows = append(l.rows, []string{p.Name, p.Summary})
	}
	return o.list(l)
}

// Workloads prints the kinds of workload, and the keys that they have.
func (o Out) Workloads(kinds []workload.Info) error {
	l := list{key: "workloads", columns: []string{"name", "summary", "unit"}}
	keys := list{key: "keys", columns: []string{"workload", "key", "default", "what"}}
	for _, k := range kinds {
		l.rows = append(l.rows, []string{k.Name, k.Summary, k.Unit})
		for _, x := range k.Keys {
			keys.rows = append(keys.rows, []string{k.Name, x.Name, x.Default, x.Doc})
		}
	}
	return o.list(l, keys)
}

// Workload prints one kind of workload: what it does, and its keys.
func (o Out) Workload(k workload.Info) error {
	l := list{key: "keys", columns: []string{"key", "default", "values", "what"}}
	for _, x := range k.Keys {
		l.rows = append(l.rows, []string{x.Name, x.Default, x.Values, x.Doc})
	}
	if o.Format == JSON {
		return writeJSON(o.W, struct {
			Workload string              `json:"workload"`
			Summary  string              `json:"summary"`
			Unit     string              `json:"unit"`
			Doc      string              `json:"doc"`
			Keys     []map[string]string `json:"keys"`
		}{k.Name, k.Summary, k.Unit, k.Doc, listDoc([]list{l})["keys"]})
	}
	if o.Format == CSV {
		return o.list(l)
	}
	steps := []func() error{func() error {
		return facts(o.W, [2]string{"workload", k.Name}, [2]string{"is", k.Summary}, [2]string{"unit", k.Unit})
	}}
	if k.Doc != "" {
		steps = append(steps, func() error { return lines(o.W, "", k.Doc) })
	}
	if len(k.Keys) > 0 {
		steps = append(steps, func() error { return lines(o.W, "") }, func() error { return o.list(l) })
	}
	return inOrder(steps...)
}

// Policies prints the kernel versions that policies start from, and the keys.
func (o Out) Policies(versions []policy.VersionInfo, keys []policy.KeyInfo) error {
	v := list{key: "versions", columns: []string{"version", "summary"}}
	for _, x := range versions {
		v.rows = append(v.rows, []string{x.Name, x.Summary})
	}
	k := list{key: "keys", columns: []string{"key", "values", "in", "what", "reference"}}
	for _, x := range keys {
		in := strings.Join(x.In, " ")
		if o.Format == Table && len(x.In) == len(versions) {
			in = "all"
		}
		k.rows = append(k.rows, []string{x.Name, x.Values, in, x.Doc, x.Ref})
	}
	return o.list(v, k)
}

// Policy prints one policy: every key of its version with its value, and the
// rules that no key changes.
func (o Out) Policy(p *policy.Policy) error {
	l := list{key: "settings", columns: []string{"key", "value", "values", "what", "reference"}}
	for _, s := range p.Settings() {
		l.rows = append(l.rows, []string{s.Name, s.Value, s.Values, s.Doc, s.Ref})
	}
	rules := list{key: "rules", columns: []string{"rule", "text", "reference"}}
	for _, r := range p.FixedRules() {
		rules.rows = append(rules.rows, []string{r.Name, r.Text, r.Ref})
	}
	if o.Format == JSON {
		doc := listDoc([]list{l, rules})
		return writeJSON(o.W, struct {
			Policy   string              `json:"policy"`
			Settings []map[string]string `json:"settings"`
			Rules    []map[string]string `json:"rules"`
		}{p.String(), doc["settings"], doc["rules"]})
	}
	if o.Format == Table {
		if err := inOrder(
			func() error { return facts(o.W, [2]string{"policy", p.String()}) },
			func() error { return lines(o.W, "") },
		); err != nil {
			return err
		}
	}
	return o.list(l, rules)
}

// PolicyDiff prints the keys in which two policies differ, with both values, and
// the rules that no key changes, if they differ in any. A dash stands where a
// version has none.
func (o Out) PolicyDiff(first, second *policy.Policy) error {
	l := list{key: "differences", columns: []string{"key", first.String(), second.String(), "what", "reference"}}
	for _, d := range policy.Diff(first, second) {
		l.rows = append(l.rows, []string{d.Name, orDash(d.First), orDash(d.Second), d.Doc, d.Ref})
	}
	rules := list{key: "rules", columns: []string{"rule", first.String(), second.String(), "reference"}}
	for _, d := range policy.DiffRules(first, second) {
		rules.rows = append(rules.rows, []string{d.Name, orDash(d.First), orDash(d.Second), d.Ref})
	}
	if o.Format == Table && len(rules.rows) == 0 {
		if len(l.rows) == 0 {
			return lines(o.W, "no differences")
		}
		return o.list(l)
	}
	return o.list(l, rules)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
