//! Says what each file named on the command line is, and shows its beginning: `cargo run --example classify -- FILE...`
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads files and prints")]

use std::path::Path;

use document_text::{Document, Limits, hex_dump};

fn main() -> std::io::Result<()> {
    for name in std::env::args_os().skip(1) {
        let path = Path::new(&name);
        let bytes = std::fs::read(path)?;
        match Document::open(path, &bytes, Limits::STANDARD) {
            Ok(document) => {
                println!(
                    "{}: {:?}, {} of {:?}",
                    path.display(),
                    document.kind(),
                    document.count(),
                    document.unit()
                );
                if let Some(header) = document.header() {
                    println!("  {header:?}");
                }
                let first = document.read(1..4).map_err(std::io::Error::other)?;
                for unit in first.units {
                    println!("  {}: {:?}", unit.number, unit.content);
                }
            }
            Err(error) => {
                println!("{}: {error} ({})", path.display(), error.code());
                print!("{}", hex_dump(&bytes, 0, 48));
            }
        }
    }
    Ok(())
}
