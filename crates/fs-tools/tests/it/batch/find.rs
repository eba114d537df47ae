//! `find_files`. The numbers are those of the vectors in `docs/conformance-batch.md`.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, UNIX_EPOCH};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("find_files", args));
}

/// Gives a file a modification time in seconds since 1970.
fn touch(files: &Fixture, name: &str, seconds: u64) {
    let at = UNIX_EPOCH + Duration::from_secs(seconds);
    let file = File::options().write(true).open(files.path(name)).unwrap();
    file.set_times(FileTimes::new().set_modified(at)).unwrap();
}

/// The `path` of every row of an answer.
fn paths(text: &str) -> Vec<String> {
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter_map(|row| row["path"].as_str().map(str::to_owned)).collect()
}

fn query(query: Value) -> Value {
    json!({ "queries": [query] })
}

const TREE: &str = "\
//- /src/m.rs
fn main() {}
//- /src/deep/n.rs
fn main() {}
fn other() {}
//- /top.rs
x
//- /a.js
x
//- /b.ts
x
//- /.hidden
x
//- /.env
fn main() {}
";

#[test]
fn v01_queries_are_required() {
    let files = Fixture::batch(TREE);
    for args in [json!({}), json!({"queries": []})] {
        assert_eq!(files.code("find_files", args), "invalid_arguments");
    }
    check(
        &files,
        json!({"queries": []}),
        expect![[r#"
            error (invalid_arguments): `queries` is empty
            next step: call find_files again with at least one entry in `queries`"#]],
    );
    check(
        &files,
        json!({"dir": "src"}),
        expect![[r#"
            error (invalid_arguments): unexpected property "dir"
            next step: put it into `queries`: {"queries": [{"dir": …}]}"#]],
    );
    check(
        &files,
        json!({"queries": [{"dirr": "src"}]}),
        expect![[r#"
            error (invalid_arguments): unexpected property "queries[0].dirr"
            next step: use `dir` instead of `queries[0].dirr`"#]],
    );
}

#[test]
fn v02_to_v08_the_mode_follows_from_the_queries() {
    let files = Fixture::batch(TREE);
    let text = |args: Value| files.ok("find_files", args);
    assert!(text(query(json!({"dir": "src"}))).contains("\"is_dir\":true"), "2: a directory alone");
    assert_eq!(paths(&text(query(json!({"pattern": "*.rs"})))), ["top.rs"], "3: a pattern alone");
    let search = text(query(json!({"pattern": "main", "file_pattern": "*.rs", "recursive": true})));
    assert!(search.contains("[files 1-2 of 2; last page]"), "4: {search}");
    let mixed =
        json!({"queries": [{"pattern": "fn", "dir": "src"}, {"pattern": "x", "file_pattern": "*.js"}]});
    assert!(
        text(mixed).contains("[files 1-3 of 3; last page]"),
        "5: one search query makes the call a search"
    );
    assert!(text(query(json!({"pattern": "  ", "dir": "src"}))).contains("is_dir"), "6: blank is absent");
    let trimmed = json!({"mode": " GLOB ", "queries": [{"pattern": "*.ts"}]});
    assert_eq!(paths(&text(trimmed)), ["b.ts"], "7");
    check(
        &files,
        json!({"mode": "grep", "queries": [{"pattern": "x"}]}),
        expect![[r#"
            error (invalid_arguments): `mode` must be one of `list`, `glob`, `search`, not the string "grep"
            next step: call find_files again with `mode` as one of `list`, `glob`, `search`"#]],
    );
}

#[test]
fn v09_every_query_needs_a_pattern_when_one_has() {
    let files = Fixture::batch(TREE);
    check(
        &files,
        json!({"mode": "glob", "queries": [{"pattern": "*.rs"}, {"dir": "src"}]}),
        expect![[r#"
            error (invalid_arguments): queries[1].pattern is required: one mode holds for the whole call, here glob
            next step: give every query a pattern, or make a call of its own for the others"#]],
    );
}

#[test]
fn v10_a_list_is_complete_and_sorted() {
    let files = Fixture::batch("//- /d/b\n12\n//- /d/a/x\n1\n//- /d/.x\n\n//- /d/.env\nK=1\n");
    for (name, at) in [("d/b", 60), ("d/.x", 120)] {
        touch(&files, name, at);
    }
    File::open(files.path("d/a")).unwrap().set_times(FileTimes::new().set_modified(UNIX_EPOCH)).unwrap();
    check(
        &files,
        query(json!({"dir": "d"})),
        expect![[r#"
            {"path":"d/.x","is_dir":false,"size":1,"mod_time":"1970-01-01 00:02"}
            {"path":"d/a","is_dir":true,"size":0,"mod_time":"1970-01-01 00:00"}
            {"path":"d/b","is_dir":false,"size":3,"mod_time":"1970-01-01 00:01"}
            [3 entries, in the order of their names]"#]],
    );
}

#[test]
fn v11_and_v12_a_query_that_fails_leaves_the_others() {
    let files = Fixture::batch(TREE);
    let text =
        files.ok("find_files", json!({"queries": [{"dir": "src"}, {"dir": "missing"}, {"dir": "top.rs"}]}));
    assert_eq!(paths(&text), ["src/deep", "src/m.rs"]);
    assert!(text.contains(r#"{"dir":"missing","error":"not_found""#), "{text}");
    assert!(text.contains(r#"{"dir":"top.rs","error":"not_a_directory""#), "{text}");
    assert_eq!(files.code("find_files", query(json!({"dir": "missing"}))), "not_found");
    let all = json!({"queries": [{"dir": "missing"}, {"dir": "gone"}]});
    assert_eq!(files.code("find_files", all), "all_queries_failed");
}

#[test]
fn v13_a_recursive_list_has_files_only_and_nothing_ignored() {
    let files = Fixture::batch(
        "//- /a/b.txt\nx\n//- /node_modules/m.js\nx\n//- /.git/config\nx\n//- /.gitignore\nnode_modules/\n",
    );
    let text = files.ok("find_files", query(json!({"recursive": true})));
    assert_eq!(paths(&text), [".gitignore", "a/b.txt"]);
    assert!(text.contains(r#""size":2,"#), "{text}");
}

#[test]
fn v14_and_v15_the_size_of_a_result_is_bounded_over_all_queries() {
    let files = Fixture::batch("//- /x/keep\n\n//- /y/keep\n\n");
    for i in 0..2_500 {
        files.write(&format!("x/file-with-a-rather-long-name-{i:05}"), "");
        files.write(&format!("y/file-with-a-rather-long-name-{i:05}"), "");
    }
    let args = json!({"queries": [{"dir": "x"}, {"dir": "y"}]});
    let text = files.ok("find_files", args.clone());
    assert!(text.len() <= 128 * 1024 + 200, "{}", text.len());
    let shown = paths(&text).len();
    assert!(
        text.contains(&format!("[partial result: entries 1-{shown} of 5002,")),
        "{}",
        &text[text.len() - 300..]
    );
    assert!(text.contains(&format!("; {} left out to stay under 128 KiB", 5_002 - shown)));
    assert_eq!(files.ok("find_files", args), text, "the same call is cut alike");
    let mut all = Vec::new();
    let mut offset = 0;
    while offset < 5_002 {
        let args = json!({"queries": [{"dir": "x"}, {"dir": "y"}], "offset": offset});
        let page = paths(&files.ok("find_files", args));
        offset += page.len();
        all.extend(page);
    }
    assert_eq!(all.len(), 5_002);
    all.dedup();
    assert_eq!(all.len(), 5_002);
}

#[test]
fn v16_and_v17_odd_names_and_loops_of_links() {
    use std::os::unix::ffi::OsStrExt as _;
    let files = Fixture::batch("//- /d/a\nx\n");
    let odd = files.path("d").join(std::ffi::OsStr::from_bytes(b"n\xff\n"));
    fs::write(odd, "y").unwrap();
    std::os::unix::fs::symlink("..", files.path("d/loop")).unwrap();
    let text = files.ok("find_files", query(json!({"dir": "d"})));
    assert_eq!(paths(&text), ["d/a", "d/loop", "d/n\\x{FF}\\x{0A}"]);
    assert!(text.contains(r#""type":"symbolic link""#), "{text}");
    let below = files.ok("find_files", query(json!({"dir": "d", "recursive": true})));
    assert_eq!(paths(&below), ["d/a", "d/n\\x{FF}\\x{0A}"]);
}

#[test]
fn v18_and_v19_a_glob_needs_a_literal() {
    let files = Fixture::batch(TREE);
    for pattern in ["**/*", "*", "*.*", "?", ".", "/", "**", "{*,**}"] {
        let code = files.code("find_files", query(json!({"pattern": pattern})));
        let expected = if pattern == "/" { "absolute_pattern" } else { "all_wildcard" };
        assert_eq!(code, expected, "{pattern}");
    }
    let refusal = files.text("find_files", query(json!({"pattern": "*"})));
    assert!(refusal.contains("leave pattern out to list the directory; or search content"), "{refusal}");
    assert!(!files.call("find_files", query(json!({"pattern": "[!a]"}))).is_error);
}

#[test]
fn v20_to_v27_globs() {
    let files = Fixture::batch(&format!("{TREE}//- /a[0].txt\nx\n"));
    let found = |queries: Value| paths(&files.ok("find_files", json!({ "queries": queries })));
    assert_eq!(found(json!([{"pattern": "src/**/*.rs"}])).len(), 2, "20: ** takes no directory as well");
    assert_eq!(found(json!([{"pattern": "*.rs"}])), ["top.rs"], "21: * stays in its directory");
    assert_eq!(found(json!([{"pattern": "*.rs", "recursive": true}])).len(), 3, "recursive: at any depth");
    for pattern in ["/etc/*.conf", "~/x*"] {
        assert_eq!(files.code("find_files", query(json!({"pattern": pattern}))), "absolute_pattern", "22");
    }
    for (name, at) in [("top.rs", 3), ("src/m.rs", 1), ("src/deep/n.rs", 2)] {
        touch(&files, name, at);
    }
    let text = files.ok("find_files", query(json!({"pattern": "**/*.rs"})));
    assert_eq!(paths(&text), ["top.rs", "src/deep/n.rs", "src/m.rs"], "23: newest first");
    assert!(text.ends_with("[3 entries, newest first]"), "{text}");
    let twice = json!([{"pattern": "src/*.rs"}, {"dir": "src", "pattern": "m.*"}]);
    assert_eq!(found(twice), ["src/m.rs"], "24: once");
    let mut both = found(json!([{"pattern": "*.{js,ts}"}]));
    both.sort();
    assert_eq!(both, ["a.js", "b.ts"], "25");
    let text = files.ok("find_files", json!({"queries": [{"pattern": "a["}, {"pattern": "*.js"}]}));
    assert!(text.contains(r#""error":"invalid_glob""#) && paths(&text) == ["a.js"], "26: {text}");
    assert_eq!(found(json!([{"pattern": "a[[]0].txt"}])), ["a[0].txt"], "27");
    assert_eq!(files.text("find_files", query(json!({"pattern": "*.zig"}))), "no files found");
}

/// 600 files with one match each.
fn six_hundred() -> Fixture {
    let files = Fixture::batch("//- /d/f000\nneedle\n");
    for i in 1..600 {
        files.write(&format!("d/f{i:03}"), "needle\n");
    }
    files
}

#[test]
fn v28_and_v29_files_carry_their_count_and_their_first_five_rows() {
    let files = Fixture::batch("//- /a\nx\nneedle\n//- /b\nneedle\n//- /c\nneedle\n");
    files.write("b", "needle\n".repeat(9));
    check(
        &files,
        query(json!({"pattern": "needle", "file_pattern": "**/*"})),
        expect![[r#"
            {"path":"a","count":1,"lines":[2]}
            {"path":"b","count":9,"lines":[1,2,3,4,5]}
            {"path":"c","count":1,"lines":[1]}
            [files 1-3 of 3; last page]"#]],
    );
}

#[test]
fn v30_to_v33_pages_of_files() {
    let files = six_hundred();
    let page = |more: Value| {
        let mut args = query(json!({"pattern": "needle", "file_pattern": "**/*"}));
        for (key, value) in more.as_object().unwrap() {
            args[key] = value.clone();
        }
        files.ok("find_files", args)
    };
    let (one, two, three) = (page(json!({})), page(json!({"offset": 256})), page(json!({"offset": 512})));
    assert!(one.ends_with("[files 1-256 of 600; next offset=256]"), "30");
    assert!(two.ends_with("[files 257-512 of 600; next offset=512]"), "31");
    assert!(three.ends_with("[files 513-600 of 600; last page]"), "31");
    let mut all = [paths(&one), paths(&two), paths(&three)].concat();
    assert_eq!(all.len(), 600);
    assert!(all.is_sorted());
    all.dedup();
    assert_eq!(all.len(), 600);
    assert_eq!(page(json!({"offset": 9999})), "[files 0 of 600; offset 9999 is past the end]", "32");
    assert!(page(json!({"limit": 0})).ends_with("[files 1-256 of 600; next offset=256]"), "33");
    let mut negative = query(json!({"pattern": "needle", "file_pattern": "**/*"}));
    negative["limit"] = json!(-5);
    assert_eq!(files.code("find_files", negative), "invalid_arguments", "33: design D13");
}

#[test]
fn v34_and_v35_context_is_marked_and_not_counted() {
    let files = Fixture::batch("//- /f\n1\n2\nneedle\n4\nneedle\n6\n7\n8\n");
    let args =
        json!({"queries": [{"pattern": "needle", "file_pattern": "f"}], "output": "content", "context": 2});
    check(
        &files,
        args.clone(),
        expect![[r#"
            {"path":"f","line":1,"text":"1","context":true}
            {"path":"f","line":2,"text":"2","context":true}
            {"path":"f","line":3,"text":"needle"}
            {"path":"f","line":4,"text":"4","context":true}
            {"path":"f","line":5,"text":"needle"}
            {"path":"f","line":6,"text":"6","context":true}
            {"path":"f","line":7,"text":"7","context":true}
            [lines 1-2 of 2; last page]"#]],
    );
    let mut first = args;
    first["limit"] = json!(1);
    let text = files.ok("find_files", first);
    assert!(text.starts_with(r#"{"path":"f","line":1,"text":"1","context":true}"#), "{text}");
    assert!(text.ends_with("[lines 1-1 of 2; next offset=1]"), "{text}");
}

#[test]
fn v36_a_long_line_is_cut_around_its_match() {
    let files = Fixture::batch("//- /f\nx\n");
    files.write("f", format!("{}needle{}\n", "é".repeat(1_000), "x".repeat(1_000)));
    let args = json!({"queries": [{"pattern": "needle", "file_pattern": "f"}], "output": "content"});
    let text = files.ok("find_files", args);
    let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let line = row["text"].as_str().unwrap();
    assert!(line.len() <= 512 && line.contains("needle") && line.starts_with('…'), "{line}");
}

#[test]
fn v37_to_v39_multiline() {
    let files = Fixture::batch("//- /f.rs\na\nstruct {\n  x\n  y\n  z\n  Name\nb\n");
    let search = |pattern: &str, multiline: bool| {
        let queries = json!([{"pattern": pattern, "file_pattern": "*.rs"}]);
        files.text("find_files", json!({"queries": queries, "multiline": multiline, "output": "content"}))
    };
    let lines = |text: &str| -> Vec<u64> {
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        rows.filter_map(|row| row["line"].as_u64()).collect()
    };
    assert_eq!(lines(&search(r"struct \{.*?Name", true)), [2, 3, 4, 5, 6], "37");
    assert_eq!(search(r"struct \{.*?Name", false), "no files found (1 files searched)", "38");
    assert_eq!(lines(&search("^b$", true)), [7], "39");
}

#[test]
fn v40_to_v46_what_is_found_and_what_is_not() {
    let files = Fixture::batch("//- /f\nneedle\n\nx\n//- /.env\nneedle\n//- /s/bin\nx\n");
    files.write("s/bin", b"\0needle\n");
    files.write("u16", b"\xff\xfex\0\n\0n\0e\0e\0d\0l\0e\0\n\0");
    let search =
        |pattern: &str| files.text("find_files", query(json!({"pattern": pattern, "file_pattern": "**/*"})));
    assert!(search("(?=x)").contains("error (invalid_regex)"), "40: {}", search("(?=x)"));
    let text = search("needle");
    assert_eq!(paths(&text), ["f", "u16"], "41, 42, 43: {text}");
    assert!(text.contains(r#"{"path":"u16","count":1,"lines":[2]}"#), "42: {text}");
    assert!(text.contains("[not searched, binary: 1 file(s)]"), "43: {text}");
    assert_eq!(
        search("absent"),
        "no files found (2 files searched)\n[not searched, binary: 1 file(s)]",
        "45"
    );
    assert!(search("a*").contains(r#"{"path":"f","count":3,"lines":[1,2,3]}"#), "46");
    let two = Fixture::batch("//- /a/x.txt\nneedle\n//- /b/x.txt\nneedle\n");
    let queries = json!({"mode": "search", "queries": [{"dir": "a", "pattern": "needle"}, {"dir": "b", "pattern": "needle"}]});
    assert_eq!(paths(&two.ok("find_files", queries)), ["a/x.txt", "b/x.txt"], "44");
}

#[test]
fn v47_a_tree_that_changes_between_pages_is_said() {
    let one = query(json!({"pattern": "needle", "file_pattern": "**/*"}));
    let two = json!({"queries": [
        {"pattern": "needle", "file_pattern": "**/*"}, {"pattern": "n[e]+dle", "file_pattern": "**/*"},
    ]});
    for (base, output) in [(&one, "files"), (&one, "content"), (&two, "files"), (&two, "content")] {
        let files = Fixture::batch("//- /b\nneedle\n//- /c\nneedle\n//- /d\nneedle\n");
        let page = |offset: u64| {
            let mut args = base.clone();
            args["offset"] = json!(offset);
            args["limit"] = json!(2);
            args["output"] = json!(output);
            files.ok("find_files", args)
        };
        assert!(page(0).contains("1-2 of 3; next offset=2]"), "{}", page(0));
        assert!(!page(2).contains("[the tree changed"), "{}", page(2));
        files.write("a", "needle\n");
        let text = page(2);
        assert!(text.contains("[the tree changed") && text.contains("3-4 of 4; last page]"), "{text}");
        page(0);
        for name in ["a", "b", "c"] {
            fs::remove_file(files.path(name)).unwrap();
        }
        assert!(page(2).contains("[the tree changed"), "{}", page(2));
    }
}

#[test]
fn several_queries_give_what_each_gives_alone_in_one_order() {
    let files = Fixture::batch(
        "//- /a\none\ntwo\nthree\nfour\n//- /b/c\ntwo\n//- /b/d\none\n//- /e\nzero\nzero\nzero\none\nzero\ntwo\n",
    );
    let queries = json!([
        {"pattern": "one", "file_pattern": "**/*"},
        {"pattern": "two|one", "file_pattern": "**/*"},
        {"dir": "b", "pattern": "one", "file_pattern": "**/*"},
    ]);
    check(
        &files,
        json!({ "queries": queries }),
        expect![[r#"
            {"path":"a","count":2,"lines":[1,2]}
            {"path":"b/c","count":1,"lines":[1]}
            {"path":"b/d","count":1,"lines":[1]}
            {"path":"e","count":2,"lines":[4,6]}
            [files 1-4 of 4; last page]"#]],
    );
    check(
        &files,
        json!({ "queries": queries, "output": "content", "context": 1 }),
        expect![[r#"
            {"path":"a","line":1,"text":"one"}
            {"path":"a","line":2,"text":"two"}
            {"path":"a","line":3,"text":"three","context":true}
            {"path":"b/c","line":1,"text":"two"}
            {"path":"b/d","line":1,"text":"one"}
            {"path":"e","line":3,"text":"zero","context":true}
            {"path":"e","line":4,"text":"one"}
            {"path":"e","line":5,"text":"zero","context":true}
            {"path":"e","line":6,"text":"two"}
            [lines 1-6 of 6; last page]"#]],
    );
    // Any way to page gives the same lines.
    let all = files.ok("find_files", json!({ "queries": queries, "output": "content" }));
    for step in 1..=6 {
        let mut rows = Vec::new();
        let mut offset = 0;
        while offset < 6 {
            let args = json!({ "queries": queries, "output": "content", "offset": offset, "limit": step });
            let text = files.ok("find_files", args);
            let page: Vec<String> =
                text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect();
            offset += page.len();
            rows.extend(page);
        }
        assert!(all.starts_with(&rows.join("\n")), "{step}");
    }
}

#[test]
fn credentials_are_masked_and_protected_files_are_never_shown() {
    let key = format!("{}{}", "ghp_", "0123456789abcdefghijABCDEFGHIJ012345");
    let files = Fixture::batch(&format!("//- /f\ntoken {key}\nnext\n//- /.ssh/id_rsa\ntoken x\n"));
    for queries in [
        json!([{"pattern": "token", "file_pattern": "**/*"}]),
        json!([{"pattern": "token", "file_pattern": "**/*"}, {"pattern": "next", "file_pattern": "**/*"}]),
    ] {
        let text = files.ok("find_files", json!({"queries": queries, "output": "content", "context": 1}));
        assert!(text.contains("token [FILTERED]") && !text.contains(&key), "{text}");
        assert!(text.contains("[values masked in 1 line(s)") && !text.contains(".ssh"), "{text}");
    }
    let sensitive = files.code("find_files", query(json!({"dir": ".ssh"})));
    assert_eq!(sensitive, "protected");
    let outside = files.code("find_files", query(json!({"dir": "..", "pattern": "*.txt"})));
    assert_eq!(outside, "outside_workspace");
}

#[test]
fn arguments_of_another_mode_are_said_to_have_no_effect() {
    let files = Fixture::batch(TREE);
    let text =
        files.ok("find_files", json!({"queries": [{"dir": "src"}], "context": 3, "output": "content"}));
    assert!(text.ends_with("[no effect in this mode: output, context]"), "{text}");
}
