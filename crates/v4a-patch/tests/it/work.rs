//! The work of a search is linear in file and patch, also where lines repeat.

use v4a_patch::{Options, PatchStream, Profile, plan};

/// Checks the number of compared lines against lines of file plus lines of patch.
#[track_caller]
fn check(file: &str, patch: &str, factor: usize) {
    let most = factor * (file.lines().count() + patch.lines().count());
    let limits = v4a_patch::Limits { max_steps: most as u64, ..v4a_patch::Limits::default() };
    let options = Options { limits, ..Options::default() };
    if let Err(error) = plan(file.as_bytes(), patch.as_bytes(), "a", &options) {
        assert_ne!(error.code(), "limit_exceeded", "{error}");
    }
}

#[test]
fn equal_lines() {
    let file = "x\n".repeat(20_000);
    let block = " x\n".repeat(1_000);
    check(&file, &format!("@@\n{block}-x\n+y\n"), 6);
    check(&file, &format!("@@\n{block}-y\n+z\n"), 6);
    check(&file, &format!("@@\n{block}-x \n+z\n"), 12);
    check(&format!("{file}y\n{file}"), &format!("@@\n{block}-y\n+z\n"), 6);
}

#[test]
fn periodic_lines() {
    let file: String = (0..20_000).map(|at| if at % 500 == 499 { "y\n" } else { "x\n" }).collect();
    let block = " x\n".repeat(600);
    check(&file, &format!("@@\n{block}-y\n+z\n"), 8);
    check(&file.replace('y', "y "), &format!("@@\n{block}-y\n+z\n"), 16);
    let alternating = "x\ny\n".repeat(10_000);
    let block = " x\n y\n".repeat(500);
    check(&alternating, &format!("@@\n{block} x\n-x\n+z\n"), 8);
}

#[test]
fn a_stream_keeps_only_the_unfinished_line() {
    let mut stream = PatchStream::new(Profile::EditFile { path: "a" }, &Options::default());
    stream.push(b"@@\n", &mut |_| {}).unwrap();
    for at in 0..10_000 {
        stream.push(format!("-line {at}\n+line {at}!\n").as_bytes(), &mut |_| {}).unwrap();
    }
    assert_eq!(stream.finish(&mut |_| {}), Ok(1));
}

#[test]
fn many_places_beside_hunks_that_are_placed() {
    // Each hunk but the first fits in thousands of places, of which some touch the lines of the first one.
    let file = format!("{}y\n{}", "x\n".repeat(5_000), "x\n".repeat(5_000));
    let block = " x\n".repeat(200);
    let first = format!("@@\n{block}-y\n+z\n{block}");
    check(&file, &format!("{first}@@\n{block}-x\n+w\n"), 16);
    check(&file, &format!("{first}@@\n{block} y\n-x\n+w\n"), 16);
}
