//! Properties of `search-engine`.

use std::{collections::BTreeMap, num::NonZeroUsize, ops::ControlFlow, path::Path};

use search_engine::{
    Case, Check, Collected, Cursor, End, FileFacts, Grams, IgnoreFile, Index, IndexUse, Limits, Maker,
    MemTree, NamePattern, NoWatch, Order, Output, OwnedRow, Page, Pattern, Plan, Query, Role, Row, Signature,
    Span, StampedTree as _, Totals, Tree as _, Unattended, Unit, Verdict, search_warm, window,
};

/// The fuzz targets of this crate and the laws they call.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("search_engine_vs_naive", vs_naive),
    ("search_engine_pages", pages),
    ("search_engine_ignore", ignore),
    ("search_engine_dialect", dialect),
    ("search_engine_names", names_of_bytes),
    ("search_engine_window", window_of_bytes),
    ("search_engine_plan", plan),
    ("search_engine_warm", warm),
];

/// A search over a small tree, read from bytes: options, a pattern on the first line, then files after `\x1E`, each
/// with its path up to the first line break.
struct Trial {
    pattern: Pattern,
    output: Output,
    offset: u64,
    limit: u64,
    limits: Limits,
    order: Order,
    files: BTreeMap<Vec<Vec<u8>>, Vec<u8>>,
    tree: MemTree,
}

fn read_trial(data: &[u8], span: Span) -> Option<Trial> {
    let (options, rest) = data.split_first_chunk::<6>()?;
    let mut parts = rest.split(|&b| b == 0x1E);
    let source = String::from_utf8_lossy(parts.next()?);
    let source: String = source.chars().take(40).collect();
    let pattern = Pattern::new(&source, Case::Sensitive, span).ok()?;
    let context = u32::from(options[0] & 7);
    let output = match options[0] >> 3 & 3 {
        0 => Output::Lines { context, unit: Unit::Line },
        1 => Output::Lines { context, unit: Unit::Block },
        2 => Output::Files,
        _ => Output::Counts { first_lines: context as usize },
    };
    let unbounded = |byte: u8, scale: u64| if byte >= 0xC0 { u64::MAX } else { u64::from(byte) * scale };
    let limits = Limits {
        max_files: unbounded(options[3], 1),
        max_bytes: unbounded(options[4], 4),
        threads: NonZeroUsize::new(usize::from(options[5] & 3) + 1)?,
        ..Limits::LIFTED
    };
    let mut files = BTreeMap::new();
    let mut tree = MemTree::new();
    for (i, part) in parts.take(12).enumerate() {
        let split = part.iter().position(|&b| b == b'\n').unwrap_or(part.len());
        let name: Vec<Vec<u8>> = part[..split]
            .split(|&b| b == b'/')
            .filter(|c| !c.is_empty())
            .map(|c| c.iter().take(8).map(|&b| if b.is_ascii_alphanumeric() { b } else { b'_' }).collect())
            .collect();
        // A directory and a file cannot share a name.
        let path = if name.is_empty() { vec![b"f".to_vec()] } else { name };
        let clash = |known: &Vec<Vec<u8>>| known.starts_with(&path) || path.starts_with(known);
        if files.keys().any(clash) {
            continue;
        }
        let content = part.get(split + 1..).unwrap_or_default().to_vec();
        let text = path.iter().map(|c| String::from_utf8_lossy(c)).collect::<Vec<_>>().join("/");
        tree.file_at(text, content.clone(), (i as i64 * 7) % 3);
        files.insert(path, content);
    }
    let order = if options[5] & 8 == 0 { Order::Path } else { Order::Modified };
    let (offset, limit) = (u64::from(options[1] % 20), unbounded(options[2], 1).max(1));
    Some(Trial { pattern, output, offset, limit, limits, order, files, tree })
}

impl Trial {
    fn query(&self, totals: Totals) -> Query {
        let mut query = Query::content(self.pattern.clone(), self.output);
        query.totals = totals;
        query.order = self.order;
        query
    }

    fn run(&self, page: &Page, totals: Totals, threads: usize) -> Collected {
        let limits = self.limits.clone().with_threads(threads);
        Collected::run(&self.tree, &self.query(totals), page, &limits).expect("a tree in memory can be read")
    }
}

