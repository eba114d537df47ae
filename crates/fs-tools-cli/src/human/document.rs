//! `fs-tools document`: the text of documents, as the tools see it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use fs_tools::redact::Redactor;
use fs_tools::{
    Class, DocumentPart, DocumentReader, DocumentRequest, DocumentUnit, Sound, ToolError, Transcriber,
    show_path, sound_kind,
};
use serde_json::{Value, json};

use super::{fail, file_error, open};
use crate::cli::Cli;
use crate::document_worker::{Worker, WorkerLimits};
use crate::{config_file, output};

/// The largest document that is read.
const MAX_BYTES: u64 = 64 << 20;

/// Arguments of the command.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// Documents to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// First line, row, page or slide, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    offset: u64,
    /// Lines, rows, pages or slides at most
    #[arg(long, value_name = "N", default_value_t = 2048)]
    limit: u64,
    /// Bytes of text at most, of each document
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    max_bytes: usize,
    #[command(flatten)]
    worker: WorkerLimits,
}

/// Runs the command.
pub(crate) fn run(cli: &Cli, args: &DocumentArgs) -> anyhow::Result<ExitCode> {
    let config = config_file::config(cli)?;
    let redactor = config.redactor()?;
    let worker = Worker::of_this_program(args.worker);
    let transcriber = fs_tools::transcriber(&config.transcribe, &|name| std::env::var(name).ok());
    let mut status = ExitCode::SUCCESS;
    for path in &args.files {
        match read(path, args, &worker, &*transcriber) {
            Ok(part) => {
                let part = masked(part, &redactor);
                let text =
                    if cli.json { format!("{}\n", to_json(path, &part)) } else { to_text(path, &part) };
                output::print(&text)?;
            }
            // The other files are still worth reading.
            Err(error) => status = fail(&error, cli.json),
        }
    }
    Ok(status)
}

fn read(
    path: &Path,
    args: &DocumentArgs,
    worker: &Worker,
    transcriber: &dyn Transcriber,
) -> Result<DocumentPart, ToolError> {
    let mut bytes = Vec::new();
    let input = open(path)?;
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| file_error(path, &error))?;
    let request = DocumentRequest {
        name: path,
        bytes: &bytes,
        first: args.offset,
        count: args.limit,
        max_bytes: args.max_bytes,
    };
    let shown = show_path(path);
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{shown}: the document has more than {MAX_BYTES} bytes");
        let error = ToolError::new(Class::Limit, "document_too_large", message);
        return Err(error.at(shown).hint("make a smaller copy"));
    }
    if let Some(mime) = sound_kind(path, &bytes) {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let text = transcriber.transcribe(&Sound { name: &name, mime, bytes: &bytes });
        return text.map(|it| transcript(mime, it)).map_err(|it| it.at(shown));
    }
    worker.read(&request).map_err(|error| {
        let (class, hint) = (error.class(), error.hint());
        ToolError::new(class, error.code.clone(), format!("{shown}: {error}")).at(shown.clone()).hint(hint)
    })
}

/// What was said, as a document of one line.
fn transcript(mime: &str, text: String) -> DocumentPart {
    let unit = DocumentUnit { number: 1, text, fields: Vec::new(), picture: None, cut_bytes: 0, note: None };
    DocumentPart {
        kind: format!("transcript of {mime}"),
        unit: "line".into(),
        count: 1,
        encoding: None,
        header: None,
        units: vec![unit],
        next: None,
        is_cut: false,
    }
}

/// Whole lines are masked, before anything cuts them.
fn masked(mut part: DocumentPart, redactor: &Redactor) -> DocumentPart {
    let fields = part.header.iter_mut().flatten().chain(part.units.iter_mut().flat_map(|it| &mut it.fields));
    for field in fields {
        *field = redactor.redact(field).into_owned();
    }
    for unit in &mut part.units {
        unit.text = redactor.redact(&unit.text).into_owned();
    }
    part
}

fn to_text(path: &Path, part: &DocumentPart) -> String {
    let mut out = String::new();
    if let Some(header) = &part.header {
        out.push_str(&format!("{}\n", header.join("\t")));
    }
    for unit in &part.units {
        if matches!(part.unit.as_str(), "page" | "slide") {
            let note = unit.note.as_ref().map_or(String::new(), |it| format!(" ({it})"));
            out.push_str(&format!("--- {} {}/{}{note} ---\n", part.unit, unit.number, part.count));
        }
        out.push_str(&line(unit));
        out.push('\n');
    }
    if let Some(next) = part.next {
        let (unit, count) = (&part.unit, part.count);
        out.push_str(&format!(
            "[{}: {unit}s {}-{} of {count}; more with --offset {next}]\n",
            show_path(path),
            first(part),
            next - 1
        ));
    }
    out
}

fn first(part: &DocumentPart) -> u64 {
    part.units.first().map_or(0, |it| it.number)
}

fn line(unit: &DocumentUnit) -> String {
    match &unit.picture {
        Some(it) => {
            let (width, height) = it.original;
            format!(
                "{} {width} x {height}, shown as {} x {}, {} bytes",
                it.mime,
                it.width,
                it.height,
                it.bytes.len()
            )
        }
        None if unit.fields.is_empty() => unit.text.clone(),
        None => unit.fields.join("\t"),
    }
}

fn to_json(path: &Path, part: &DocumentPart) -> Value {
    let mut value = json!(part);
    value["file"] = show_path(path).into();
    value
}
