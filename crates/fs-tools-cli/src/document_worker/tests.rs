//! Children that do not do what they should.

use std::path::Path;

use fs_tools::{DocumentReader as _, DocumentRequest, InProcess};

use super::{Worker, WorkerLimits, frame};

fn request() -> DocumentRequest<'static> {
    DocumentRequest { name: Path::new("a.txt"), bytes: b"one\ntwo\n", first: 1, count: 9, max_bytes: 1000 }
}

/// The code that a child with this program ends in.
#[track_caller]
fn check(program: &str, arguments: &[&str], code: &str) {
    let worker = Worker {
        program: program.into(),
        arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
        limits: WorkerLimits { cpu_seconds: 0, ..WorkerLimits::default() },
    };
    assert_eq!(worker.read(&request()).unwrap_err().code, code);
}

#[test]
fn a_child_that_misbehaves_costs_one_error() {
    check("/bin/sleep", &["1000"], "document_time_out");
    check("/bin/false", &[], "document_reader_crashed");
    check("/bin/sh", &["-c", "kill -SEGV $$"], "document_reader_crashed");
    check("/bin/sh", &["-c", "kill -XCPU $$"], "document_time_out");
    check("/bin/cat", &[], "document_reader_garbled");
    check("/bin/echo", &["nonsense"], "document_reader_garbled");
    check("/no/such/program", &[], "document_reader_unavailable");
}

#[test]
fn a_child_without_end_is_stopped() {
    check("/bin/sh", &["-c", "while :; do :; done"], "document_time_out");
    check("/bin/cat", &["/dev/zero"], "document_reader_garbled");
}

#[test]
fn answers_survive_the_pipe() {
    let part = InProcess.read(&request()).unwrap();
    let again = frame::read_answer(&frame::answer(&Ok(part.clone())).unwrap()).unwrap().unwrap();
    assert_eq!(again, part);
    let bytes = b"GIF89a\x01\0\x01\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3b";
    let picture = InProcess.read(&DocumentRequest { name: Path::new("a.gif"), bytes, ..request() }).unwrap();
    let framed = frame::answer(&Ok(picture.clone())).unwrap();
    assert_eq!(frame::read_answer(&framed).unwrap().unwrap(), picture);
    assert_eq!(picture.units[0].picture.as_ref().unwrap().bytes, bytes);
    let error = InProcess.read(&DocumentRequest { bytes: b"\x7fELF\x02", ..request() }).unwrap_err();
    assert_eq!(frame::read_answer(&frame::answer(&Err(error.clone())).unwrap()).unwrap().unwrap_err(), error);
    // Whatever is cut off, or was never an answer, is none.
    assert!((0..framed.len()).all(|it| frame::read_answer(&framed[..it]).is_none()));
    assert!(frame::read_answer(b"\xff\xff\xff\xff{}").is_none());
}
