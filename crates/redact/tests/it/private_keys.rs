//! Private keys over several lines.

use crate::corpus::{
    Gen,
    structural::{D5, pem},
};
use redact::{KeyState, LineRedactor, Redactor};

/// Lines of base64, as many as asked for.
fn body(count: usize) -> Vec<String> {
    pem(&mut Gen::new(9), "PRIVATE KEY", 48 * count).1
}

fn opener(label: &str) -> String {
    format!("{D5}BEGIN {label}{D5}")
}

fn closer(label: &str) -> String {
    format!("{D5}END {label}{D5}")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact(text), expected);
}

#[test]
fn every_line_of_the_body_becomes_one_marker() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let (open, close) = (opener(label), closer(label));
        let lines = body(3).join("\n");
        check(
            &format!("a\n{open}\n{lines}\nQx==\n{close}\nb\n"),
            &format!("a\n{open}\n[FILTERED]\n[FILTERED]\n[FILTERED]\n[FILTERED]\n{close}\nb\n"),
        );
    }
}

#[test]
fn ssh2_keys_have_their_own_armour() {
    let lines = body(2).join("\n");
    let head = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"k\"";
    check(
        &format!("{head}\n{lines}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n"),
        &format!("{head}\n[FILTERED]\n[FILTERED]\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n"),
    );
}

#[test]
fn a_truncated_key_is_masked_to_its_last_line() {
    // deja-vu #2409, ai-agent-book #311.
    let open = opener("RSA PRIVATE KEY");
    let lines = body(3).join("\n");
    check(&format!("{open}\n{lines}\nnext words here\n{lines}"), &{
        let rest = Redactor::new().redact(&lines).into_owned();
        format!("{open}\n[FILTERED]\n[FILTERED]\n[FILTERED]\nnext words here\n{rest}")
    });
}

#[test]
fn a_lone_header_hides_nothing() {
    // agent-sanitizer #187.
    let text = format!(
        "let header = \"{}\";\nassert!(parse(header).is_err());\nfn next() {{}}\n",
        opener("RSA PRIVATE KEY")
    );
    check(&text, &text);
}

#[test]
fn headers_and_blank_lines_pass() {
    // litellm #29035, #29149.
    let open = opener("RSA PRIVATE KEY");
    let lines = body(2).join("\n");
    let head = format!("{open}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n");
    check(&format!("{head}{lines}\n"), &format!("{head}[FILTERED]\n[FILTERED]\n"));
}

#[test]
fn glue_before_the_lines_stays() {
    // local-operator #1308, and diffs, comments, log prefixes.
    let open = opener("PRIVATE KEY");
    let close = closer("PRIVATE KEY");
    let lines = body(2);
    for glue in ["    ", "| ", "* ", "-", "\"", "12|", "12: ", "12\t", "# ", "app | "] {
        let text = format!("{glue}{open}\n{glue}{}\n{glue}{}\n{glue}{close}\n", lines[0], lines[1]);
        check(&text, &format!("{glue}{open}\n{glue}[FILTERED]\n{glue}[FILTERED]\n{glue}{close}\n"));
    }
}

#[test]
fn escaped_line_ends_count_as_line_ends() {
    let (open, close) = (opener("PRIVATE KEY"), closer("PRIVATE KEY"));
    let lines = body(2);
    for end in ["\\n", "\\r\\n", "\\\\n"] {
        let text = format!("{{\"k\":\"{open}{end}{}{end}{}{end}{close}{end}\",\"z\":1}}", lines[0], lines[1]);
        check(&text, &format!("{{\"k\":\"{open}{end}[FILTERED]{end}[FILTERED]{end}{close}{end}\",\"z\":1}}"));
    }
}

#[test]
fn a_key_on_one_line_is_masked() {
    let (open, close) = (opener("PRIVATE KEY"), closer("PRIVATE KEY"));
    check(&format!("{open}{}{close} x", body(1)[0]), &format!("{open}[FILTERED]{close} x"));
}

#[test]
fn public_armour_stays() {
    for label in ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE", "CERTIFICATE REQUEST"] {
        let text = format!("{}\n{}\n{}\n", opener(label), body(6).join("\n"), closer(label));
        check(&text, &text);
    }
}

#[test]
fn lines_one_by_one_carry_the_state() {
    let redactor = Redactor::new();
    let mut lines = LineRedactor::new(&redactor);
    let body = body(2);
    assert_eq!(lines.line(opener("PRIVATE KEY").as_bytes()).as_ref(), opener("PRIVATE KEY").as_bytes());
    assert!(lines.state().is_inside());
    assert_eq!(lines.line(body[0].as_bytes()).as_ref(), b"[FILTERED]");
    let mut later = LineRedactor::with_state(&redactor, lines.state());
    assert_eq!(later.line(body[1].as_bytes()).as_ref(), b"[FILTERED]");
    later.line(closer("PRIVATE KEY").as_bytes());
    assert_eq!(later.state(), KeyState::default());
}
