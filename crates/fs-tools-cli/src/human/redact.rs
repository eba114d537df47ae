//! `fs-tools redact`: masks credentials in a stream, or says where they are.

use std::cell::RefCell;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use fs_tools::redact::{Redactor, Span, StreamRedactor};
use fs_tools::{Class, ToolError, show_path};
use serde_json::{Value, json};

use super::{STDIN, fail, file_error, open, read_some};
use crate::cli::Cli;
use crate::config_file;
use crate::progress::{Line, Unit};

/// Arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct RedactArgs {
    /// Files to read; - is standard input, and the default
    files: Vec<PathBuf>,
    /// Print where the credentials are instead of the masked text: one JSON object for each, with byte offsets
    #[arg(long)]
    spans: bool,
    /// Take the input as JSON lines and search the text in FIELD; prints one object a line, with "id" and "spans"
    #[arg(long, value_name = "FIELD", requires = "spans")]
    jsonl: Option<String>,
}

/// Bytes of one read.
const CHUNK_BYTES: usize = 256 * 1024;
/// Bytes whose spans are decided at a time.
const WINDOW_BYTES: usize = 1024 * 1024;
/// Bytes on each side of a window that are looked at; more than the redactor ever needs.
const AROUND_BYTES: usize = 256 * 1024;
/// The longest JSON line.
const LINE_BYTES: usize = 64 * 1024 * 1024;

/// Runs the command.
pub(crate) fn run(cli: &Cli, args: &RedactArgs) -> anyhow::Result<ExitCode> {
    let redactor = config_file::config(cli)?.redactor()?;
    let stdin = [PathBuf::from(STDIN)];
    let files = if args.files.is_empty() { &stdin[..] } else { &args.files };
    let out = RefCell::new(io::BufWriter::with_capacity(CHUNK_BYTES, io::stdout().lock()));
    let mut status = ExitCode::SUCCESS;
    for path in files {
        let line = progress(path);
        let opened = open(path).map(|input| Watched { input, line: &line });
        let result = opened.map_err(Stop::Input).and_then(|mut input| match (args.spans, &args.jsonl) {
            (false, _) => filter(&redactor, path, &mut input, &out),
            (true, None) => spans(&redactor, path, &mut input, &out),
            (true, Some(field)) => spans_of_lines(&redactor, path, field, &mut input, &out),
        });
        drop(line);
        let result = result.and_then(|()| out.borrow_mut().flush().map_err(Stop::Output));
        match result {
            Ok(()) => {}
            // The other files are still worth reading.
            Err(Stop::Input(error)) => status = fail(&error, cli.json),
            Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(Stop::Output(error)) => return Err(error.into()),
        }
    }
    Ok(status)
}

/// A line of progress, unless the input or the output shows how far it has come.
fn progress(path: &Path) -> Line {
    let is_typed = path == Path::new(STDIN) && io::stdin().is_terminal();
    if is_typed || io::stdout().is_terminal() {
        return Line::none();
    }
    let line = Line::start("masking", Unit::Bytes);
    if let Some(file) = std::fs::metadata(path).ok().filter(|file| file.is_file()) {
        line.expect(file.len());
    }
    line
}

/// An input whose bytes are counted.
struct Watched<'l> {
    input: Box<dyn Read>,
    line: &'l Line,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.line.add(read as u64);
        Ok(read)
    }
}

type Out = RefCell<io::BufWriter<io::StdoutLock<'static>>>;

/// Why a file was not read to its end.
enum Stop {
    Input(ToolError),
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn filter(redactor: &Redactor, path: &Path, input: &mut dyn Read, out: &Out) -> Result<(), Stop> {
    let mut stream = StreamRedactor::new(redactor.clone(), |bytes: &[u8]| out.borrow_mut().write_all(bytes));
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = read_some(path, input, &mut chunk).map_err(Stop::Input)?;
        if read == 0 {
            break;
        }
        stream.write(&chunk[..read])?;
        // A short read is somebody typing, or a log that grows: what is certain is shown at once.
        if read < CHUNK_BYTES {
            out.borrow_mut().flush()?;
        }
    }
    let (_, _report) = stream.finish()?;
    Ok(())
}

