//! Ignore files in a walk.

use std::path::PathBuf;

use search_engine::{Ignore, IgnoreFile, MemTree, ParentRules, Query, Start};

use crate::support::{check, names, run};

#[track_caller]
fn visible(tree: &str, expected: &[&str]) {
    let tree = MemTree::parse(tree);
    let shown: Vec<&str> = expected.to_vec();
    let mut query = names("");
    check(&tree, &query, &shown);
    query.ignore = Ignore::Off;
    assert!(run(&tree, &query).rows.len() >= expected.len());
}

#[test]
fn simple_rules() {
    let tree =
        "//- /.gitignore\n.env\nignored/\n*.log\n//- /.env\n//- /a.log\n//- /ignored/x\n//- /visible.txt\n";
    visible(tree, &[".gitignore", "visible.txt"]);
    let summary = run(&MemTree::parse(tree), &names("")).summary;
    assert_eq!((summary.coverage.ignored_files, summary.coverage.ignored_dirs), (2, 1));
}

#[test]
fn nested_files_and_order_of_rules() {
    visible(
        "//- /sub/.gitignore\nsecret.txt\n//- /sub/secret.txt\n//- /secret.txt\n",
        &["secret.txt", "sub/.gitignore"],
    );
    visible("//- /.gitignore\n*.log\n!keep.log\n//- /a.log\n//- /keep.log\n", &[".gitignore", "keep.log"]);
    visible(
        "//- /.gitignore\na.txt\n//- /c/.gitignore\n!a.txt\n//- /c/a.txt\n//- /a.txt\n",
        &[".gitignore", "c/.gitignore", "c/a.txt"],
    );
}

#[test]
fn an_ignore_file_beats_a_gitignore_at_any_depth() {
    visible("//- /.gitignore\nx\n//- /.ignore\n!x\n//- /x\n", &[".gitignore", ".ignore", "x"]);
    visible("//- /.ignore\n!x\n//- /d/.gitignore\nx\n//- /d/x\n", &[".ignore", "d/.gitignore", "d/x"]);
    visible("//- /.ignore\nx\n//- /d/.ignore\n!x\n//- /d/x\n", &[".ignore", "d/.ignore", "d/x"]);
}

#[test]
fn anchors_and_directories() {
    visible("//- /.gitignore\n/build\n//- /build/x\n//- /src/build/x\n", &[".gitignore", "src/build/x"]);
    visible("//- /.gitignore\nfoo/bar\n//- /foo/bar\n//- /x/foo/bar\n", &[".gitignore", "x/foo/bar"]);
    visible("//- /.gitignore\nbuild/\n//- /build\n", &[".gitignore", "build"]);
    visible("//- /.gitignore\nd/\n!d/keep\n//- /d/keep\n", &[".gitignore"]);
    visible("//- /.gitignore\nd/*\n!d/keep\n//- /d/keep\n//- /d/x\n", &[".gitignore", "d/keep"]);
    visible("//- /.gitignore\n*\n!*.txt\n!**/\n//- /a.txt\n//- /d/b.txt\n//- /d/c\n", &["a.txt", "d/b.txt"]);
}

#[test]
fn rules_are_about_bytes() {
    use search_engine::Verdict::Ignored;
    let verdict =
        |rules: &str, path: &str| IgnoreFile::parse(rules.as_bytes()).verdict(path.as_bytes(), false);
    assert_eq!(verdict("*[^a]", "xé"), Some(Ignored));
    assert_eq!(verdict("??", "é"), Some(Ignored));
    assert_eq!(verdict("*??", "é"), Some(Ignored));
    assert_eq!(verdict("?", "é"), None);
}

#[test]
fn everything_ignored_is_said() {
    let tree = MemTree::parse("//- /.gitignore\n/*\n//- /a\n//- /d/b\n");
    let summary = run(&tree, &names("")).summary;
    assert!(summary.coverage.all_ignored());
    assert_eq!(summary.coverage.ignored_files + summary.coverage.ignored_dirs, 3);
}

#[test]
fn an_explicit_file_is_searched_even_when_ignored() {
    let tree = MemTree::parse("//- /.gitignore\n*.log\n//- /a.log\nneedle\n");
    let mut query = crate::support::lines("needle");
    query.start = Start::File("a.log".into());
    check(&tree, &query, &["a.log:1: needle"]);
}

fn parent(below: &str, gitignore: &str) -> ParentRules {
    ParentRules {
        below: PathBuf::from(below),
        gitignore: IgnoreFile::parse(gitignore.as_bytes()),
        ignore: IgnoreFile::default(),
    }
}

#[track_caller]
fn from_below(parents: Vec<ParentRules>, tree: &str, expected: &[&str]) {
    let mut query: Query = names("");
    query.ignore = Ignore::Honour(parents);
    check(&MemTree::parse(tree), &query, expected);
}

#[test]
fn rules_above_the_start_count_and_its_own_ancestors_may_be_ignored() {
    let tree = "//- /a.log\n//- /b.txt\n//- /d/c\n";
    from_below(vec![parent("sub", "*.log\n")], tree, &["b.txt", "d/c"]);
    from_below(vec![parent("build", "build/\n*.log\n")], tree, &["b.txt", "d/c"]);
    from_below(vec![parent("a/build", "/a/build/d\n")], tree, &["a.log", "b.txt"]);
    from_below(vec![parent("a/b", "b/d\n"), parent("b", "b/d\n")], tree, &["a.log", "b.txt"]);
    from_below(vec![parent("a/b", "*.txt\n"), parent("b", "!b.txt\n")], tree, &["a.log", "b.txt", "d/c"]);
}

#[test]
fn a_rule_that_hides_all_of_an_explicit_start_is_dropped() {
    let tree = "//- /a.log\n//- /b.txt\n";
    from_below(vec![parent("build", "build\nbuild/**\n*.log\n")], tree, &["b.txt"]);
    from_below(vec![parent("build", "*\n!*.md\n")], tree, &["a.log", "b.txt"]);
    // Here the start itself is not left out, so the rule means what it says.
    from_below(vec![parent("src", "src/*\n!src/b.txt\n")], tree, &["b.txt"]);
}

#[test]
fn ignore_files_that_are_not_files_or_not_readable() {
    let mut tree = MemTree::parse("//- /.gitignore/x\n//- /d/f\n");
    tree.unreadable_file("d/.ignore");
    tree.other("d/.gitignore", search_engine::Kind::Symlink);
    let found = run(&tree, &names(""));
    assert_eq!(crate::support::show(&found.rows), [".gitignore/x", "d/.ignore", "d/f"]);
    assert_eq!(found.summary.coverage.ignore_files_incomplete, 1);
}

#[test]
fn a_huge_ignore_file_is_read_to_its_bound() {
    let mut tree = MemTree::parse("//- /a\n//- /z\n");
    let mut rules = b"a\n".to_vec();
    rules.extend(b"some/rule/*.x\n".repeat(90_000));
    rules.extend_from_slice(b"z\n");
    tree.file(".gitignore", rules);
    let found = run(&tree, &names(""));
    assert_eq!(crate::support::show(&found.rows), [".gitignore", "z"]);
    assert_eq!(found.summary.coverage.ignore_files_incomplete, 1);
}
