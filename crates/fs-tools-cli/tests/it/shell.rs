//! Completion scripts and manual pages: complete, and readable by the programs they are for.

use std::process::{Command, Stdio};

use crate::client::run;

/// Runs another program with `input`, or says that it is not installed.
fn other(program: &str, args: &[&str], input: &[u8]) -> Option<std::process::Output> {
    use std::io::Write as _;
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        // Past the capture of the test runner: a skipped check must be seen.
        std::io::stderr().write_all(format!("SKIPPED: {program} is not installed\n").as_bytes()).unwrap();
        return None;
    };
    child.stdin.take().unwrap().write_all(input).unwrap();
    Some(child.wait_with_output().unwrap())
}

#[test]
fn each_shell_reads_its_script() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(dir.path(), &["completions", shell]).stdout;
        let text = String::from_utf8_lossy(&script);
        for word in ["workspace", "doctor", "completions", "no-ignore", "purge", "claude-code"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        if let Some(output) = other(shell, &["-n"], &script) {
            assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
        }
    }
}

#[test]
fn bash_completes_commands_and_values() {
    let dir = tempfile::tempdir().unwrap();
    let mut script = run(dir.path(), &["completions", "bash"]).stdout;
    let complete = |words: &str, at: usize| {
        format!(
            "COMP_WORDS=({words}); COMP_CWORD={at}; COMPREPLY=(); \
             _fs__tools fs-tools \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{at}-1]}}\"; echo \"${{COMPREPLY[*]}}\"\n"
        )
    };
    script.extend(complete("fs-tools doct", 1).bytes());
    script.extend(complete("fs-tools config init --client z", 4).bytes());
    let Some(output) = other("bash", &["--norc"], &script) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "doctor\nzed\n", "{output:?}");
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man1");
    assert!(run(dir.path(), &["man", "--dir", pages.to_str().unwrap()]).status.success());
    for name in ["fs-tools", "fs-tools-search", "fs-tools-history-purge-task", "fs-tools-config-init"] {
        let page = std::fs::read(pages.join(format!("{name}.1"))).unwrap();
        let Some(output) = other("groff", &["-Kutf8", "-man", "-Tutf8", "-ww", "-z"], &page) else { return };
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
    }
    let whole = run(dir.path(), &["man"]).stdout;
    assert!(String::from_utf8_lossy(&whole).contains("EXIT STATUS"));
    assert_eq!(whole, std::fs::read(pages.join("fs-tools.1")).unwrap());
}
