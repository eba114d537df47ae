//! A search with an index answers as one without.

use std::{ops::ControlFlow, path::Path};

use search_engine::{
    Case, Change, Check, Collected, DirId, Grams, Ignore, Index, IndexUse, Limits, Maker, MemTree,
    NamePattern, NoWatch, Order, Output, OwnedRow, Page, Pattern, Query, Row, Signature, Span, StampedTree,
    Totals, Tree, Unattended, Unit, Watch, search_warm,
};

/// A time long after every stamp of a tree in memory.
const NOW: i64 = 1 << 60;

/// Watches everything; the test notes the changes itself.
struct Watched;

impl<D> Watch<D> for Watched {
    fn watch(&mut self, _: &D, _: DirId) -> bool {
        true
    }

    fn forget(&mut self, _: DirId) {}
}

fn fresh(tree: &MemTree, grams: Grams) -> Index {
    let mut index = Index::new(grams, usize::MAX);
    index.refresh(tree, &mut NoWatch, Check::Contents, NOW).unwrap();
    feed(&mut index, tree);
    index
}

/// Reads every file that has no signature.
fn feed(index: &mut Index, tree: &MemTree) {
    loop {
        let tasks = index.tasks(10);
        if tasks.is_empty() {
            break;
        }
        for task in tasks {
            let mut dir = tree.root().unwrap();
            for name in index.path_of(task.dir()).unwrap().iter() {
                dir = tree.enter(&dir, name).unwrap();
            }
            let stamp = tree.file_stamp(&dir, task.name()).unwrap();
            let signature = tree.open(&dir, task.name()).ok().and_then(|(file, facts)| {
                Signature::read(file, &facts, index.grams(), &mut Maker::default())
            });
            index.insert(&task, &stamp, signature.as_ref(), NOW);
        }
    }
    assert_eq!(index.pending(), 0);
}

