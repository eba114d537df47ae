//! Runs a parser where neither its panic nor the depth of its recursion reaches the caller.

use std::thread;

use crate::error::Error;
use crate::format::Format;

/// Parsers of other crates recurse over what a file nests, within limits of their own: a hundred levels of a PDF array
/// take less than 1 MiB in an unoptimised build.
const STACK_BYTES: usize = 32 << 20;

/// What a panic of a parser is called: its message may quote the document, so it is not passed on.
const PANICKED: &str = "the parser met content that it cannot handle";

/// Runs `parse` on a thread of its own and waits for it. A panic becomes [`Error::Broken`].
pub(crate) fn run<T: Send>(
    format: Format,
    parse: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("document-text".into()).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, parse) {
            Ok(handle) => handle.join().unwrap_or(Err(Error::Broken { format, why: PANICKED })),
            Err(_) => Err(Error::NoThread { format }),
        }
    })
}
