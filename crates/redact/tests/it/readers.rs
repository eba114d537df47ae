//! Windows, lines and streams hide what the whole text hides.

use crate::{api::token, corpus::Corpus};
use redact::{LineRedactor, Redactor, StreamRedactor};

/// All texts of the corpus in one, with filler between some of them.
fn long_text() -> String {
    let corpus = Corpus::build(5, 2);
    let mut text = String::new();
    for (index, case) in corpus.positives.iter().enumerate() {
        text += &case.text;
        text += "\n";
        if index % 40 == 0 {
            text += &"filler line that says nothing\n".repeat(400);
        }
    }
    text
}

#[test]
fn any_partition_into_windows_hides_the_same_bytes() {
    let text = long_text();
    let redactor = Redactor::new();
    let mut whole = vec![false; text.len()];
    for span in redactor.spans(text.as_bytes()) {
        whole[span.range()].fill(true);
    }
    let size = 50_021;
    let mut spans = Vec::new();
    let mut hidden = vec![false; text.len()];
    for start in (0..text.len()).step_by(size) {
        redactor.find_in(text.as_bytes(), start..start + size, &mut spans);
        for span in &spans {
            hidden[span.range()].fill(true);
        }
    }
    assert!(whole == hidden);
}

#[test]
fn a_window_inside_a_token_shows_nothing_of_it() {
    let text = format!("key {} end", token());
    let mut spans = Vec::new();
    for start in 4..text.len() - 5 {
        Redactor::new().find_in(text.as_bytes(), start..start + 1, &mut spans);
        assert!(matches!(spans.as_slice(), [span] if span.range() == (start..start + 1)));
    }
    Redactor::new().find_in(text.as_bytes(), 9999..10_000, &mut spans);
    assert!(spans.is_empty());
}

#[test]
fn a_stream_gives_the_output_of_the_whole_text() {
    let text = long_text();
    let whole = Redactor::new().redact(&text).into_owned();
    for size in [1000, 4096, 65_536, text.len()] {
        let mut stream = StreamRedactor::new(Redactor::new(), Vec::new());
        for piece in text.as_bytes().chunks(size) {
            let Ok(()) = stream.write(piece);
        }
        let Ok((out, report)) = stream.finish();
        assert!(out == whole.as_bytes(), "pieces of {size}");
        assert_eq!(report.count(), Redactor::new().spans(text.as_bytes()).len());
    }
}

#[test]
fn a_stream_passes_lines_on_before_its_end() {
    let mut seen = Vec::new();
    let mut stream = StreamRedactor::new(Redactor::new(), |bytes: &[u8]| -> Result<(), ()> {
        seen.extend_from_slice(bytes);
        Ok(())
    });
    stream.write(&b"line\n".repeat(20)).unwrap();
    drop(stream);
    assert_eq!(seen.len(), 5 * 16);
}

#[test]
fn a_very_long_line_is_passed_on_in_parts() {
    let line = format!("{}{} {}", "f(x);".repeat(500_000), token(), "g(y);".repeat(100_000));
    let mut stream = StreamRedactor::new(Redactor::new(), Vec::new());
    for piece in line.as_bytes().chunks(100_000) {
        let Ok(()) = stream.write(piece);
    }
    let Ok((out, _)) = stream.finish();
    assert!(out == Redactor::new().redact(&line).as_bytes());
}

#[test]
fn an_error_of_the_sink_is_passed_on() {
    let mut stream = StreamRedactor::new(Redactor::new(), |_: &[u8]| Err("full"));
    assert_eq!(stream.write(b"a\n"), Ok(()));
    assert_eq!(stream.flush(), Err("full"));
}

#[test]
fn lines_keep_their_terminators() {
    let redactor = Redactor::new();
    let mut lines = LineRedactor::new(&redactor);
    for end in ["", "\n", "\r\n"] {
        let line = format!("key {}{end}", token());
        assert_eq!(lines.line(line.as_bytes()).as_ref(), format!("key [FILTERED]{end}").as_bytes());
    }
}
