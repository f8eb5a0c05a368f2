package markdown

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"line breaks stay", "a\nb", "<p>a<br/>\nb</p>\n"},
		{"headings stand below ours, without a gap", "# A\n### B", "<h4>A</h4>\n<h5>B</h5>\n"},
		{"a first heading is the next level", "### B", "<h4>B</h4>\n"},
		{"lists", "3. x\n4. *y*", "<ol start=\"3\">\n<li>x</li>\n<li><em>y</em></li>\n</ol>\n"},
		{"tables scroll", "|a|n|\n|--|--:|\n|x|1|", "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">n</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>x</td>\n<td align=\"right\">1</td>\n</tr>\n</tbody>\n</table></div>\n"},
		{"code", "```go\na < b\n```", "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>\n"},
		{"a link leaves", "[here](https://x.example/)", `<p><a href="https://x.example/" title="https://x.example/" rel="nofollow noreferrer noopener" target="_blank">here</a></p>` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Render(c.text)
			if !ok || strings.ReplaceAll(string(got), "<br>", "<br/>") != c.want {
				t.Errorf("got %v %q, want %q", ok, got, c.want)
			}
		})
	}
}

// attacks are texts of an agent that wants to run a script, to fetch something, or to lead astray.
var attacks = []string{
	"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<svg/onload=alert(1)>", "<a href=\"javascript:alert(1)\">x</a>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](&#106;avascript:alert(1))", "[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](vbscript:x)",
	"[x](/signout)", "[x](//evil.example)", "[x](../admin)", "![x](https://evil.example/pixel.png)", "![](https://evil.example/pixel.png)",
	"[x](https://evil.example \"\\\" onmouseover=alert(1) x=\\\"\")", "<https://evil.example/\"onclick=alert(1)>", "<javascript:alert(1)>",
	"```\"><script>alert(1)</script>\nx\n```", "<style>*{display:none}</style>", "<iframe src=https://evil.example>", "<form action=/signout><button>x</button></form>",
	"|<script>alert(1)</script>|\n|--|\n|<b onclick=x>y</b>|", "[a]: javascript:alert(1)\n\n[a]", "<!-- --><script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;",
	"<table><tr><td style=x>", "<pre>x", "[x](https://user:pass@evil.example)", "<div class=\"scroll\">",
}

func TestNothingOfAnAgentIsActive(t *testing.T) {
	for _, text := range attacks {
		got, ok := Render(text)
		if !ok {
			t.Fatalf("%q is not rendered", text)
		}
		for _, wrong := range active(t, string(got)) {
			t.Errorf("%q became %s: %s", text, wrong, got)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, text := range attacks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := Render(text)
		for _, wrong := range active(t, string(got)) {
			t.Errorf("%q became %s: %s", text, wrong, got)
		}
	})
}

// active returns what does not belong into rendered text.
func active(t *testing.T, markup string) (wrong []string) {
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	harmless := " p br hr h4 h5 h6 em strong del code pre blockquote ul ol li table thead tbody tr th td a div "
	attributes := " start align href title rel target class tabindex "
	for _, root := range nodes {
		all := []*html.Node{root}
		for n := range root.Descendants() {
			all = append(all, n)
		}
		for _, n := range all {
			if n.Type == html.ElementNode && !strings.Contains(harmless, " "+n.Data+" ") || n.Type == html.CommentNode {
				wrong = append(wrong, "the element "+n.Data)
			}
			for _, a := range n.Attr {
				if !strings.Contains(attributes, " "+a.Key+" ") {
					wrong = append(wrong, "the attribute "+a.Key)
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "https:") && !strings.HasPrefix(a.Val, "http:") && !strings.HasPrefix(a.Val, "mailto:") {
					wrong = append(wrong, "a link to "+a.Val)
				}
			}
		}
	}
	return wrong
}

func TestHostileTextCostsLittle(t *testing.T) {
	for name, unit := range map[string]string{
		"quotes": ">", "brackets": "[", "pictures": "![", "emphasis": "*a_", "code": "`a", "table": "|a", "rows": "|a|\n|-|\n", "lists": "- ", "links": "[a](", "lines": "> a\n>> b\n", "addresses": "http://a ",
	} {
		text := strings.Repeat(unit, Longest/len(unit))
		began := time.Now()
		Render(text)
		Render(strings.ReplaceAll(text[:Longest*9/10], unit+unit+unit+unit+unit+unit+unit+unit+unit+unit, unit+unit+unit+unit+unit+unit+unit+unit+unit+"\n\n")) // in many blocks
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
	for name, text := range map[string]string{
		"a wide head": strings.Repeat("|a", 2500) + "\n" + strings.Repeat("|-", 2500) + "\n" + strings.Repeat("|\n", 1900),
		"deep lists":  strings.Repeat("- ", 2000) + "a\n" + strings.Repeat("\n", 1900), "deep numbers": strings.Repeat("1. ", Longest/3),
		"lines": strings.Repeat("a\n", Longest/2),
	} {
		if _, ok := Render(text); ok {
			t.Errorf("%s: rendered, which takes seconds or gigabytes", name)
		}
	}
	if _, ok := Render(strings.Repeat("a", Longest+1)); ok {
		t.Error("a text that is too long is rendered")
	}
}

func TestColumnsOfNumbersAreAlignedRight(t *testing.T) {
	got, ok := Render("| cause | count | share | code |\n|---|---|---|:-:|\n| fire | 1,107 | 0.5 | 1 |\n| theft | 9 | none | 2 |\n")
	want := `<tr><th>cause</th><th align="right">count</th><th>share</th><th align="center">code</th></tr>` +
		`<tr><td>fire</td><td align="right">1,107</td><td>0.5</td><td align="center">1</td></tr>` +
		`<tr><td>theft</td><td align="right">9</td><td>none</td><td align="center">2</td></tr>`
	if rows := regexp.MustCompile(`(?s)<tr>.*?</tr>`).FindAllString(strings.ReplaceAll(string(got), "\n", ""), -1); !ok || strings.Join(rows, "") != want {
		t.Errorf("got %s", got)
	}
}