fn warm(tree: &MemTree, index: &Index, query: &Query, page: &Page, limits: &Limits) -> Option<Collected> {
    let view = index.view(query, Path::new(""), limits)?;
    let mut rows = Vec::new();
    let mut summary = search_warm(tree, &view, query, page, limits, &Unattended, &mut |row: &Row<'_>| {
        rows.push(OwnedRow::from(row));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(summary.index, IndexUse::Used);
    summary.index = IndexUse::Off;
    Some(Collected { rows, summary })
}

/// What both searches must agree on: all but how much was read.
fn same(cold: &Collected, warm: &Collected) -> Result<(), String> {
    let mut expected = cold.clone();
    expected.summary.coverage.bytes_read = warm.summary.coverage.bytes_read;
    if expected != *warm {
        let rows = |it: &Collected| it.rows.iter().map(|row| row.path().to_owned()).collect::<Vec<_>>();
        return Err(format!(
            "cold {:#?} {:?}\nwarm {:#?} {:?}",
            expected.summary,
            rows(&expected),
            warm.summary,
            rows(warm)
        ));
    }
    Ok(())
}

#[track_caller]
fn check(tree: &MemTree, index: &Index, query: &Query, page: &Page) -> u64 {
    let mut read = 0;
    for threads in [1, 3] {
        let limits = Limits::LIFTED.with_threads(threads);
        let cold = Collected::run(tree, query, page, &limits).unwrap();
        let warm = warm(tree, index, query, page, &limits).unwrap();
        same(&cold, &warm).unwrap_or_else(|difference| panic!("{} {page:?}: {difference}", shown(query)));
        read = warm.summary.coverage.bytes_read;
    }
    read
}

fn shown(query: &Query) -> String {
    let what = match &query.what {
        search_engine::What::Content { pattern, output } => {
            format!("{:?} {:?} {output:?}", pattern.source(), pattern.span())
        }
        _ => "names".to_owned(),
    };
    format!("{what}, {:?}, {:?}, {:?}, {:?}", query.names, query.order, query.start, query.totals)
}

fn content(source: &str, span: Span, output: Output) -> Query {
    Query::content(Pattern::new(source, Case::Sensitive, span).unwrap(), output)
}

/// Random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

const WORDS: &[&str] = &[
    "alpha",
    "beta",
    "gamma_delta",
    "needle",
    "NEEDLE",
    "int main(void)",
    "struct page",
    "naïve",
    "x",
    "",
    "\r",
    "return 0;",
    "interface{}",
    "\u{212A}elvin",
];
const PATTERNS: &[&str] = &[
    "needle",
    "(?i)needle",
    "gamma_(delta|omega)",
    "alpha|beta",
    r"\w+_\w+",
    "zzzznothing",
    "^x$",
    "struct page",
    "ab*c",
    "na.ve",
    "kelvin|(?i)kelvin",
    r"int\s+main",
    "interface{}",
    "",
    "e",
    "[nN]eedle alpha",
    "caf\u{e9}",
    ".",
    "return 0;$",
];
const NAMES: &[&str] = &[
    "a",
    "b.rs",
    "c.txt",
    "src/a.rs",
    "src/deep/x.rs",
    "src/deep/er/y.txt",
    "build/out.rs",
    "docs/.gitignore",
    ".gitignore",
    ".ignore",
    "src/.ignore",
    "docs/guide.md",
    "docs/log/one.log",
    "zz",
    ".git/config",
    "src-x/a.rs",
];
const RULES: &[&str] =
    &["*.log\n", "build\n", "/src/deep\n", "*.rs\n!a.rs\n", "", "docs/\n", "*\n!*/\n!*.rs\n"];

fn text(random: &mut Random) -> Vec<u8> {
    let lines = match random.below(40) {
        0 if random.below(4) == 0 => 12_000,
        1 => 0,
        n => n,
    };
    let mut content = Vec::new();
    for _ in 0..lines {
        content.extend_from_slice(random.one(WORDS).as_bytes());
        content.extend_from_slice(b" ");
        content.extend_from_slice(random.one(WORDS).as_bytes());
        content.push(b'\n');
    }
    match random.below(24) {
        0 => content.insert(0, 0),
        1 => content = [b"\xEF\xBB\xBF", &content[..]].concat(),
        2 => {
            let units = String::from_utf8_lossy(&content)
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>();
            content = [b"\xFF\xFE", &units[..]].concat();
        }
        3 => content.extend_from_slice(b"caf\xE9 needle"),
        4 if lines == 7 => content.extend_from_slice(&b"long needle ".repeat(100_000)),
        _ => {}
    }
    content
}

/// Changes one thing and says where.
fn edit(random: &mut Random, tree: &mut MemTree) -> String {
    let path = *random.one(NAMES);
    match random.below(10) {
        0 | 1 => {
            tree.remove(path);
        }
        2 => {
            let dir = path.split('/').next().unwrap_or_default();
            tree.remove(dir);
        }
        3 => {
            tree.other(path, search_engine::Kind::Symlink);
        }
        4 => {
            tree.unreadable_file(path);
        }
        _ if path.contains("ignore") => {
            let rules = random.one(RULES).as_bytes().to_vec();
            tree.file(path, rules);
        }
        n => {
            let content = text(random);
            tree.file_at(path, content, n as i64 * 1_000);
        }
    }
    path.to_owned()
}

fn query(random: &mut Random) -> (Query, Page) {
    let context = random.below(4) as u32;
    let output = match random.below(5) {
        0 => Output::Files,
        1 => Output::Counts { first_lines: 3 },
        2 => Output::Lines { context, unit: Unit::Line },
        3 => Output::Lines { context, unit: Unit::Block },
        _ => Output::Lines { context: 0, unit: Unit::Line },
    };
    let span = if random.below(5) == 0 { Span::File } else { Span::Line };
    let mut query = match random.below(6) {
        0 => Query::names(NamePattern::all()),
        _ => content(random.one::<&str>(PATTERNS), span, output),
    };
    match random.below(8) {
        0 => query.names = NamePattern::classic("*.rs").unwrap(),
        1 => query.names = NamePattern::classic("src/**/*.rs").unwrap(),
        2 => query.names = NamePattern::classic("a").unwrap(),
        3 => query.names = NamePattern::classic("docs/*").unwrap(),
        _ => {}
    }
    if random.below(4) == 0 {
        query.order = Order::Modified;
    }
    if random.below(3) == 0 {
        query.totals = Totals::CountAll;
    }
    if random.below(8) == 0 {
        query.start = search_engine::Start::RootOnly;
    }
    let page = match random.below(4) {
        0 => Page::ALL,
        1 => Page::first(random.below(5) + 1),
        _ => Page::at(random.below(6), random.below(20) + 1),
    };
    (query, page)
}

#[test]
fn random_trees_edits_and_queries_answer_as_without_an_index() {
    for seed in 1..=5 {
        let mut random = Random(seed * 0x9E37_79B9);
        let mut tree = MemTree::new();
        for _ in 0..20 {
            edit(&mut random, &mut tree);
        }
        let grams = if seed % 2 == 0 { Grams::Four } else { Grams::ThreeAndFive };
        let mut compared = fresh(&tree, grams);
        let mut noted = Index::new(grams, usize::MAX);
        noted.refresh(&tree, &mut Watched, Check::Contents, NOW).unwrap();
        feed(&mut noted, &tree);
        for round in 0..24 {
            let mut paths = Vec::new();
            for _ in 0..random.below(4) {
                paths.push(edit(&mut random, &mut tree));
            }
            compared.refresh(&tree, &mut NoWatch, Check::Contents, NOW).unwrap();
            for path in &paths {
                note(&mut noted, path);
            }
            noted.refresh(&tree, &mut Watched, Check::Contents, NOW).unwrap();
            if random.below(3) == 0 {
                feed(&mut compared, &tree);
                feed(&mut noted, &tree);
            }
            for _ in 0..4 {
                let (query, page) = query(&mut random);
                for index in [&compared, &noted] {
                    let cold = Collected::run(&tree, &query, &page, &Limits::LIFTED).unwrap();
                    let warm = warm(&tree, index, &query, &page, &Limits::LIFTED).unwrap();
                    if let Err(difference) = same(&cold, &warm) {
                        panic!("seed {seed}, round {round}, {}, {page:?}: {difference}", shown(&query));
                    }
                    // The next page by cursor.
                    if let Some(cursor) = &cold.summary.cursor {
                        let page = Page::after(cursor.clone(), page.limit);
                        let cold = Collected::run(&tree, &query, &page, &Limits::LIFTED).unwrap();
                        let warm = self::warm(&tree, index, &query, &page, &Limits::LIFTED).unwrap();
                        same(&cold, &warm).unwrap_or_else(|difference| {
                            panic!("seed {seed}, cursor, {query:?}: {difference}")
                        });
                    }
                }
            }
        }
    }
}

/// Notes a change as a watch on every directory would: an event in the nearest directory that is known.
fn note(index: &mut Index, path: &str) {
    index.note_path(Path::new(path));
    // Each directory above may be new or gone as well.
    for above in Path::new(path).ancestors().skip(1).filter(|it| !it.as_os_str().is_empty()) {
        index.note_path(above);
    }
}

#[test]
fn a_rare_match_in_a_large_file_reads_one_piece() {
    let mut log: Vec<u8> = Vec::new();
    for n in 0..200_000 {
        log.extend_from_slice(format!("{n:07} nothing to see\n").as_bytes());
        if n == 123_456 {
            log.extend_from_slice(b"here is the needle\n");
        }
    }
    let mut tree = MemTree::new();
    tree.file("big.log", log.clone());
    for grams in [Grams::Four, Grams::ThreeAndFive] {
        let index = fresh(&tree, grams);
        for context in [0, 1, 20] {
            for unit in [Unit::Line, Unit::Block] {
                let query = content("the needle", Span::Line, Output::Lines { context, unit });
                let read = check(&tree, &index, &query, &Page::ALL);
                assert!(read < 400 << 10, "{read} bytes were read with {context} lines of context");
            }
        }
        check(&tree, &index, &content("the needle", Span::Line, Output::Files), &Page::ALL);
        check(
            &tree,
            &index,
            &content("the needle", Span::Line, Output::Counts { first_lines: 2 }),
            &Page::ALL,
        );
        check(
            &tree,
            &index,
            &content("see\nhere is", Span::File, Output::Lines { context: 0, unit: Unit::Line }),
            &Page::ALL,
        );
        assert_eq!(check(&tree, &index, &content("absent", Span::Line, Output::Files), &Page::ALL), 0);
    }
}

#[test]
fn files_that_are_left_out_cost_no_budget() {
    let mut tree = MemTree::new();
    for n in 0..50 {
        tree.file(format!("f{n:02}"), format!("text {n}\n").into_bytes());
    }
    tree.file("z", b"needle\n".to_vec());
    let index = fresh(&tree, Grams::Four);
    let query = content("needle", Span::Line, Output::Files);
    let limits = Limits { max_files: 3, ..Limits::AGENT };
    let cold = Collected::run(&tree, &query, &Page::ALL, &limits).unwrap();
    let warm = warm(&tree, &index, &query, &Page::ALL, &limits).unwrap();
    assert!(cold.rows.is_empty() && cold.summary.end == search_engine::End::FileBudget);
    assert_eq!((warm.rows.len(), warm.summary.coverage.files_searched), (1, 51));
    assert!(warm.summary.is_exhaustive());
}

#[test]
fn what_cannot_be_known_is_not_taken_from_the_index() {
    let tree = MemTree::parse("//- /a\nneedle\n//- /build/b\nneedle\n//- /.gitignore\nbuild\n");
    let index = fresh(&tree, Grams::Four);
    let query = content("needle", Span::Line, Output::Files);
    let limits = Limits::LIFTED;
    assert!(index.view(&query, Path::new(""), &limits).is_some());
    assert!(index.view(&query, Path::new("build"), &limits).is_none());
    assert!(index.view(&query, Path::new("nowhere"), &limits).is_none());
    let mut all = query.clone();
    all.ignore = Ignore::Off;
    assert!(index.view(&all, Path::new(""), &limits).is_none());
    let mut one = query.clone();
    one.start = search_engine::Start::File("a".into());
    assert!(index.view(&one, Path::new(""), &limits).is_none());
    let few = Limits { max_entries: 2, ..limits };
    assert!(index.view(&query, Path::new(""), &few).is_none());
    assert!(Index::new(Grams::Four, 0).view(&query, Path::new(""), &Limits::LIFTED).is_none());
}

#[test]
fn memory_is_bounded_and_given_back() {
    let mut tree = MemTree::new();
    let mut random = Random(7);
    for n in 0..300 {
        let words: Vec<u8> = (0..4_000).map(|_| b'a' + random.below(26) as u8).collect();
        tree.file(format!("f{n:03}"), words);
    }
    let mut index = Index::new(Grams::Four, 256 << 10);
    index.refresh(&tree, &mut Watched, Check::Contents, NOW).unwrap();
    while let tasks @ [_, ..] = &index.tasks(5)[..] {
        for task in tasks {
            let root = tree.root().unwrap();
            let (file, facts, stamp) = tree.open_stamped(&root, task.name()).unwrap();
            let signature = Signature::read(file, &facts, Grams::Four, &mut Maker::default());
            index.insert(task, &stamp, signature.as_ref(), NOW);
        }
    }
    let extent = index.extent();
    assert!(index.is_full() && extent.indexed > 20 && extent.indexed < 300, "{extent:?}");
    let query = content("needle", Span::Line, Output::Files);
    check(&tree, &index, &query, &Page::ALL);
    index.shrink(100 << 10);
    assert!(index.extent().indexed < extent.indexed);
    check(&tree, &index, &query, &Page::ALL);
    index.shrink(0);
    assert_eq!(index.extent().indexed, 0);
    check(&tree, &index, &query, &Page::ALL);
}

#[test]
fn a_change_between_reading_and_taking_a_signature_is_noticed() {
    let mut tree = MemTree::parse("//- /a\nold text\n");
    let mut index = Index::new(Grams::Four, usize::MAX);
    index.refresh(&tree, &mut Watched, Check::Contents, NOW).unwrap();
    let task = index.tasks(1).remove(0);
    let root = tree.root().unwrap();
    let (file, facts, stamp) = tree.open_stamped(&root, task.name()).unwrap();
    let signature = Signature::read(file, &facts, Grams::Four, &mut Maker::default());
    tree.file("a", b"needle\n".to_vec());
    index.note(DirId::ROOT, "a".as_ref(), Change::Content);
    assert!(!index.insert(&task, &stamp, signature.as_ref(), NOW));
    assert_eq!(index.extent().indexed, 0);
    check(&tree, &index, &content("needle", Span::Line, Output::Files), &Page::ALL);
}

#[test]
fn a_file_that_was_changed_just_now_is_read_where_nothing_is_watched() {
    let tree = MemTree::parse("//- /a\ntext\n");
    let mut index = Index::new(Grams::Four, usize::MAX);
    // The stamps of this tree are its first changes.
    index.refresh(&tree, &mut NoWatch, Check::Contents, 2).unwrap();
    let task = index.tasks(1).remove(0);
    let root = tree.root().unwrap();
    let (file, facts, stamp) = tree.open_stamped(&root, task.name()).unwrap();
    let signature = Signature::read(file, &facts, Grams::Four, &mut Maker::default());
    assert!(!index.insert(&task, &stamp, signature.as_ref(), 2));
    assert!(index.insert(&task, &stamp, signature.as_ref(), NOW));
}
