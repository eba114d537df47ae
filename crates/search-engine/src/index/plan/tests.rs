//! What patterns need.

use super::{Need, Plan};
use crate::{Case, Pattern, Span};

fn show(need: &Need) -> String {
    let list = |needs: &[Need], between: &str| {
        format!("({})", needs.iter().map(show).collect::<Vec<_>>().join(between))
    };
    match need {
        Need::Nothing => "*".into(),
        Need::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Need::All(needs) => list(needs, " & "),
        Need::OneOf(needs) => list(needs, " | "),
    }
}

#[track_caller]
fn check(pattern: &str, expected: &str) {
    let pattern = Pattern::new(pattern, Case::Sensitive, Span::Line).unwrap();
    assert_eq!(show(&Plan::new(&pattern).0), expected);
}

#[test]
fn literals_are_folded() {
    check("EXPORT_Symbol", "export_symbol");
    check("(?i)pm_resume", "(pm_resume | pm_re\u{17f}ume)");
}

#[test]
fn alternatives_and_small_classes_are_multiplied() {
    check("(read|write)_lock", "(read_lock | write_lock)");
    check("sp[ir]n_(un)?lock", "(spin_lock | spin_unlock | sprn_lock | sprn_unlock)");
    check(r"alpha|\w+beta", "(alpha | beta)");
}

#[test]
fn what_is_not_understood_filters_nothing() {
    check(r"\w{5}\s+\w{5}", "*");
    check("x*", "*");
    check("(abc|x*)", "*");
    check("", "*");
}

#[test]
fn gaps_and_repetitions_divide() {
    check(r"struct file_operations \w+ = \{", "(struct file_operations  &  = {)");
    check("aab+cd", "(aab & bcd)");
    check("ab+c", "*");
    check("a{3}", "aaa");
    check("(ab){5,}c", "(abababab & abc)");
    check(r"\bfoo\b.*bar$", "(foo & bar)");
}

#[test]
fn too_many_strings_are_put_aside() {
    let digits = |before: &str, after: &str| {
        let all: Vec<_> = (0..10).map(|d| format!("{before}{d}{after}")).collect();
        format!("({})", all.join(" | "))
    };
    check("abcdef[0-9]ghi[0-9]jk", &format!("({} & {})", digits("abcdef", "ghi"), digits("", "jk")));
    check("ab[0-9]cdef(x|y|z)", &format!("({} & (cdefx | cdefy | cdefz))", digits("ab", "cdef")));
}
