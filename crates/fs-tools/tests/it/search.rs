//! `search_files`.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::fixture::Fixture;

#[track_caller]
fn check(files: &Fixture, args: Value, expected: Expect) {
    expected.assert_eq(&files.text("search_files", args));
}

const TREE: &str = "\
//- /src/main.ts
let needle = 1;
//- /src/deep/b.ts
a
needle
c
needle
//- /a.md
needle
//- /docker-compose.yml
x
//- /deploy/docker-compose.prod.yml
x
//- /ignored.log
needle
//- /.gitignore
*.log
//- /.git/config
needle
//- /.env
needle
";

#[test]
fn content_rows_come_in_path_order() {
    let files = Fixture::new(TREE);
    check(
        &files,
        json!({"pattern": "needle"}),
        expect![[r#"
        a.md:1: needle
        src/deep/b.ts:2: needle
        src/deep/b.ts:4: needle
        src/main.ts:1: let needle = 1;

        4 result(s), 6 files scanned."#]],
    );
    check(
        &files,
        json!({"pattern": "needle", "output_mode": "count", "file_glob": "*.ts"}),
        expect![[r#"
        src/deep/b.ts: 2
        src/main.ts: 1

        2 result(s), 2 files scanned."#]],
    );
    check(
        &files,
        json!({"pattern": "needle", "output_mode": "files_only", "path": "src"}),
        expect![[r#"
        src/deep/b.ts
        src/main.ts

        2 result(s), 2 files scanned."#]],
    );
}

#[test]
fn context_blocks_that_touch_are_one() {
    let files = Fixture::new(TREE);
    check(
        &files,
        json!({"pattern": "needle", "path": "src/deep", "context": 1}),
        expect![[r#"
        src/deep/b.ts:
          1: a
        > 2: needle
          3: c
        > 4: needle

        1 result(s), 1 files scanned."#]],
    );
}

#[test]
fn pages_follow_one_another() {
    let files = Fixture::new(TREE);
    check(
        &files,
        json!({"pattern": "needle", "limit": 1}),
        expect![[r#"
        [results 1-1; more follow at offset=1]
        a.md:1: needle

        1 result(s), 5 files scanned.
        [more results: call search_files again with offset=1]"#]],
    );
    let text = files.ok("search_files", json!({"pattern": "needle", "limit": 1, "offset": 3}));
    assert!(text.starts_with("src/main.ts:1: ") && !text.contains("more"), "{text}");
    let text = files.ok("search_files", json!({"pattern": "needle", "offset": 9}));
    assert!(text.starts_with("No more results: 4 in all"), "{text}");
}

#[test]
fn names_have_three_forms() {
    let files = Fixture::new(TREE);
    let names = |pattern: &str| {
        let text = files.text("search_files", json!({"pattern": pattern, "target": "files"}));
        text.split("\n\n").next().unwrap_or_default().trim_end().replace('\n', " ")
    };
    assert_eq!(names("docker-compose"), "deploy/docker-compose.prod.yml docker-compose.yml");
    assert_eq!(names("src/**/*.ts"), "src/deep/b.ts src/main.ts");
    assert_eq!(names("*.{md,yml}"), "a.md deploy/docker-compose.prod.yml docker-compose.yml");
    assert_eq!(names("src/*.ts"), "src/main.ts");
    assert!(names("").contains(".gitignore a.md"));
    assert!(names("zz").starts_with("No matching files"));
}

#[test]
fn no_match_is_an_answer() {
    let files = Fixture::new(TREE);
    let reply = files.call("search_files", json!({"pattern": "absent"}));
    assert!(!reply.is_error && reply.is_negative);
    assert_eq!(reply.for_model, "No matches found (6 files scanned).");
}

#[test]
fn an_explicit_path_is_searched_even_when_ignored() {
    let files = Fixture::new(TREE);
    let text = files.ok("search_files", json!({"pattern": "needle", "path": "ignored.log"}));
    assert!(text.starts_with("ignored.log:1: needle"), "{text}");
    let absolute = files.path("src").to_str().unwrap().to_owned();
    let text = files.ok("search_files", json!({"pattern": "let", "path": absolute}));
    assert!(text.starts_with("$WS/src/main.ts:1: "), "{text}");
}

#[test]
fn the_window_keeps_the_match_visible() {
    let files = Fixture::new("");
    files.write("long", format!("{}needle{}\n", "x".repeat(2_000), "y".repeat(2_000)));
    let text = files.ok("search_files", json!({"pattern": "needle"}));
    let row = text.lines().next().unwrap();
    assert!(row.contains("needle"), "{row}");
    assert!(row.starts_with("long:1: …x") && row.ends_with("y…"), "{row}");
    assert!(row.len() <= 240 + "long:1: ".len());
}

#[test]
fn bad_input_is_refused_with_the_place() {
    let files = Fixture::new(TREE);
    for (args, code) in [
        (json!({"pattern": "("}), "invalid_regex"),
        (json!({"pattern": "[", "target": "files"}), "invalid_glob"),
        (json!({"pattern": "x", "path": "missing"}), "not_found"),
        (json!({"pattern": "x", "path": "../"}), "outside_workspace"),
        (json!({"pattern": "x", "path": ".env"}), "sensitive"),
        (json!({"pattern": "x", "target": "names"}), "invalid_arguments"),
        (json!({"pattern": "x", "limit": 0}), "invalid_arguments"),
        (json!({"pattern": "x", "offset": -1}), "invalid_arguments"),
        (json!({"pattern": "x", "after": "nonsense"}), "bad_cursor"),
    ] {
        assert_eq!(files.code("search_files", args.clone()), code, "{args}");
    }
}

#[test]
fn numbers_over_the_maximum_are_clamped_with_a_note() {
    let files = Fixture::new(TREE);
    let text = files.ok("search_files", json!({"pattern": "needle", "limit": 999, "context": 99}));
    assert!(text.contains("[limit 999 is over the maximum: 200 is used]"), "{text}");
    assert!(text.contains("[context 99 is over the maximum: 20 is used]"), "{text}");
}

#[test]
fn what_is_not_searched_is_said() {
    let files = Fixture::new("//- /.gitignore\n*\n");
    files.write("b.bin", b"\0needle");
    files.write("t.txt", "needle");
    let text = files.text("search_files", json!({"pattern": "needle"}));
    assert!(text.contains("ignored by .gitignore"), "{text}");
    let files = Fixture::new("");
    files.write("b.bin", b"\0needle");
    let text = files.text("search_files", json!({"pattern": "needle"}));
    assert!(text.contains("[not searched, binary: 1 file(s)]"), "{text}");
}

#[test]
fn newest_first_orders_by_time() {
    let files = Fixture::new("//- /old\nx\n//- /new\nx\n");
    let old = std::fs::File::options().append(true).open(files.path("old")).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let text = files.ok("search_files", json!({"pattern": "", "target": "files", "order": "modified"}));
    assert!(text.starts_with("new\nold\n"), "{text}");
}

#[test]
fn a_page_never_exceeds_the_inline_limit() {
    let files = Fixture::new("");
    files.write("f", format!("needle {}\n", "x".repeat(200)).repeat(2_000));
    let reply = files.call("search_files", json!({"pattern": "needle", "limit": 200}));
    assert!(reply.for_model.chars().count() <= 16_384, "{}", reply.for_model.len());
    assert!(reply.attachments.is_empty());
    let mut offset = 0;
    let mut pages = 0;
    loop {
        let text = files.ok("search_files", json!({"pattern": "needle", "limit": 200, "offset": offset}));
        let rows = text.lines().filter(|line| line.starts_with("f:")).count();
        let first = format!("f:{}: ", offset + 1);
        assert!(text.lines().any(|line| line.starts_with(&first)), "page at {offset} starts elsewhere");
        offset += rows;
        pages += 1;
        if !text.contains("more results") {
            break;
        }
    }
    assert_eq!(offset, 2_000);
    assert!(pages < 60);
}

#[test]
fn a_tree_that_changed_between_pages_is_said() {
    const CHANGED: &str = "[the tree changed since the page before";
    let files = Fixture::new("//- /b\nneedle\nneedle\n//- /c\nneedle\n//- /d\nneedle\n");
    for args in [
        json!({"pattern": "needle", "limit": 2}),
        json!({"pattern": "needle", "limit": 2, "context": 1}),
        json!({"pattern": "needle", "limit": 2, "output_mode": "count"}),
        json!({"pattern": "", "target": "files", "limit": 2}),
        json!({"pattern": "", "target": "files", "order": "modified", "limit": 2}),
    ] {
        let page = |offset: u64| {
            let mut args = args.clone();
            args["offset"] = json!(offset);
            files.ok("search_files", args)
        };
        assert!(!page(0).contains(CHANGED));
        assert!(!page(2).contains(CHANGED), "an unchanged tree, page by page");
        page(0);
        files.write("a", "needle\nneedle\n");
        assert!(page(2).contains(CHANGED), "{args}");
        assert!(!page(1).contains(CHANGED), "a page that nobody led to");
        page(0);
        assert!(!page(2).contains(CHANGED), "the new state is the base of the next page");
        std::fs::remove_file(files.path("a")).unwrap();
        assert!(page(2).contains(CHANGED), "{args}");
    }
}

#[test]
fn a_page_cut_by_its_size_leads_to_a_page_that_knows_it() {
    let files = Fixture::with("//- /b\nx\n", r#"{"tools": {"max_inline_result_chars": 4096}}"#);
    for i in 0..200 {
        files.write(&format!("f{i:03}"), format!("needle {}\n", "y".repeat(100)));
    }
    let first = files.ok("search_files", json!({"pattern": "needle", "limit": 200}));
    let (_, next) = first.split_once("with offset=").unwrap();
    let next: u64 = next.trim_end_matches(']').parse().unwrap();
    assert!(next < 100, "the page is cut by bytes: {next}");
    let page = || files.ok("search_files", json!({"pattern": "needle", "limit": 200, "offset": next}));
    assert!(!page().contains("[the tree changed"));
    files.write("a", "needle\n");
    assert!(page().contains("[the tree changed"));
}
