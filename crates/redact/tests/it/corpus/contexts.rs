//! Where a value can stand: files, headers, code, logs.

use super::{Gen, title};

const NAMES: [&str; 8] = [
    "api_key",
    "API_TOKEN",
    "SERVICE_SECRET",
    "accessToken",
    "auth_token",
    "client_secret",
    "DEPLOY_TOKEN",
    "serviceCredential",
];
const PLAIN: [&str; 8] = ["value", "item", "arg", "first", "input", "x", "data", "result"];

/// A template: `%N` is a secret-like name, `%P` a plain one, `%S` the value.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    pub(crate) name: &'static str,
    pub(crate) noise: &'static str,
    template: &'static str,
    keep: &'static [&'static str],
}

impl Context {
    pub(crate) fn is_named(&self) -> bool {
        self.template.contains("%N")
    }

    /// What stands before and behind the value, and what must stay.
    pub(crate) fn fill(&self, g: &mut Gen) -> (String, String, Vec<String>) {
        let name = g.pick(&NAMES);
        let text = self.template.replace("%N", name).replace("%P", g.pick(&PLAIN));
        let (before, after) = text.split_once("%S").expect("every template has a value");
        let mut keep: Vec<String> = self.keep.iter().map(|keep| (*keep).to_owned()).collect();
        if self.is_named() {
            keep.push(name.to_owned());
        }
        (before.to_owned(), after.to_owned(), keep)
    }
}

pub(crate) fn contexts() -> Vec<Context> {
    let rows: [(&str, &str, &str, &[&str]); 31] = [
        ("env", "kv", "%N=%S", &[]),
        ("env_quoted", "kv", "export %N=\"%S\"", &[]),
        ("yaml", "yaml", "  %N: %S", &[]),
        ("yaml_quoted", "yaml", "  %N: '%S'", &[]),
        ("json", "c", "  \"%N\": \"%S\",", &[]),
        ("json_escaped", "c", "  \"body\": \"{\\\"%N\\\":\\\"%S\\\"}\",", &[]),
        ("toml", "kv", "%N = \"%S\"", &[]),
        ("ini", "kv", "%N=%S", &[]),
        ("python", "py", "%N = \"%S\"", &[]),
        ("python_plain", "py", "run([%P, '%S', 3])", &["run("]),
        ("js", "c", "const %N = '%S';", &[]),
        (
            "js_template",
            "c",
            "fetch(`https://api.acme.example/v1?x=%S`)",
            &["https://api.acme.example/v1?x="],
        ),
        ("go", "c", "\t%N := \"%S\"", &[]),
        ("rust", "c", "let %N: &str = \"%S\";", &[]),
        ("java", "c", "private static final String %N = \"%S\";", &[]),
        ("csharp", "c", "public string %N { get; } = \"%S\";", &[]),
        ("ruby", "py", "config.%N = '%S'", &[]),
        ("shell_arg", "kv", "deploytool --%P %S --verbose", &["deploytool", "--verbose"]),
        ("dockerfile", "kv", "ENV %N %S", &[]),
        ("hcl", "kv", "  %N = \"%S\"", &[]),
        ("xml", "md", "  <param>%S</param>", &["<param>", "</param>"]),
        ("http_bearer", "log", "Authorization: Bearer %S", &["Authorization: Bearer "]),
        ("http_header", "log", "X-Api-Key: %S", &["X-Api-Key: "]),
        (
            "curl",
            "kv",
            "curl -H \"Authorization: Bearer %S\" https://api.acme.example/v2/me",
            &["curl -H", "https://api.acme.example/v2/me"],
        ),
        (
            "url_query",
            "log",
            "GET /callback?state=ok&token=%S&next=/home HTTP/1.1",
            &["state=ok", "next=/home"],
        ),
        (
            "log",
            "log",
            "2026-03-14T09:26:53.589Z WARN client - refused credential %S for host api.acme.example",
            &["refused credential", "api.acme.example"],
        ),
        ("markdown", "md", "Use `%S` when you call the service.", &["when you call the service"]),
        ("csv", "log", "42,%P,%S,active", &["42,", ",active"]),
        ("bare_line", "md", "%S", &[]),
        ("diff", "kv", "+%N=%S", &[]),
        ("html_attr", "md", "<div data-%P=\"%S\" class=\"row\">", &["class=\"row\""]),
    ];
    rows.into_iter().map(|(name, noise, template, keep)| Context { name, noise, template, keep }).collect()
}

/// A line of the surroundings.
pub(crate) fn noise(g: &mut Gen, class: &str) -> String {
    let (a, b, c) = (g.word(), g.word(), g.word());
    match (class, g.n(0, 2)) {
        ("py", 0) => format!("def {a}_{b}(self, {c}): return self._{a}"),
        ("py", 1) => format!("import {a}.{b}"),
        ("py", _) => format!("# {a} the {b} before {c}"),
        ("c", 0) => format!("const {a} = new {}{}({});", title(b), title(c), g.n(1, 99)),
        ("c", 1) => format!("// {a} must precede {b}"),
        ("c", _) => format!("return {a}.{b}({c});"),
        ("kv", 0) => format!("{}_{}={}", a.to_uppercase(), b.to_uppercase(), g.n(1, 9000)),
        ("kv", 1) => format!("# {a} {b} settings"),
        ("kv", _) => format!("{}_MODE={b}", a.to_uppercase()),
        ("yaml", 0) => format!("{a}: {b}"),
        ("yaml", 1) => format!("{a}Replicas: {}", g.n(1, 9)),
        ("yaml", _) => format!("# {a} {b}"),
        ("log", _) => format!(
            "2026-08-1{}T0{}:15:25.{}Z INFO {a}.{b} - {c} {a} took {}ms",
            g.n(0, 9),
            g.n(0, 9),
            g.n(100, 999),
            g.n(1, 900)
        ),
        _ => format!("The {a} {b} is configured before the {c} starts, and the {a} reads it once."),
    }
}
