package report

import (
	"io"
	"strconv"
	"strings"

	"schedlab/domain"
	"schedlab/machine"
)

type domainsDoc struct {
	CPUs   []cpuDomainsDoc `json:"cpus"`
	Counts countsDoc       `json:"counts"`
}

type cpuDomainsDoc struct {
	CPU     int         `json:"cpu"`
	LLC     llcDoc      `json:"llc"`
	Domains []domainDoc `json:"domains"` // bottom up
}

type llcDoc struct {
	ID   int `json:"id"`
	Size int `json:"size"`
}

type domainDoc struct {
	Name           string     `json:"name"`
	Level          int        `json:"level"`
	Span           string     `json:"span"`
	Flags          []string   `json:"flags"`
	Groups         []groupDoc `json:"groups"` // from the CPU's own on
	MinInterval    int        `json:"min_interval"`
	MaxInterval    int        `json:"max_interval"`
	BusyFactor     int        `json:"busy_factor"`
	ImbalancePct   int        `json:"imbalance_pct"`
	CacheNiceTries int        `json:"cache_nice_tries"`
	ImbNUMA        int        `json:"imb_numa_nr"`
}

type groupDoc struct {
	Span  string   `json:"span"`
	Flags []string `json:"flags"`
}

func newDomainsDoc(m *machine.Machine, d *domain.Domains, r domain.Rules) domainsDoc {
	out := domainsDoc{CPUs: []cpuDomainsDoc{}, Counts: newCountsDoc(m)}
	for id := range d.CPUs {
		if !m.CPUs[id].Possible {
			continue
		}
		c := &d.CPUs[id]
		doc := cpuDomainsDoc{CPU: id, LLC: llcDoc{c.LLC, c.LLCSize}, Domains: []domainDoc{}}
		for _, l := range c.Levels {
			doc.Domains = append(doc.Domains, newDomainDoc(l, r))
		}
		out.CPUs = append(out.CPUs, doc)
	}
	return out
}

func newDomainDoc(l *domain.Domain, r domain.Rules) domainDoc {
	doc := domainDoc{
		Name: l.Name, Level: l.Level, Span: l.Span.String(), Flags: flagList(l.Flags, r), Groups: []groupDoc{},
		MinInterval: l.MinInterval, MaxInterval: l.MaxInterval, BusyFactor: l.BusyFactor,
		ImbalancePct: l.ImbalancePct, CacheNiceTries: l.CacheNiceTries, ImbNUMA: l.ImbNUMA,
	}
	for i := range l.Groups {
		g := l.Groups[(l.First+i)%len(l.Groups)]
		doc.Groups = append(doc.Groups, groupDoc{g.Span.String(), flagList(g.Flags, r)})
	}
	return doc
}

func flagList(f domain.Flags, r domain.Rules) []string {
	return append([]string{}, strings.Fields(r.FlagNames(f))...)
}

// domainsCSV has a row per CPU and domain; flags and groups' spans are separated
// by blanks.
func domainsCSV(w io.Writer, d *domain.Domains, r domain.Rules) error {
	header := []string{"cpu", "name", "level", "span", "flags", "groups", "min_interval", "max_interval",
		"busy_factor", "imbalance_pct", "cache_nice_tries", "imb_numa_nr"}
	var rows [][]string
	for id := range d.CPUs {
		for _, l := range d.CPUs[id].Levels {
			doc := newDomainDoc(l, r)
			var groups []string
			for _, g := range doc.Groups {
				groups = append(groups, g.Span)
			}
			row := []string{strconv.Itoa(id), l.Name, strconv.Itoa(l.Level), doc.Span,
				strings.Join(doc.Flags, " "), strings.Join(groups, " ")}
			for _, n := range []int{l.MinInterval, l.MaxInterval, l.BusyFactor, l.ImbalancePct, l.CacheNiceTries, l.ImbNUMA} {
				row = append(row, strconv.Itoa(n))
			}
			rows = append(rows, row)
		}
	}
	return writeCSV(w, header, rows)
}
