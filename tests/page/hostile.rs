//! Programs whose names and texts are made to be taken for something else.

/// Programs that violate what is asked of them, and the options that ask.
pub fn programs() -> Vec<(String, Vec<String>)> {
    let names = [
        "</script><img src=x onerror=alert(1)>".to_owned(),
        "<!--<script>".to_owned(),
        "\"'><b onclick=\"alert(1)\">&amp;&lt;".to_owned(),
        "]]>\\u003c\\".to_owned(),
        "a\u{2028}b\u{2029}c".to_owned(),
        "\u{202e}abc\u{200f}\u{2066}".to_owned(),
        "__proto__".to_owned(),
        "𝒳 é\u{301}".to_owned(),
        "n".repeat(10_000),
    ];
    let asked = || ["--assertions", "--terminates"].map(str::to_owned).to_vec();
    let plain = |name: &String| {
        let text = format!(
            "// {name}\ndecl {{{name}}};\nvoid f({{{name}}}) begin while (1) do skip; od end\n\
             void main() begin {{{name}}} := 1; if (*) then f({{{name}}}); fi assert(!{{{name}}}); end\n"
        );
        (text, asked())
    };
    names.iter().map(plain).collect()
}
