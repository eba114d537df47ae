//! The secret that HTTP clients must send.

use std::fmt;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Context as _;

use crate::output::{UsageError, note};

/// Variable with the token, where no file is named.
const VARIABLE: &str = "FS_TOOLS_HTTP_TOKEN";
/// Fewer characters can be guessed.
const LEAST: usize = 16;
/// More are no token.
const MOST: usize = 4_096;

/// A bearer token.
pub(super) struct Token {
    secret: String,
    is_made_up: bool,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Takes the token from the file, else from the environment, else makes one up.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and a token that is too short, too long or not printable.
    pub(super) fn find(file: Option<&Path>) -> anyhow::Result<Self> {
        let given = match file {
            Some(path) => Some(read(path)?),
            None => std::env::var(VARIABLE).ok().filter(|value| !value.is_empty()),
        };
        match given {
            Some(secret) => Self::of(secret.trim()),
            None => {
                let secret = super::random::hex(32).context("no random numbers for a token")?;
                Ok(Self { secret, is_made_up: true })
            }
        }
    }

    fn of(secret: &str) -> anyhow::Result<Self> {
        let is_fit =
            (LEAST..=MOST).contains(&secret.len()) && secret.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_fit {
            return Err(UsageError::new(
                "invalid_token",
                format!("the token must have {LEAST} to {MOST} printable ASCII characters without blanks"),
                "make one with `openssl rand -hex 32`",
            )
            .into());
        }
        Ok(Self { secret: secret.to_owned(), is_made_up: false })
    }

    /// The token, when nobody knows it yet.
    pub(super) fn made_up(&self) -> Option<&str> {
        self.is_made_up.then_some(&self.secret)
    }

    /// Whether an `Authorization` header carries the token. Takes the same time for every wrong token of one length.
    pub(super) fn admits(&self, header: Option<&str>) -> bool {
        let Some((scheme, sent)) = header.and_then(|header| header.split_once(' ')) else { return false };
        let (sent, secret) = (sent.trim().as_bytes(), self.secret.as_bytes());
        scheme.eq_ignore_ascii_case("bearer")
            && sent.len() == secret.len()
            && sent.iter().zip(secret).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let cannot = || format!("the token file {} cannot be read", path.display());
    let file = std::fs::File::open(path).with_context(cannot)?;
    if file.metadata().with_context(cannot)?.mode() & 0o077 != 0 {
        note(&format!(
            "fs-tools: warning: the token file {} can be read by others: chmod 600 it",
            path.display()
        ));
    }
    let mut text = String::new();
    file.take(MOST as u64 + 2).read_to_string(&mut text).with_context(cannot)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn only_the_token_is_admitted() {
        let token = Token::of("0123456789abcdef").unwrap();
        assert!(token.admits(Some("Bearer 0123456789abcdef")));
        assert!(token.admits(Some("bearer  0123456789abcdef")));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "0123456789abcdef",
            "Basic 0123456789abcdef",
            "Bearer 0123456789abcdeg",
            "Bearer 0123456789abcdef0",
        ] {
            assert!(!token.admits(Some(wrong)), "{wrong}");
        }
        assert!(!token.admits(None));
    }

    #[test]
    fn a_weak_token_is_refused() {
        assert!(Token::of("short").is_err() && Token::of("with blanks in it").is_err());
        assert!(Token::find(Some("/nonexistent/token".as_ref())).is_err());
    }
}