fn spans(redactor: &Redactor, path: &Path, input: &mut dyn Read, out: &Out) -> Result<(), Stop> {
    let file = show_path(path);
    let mut print = |span: &Span| {
        let object = json!({
            "file": file, "start": span.start, "end": span.end, "kind": span.kind, "class": span.class.name(),
        });
        writeln!(out.borrow_mut(), "{object}")
    };
    let mut window = Windows::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = read_some(path, input, &mut chunk).map_err(Stop::Input)?;
        if read == 0 {
            break;
        }
        window.text.extend_from_slice(&chunk[..read]);
        window.decide(redactor, AROUND_BYTES, &mut print)?;
    }
    window.decide(redactor, 0, &mut print)?;
    if let Some(span) = window.open.take() {
        print(&span)?;
    }
    Ok(())
}

/// Finds the spans of a text of any length in bounded memory: a window at a time, with what stands around it.
#[derive(Default)]
struct Windows {
    /// Context before the window, then what is not decided yet.
    text: Vec<u8>,
    /// The length of that context.
    done: usize,
    /// Where `text` starts in the input.
    base: usize,
    /// A span that ends where the last window ended: it may go on in the next one.
    open: Option<Span>,
}

impl Windows {
    /// Decides every window that has `after` bytes behind it; with 0 the input has ended.
    fn decide(
        &mut self,
        redactor: &Redactor,
        after: usize,
        print: &mut dyn FnMut(&Span) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut found = Vec::new();
        loop {
            let left = self.text.len() - self.done;
            let ready = if after == 0 { left } else { left.saturating_sub(after) };
            if ready == 0 || (after > 0 && ready < WINDOW_BYTES) {
                return Ok(());
            }
            let end = self.done + ready.min(WINDOW_BYTES);
            redactor.find_in(&self.text, self.done..end, &mut found);
            for span in &found {
                let span = Span { start: span.start + self.base, end: span.end + self.base, ..*span };
                match &mut self.open {
                    Some(open) if open.end == span.start && span.start == self.base + self.done => {
                        open.end = span.end;
                    }
                    open => {
                        if let Some(before) = open.replace(span) {
                            print(&before)?;
                        }
                    }
                }
            }
            let forget = end.saturating_sub(AROUND_BYTES);
            self.text.drain(..forget);
            self.base += forget;
            self.done = end - forget;
        }
    }
}

fn spans_of_lines(
    redactor: &Redactor,
    path: &Path,
    field: &str,
    input: &mut dyn Read,
    out: &Out,
) -> Result<(), Stop> {
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, input);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        number += 1;
        let read = (&mut reader)
            .take(LINE_BYTES as u64)
            .read_until(b'\n', &mut line)
            .map_err(|error| Stop::Input(file_error(path, &error)))?;
        if read == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |class, code: &'static str, message: String| {
            Stop::Input(
                ToolError::new(class, code, format!("line {number}: {message}"))
                    .at(show_path(path))
                    .hint(format!("each line has to be a JSON object with a string in \"{field}\"")),
            )
        };
        if line.len() == LINE_BYTES && !line.ends_with(b"\n") {
            return Err(wrong(Class::Limit, "line_too_long", format!("it has more than {LINE_BYTES} bytes")));
        }
        let value: Value = serde_json::from_slice(&line)
            .map_err(|error| wrong(Class::Usage, "not_json", format!("it is not JSON: {error}")))?;
        let Some(text) = value.get(field).and_then(Value::as_str) else {
            return Err(wrong(Class::Usage, "field_missing", format!("there is no string in \"{field}\"")));
        };
        let spans: Vec<Value> = redactor
            .spans(text.as_bytes())
            .iter()
            .map(|span| json!([span.start, span.end, span.kind]))
            .collect();
        writeln!(out.borrow_mut(), "{}", json!({ "id": value.get("id"), "spans": spans }))?;
    }
}