/// One shown line: path, number, role, text, whether it starts a block.
type Shown = (String, u64, Role, Vec<u8>, bool);

/// The engine gives what a slow and obvious one gives, budgets included, for every page and number of threads.
pub fn vs_naive(data: &[u8]) {
    let Some(case) = read_trial(data, Span::Line) else { return };
    if case.order == Order::Modified || data.windows(2).any(|w| w == b"\xFF\xFE" || w == b"\xFE\xFF") {
        return;
    }
    let page = Page::at(case.offset, case.limit);
    let found = case.run(&page, Totals::CountAll, case.limits.threads.get());
    let (mut bytes_left, mut files_left) = (case.limits.max_bytes, case.limits.max_files);
    let (mut searched, mut binary, mut skipped, mut budget_hit) = (0, 0, 0, false);
    let mut rows = 0u64; // rows so far
    let in_page = |row: u64| row >= case.offset && row - case.offset < case.limit;
    let mut lines: Vec<Shown> = Vec::new();
    let mut whole: Vec<(String, u64, Vec<u64>)> = Vec::new();
    for (path, content) in &case.files {
        if files_left == 0 {
            budget_hit = true;
            break;
        }
        let size = content.len() as u64;
        if size > bytes_left {
            skipped += 1;
            continue;
        }
        files_left -= 1;
        if content[..content.len().min(8 << 10)].contains(&0) {
            bytes_left -= size.min(8 << 10);
            binary += 1;
            continue;
        }
        bytes_left -= size;
        searched += 1;
        let name = path.iter().map(|c| String::from_utf8_lossy(c)).collect::<Vec<_>>().join("/");
        let text = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
        let mut all: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        if all.last().is_some_and(|last| last.is_empty()) {
            all.pop();
        }
        let all: Vec<&[u8]> = all.iter().map(|l| l.strip_suffix(b"\r").unwrap_or(l)).collect();
        let hits: Vec<usize> = (0..all.len()).filter(|&i| case.pattern.is_match_line(all[i])).collect();
        match case.output {
            Output::Lines { context, unit } => {
                let context = context as usize;
                let near = |hits: &[usize], i: usize| hits.iter().any(|&h| h.abs_diff(i) <= context);
                let mut last = None;
                if unit == Unit::Line || context == 0 {
                    let paged: Vec<usize> = hits
                        .iter()
                        .enumerate()
                        .filter(|&(n, _)| in_page(rows + n as u64))
                        .map(|(_, &h)| h)
                        .collect();
                    for (i, line) in all.iter().enumerate().filter(|&(i, _)| near(&paged, i)) {
                        let starts = last.is_none_or(|l| l + 1 != i);
                        let role = if paged.contains(&i) { Role::Match } else { Role::Context };
                        lines.push((name.clone(), i as u64 + 1, role, line.to_vec(), starts));
                        last = Some(i);
                    }
                    rows += hits.len() as u64;
                } else {
                    let mut in_block = 0;
                    let mut block = rows;
                    for (i, line) in all.iter().enumerate().filter(|&(i, _)| near(&hits, i)) {
                        let starts = last.is_none_or(|l| l + 1 != i) || in_block == Unit::MAX_BLOCK_LINES;
                        if starts {
                            (block, rows, in_block) = (rows, rows + 1, 0);
                        }
                        in_block += 1;
                        last = Some(i);
                        if in_page(block) {
                            let role = if hits.contains(&i) { Role::Match } else { Role::Context };
                            lines.push((name.clone(), i as u64 + 1, role, line.to_vec(), starts));
                        }
                    }
                }
            }
            _ if hits.is_empty() => {}
            output => {
                if in_page(rows) {
                    let n = if let Output::Counts { first_lines } = output { first_lines } else { 0 };
                    whole.push((
                        name,
                        hits.len() as u64,
                        hits.iter().take(n).map(|&h| h as u64 + 1).collect(),
                    ));
                }
                rows += 1;
            }
        }
    }
    let mut got_lines: Vec<Shown> = Vec::new();
    let mut got_whole = Vec::new();
    for row in found.rows {
        match row {
            OwnedRow::Line { path, line, role, text, starts_block, matches, .. } => {
                assert_eq!(role == Role::Match, !matches.is_empty(), "a match has a place in its line");
                got_lines.push((shown(&path), line, role, text, starts_block));
            }
            OwnedRow::File { path, count, first_lines } => {
                let all = whole.get(got_whole.len()).map_or(0, |w: &(String, u64, Vec<u64>)| w.1);
                got_whole.push((shown(&path), count.unwrap_or(all), first_lines));
            }
            other => panic!("a content search gave {other:?}"),
        }
    }
    // Blocks that follow each other directly are told apart by the first; a page may begin with the second.
    if let (Some(want), Some(got)) = (lines.first_mut(), got_lines.first()) {
        want.4 = got.4 || want.4;
    }
    assert_eq!(got_lines, lines);
    assert_eq!(got_whole, whole);
    let s = found.summary;
    assert_eq!(s.rows_seen, rows, "rows of the whole tree");
    assert_eq!(s.end, if budget_hit { End::FileBudget } else { End::Complete });
    assert_eq!((s.coverage.files_searched, s.coverage.binary.count), (searched, binary));
    assert_eq!(s.coverage.budget_skipped.count, skipped);
    if !matches!(case.output, Output::Files) {
        assert_eq!(s.coverage.bytes_read, case.limits.max_bytes - bytes_left, "bytes");
    }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Any way to cut a search into pages gives the same rows, and any number of threads gives the same answer.
pub fn pages(data: &[u8]) {
    let span = if data.first().is_some_and(|b| b & 0x20 != 0) { Span::File } else { Span::Line };
    let Some(mut case) = read_trial(data, span) else { return };
    if let Output::Lines { context, unit: Unit::Line } = case.output
        && context > 0
    {
        // Context lines belong to every page that they are near to.
        case.output = Output::Lines { context: 0, unit: Unit::Line };
    }
    let (offset, step) = (case.offset, case.limit.min(7));
    for totals in [Totals::UntilPageFull, Totals::CountAll] {
        let one = case.run(&Page::at(offset, step), totals, 1);
        for threads in [2, 4] {
            assert_eq!(case.run(&Page::at(offset, step), totals, threads), one, "{threads} threads");
        }
    }
    // By cursor, over the ends of budgets.
    let unbudgeted = Limits { max_bytes: u64::MAX, ..case.limits.clone() };
    case.limits = Limits { max_files: u64::MAX, ..unbudgeted.clone() };
    let all = case.run(&Page::ALL, Totals::UntilPageFull, 1);
    assert_eq!(all.summary.end, End::Complete);
    assert_eq!(all.summary.total_rows, Some(all.summary.rows));
    case.limits = Limits { max_files: unbudgeted.max_files.max(1), ..unbudgeted };
    let mut rows = Vec::new();
    let mut page = Page::first(step);
    loop {
        let part = case.run(&page, Totals::UntilPageFull, 2);
        assert!(!part.summary.changed);
        assert!(part.summary.rows <= step);
        rows.extend(part.rows);
        let Some(cursor) = part.summary.cursor else { break };
        let text = cursor.to_string();
        let again: Cursor = text.parse().expect("a cursor reads back");
        assert_eq!(again, cursor);
        page = Page::after(again, step);
    }
    same_rows(&rows, &all.rows);
    // By offset.
    case.limits.max_files = u64::MAX;
    let mut rows = Vec::new();
    let mut next = Some(0);
    let mut expect = None;
    while let Some(at) = next {
        let part = case.run(&Page { expect, ..Page::at(at, step) }, Totals::UntilPageFull, 3);
        rows.extend(part.rows);
        assert!(!part.summary.changed, "the tree is the same");
        next = part.summary.next_offset;
        expect = next.and_then(|next| part.summary.mark_at(next - at));
        assert_eq!(expect.is_some(), next.is_some(), "a next page has a mark");
        assert_eq!(next.is_some(), part.summary.end == End::PageFull);
    }
    same_rows(&rows, &all.rows);
}

/// Compares rows, but for the mark of the first line of a page.
fn same_rows(got: &[OwnedRow], want: &[OwnedRow]) {
    let key = |rows: &[OwnedRow]| -> Vec<OwnedRow> {
        let plain = |row: &OwnedRow| match row.clone() {
            OwnedRow::Line { path, line, role, text, matches, cut, .. } => {
                OwnedRow::Line { path, line, role, text, matches, cut, starts_block: false }
            }
            other => other,
        };
        rows.iter().map(plain).collect()
    };
    assert_eq!(key(got), key(want));
}

/// A cursor is read back or refused, whatever the text.
pub fn cursor(text: &str) {
    if let Ok(cursor) = text.parse::<Cursor>() {
        assert_eq!(cursor.to_string(), text);
    }
}

/// Ignore rules agree with a slow reading of git's documentation. Input: the rules, a NUL byte, then a path.
pub fn ignore(data: &[u8]) {
    let split = data.iter().position(|&b| b == 0).unwrap_or(data.len());
    let (rules, path) = (&data[..split], data.get(split + 1..).unwrap_or_default());
    let path: Vec<u8> = path.iter().copied().filter(|&b| b != 0 && b != b'\n').take(40).collect();
    if path.is_empty() || path.split(|&b| b == b'/').any(<[u8]>::is_empty) {
        IgnoreFile::parse(data);
        return;
    }
    for is_dir in [false, true] {
        let got = IgnoreFile::parse(rules).verdict(&path, is_dir);
        assert_eq!(got, slow_verdict(rules, &path, is_dir), "is_dir: {is_dir}");
    }
}

fn slow_verdict(rules: &[u8], path: &[u8], is_dir: bool) -> Option<Verdict> {
    let rules = rules.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rules);
    let base = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    rules.split(|&b| b == b'\n').rev().find_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") {
            return None;
        }
        let line = unpadded(line);
        let (verdict, line) = match line.strip_prefix(b"!") {
            Some(rest) => (Verdict::Kept, rest),
            None => (Verdict::Ignored, line),
        };
        let (dirs_only, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if line.is_empty() || (dirs_only && !is_dir) {
            return None;
        }
        let hit = if line.contains(&b'/') {
            let line = line.strip_prefix(b"/").unwrap_or(line);
            let literal = line.iter().position(|b| b"*?[\\".contains(b)).unwrap_or(line.len());
            path.starts_with(&line[..literal]) && slow_match(&line[literal..], true, &path[literal..])
        } else {
            slow_match(line, true, base)
        };
        hit.then_some(verdict)
    })
}

