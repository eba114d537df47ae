//! Windows of long lines.

use search_engine::window;

#[track_caller]
fn check(line: &str, keep: std::ops::Range<usize>, max: usize, expected: &str) {
    let window = window(line.as_bytes(), keep, max);
    assert_eq!(String::from_utf8_lossy(&window.text), expected);
    assert!(window.text.len() <= max.max(14));
}

#[test]
fn windows() {
    check("short", 0..1, 240, "short");
    check("abcdefghijklmnopqrst", 0..2, 16, "abcdefghijklm…");
    check("abcdefghijklmnopqrst", 18..20, 16, "…hijklmnopqrst");
    check("abcdefghijklmnopqrstuvwxyz0123456789", 16..18, 16, "…mnopqrstuv…");
    check("abcdefghijklmnopqrstuvwxyz0123456789", 16..36, 16, "…qrstuvwxyz…");
    check("abcdefghijklmnopqrst", 0..20, 16, "abcdefghijklm…");
    check("éééééééééééééééééé", 0..2, 16, "éééééé…");
    check("éééééééééééééééééé", 16..18, 17, "…ééééé…");
    check("abcdefghijklmnopqrst", 90..99, 16, "…hijklmnopqrst");
    check("abcdefghijklmnopqrst", 0..0, 0, "abcdefghijk…");
}

#[test]
fn odd_bytes_are_kept() {
    let line = [b"x".repeat(50), vec![0xFF, 0xC3], b"y".repeat(50)].concat();
    let window = window(&line, 50..52, 30);
    assert!(window.text.windows(2).any(|w| w == [0xFF, 0xC3]));
    assert!(window.text.len() <= 30);
}
