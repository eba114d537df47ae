//! Edits a file below a directory: `edit DIR PATH FROM TO`, safe against whatever else happens there.

use std::path::Path;
use std::process::ExitCode;

use rooted_fs::{Error, Follow, Place, Root, TierChoice, WriteOptions, Written};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [dir, path, from, to] = arguments.as_slice() else {
        return say("usage: edit DIR PATH FROM TO");
    };
    let root = match Root::open(Path::new(dir), TierChoice::Auto) {
        Ok(root) => root,
        Err(error) => return say(&format!("{dir}: {error}")),
    };
    for _ in 0..8 {
        match edit(&root, Path::new(path), from.as_bytes(), to.as_bytes()) {
            Ok(written) => {
                say(&format!("{} bytes written, tier {}", written.bytes, root.tier()));
                return ExitCode::SUCCESS;
            }
            Err(Failure::Retry) => {}
            Err(Failure::Final(error)) => return say(&format!("{path}: {error} ({})", error.code())),
        }
    }
    say(&format!("{path}: somebody else was faster eight times"))
}

enum Failure {
    /// Somebody else was faster: look again.
    Retry,
    Final(Error),
}

fn edit(root: &Root, path: &Path, from: &[u8], to: &[u8]) -> Result<Written, Failure> {
    let hint = root.hint(path, Follow::Leaf).map_err(Failure::Final)?;
    let Place::Inside(name) = hint.place else { return Err(Failure::Final(Error::PermissionDenied)) };
    if !hint.exists {
        return Err(Failure::Final(Error::NotFound));
    }
    let change = || {
        let old = root.open_file(&name)?;
        let text = old.read_to_limit(16 << 20)?;
        let at = text.windows(from.len().max(1)).position(|window| window == from);
        let at = at.ok_or(Error::InvalidName { why: "the text to change is not in the file" })?;
        let edited = [&text[..at], to, &text[at + from.len()..]].concat();
        root.replace(&name, &old, &edited, &WriteOptions::default())
    };
    change().map_err(|error| match error {
        error if error.is_race() || error == Error::Changed => Failure::Retry,
        error => Failure::Final(error),
    })
}

#[allow(clippy::print_stderr, reason = "an example talks to its user")]
fn say(text: &str) -> ExitCode {
    eprintln!("{text}");
    ExitCode::FAILURE
}
