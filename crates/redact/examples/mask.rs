//! Masks standard input: `cargo run -p redact --example mask < file`.
#![allow(clippy::print_stderr, reason = "the report of a command line tool")]

use redact::{Redactor, StreamRedactor};
use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut stream = StreamRedactor::new(Redactor::new(), |bytes: &[u8]| out.write_all(bytes));
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let len = input.read(&mut buffer)?;
        if len == 0 {
            break;
        }
        stream.write(&buffer[..len])?;
    }
    let (_, report) = stream.finish()?;
    eprintln!("{report}");
    Ok(())
}