/// Without the spaces at the end, unless a backslash keeps one.
fn unpadded(line: &[u8]) -> &[u8] {
    let mut escaped = vec![false; line.len()];
    let mut i = 0;
    while i < line.len() {
        if line[i] == b'\\' {
            if i + 1 == line.len() {
                return line;
            }
            escaped[i + 1] = true;
            i += 1;
        }
        i += 1;
    }
    let mut end = line.len();
    while end > 0 && line[end - 1] == b' ' && !escaped[end - 1] {
        end -= 1;
    }
    &line[..end]
}

/// Matches by trying everything; `fresh` tells that the pattern is at the start of a component.
fn slow_match(p: &[u8], fresh: bool, t: &[u8]) -> bool {
    let Some(&first) = p.first() else { return t.is_empty() };
    match first {
        b'*' => {
            let stars = p.iter().take_while(|&&b| b == b'*').count();
            let rest = &p[stars..];
            let crossing =
                stars > 1 && fresh && (rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/"));
            if crossing && rest.first() == Some(&b'/') && slow_match(&rest[1..], true, t) {
                return true;
            }
            let reach = if crossing { t.len() } else { t.iter().position(|&b| b == b'/').unwrap_or(t.len()) };
            (0..=reach).any(|n| slow_match(rest, false, &t[n..]))
        }
        b'?' => t.first().is_some_and(|&b| b != b'/') && slow_match(&p[1..], false, &t[1..]),
        b'\\' => p.len() > 1 && t.first() == p.get(1) && slow_match(&p[2..], p[1] == b'/', &t[1..]),
        b'[' => {
            let Some((members, len)) = slow_class(p) else { return false };
            let Some(&b) = t.first() else { return false };
            b != b'/' && members[usize::from(b)] && slow_match(&p[len..], p[len - 1] == b'/', &t[1..])
        }
        _ => t.first() == Some(&first) && slow_match(&p[1..], first == b'/', &t[1..]),
    }
}

fn slow_class(p: &[u8]) -> Option<([bool; 256], usize)> {
    let mut members = [false; 256];
    let mut i = 1;
    let negated = matches!(p.get(i)?, b'!' | b'^');
    if negated {
        i += 1;
    }
    let start = i;
    let mut low: Option<u8> = None;
    while i == start || *p.get(i)? != b']' {
        let c = *p.get(i)?;
        if c == b'\\' {
            let c = *p.get(i + 1)?;
            members[usize::from(c)] = true;
            (low, i) = (Some(c), i + 2);
        } else if c == b'-' && low.is_some() && *p.get(i + 1)? != b']' {
            let mut high = p[i + 1];
            i += 2;
            if high == b'\\' {
                high = *p.get(i)?;
                i += 1;
            }
            for c in low?..=high {
                members[usize::from(c)] = true;
            }
            low = None;
        } else if c == b'[' && *p.get(i + 1)? == b':' {
            let close = i + 2 + p[i + 2..].iter().position(|&b| b == b']')?;
            if close > i + 2 && p[close - 1] == b':' {
                let name = std::str::from_utf8(&p[i + 2..close - 1]).ok()?;
                let known = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit";
                known.split(' ').find(|k| *k == name)?;
                let class = regex::bytes::Regex::new(&format!("^[[:{name}:]]$")).ok()?;
                for c in 0..=127 {
                    members[usize::from(c)] |= class.is_match(&[c]);
                }
                (low, i) = (None, close + 1);
            } else {
                members[usize::from(b'[')] = true;
                (low, i) = (Some(b'['), i + 1);
            }
        } else {
            members[usize::from(c)] = true;
            (low, i) = (Some(c), i + 1);
        }
    }
    if negated {
        members = members.map(|m| !m);
    }
    Some((members, i + 1))
}

/// A pattern compiles or is refused with a place inside it; what compiles finds in a file exactly the lines that match
/// one by one, and case-insensitive search finds at least as much. Input: pattern, NUL byte, text.
pub fn dialect(data: &[u8]) {
    let split = data.iter().position(|&b| b == 0).unwrap_or(data.len());
    let source = String::from_utf8_lossy(&data[..split]);
    let text = data.get(split + 1..).unwrap_or_default();
    let pattern = match Pattern::new(&source, Case::Sensitive, Span::Line) {
        Ok(pattern) => pattern,
        Err(error) => {
            if let search_engine::Error::InvalidRegex { at, .. } = &error {
                assert!(*at <= source.len() && source.is_char_boundary(*at), "{error}");
            }
            return;
        }
    };
    let mut tree = MemTree::new();
    tree.file("f", [b"-\n".as_slice(), text].concat());
    let all = |pattern: Pattern| -> Vec<u64> {
        let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
        let found = Collected::run(&tree, &query, &Page::ALL, &Limits::LIFTED).expect("a tree in memory");
        let number = |row: OwnedRow| if let OwnedRow::Line { line, .. } = row { line } else { 0 };
        found.rows.into_iter().map(number).collect()
    };
    let lines = [b"-\n".as_slice(), text].concat();
    let lines = lines.strip_suffix(b"\n").unwrap_or(&lines);
    let mut one_by_one = Vec::new();
    for (number, line) in (1..).zip(lines.split(|&b| b == b'\n')) {
        if pattern.is_match_line(line.strip_suffix(b"\r").unwrap_or(line)) {
            one_by_one.push(number);
        }
    }
    let binary = lines[..lines.len().min(8 << 10)].contains(&0);
    assert_eq!(all(pattern), if binary { Vec::new() } else { one_by_one });
    // Spanning lines: the same syntax is accepted.
    Pattern::new(&source, Case::Insensitive, Span::File).expect("accepted for lines, so accepted for files");
}

/// Where RE2 and the regex crate agree, so do we. Input: a pattern of the common subset, and a line of ASCII.
pub fn dialect_agrees(pattern: &str, line: &str) {
    let Ok(theirs) = regex::bytes::RegexBuilder::new(pattern).unicode(true).build() else { return };
    let Ok(ours) = Pattern::new(pattern, Case::Sensitive, Span::Line) else { return };
    assert_eq!(
        ours.is_match_line(line.as_bytes()),
        theirs.is_match(line.as_bytes()),
        "{pattern:?} on {line:?}"
    );
}

/// A name pattern compiles or is refused with a place inside it, and a path is matched without fuss.
pub fn names(pattern: &str, path: &str) {
    search_engine::is_all_wildcard(pattern);
    for compiled in [
        NamePattern::classic(pattern),
        NamePattern::glob(pattern, search_engine::Reach::Here),
        NamePattern::glob(pattern, search_engine::Reach::AnyDepth),
    ] {
        match compiled {
            Ok(compiled) => {
                let direct = compiled.is_match(path);
                if path.is_empty()
                    || path.split('/').any(|c| matches!(c, "" | "." | ".." | ".git"))
                    || path.contains('\0')
                {
                    continue;
                }
                // The walk, which prunes, finds the same.
                let mut tree = MemTree::new();
                tree.file(path, Vec::new());
                let found = Collected::run(&tree, &Query::names(compiled), &Page::ALL, &Limits::LIFTED);
                let too_deep = path.split('/').count() > Limits::LIFTED.max_depth;
                assert!(too_deep || found.expect("a tree in memory").rows.len() == usize::from(direct));
            }
            Err(search_engine::Error::InvalidGlob { at, .. }) => assert!(at <= pattern.len()),
            Err(other) => panic!("{other}"),
        }
    }
}

/// [`names`] and [`cursor`], on a pattern and a path (or a cursor) with a NUL byte between.
pub fn names_of_bytes(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (pattern, path) = text.split_once('\0').unwrap_or((&text, "a/b"));
    names(pattern, path);
    cursor(path);
}

/// [`cut`], on three numbers of two bytes each and a line.
pub fn window_of_bytes(data: &[u8]) {
    let Some((numbers, line)) = data.split_first_chunk::<6>() else { return };
    let number = |i: usize| usize::from(u16::from_le_bytes([numbers[i], numbers[i + 1]]));
    cut(line, number(0), number(2), number(4));
}

/// A window is short enough, cuts between characters, and shows the start of its match.
pub fn cut(line: &[u8], from: usize, len: usize, max_bytes: usize) {
    let max_bytes = max_bytes % 600;
    let from = from % (line.len() + 2);
    let keep = from..from.saturating_add(len % 300);
    let window = window(line, keep.clone(), max_bytes);
    let most = max_bytes.max(14);
    assert!(window.text.len() <= most);
    assert_eq!(window.cut_start, window.shown.start > 0);
    assert_eq!(window.cut_end, window.shown.end < line.len());
    let mark = "…".as_bytes();
    let inner = &window.text[if window.cut_start { mark.len() } else { 0 }..];
    let inner = &inner[..inner.len() - if window.cut_end { mark.len() } else { 0 }];
    assert_eq!(inner, &line[window.shown.clone()]);
    if line.len() <= most {
        assert_eq!(&*window.text, line);
    }
    if let Ok(text) = std::str::from_utf8(line) {
        assert!(std::str::from_utf8(&window.text).is_ok(), "a character was split");
        if text.is_char_boundary(keep.start)
            && text.is_char_boundary(keep.end)
            && keep.end - keep.start + 12 <= most
        {
            assert!(
                window.shown.start <= keep.start && keep.end <= window.shown.end,
                "the match is not visible"
            );
        }
    }
    if keep.start < line.len() {
        // All but a part of a character at the edge.
        assert!(window.shown.start <= keep.start + 3 && keep.start < window.shown.end + 4);
    }
}

/// What matches a pattern passes the test for candidates: that of the plan, and that of a signature. The first byte says
/// how the pattern is read, the pattern is the first line, the rest is the text.
pub fn plan(data: &[u8]) {
    let Some((&options, rest)) = data.split_first() else { return };
    let split = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    let source: String = String::from_utf8_lossy(&rest[..split]).chars().take(60).collect();
    let text = rest.get(split + 1..).unwrap_or_default();
    let case = if options & 1 == 0 { Case::Sensitive } else { Case::Insensitive };
    let span = if options & 2 == 0 { Span::Line } else { Span::File };
    // Text that repeats what the pattern says matches more often than chance would have it.
    let text = if options & 4 == 0 { text.to_vec() } else { [text, source.as_bytes(), text].concat() };
    plan_holds(&source, case, span, &text, if options & 8 == 0 { Grams::Four } else { Grams::ThreeAndFive });
}

/// The same over plain inputs.
pub fn plan_holds(source: &str, case: Case, span: Span, text: &[u8], grams: Grams) {
    let Ok(pattern) = Pattern::new(source, case, span) else { return };
    let plan = Plan::new(&pattern);
    let mut tree = MemTree::new();
    tree.file("f", text.to_vec());
    let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
    let Ok(found) = Collected::run(&tree, &query, &Page::ALL, &Limits::LIFTED) else { return };
    if found.rows.is_empty() {
        return;
    }
    // UTF-16 is seen as UTF-8 by the matcher and the index; the plan alone looks at bytes.
    let decoded = text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF");
    if !decoded {
        assert!(plan.may_match(text), "{source:?} matches {text:?} but the plan says no: {plan:?}");
    }
    for row in &found.rows {
        if let (OwnedRow::Line { text, .. }, Span::Line) = (row, span) {
            assert!(plan.may_match(text), "{source:?} matches the line {text:?}: {plan:?}");
        }
    }
    let facts = FileFacts { size: text.len() as u64, modified_ns: 0 };
    if let Some(signature) = Signature::read(text, &facts, grams, &mut Maker::default()) {
        assert!(
            signature.may_match(&plan, grams),
            "{source:?} matches {text:?} but its signature says no: {plan:?}"
        );
    }
}

/// A search with an index gives what one without gives, pages and cursors included, as long as no budget ends it.
pub fn warm(data: &[u8]) {
    for (span, grams) in [(Span::Line, Grams::Four), (Span::File, Grams::ThreeAndFive)] {
        let Some(case) = read_trial(data, span) else { return };
        let index = index_of(&case.tree, grams);
        let limits = Limits { threads: case.limits.threads, ..Limits::LIFTED };
        for totals in [Totals::UntilPageFull, Totals::CountAll] {
            let query = case.query(totals);
            let first =
                warm_and_cold(&case.tree, &index, &query, &Page::at(case.offset, case.limit), &limits);
            if let Some(cursor) = first.summary.cursor {
                warm_and_cold(&case.tree, &index, &query, &Page::after(cursor, case.limit), &limits);
            }
        }
    }
}

/// An index that knows everything there is to know.
fn index_of(tree: &MemTree, grams: Grams) -> Index {
    const LATER: i64 = 1 << 60;
    let mut index = Index::new(grams, usize::MAX);
    index.refresh(tree, &mut NoWatch, Check::Contents, LATER).expect("a tree in memory can be listed");
    loop {
        let tasks = index.tasks(usize::MAX);
        if tasks.is_empty() {
            return index;
        }
        for task in tasks {
            let path = index.path_of(task.dir()).expect("the tree is as it was");
            let root = tree.root().expect("a tree in memory has a root");
            let dir = path.iter().try_fold(root, |dir, name| tree.enter(&dir, name)).expect("it was listed");
            let (file, facts, stamp) = tree.open_stamped(&dir, task.name()).expect("it was listed");
            let signature = Signature::read(file, &facts, grams, &mut Maker::default());
            index.insert(&task, &stamp, signature.as_ref(), LATER);
        }
    }
}

fn warm_and_cold(tree: &MemTree, index: &Index, query: &Query, page: &Page, limits: &Limits) -> Collected {
    let mut cold = Collected::run(tree, query, page, limits).expect("a tree in memory can be read");
    let view = index.view(query, Path::new(""), limits).expect("the whole tree is known");
    let mut rows = Vec::new();
    let mut summary = search_warm(tree, &view, query, page, limits, &Unattended, &mut |row: &Row<'_>| {
        rows.push(OwnedRow::from(row));
        ControlFlow::Continue(())
    })
    .expect("a tree in memory can be read");
    assert_eq!(summary.index, IndexUse::Used);
    // What differs is how much was read.
    summary.index = IndexUse::Off;
    cold.summary.coverage.bytes_read = summary.coverage.bytes_read;
    assert_eq!(Collected { rows, summary }, cold);
    cold
}
