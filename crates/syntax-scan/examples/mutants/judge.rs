//! The tools that decide whether a file is valid.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{self, Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// Files that are judged by the same tool and counted together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    C,
    CHeader,
    Cpp,
    CppHeader,
    Go,
    Json,
    Python,
    Toml,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    Rejected,
    /// The tool did not answer.
    Unknown,
}

/// Answers with a line for each path that it reads: `1` if the file is valid.
const PYTHON: &str = "import json, sys, tomllib, warnings
warnings.simplefilter('ignore')
def reject(word): raise ValueError(word)
def judge(path):
    data = open(path, 'rb').read()
    if sys.argv[1] == 'json': json.loads(data.decode(), parse_constant=reject)
    elif sys.argv[1] == 'toml': tomllib.loads(data.decode())
    else: compile(data, 'file', 'exec')
for line in sys.stdin:
    try: judge(line[:-1]); print(1, flush=True)
    except (SyntaxError, ValueError): print(0, flush=True)
    except Exception: print(2, flush=True)
";

impl Group {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let in_cpp_library = || path.components().any(|part| part.as_os_str() == "c++");
        Some(match path.extension()?.to_str()? {
            "c" => Self::C,
            "h" if in_cpp_library() => Self::CppHeader,
            "h" => Self::CHeader,
            "cc" | "cpp" | "cxx" => Self::Cpp,
            "hpp" | "hh" => Self::CppHeader,
            "go" => Self::Go,
            "json" => Self::Json,
            "py" | "pyi" => Self::Python,
            "toml" => Self::Toml,
            _ => return None,
        })
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::CHeader => "c_header",
            Self::Cpp => "cpp",
            Self::CppHeader => "cpp_header",
            Self::Go => "go",
            Self::Json => "json",
            Self::Python => "python",
            Self::Toml => "toml",
        }
    }

    pub(crate) const fn delimiters(self) -> &'static [u8] {
        match self {
            Self::C | Self::CHeader | Self::Cpp | Self::CppHeader | Self::Python => b"(){}[]\"'",
            Self::Go => b"(){}[]\"'`",
            Self::Json => b"{}[]\"",
            Self::Toml => b"{}[]\"'",
        }
    }
}

/// A tool that is ready to judge, and a file for what it judges.
pub(crate) struct Judge {
    group: Group,
    scratch: PathBuf,
    python: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

impl Judge {
    /// Finds the tool of `group`, or tells its name if it is not there.
    pub(crate) fn start(group: Group) -> Result<Self, &'static str> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let scratch = env::temp_dir().join(format!("syntax-scan-{}-{number}.txt", process::id()));
        let mut judge = Self { group, scratch, python: None };
        match group {
            Group::C | Group::CHeader if !answers("gcc", "--version") => Err("gcc"),
            Group::Cpp | Group::CppHeader if !answers("g++", "--version") => Err("g++"),
            Group::Go if !answers("gofmt", "-h") => Err("gofmt"),
            Group::Json | Group::Python | Group::Toml => {
                judge.python = python(group.name());
                if judge.python.is_none() { Err("Python 3.11 or later") } else { Ok(judge) }
            }
            _ => Ok(judge),
        }
    }

    /// Judges `text` in the place of the file `path`.
    pub(crate) fn judge(&mut self, root: &Path, path: &Path, text: &[u8]) -> Verdict {
        if fs::write(&self.scratch, text).is_err() {
            return Verdict::Unknown;
        }
        let mut command = match self.group {
            Group::C | Group::CHeader => compiler("gcc", &["-x", "c"], root, path),
            Group::Cpp | Group::CppHeader => compiler("g++", &["-x", "c++", "-std=gnu++20"], root, path),
            Group::Go => {
                let mut command = Command::new("gofmt");
                command.args(["-e", "-l"]);
                command
            }
            Group::Json | Group::Python | Group::Toml => return self.ask_python(),
        };
        let status = command
            .arg(&self.scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => Verdict::Accepted,
            Ok(_) => Verdict::Rejected,
            Err(_) => Verdict::Unknown,
        }
    }

    fn ask_python(&mut self) -> Verdict {
        let Some((_, stdin, stdout)) = &mut self.python else { return Verdict::Unknown };
        let mut answer = String::new();
        let asked =
            writeln!(stdin, "{}", self.scratch.display()).and_then(|()| stdout.read_line(&mut answer));
        match (asked, answer.trim()) {
            (Ok(_), "1") => Verdict::Accepted,
            (Ok(_), "0") => Verdict::Rejected,
            _ => Verdict::Unknown,
        }
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        if let Some((mut child, stdin, _)) = self.python.take() {
            drop(stdin);
            let _ = child.wait();
        }
        let _ = fs::remove_file(&self.scratch);
    }
}

fn answers(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn python(what: &str) -> Option<(Child, ChildStdin, BufReader<ChildStdout>)> {
    // `tomllib` came with Python 3.11.
    let check = Command::new("python3").args(["-c", "import tomllib"]).stderr(Stdio::null()).status();
    if !check.ok()?.success() {
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", PYTHON, what])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (stdin, stdout) = (child.stdin.take()?, child.stdout.take()?);
    Some((child, stdin, BufReader::new(stdout)))
}

/// A compiler that checks the syntax, and looks for included files around the file.
fn compiler(program: &str, arguments: &[&str], root: &Path, path: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["-fsyntax-only", "-w", "-fmax-errors=1"]).args(arguments);
    for folder in path.ancestors().skip(1).take(8) {
        command.arg("-idirafter").arg(folder);
        for name in ["include", "src", "lib"] {
            if folder.join(name).is_dir() {
                command.arg("-idirafter").arg(folder.join(name));
            }
        }
        if folder == root {
            break;
        }
    }
    command
}
