//! Masking of every value in a file that is sensitive as a whole.

use redact::MARKER;

/// Longest name of a setting; what is longer is taken for a value.
const MAX_NAME_CHARS: usize = 64;

/// Masks every value of a sensitive file: of `NAME=value` and `name: value` the name stays, of other lines nothing does.
///
/// What counts as a name is decided narrowly, so that no value passes for one: letters, digits, `_`, `.` and `-`, at most
/// 64 of them, maybe quoted or after `export`, with a value behind it that is more than the padding of base64.
pub(crate) fn mask_values(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let body = line.trim_ascii_end();
        if !body.is_empty() {
            out.extend_from_slice(&body[..name_len(body)]);
            out.extend_from_slice(MARKER.as_bytes());
        }
        out.extend_from_slice(&line[body.len()..]);
    }
    out
}

/// Length of the part of a line that is a name with its separator and the blanks behind it; 0 if it has no such part.
fn name_len(line: &[u8]) -> usize {
    let Some(at) = line.iter().position(|byte| b"=:".contains(byte)) else { return 0 };
    let value = &line[at + 1..];
    let blanks = value.len() - value.trim_ascii_start().len();
    if value.iter().all(|byte| *byte == b'=' || byte.is_ascii_whitespace()) {
        return 0;
    }
    let name = line[..at].trim_ascii();
    let name = name.strip_prefix(b"export ").unwrap_or(name).trim_ascii();
    let name = name.strip_prefix(b"#").unwrap_or(name).trim_ascii();
    let quoted = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let name = quoted.unwrap_or(name);
    let fits = (1..=MAX_NAME_CHARS).contains(&name.len())
        && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
    if fits { at + 1 + blanks } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::mask_values;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&mask_values(text.as_bytes())), expected);
    }

    #[test]
    fn names_stay_and_values_go() {
        check(
            "K=1\nexport TOKEN=\"a b\"\r\n\n  name: value\n",
            "K=[FILTERED]\nexport TOKEN=[FILTERED]\r\n\n  name: [FILTERED]\n",
        );
        check("{\"key\": \"value\"}", "[FILTERED]");
        check("  \"key\": \"value\",\n", "  \"key\": [FILTERED]\n");
        check("# OLD=secret\n#  a remark\n", "# OLD=[FILTERED]\n[FILTERED]\n");
    }

    #[test]
    fn what_is_no_setting_goes_as_a_whole() {
        check("-----BEGIN KEY-----\nMIIEow==\nabc=\n", "[FILTERED]\n[FILTERED]\n[FILTERED]\n");
        check("machine x login y password z", "[FILTERED]");
        check("https://user:pass@host/", "https:[FILTERED]");
        check("user pass:word", "[FILTERED]");
        check("", "");
    }
}
