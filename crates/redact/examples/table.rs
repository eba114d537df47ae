//! Prints what is recognised as a Markdown document: `cargo run -p redact --example table`.

use std::fmt::Write as _;
use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    let mut rows: Vec<_> = redact::recognised().collect();
    rows.sort_by_key(|row| (row.class.name(), row.kind, row.prefix));
    let mut out = String::from(
        "# What is masked\n\nGenerated from the tables of `crates/redact` by `cargo xtask gen`; do not edit. Besides these, values of\n\
         keys that name a secret, key blocks and long random runs are masked; configured values are masked wherever they stand.\n\n\
         | kind | class | begins with | bytes after that | source |\n|---|---|---|---|---|\n",
    );
    for row in &rows {
        let (least, most) = row.lengths;
        let lengths = if least == most { least.to_string() } else { format!("{least}-{most}") };
        let cell = |text: &str| text.replace('|', "\\|");
        // Some rows describe their start in words, with code in them.
        let prefix =
            if row.prefix.contains('`') { cell(row.prefix) } else { format!("`{}`", cell(row.prefix)) };
        let _ = writeln!(
            out,
            "| `{}` | {} | {prefix} | {lengths} | {} |",
            row.kind,
            row.class.name(),
            cell(row.source)
        );
    }
    let _ = writeln!(out, "\n{} kinds and spellings.", rows.len());
    io::stdout().lock().write_all(out.as_bytes())
}
