//! Trees that misbehave.

use std::{
    ffi::OsStr,
    io::{self, ErrorKind, Read},
};

use search_engine::{Collected, FileFacts, Kind, Limits, Listing, Page, Tree};

use crate::support::{lines, names, show};

/// A tree of one directory level whose files end, fail or grow while they are read.
struct Odd;

struct OddFile {
    kind: u8,
    given: usize,
}

impl Read for OddFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.given += 1;
        match (self.kind, self.given) {
            (b'i', n) if n % 2 == 1 => Err(ErrorKind::Interrupted.into()),
            (b'f', n) if n > 1 => Err(ErrorKind::PermissionDenied.into()),
            (b's', n) if n > 1 => Ok(0),
            (b'1', n) if n <= 20_000 => {
                buf[0] = b"needle\n"[(n - 1) % 7];
                Ok(1)
            }
            (b'1', _) => Ok(0),
            (_, n) if n > 4 => Ok(0),
            _ => {
                let n = buf.len().min(7_000);
                buf[..n].copy_from_slice(&b"needle\n".repeat(1_000)[..n]);
                Ok(n)
            }
        }
    }
}

impl Tree for Odd {
    type Dir = bool;
    type File = OddFile;

    fn root(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn entries(&self, root: &bool, out: &mut Listing) -> io::Result<()> {
        if !root {
            return Err(ErrorKind::PermissionDenied.into());
        }
        for name in ["grows", "interrupted", "fails", "shrinks", "1byte"] {
            out.push(OsStr::new(name), Kind::File);
        }
        out.push(OsStr::new("closed"), Kind::Dir);
        out.push(OsStr::new("gone"), Kind::Dir);
        Ok(())
    }

    fn enter(&self, _: &bool, name: &OsStr) -> io::Result<bool> {
        if name == "gone" { Err(ErrorKind::NotFound.into()) } else { Ok(false) }
    }

    fn open(&self, _: &bool, name: &OsStr) -> io::Result<(OddFile, FileFacts)> {
        let kind = name.as_encoded_bytes()[0];
        let size = if kind == b'g' { 7_000 } else { 28_000 };
        Ok((OddFile { kind, given: 0 }, FileFacts { size, modified_ns: 0 }))
    }
}

#[test]
fn files_that_change_while_they_are_read() {
    let query = search_engine::Query::content(
        crate::support::pattern("needle"),
        search_engine::Output::Counts { first_lines: 0 },
    );
    let found = Collected::run(&Odd, &query, &Page::ALL, &Limits::AGENT).unwrap();
    assert_eq!(show(&found.rows), ["1byte: 2857", "grows: 1000", "interrupted: 2000", "shrinks: 1000"],);
    let unreadable: Vec<_> =
        found.summary.coverage.unreadable.first.iter().map(|p| p.display().to_string()).collect();
    assert_eq!(unreadable, ["closed", "fails", "gone"]);
    for threads in [2, 4] {
        assert_eq!(
            Collected::run(&Odd, &query, &Page::ALL, &Limits::AGENT.with_threads(threads)).unwrap(),
            found
        );
    }
    assert_eq!(Collected::run(&Odd, &names(""), &Page::ALL, &Limits::AGENT).unwrap().rows.len(), 5);
}

/// A tree whose files panic.
struct Panics;

impl Tree for Panics {
    type Dir = ();
    type File = io::Empty;

    fn root(&self) -> io::Result<()> {
        Ok(())
    }

    fn entries(&self, (): &(), out: &mut Listing) -> io::Result<()> {
        for i in 0..500 {
            out.push(OsStr::new(&format!("f{i}")), Kind::File);
        }
        Ok(())
    }

    fn enter(&self, (): &(), _: &OsStr) -> io::Result<()> {
        Err(ErrorKind::NotFound.into())
    }

    fn open(&self, (): &(), name: &OsStr) -> io::Result<(io::Empty, FileFacts)> {
        assert_ne!(name, "f250", "a tree that panics");
        Ok((io::empty(), FileFacts::default()))
    }
}

#[test]
fn a_panic_of_the_tree_is_passed_on_and_nobody_waits_for_ever() {
    for threads in [1, 2, 4] {
        let run = || Collected::run(&Panics, &lines("x"), &Page::ALL, &Limits::AGENT.with_threads(threads));
        assert!(std::panic::catch_unwind(run).is_err(), "{threads} threads");
    }
}

/// Directories only, one of which panics when it is entered.
struct PanicsInside;

impl Tree for PanicsInside {
    type Dir = u32;
    type File = io::Empty;

    fn root(&self) -> io::Result<u32> {
        Ok(0)
    }

    fn entries(&self, depth: &u32, out: &mut Listing) -> io::Result<()> {
        for i in 0..if *depth < 2 { 20 } else { 0 } {
            out.push(OsStr::new(&format!("d{i:02}")), Kind::Dir);
        }
        Ok(())
    }

    fn enter(&self, depth: &u32, name: &OsStr) -> io::Result<u32> {
        assert!(*depth == 0 || name != "d15", "a tree that panics");
        Ok(depth + 1)
    }

    fn open(&self, _: &u32, _: &OsStr) -> io::Result<(io::Empty, FileFacts)> {
        Err(ErrorKind::NotFound.into())
    }
}

#[test]
fn a_panic_while_listing_ahead_is_passed_on() {
    for threads in [1, 2, 4] {
        let limits = Limits::AGENT.with_threads(threads);
        let run = || Collected::run(&PanicsInside, &names(""), &Page::ALL, &limits);
        assert!(std::panic::catch_unwind(run).is_err(), "{threads} threads");
    }
}
