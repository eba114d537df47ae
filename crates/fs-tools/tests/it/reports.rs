//! What users reported of file tools or asked of them, one case for each report, by its number.
//!
//! `I#` is an issue and `P#` a pull request of the project that the classic tools come from; a bare number is a report
//! about a tool elsewhere. `docs/conformance-classic.md` names the tests of the reports that are proven elsewhere.

use std::fs;
use std::os::unix::fs::symlink;

use fs_tools::{Config, Options};
use rooted_fs::faults::{Fault, Step, inject};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::vectors::{Vector, by_lines, token};

fn read(path: &str) -> Value {
    json!({"path": path})
}

/// I#1049 P#1079 P#1082 P#1083: a binary file dumped megabytes of noise into the conversation.
#[test]
fn binary_files_are_bounded_and_labelled() {
    let noise: Vec<u8> = (0..5_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (name, head, kind) in [
        ("a.pdf", &b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"[..], "PDF"),
        ("a.out", b"\x7fELF\x02\x01\x01\0", "ELF"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "PNG"),
        ("a.bin", b"\0\x01\x02\x03", "binary"),
    ] {
        let mut bytes = head.to_vec();
        bytes.extend_from_slice(&noise);
        let vector = Vector::new("I#1049", "");
        vector.files.write(name, &bytes);
        let page = vector.ok("read_file", read(name));
        page.has(kind).has(&format!("total: {} bytes", bytes.len())).has("offset=");
        let text = page.text();
        assert!(text.chars().count() <= 17_000, "{name}: {}", text.chars().count());
        assert!(text.chars().all(|c| c != '\u{fffd}' && (!c.is_control() || c == '\n')), "{name}");
        let vector = Vector::with("I#1049", "", &by_lines());
        vector.files.write(name, &bytes);
        let refusal = vector.refused("read_file", read(name), "binary_file");
        refusal.has(kind).has(&format!("{} bytes", bytes.len()));
        assert!(refusal.text().len() < 500);
    }
}

/// P#1107: a file over the cap is read in pages, and the last one does not claim that there is more.
#[test]
fn pages_follow_to_the_true_end() {
    let content: String = (0..9_000).map(|n| format!("row {n}: é日\n")).collect();
    let vector = Vector::file("P#1107", &content);
    let (mut offset, mut whole) = (0, String::new());
    let workspace = vector.files.tools.workspace();
    loop {
        let range = fs_tools::classic::ReadRange::Bytes { offset, length: Some(10_001) };
        let page = workspace
            .read_file(&fs_tools::classic::ReadFileArgs { path: "f".into(), range }, &fs_tools::Call::plain())
            .unwrap();
        whole.push_str(&page.content);
        assert_eq!(page.text.contains("[TRUNCATED"), page.next.is_some());
        assert_eq!(page.text.contains("[END OF FILE"), page.next.is_none());
        match page.next {
            Some(fs_tools::classic::ReadRange::Bytes { offset: next, .. }) => offset = next,
            _ => break,
        }
    }
    assert_eq!(whole, content);
}

/// I#1974 P#1981: pages by line number, and one set of arguments that cannot be mixed.
#[test]
fn lines_are_numbered_and_the_modes_do_not_mix() {
    let vector = Vector::with("I#1974", "//- /f\na\nb\nc\n", &by_lines());
    vector.ok("read_file", json!({"path": "f", "start_line": 2, "max_lines": 1})).has("\n2|b\n");
    let mixed = json!({"path": "f", "start_line": 2, "offset": 1});
    vector.refused("read_file", mixed, "invalid_arguments").has("use `start_line`");
    let vector = Vector::new("P#1981", "//- /f\na\nb\nc\n");
    let mixed = json!({"path": "f", "offset": 2, "max_lines": 1});
    vector.refused("read_file", mixed, "invalid_arguments").has("use `length`");
}

/// I#3300: a tool that is asked for and not there was called for ever.
#[test]
fn a_tool_that_is_off_says_not_to_try_again() {
    let off = json!({"tools": {"read_file": {"enabled": false}}});
    let vector = Vector::with("I#3300", "", &off);
    vector
        .refused("read_file", read("f"), "tool_disabled")
        .has("switched off")
        .has("do not try again; available are write_file, edit_file, append_file, list_dir, search_files");
}

/// #121828: an empty file looked like a failure, and a device was read.
#[test]
fn an_empty_file_says_so_and_devices_are_not_opened() {
    Vector::file("#121828", "").ok("read_file", read("f")).has("the file is empty");
    let free = |root| Options::new(root, Config { restrict_to_workspace: false, ..Config::default() });
    let vector = Vector::open("#121828", "", free);
    for device in ["/dev/zero", "/dev/tty", "/dev/stdin"] {
        assert!(vector.call("read_file", read(device)).reply.is_error, "{device}");
    }
}

/// #126587: what lies inside one long line could not be reached.
#[test]
fn a_long_line_is_paged_inside() {
    let line: String = (0..12_000).map(|n| format!("{n:06} ")).collect();
    let vector = Vector::file("#126587", &line);
    vector.ok("read_file", json!({"path": "f", "offset": 70_000, "length": 70})).has("\n010000 010001 ");
    let vector = Vector::with("#126587", "", &by_lines());
    vector.files.write("f", format!("{line}\nlast\n"));
    vector.ok("read_file", read("f")).has(" … [truncated]\n2|last\n");
}

/// #3890: reading a directory gave the bare error of the system, four times over.
#[test]
fn a_directory_names_the_tool_that_lists_it() {
    let vector = Vector::new("#3890", "//- /d/f\nx\n");
    for tool in ["read_file", "append_file", "write_file"] {
        vector
            .refused(tool, json!({"path": "d", "content": "x"}).pick(tool), "is_a_directory")
            .has("list_dir shows its entries");
    }
    let edit = json!({"path": "d", "old_text": "x", "new_text": "y"});
    vector.refused("edit_file", edit, "is_a_directory").has("list_dir shows its entries");
}

trait Pick {
    /// Only what the tool takes.
    fn pick(self, tool: &str) -> Self;
}

impl Pick for Value {
    fn pick(mut self, tool: &str) -> Self {
        if tool == "read_file" {
            self.as_object_mut().unwrap().remove("content");
        }
        self
    }
}

/// #81: an empty path was taken for the root.
#[test]
fn an_empty_path_is_refused() {
    let vector = Vector::file("#81", "x");
    for (tool, args) in [
        ("read_file", read("")),
        ("list_dir", read("")),
        ("search_files", json!({"pattern": "x", "path": ""})),
        ("write_file", json!({"path": "", "content": "x"})),
        ("append_file", json!({"path": "", "content": "x"})),
        ("edit_file", json!({"path": "", "old_text": "x", "new_text": "y"})),
    ] {
        vector
            .refused(tool, args, "empty_path")
            .has("path must not be empty")
            .has("the workspace itself is \".\"");
    }
}

/// #7778 #16717: models send `file_path`.
#[test]
fn a_wrong_name_of_an_argument_names_the_right_one() {
    let vector = Vector::file("#7778", "x");
    for name in ["file_path", "filepath", "filename", "file", "paths", "Path"] {
        for tool in ["read_file", "list_dir", "write_file", "append_file", "edit_file"] {
            vector
                .refused(tool, json!({name: "f"}), "invalid_arguments")
                .has(&format!("use `path` instead of `{name}`"));
        }
    }
}

/// P#1761 I#3150 P#3226: files were overwritten in silence, and then because the refusal coached it.
#[test]
fn the_refusal_to_overwrite_leads_with_what_loses_nothing() {
    let vector = Vector::new("I#3150", "//- /memory.md\nwhat was learned\n");
    let refusal = vector.refused("write_file", json!({"path": "memory.md", "content": "new"}), "file_exists");
    let text = refusal.text();
    assert!(text.find("append_file") < text.find("overwrite=true"), "{text}");
    assert!(text.find("edit_file") < text.find("overwrite=true"), "{text}");
    refusal.field("recommended_action", json!("edit_file")).has("discards what is there");
    vector.holds("memory.md", "what was learned\n");
}

/// I#2283 P#2320 #72957: escapes in the content were decoded once more on the way to the disk.
#[test]
fn content_is_not_decoded_twice() {
    let vector = Vector::new("I#2283", "");
    for content in ["aaa\\naaa", "print(\"hello\\nworld\")\n", "\\u00e9 and é", "C:\\temp\\new", "\\\\"] {
        let write = json!({"path": "f", "content": content, "overwrite": true});
        vector.ok("write_file", write).field("bytes_written", json!(content.len()));
        vector.holds("f", content);
        vector.ok("append_file", json!({"path": "g", "content": content}));
        vector.holds("g", content);
        vector.ok("edit_file", json!({"path": "g", "old_text": content, "new_text": "\\n"}));
        vector.holds("g", "\\n");
        fs::remove_file(vector.files.path("g")).unwrap();
    }
}

/// I#2848 P#2857: an edit could not be seen, and then diffs flooded the conversation.
#[test]
fn an_edit_shows_a_bounded_diff() {
    let vector = Vector::file("I#2848", "old\n");
    let small = vector.ok("edit_file", json!({"path": "f", "old_text": "old", "new_text": "new"}));
    small.has("-old\n+new\n").user_has("-old\n+new\n");
    let long = "a line that is long enough to flood a conversation when it is repeated\n".repeat(800);
    let large = vector.ok("edit_file", json!({"path": "f", "old_text": "new\n", "new_text": long}));
    large.has("[diff truncated: ");
    assert!(
        large.reply.for_model.chars().count() <= 12_400
            && large.reply.for_user.as_ref().unwrap().len() <= 16_500
    );
}

/// P#2810: one runaway write could fill the disk.
#[test]
fn one_call_cannot_write_without_bound() {
    let vector = Vector::new("P#2810", "");
    let content = "x".repeat(64 * 1024 * 1024 + 1);
    vector
        .refused("write_file", json!({"path": "f", "content": content}), "argument_too_large")
        .has("the limit is 67108864");
    assert!(!vector.files.path("f").exists());
}

/// P#3020 #3081 #3092: hunks that only add, and patches of several files.
#[test]
fn a_patch_may_only_add_and_is_of_one_file() {
    let vector = Vector::file("#3081", "a\n");
    vector.ok("edit_file", json!({"path": "f", "patch": "@@\n a\n+b\n"}));
    vector.holds("f", "a\nb\n");
    vector.ok("edit_file", json!({"path": "f", "patch": "@@\n+c\n*** End of File\n"}));
    vector.holds("f", "a\nb\nc\n");
    let two = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+A\n*** Add File: g\n+x\n*** End Patch\n";
    vector.refused("edit_file", json!({"path": "f", "patch": two}), "unsupported_section");
    vector.holds("f", "a\nb\nc\n");
}

/// P#3035 P#3066 P#3123 P#3127: a full disk was reported as success.
#[test]
fn a_full_disk_is_an_error_and_changes_nothing() {
    const NO_SPACE: Fault = Fault::Fails(28);
    for step in [Step::WriteFirst, Step::WriteRest, Step::SyncFile] {
        for (tool, args) in [
            ("write_file", json!({"path": "f", "content": "new", "overwrite": true})),
            ("write_file", json!({"path": "g", "content": "new"})),
            ("edit_file", json!({"path": "f", "old_text": "old", "new_text": "new"})),
        ] {
            let vector = Vector::file("P#3035", "old\n");
            let (reply, met) = inject(step, NO_SPACE, || vector.call(tool, args.clone()).reply);
            assert!(met, "{step:?} {tool}");
            assert_eq!(reply.error.unwrap().code(), "no_space", "{step:?} {tool}");
            vector.holds("f", "old\n");
            assert_eq!(fs::read_dir(vector.files.path("")).unwrap().count(), 1, "{step:?} {tool}");
        }
    }
}

/// I#2440: a single mounted file cannot be replaced by renaming.
#[test]
fn a_mounted_file_is_written_in_place_once_its_content_is_recorded() {
    const BUSY: Fault = Fault::Fails(16);
    let edit = json!({"path": "f", "old_text": "old", "new_text": "new"});
    let state = tempfile::tempdir().unwrap();
    let vector = Vector::open("I#2440", "//- /f\nold\n", |root| Options {
        state_dir: Some(state.path().join("state")),
        ..Options::new(root, Config::default())
    });
    let (reply, met) = inject(Step::Commit, BUSY, || vector.ok("edit_file", edit.clone()).reply);
    assert!(met && reply.for_model.contains("written in place"), "{}", reply.for_model);
    vector.holds("f", "new\n");
    // Without a history a failure half-way would lose the old content: refused, and nothing is changed.
    let vector = Vector::file("I#2440", "old\n");
    let (_, met) = inject(Step::Commit, BUSY, || vector.refused("edit_file", edit, "in_place_needed").reply);
    assert!(met);
    vector.holds("f", "old\n");
}

/// #40001: an argument that the tool did not know was ignored, and the file overwritten.
#[test]
fn an_unknown_argument_is_never_ignored() {
    let vector = Vector::file("#40001", "old");
    let args = json!({"path": "f", "content": "x", "overwrite": true, "append": true});
    vector.refused("write_file", args, "invalid_arguments").has("append_file adds to a file");
    vector.holds("f", "old");
}

/// P#26 P#967: the restriction of every tool, both ways.
#[test]
fn the_restriction_holds_for_every_tool_both_ways() {
    for (restrict, reads_outside) in [(true, false), (true, true), (false, false)] {
        let config = json!({"agents": {"defaults": {"restrict_to_workspace": restrict,
            "allow_read_outside_workspace": reads_outside}}});
        let vector = Vector::open("P#26", "", |root| {
            Options::new(root, Config::load(&config.to_string(), &|_| None).unwrap().config)
        });
        fs::create_dir(vector.files.outside("d")).unwrap();
        let outside = vector.files.outside("d/f");
        fs::write(&outside, "old\n").unwrap();
        let (file, dir) = (outside.to_str().unwrap(), vector.files.outside("d"));
        let may_read = reads_outside || !restrict;
        for (tool, args, may) in [
            ("read_file", json!({"path": file}), may_read),
            ("list_dir", json!({"path": dir}), may_read),
            ("search_files", json!({"pattern": "old", "path": dir}), may_read),
            ("append_file", json!({"path": file, "content": "x\n"}), !restrict),
            ("edit_file", json!({"path": file, "old_text": "old", "new_text": "new"}), !restrict),
            ("write_file", json!({"path": format!("{file}2"), "content": "x"}), !restrict),
        ] {
            let reply = vector.call(tool, args).reply;
            assert_eq!(!reply.is_error, may, "{config} {tool}: {}", reply.for_model);
        }
    }
}

/// I#1526 P#1580 P#1631: a relative path through a directory that is a link out of the workspace.
#[test]
fn a_linked_directory_is_no_way_out() {
    let vector = Vector::new("I#1526", "");
    fs::create_dir(vector.files.outside("theirs")).unwrap();
    fs::write(vector.files.outside("theirs/secret.txt"), "canary").unwrap();
    symlink(vector.files.outside("theirs"), vector.files.path("leak")).unwrap();
    for path in ["leak/secret.txt", "./leak/secret.txt", "leak/../leak/secret.txt", "leak/new.txt"] {
        vector.refused("read_file", read(path), "outside_workspace").lacks("canary");
        let write = json!({"path": path, "content": "x", "overwrite": true});
        vector.refused("write_file", write, "outside_workspace");
    }
    vector.refused("list_dir", read("leak"), "outside_workspace").lacks("secret.txt");
    assert_eq!(fs::read_dir(vector.files.outside("theirs")).unwrap().count(), 1);
}

/// P#1536 I#2426: files that were uploaded outside the workspace could not be allowed.
#[test]
fn an_allowed_place_outside_works() {
    let uploads = tempfile::tempdir().unwrap();
    let place = uploads.path().canonicalize().unwrap();
    fs::write(place.join("photo.txt"), "uploaded\n").unwrap();
    let pattern = format!("^{}/", place.to_str().unwrap().replace('.', r"\."));
    let vector = Vector::with("P#1536", "", &json!({"tools": {"allow_read_paths": [pattern]}}));
    let file = place.join("photo.txt");
    vector.ok("read_file", read(file.to_str().unwrap())).has("uploaded");
}

/// I#2107 I#2749 I#1042 P#3001 P#3087: ordinary paths were taken for escapes.
#[test]
fn ordinary_paths_are_no_escapes() {
    let names = [
        "skills/a/b.py",
        "a..b",
        "..c/d",
        "x.../y",
        "https:/example.org/z",
        "-rf",
        "a b/c",
        "%2e%2e/f",
        "~/g",
    ];
    let tree: String = names.iter().map(|name| format!("//- /{name}\nx\n")).collect();
    let vector = Vector::new("I#2107", &tree);
    for name in names {
        vector.ok("read_file", read(name));
        let absolute = vector.files.path("").join(name);
        vector.ok("read_file", read(absolute.to_str().unwrap()));
    }
}

/// I#2519: agents littered other directories, since nobody told them where they may write.
#[test]
fn a_refusal_outside_names_the_workspace() {
    let vector = Vector::new("I#2519", "");
    for path in ["/var/tmp/note.txt", "../note.txt"] {
        let write = json!({"path": path, "content": "x"});
        vector.refused("write_file", write, "outside_workspace").has("use a path below $WS");
    }
}

/// I#972 P#1485 I#3079 #16809 #17691: credentials came through one tool or another, since masking was off or not there.
#[test]
fn every_view_of_every_tool_is_masked_by_default() {
    let vector = Vector::file("I#972", format!("key = {}\nold\n", token()));
    let part = token()[8..20].to_owned();
    for (tool, args) in [
        ("read_file", read("f")),
        ("search_files", json!({"pattern": "key"})),
        ("search_files", json!({"pattern": "old", "context": 1})),
        ("edit_file", json!({"path": "f", "old_text": "old", "new_text": "new"})),
        ("edit_file", json!({"path": "f", "old_text": "key  =", "new_text": "new"})),
        ("edit_file", json!({"path": "f", "patch": "@@\n-key is something\n+x\n"})),
    ] {
        vector.call(tool, args).lacks(&part);
    }
    let lines = Vector::with("I#972", "", &by_lines());
    lines.files.write("f", format!("key = {}\n", token()));
    lines.ok("read_file", read("f")).lacks(&part);
}

/// #238: ordinary identifiers of a program were masked by the thousand.
#[test]
fn a_program_is_not_masked() {
    let source = include_str!("../../src/toolset.rs");
    let vector = Vector::file("#238", source);
    vector.ok("read_file", read("f")).lacks("[FILTERED]").has("pub struct ToolSet");
}

/// P#2308 #554: a long result is a reference and a preview that cuts no character, also where it cannot be stored.
#[test]
fn a_long_result_is_a_reference_and_a_preview() {
    let text = "😀日é".repeat(6_000);
    let vector = Vector::file("P#2308", &text);
    let page = vector.ok("read_file", json!({"path": "f", "length": 60_000}));
    assert_eq!(page.reply.attachments.len(), 1);
    page.lacks("\u{fffd}").has("characters omitted here").has("read_file shows it in parts");
    assert!(page.text().chars().count() <= 16_384);
}

/// P#3020, of searches: what is cut off has to be said in a way that a program understands.
#[test]
fn a_page_that_is_cut_names_the_next_one() {
    let files = Fixture::new("");
    files.write("f", "needle\n".repeat(500));
    let reply = files.ok("search_files", json!({"pattern": "needle", "limit": 10, "offset": 20}));
    assert!(reply.starts_with("[results 21-30; more follow at offset=30]\n"), "{reply}");
    assert!(reply.ends_with("[more results: call search_files again with offset=30]"), "{reply}");
}

/// #22: a walk went on behind its limit, and counted files that it never opened.
#[test]
fn a_walk_stops_at_its_limit() {
    let tree: String = (0..50).map(|n| format!("//- /d{n:02}/f\nneedle\n")).collect();
    let vector = Vector::new("#22", &tree);
    vector.ok("search_files", json!({"pattern": "needle", "limit": 3})).has("3 result(s), 4 files scanned.");
}

/// #590: a directory of very many entries took seconds and hundreds of megabytes.
#[test]
fn a_huge_directory_comes_in_pages() {
    let files = Fixture::new("");
    for n in 0..3_000 {
        fs::File::create(files.path(&format!("f{n:05}"))).unwrap();
    }
    let reply = files.call("list_dir", json!({"path": "."}));
    assert!(reply.for_model.chars().count() <= 16_384 || reply.attachments.len() == 1);
    let last = files.ok("list_dir", json!({"path": ".", "offset": 2_990}));
    assert!(last.starts_with("[entries 2991-3000 of 3000; last page]\nFILE: f02990 (0 bytes)\n"), "{last}");
}
