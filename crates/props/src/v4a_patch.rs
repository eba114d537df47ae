//! Properties of `v4a-patch`.

use std::collections::{BTreeMap, BTreeSet};

use v4a_patch::{
    DiffError, DiffOptions, Error, Event, Hunk, HunkErrorKind, LineKind, MemFiles, Options, Patch,
    PatchStream, Profile, TextDiagnosis, Wrapping, apply, apply_multi, diff, explain_edit, file_line,
    find_unique, locate, parse, plan,
};

pub mod targets;

/// The fuzz targets and their laws.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("v4a_patch_parse", parse_chunked),
    ("v4a_patch_apply", apply_keeps_the_rest),
    ("v4a_patch_diff", diff_then_apply),
    ("v4a_patch_few_lines", diff_of_few_lines),
    ("v4a_patch_reference", apply_like_reference),
    ("v4a_patch_text", text_edit),
    ("v4a_patch_files", apply_to_files),
    ("v4a_patch_targets", targets::plan_like_naive),
];

/// Parsing never panics, reports places inside the text, and does not depend on how the text is cut.
///
/// The first byte chooses profile, strictness and chunk length.
pub fn parse_chunked(data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else { return };
    let profile = if choice & 1 == 0 { Profile::EditFile { path: "a.txt" } } else { Profile::Multi };
    let wrapping = if choice & 2 == 0 { Wrapping::Strict } else { Wrapping::Lenient };
    let mut options = Options { wrapping, ..Options::default() };
    if choice & 4 != 0 {
        options.limits.max_patch_bytes = 200;
        options.limits.max_hunks = 3;
    }
    let whole = parse(text, profile, &options);
    if let Err(error) = &whole {
        let lines = text.iter().filter(|&&byte| byte == b'\n').count() + 1;
        assert!((1..=lines).contains(&error.patch_line), "{error:?}");
        let longest = text.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
        assert!((1..=longest + 1).contains(&error.patch_column.bytes), "{error:?}");
        assert!(error.patch_column.chars <= error.patch_column.bytes);
        assert!(!error.to_string().is_empty());
    }
    let mut all = Vec::new();
    for size in [1, usize::from(choice >> 3) + 2, text.len().max(1)] {
        let mut stream = PatchStream::new(profile, &options);
        let mut events = Vec::new();
        for chunk in text.chunks(size) {
            if stream.push(chunk, &mut |event| events.push(format!("{event:?}"))).is_err() {
                break;
            }
        }
        let result = stream.finish(&mut |event: Event<'_>| events.push(format!("{event:?}")));
        assert_eq!(result.as_ref().err(), whole.as_ref().err(), "chunks of {size}");
        if let (Ok(hunks), Ok(patch)) = (&result, &whole) {
            assert_eq!(*hunks, patch.hunk_count());
        }
        all.push(events);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "the events depend on the cuts");
}

/// Applying an arbitrary patch to an arbitrary file keeps every byte outside the edits, and the line contents are those
/// of the file without the removed and with the added ones.
///
/// `data` is a length byte, that many bytes of file, and the patch.
pub fn apply_keeps_the_rest(data: &[u8]) {
    let Some((&length, rest)) = data.split_first() else { return };
    let (file, patch) = rest.split_at(usize::from(length).min(rest.len()));
    check_apply(file, patch);
    let files = MemFiles::from([("a.txt".to_owned(), file.to_vec())]);
    if let Err(error) = apply_multi(&files, patch, &Options::default()) {
        check_error(&error, file, patch);
    }
}

fn check_apply(file: &[u8], patch: &[u8]) {
    let options = Options::default();
    let plan = match plan(file, patch, "a.txt", &options) {
        Ok(plan) => plan,
        Err(error) => return check_error(&error, file, patch),
    };
    let result = plan.render();
    assert_eq!(result.len(), plan.new_len());
    assert_eq!(plan.slices().collect::<Vec<_>>().concat(), result);
    assert_eq!(plan.changed(), result != file);
    assert_eq!(apply(file, patch, "a.txt", &options).map(|done| done.bytes), Ok(result.clone()));
    // Bytes outside the edits.
    let (mut old_at, mut new_at) = (0, 0);
    for (range, text) in plan.edits() {
        let kept = range.start - old_at;
        assert_eq!(file[old_at..range.start], result[new_at..new_at + kept]);
        new_at += kept;
        assert_eq!(*text, result[new_at..new_at + text.len()]);
        new_at += text.len();
        old_at = range.end;
    }
    assert_eq!(file[old_at..], result[new_at..]);
    // Line contents, counted.
    let parsed = parse(patch, Profile::EditFile { path: "a.txt" }, &options).unwrap();
    let hunks = &parsed.sections[0].hunks;
    let mut wanted: BTreeMap<Vec<u8>, isize> = BTreeMap::new();
    for (content, _) in split(file) {
        *wanted.entry(content.to_vec()).or_default() += 1;
    }
    for (hunk, report) in hunks.iter().zip(&plan.report().hunks) {
        let mut line = report.line;
        for hunk_line in &hunk.lines {
            match hunk_line.kind {
                LineKind::Added => *wanted.entry(hunk_line.text.as_bytes().to_vec()).or_default() += 1,
                LineKind::Removed => {
                    *wanted.entry(file_line(file, line).unwrap().to_vec()).or_default() -= 1;
                    line += 1;
                }
                LineKind::Context => line += 1,
            }
        }
        assert_eq!(line - report.line, report.matched);
        assert!(report.new_line >= 1 && report.new_line <= split(&result).len() + 1);
    }
    let mut found: BTreeMap<Vec<u8>, isize> = BTreeMap::new();
    for (content, _) in split(&result) {
        *found.entry(content.to_vec()).or_default() += 1;
    }
    // An empty last line without an ending leaves no trace of itself.
    let is_open =
        !file.is_empty() && !file.ends_with(b"\n") && (result.is_empty() || result.ends_with(b"\n"));
    let empty = |counts: &BTreeMap<Vec<u8>, isize>| counts.get(&[][..]).copied().unwrap_or(0);
    if is_open && empty(&wanted) == empty(&found) + 1 {
        *wanted.entry(Vec::new()).or_default() -= 1;
    }
    wanted.retain(|_, count| *count != 0);
    // An added line that ends in CR may look like CRLF afterwards, and a line that begins with a byte order mark looks
    // like the file's own mark when it becomes the first; such patches are left to the other laws.
    let mark = "\u{feff}".as_bytes();
    if !hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.text.ends_with('\r'))
        && !file.ends_with(b"\r")
        && result.starts_with(mark) == file.starts_with(mark)
    {
        assert_eq!(found, wanted);
    }
}

fn check_error(error: &Error, file: &[u8], patch: &[u8]) {
    let lines = patch.iter().filter(|&&byte| byte == b'\n').count() + 1;
    if let Some(line) = error.patch_line() {
        assert!((1..=lines).contains(&line), "{error:?}");
    }
    let _ = (error.to_string(), error.hint());
    for failure in error.failures() {
        assert!(failure.candidates().len() <= 5);
        assert!(failure.patch_line <= failure.patch_last_line && failure.patch_last_line <= lines);
        let text = failure.describe(file, patch, |line| String::from_utf8_lossy(line).into_owned());
        assert!(text.len() <= v4a_patch::MAX_DESCRIPTION_BYTES.max(failure.to_string().len()));
    }
}

/// A patch written for two texts turns the one into the other, or is refused for a reason that holds.
///
/// `data` is a context width, a length byte, that many bytes of old text, and the new text.
pub fn diff_then_apply(data: &[u8]) {
    let [context, length, rest @ ..] = data else { return };
    let (old, new) = rest.split_at(usize::from(*length).min(rest.len()));
    check_diff(old, new, usize::from(context % 5));
}

/// As [`diff_then_apply`], for texts of few distinct lines, where uniqueness is hard: each byte is a line.
pub fn diff_of_few_lines(data: &[u8]) {
    let [context, shape, rest @ ..] = data else { return };
    let alphabet = shape % 4 + 1;
    let text =
        |bytes: &[u8]| -> Vec<u8> { bytes.iter().flat_map(|byte| [b'a' + byte % alphabet, b'\n']).collect() };
    let old = text(rest);
    // A few lines are dropped, doubled or replaced.
    let mut lines: Vec<u8> = rest.to_vec();
    for step in 0..usize::from(shape >> 6) + 1 {
        if lines.is_empty() {
            break;
        }
        let at = usize::from(*context).wrapping_mul(step * 7 + 3) % lines.len();
        match (usize::from(*shape) >> 2) + step {
            kind if kind % 3 == 0 => drop(lines.remove(at)),
            kind if kind % 3 == 1 => lines.insert(at, lines[at].wrapping_add(1)),
            _ => lines[at] = lines[at].wrapping_add(1),
        }
    }
    let new = text(&lines);
    assert!(check_diff(&old, &new, usize::from(context % 5)), "plain texts can always be expressed");
}

fn check_diff(old: &[u8], new: &[u8], context_lines: usize) -> bool {
    let options = DiffOptions { context_lines, ..DiffOptions::default() };
    // An empty file only grows terminated lines.
    let same_ends = old.ends_with(b"\n") == new.ends_with(b"\n") && !old.is_empty();
    match diff(old, new, &options) {
        Ok(patch) if patch.is_empty() => assert_eq!(old, new),
        Ok(patch) => {
            let done = apply(old, patch.as_bytes(), "a.txt", &Options::default()).unwrap();
            assert_eq!(done.bytes, new);
        }
        Err(DiffError::Unrepresentable { reason, .. }) => {
            let plain = |text: &[u8]| {
                std::str::from_utf8(text)
                    .is_ok_and(|text| !text.contains('\r') && !text.starts_with('\u{feff}'))
            };
            assert!(!(plain(old) && plain(new) && same_ends), "refused for {reason:?}");
            return false;
        }
        Err(error) => panic!("{error}"),
    }
    true
}

/// The search gives the same places, the same refusals and the same bytes as a slow search that tries every line, and
/// its work is bounded.
pub fn apply_like_reference(data: &[u8]) {
    let (file, patch) = small_case(data);
    let options = Options::default();
    let Ok(parsed) = parse(&patch, Profile::EditFile { path: "a.txt" }, &options) else { return };
    let hunks = &parsed.sections[0].hunks;
    let wanted = reference(&file, hunks);
    let found = locate(&file, hunks, &options);
    let context = || format!("{:?}\n{}", String::from_utf8_lossy(&file), String::from_utf8_lossy(&patch));
    match (&found, &wanted) {
        (Ok(plan), Ok(bytes)) => {
            let (got, bytes) = (plan.render(), bytes);
            assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(bytes), "{}", context());
            let (lines, old) = (split(&file).len(), patch.len());
            let blocks = hunks.len() as u64;
            assert!(
                plan.steps() <= 24 * ((lines + old) as u64 + 64) * (blocks + 1),
                "{} steps",
                plan.steps()
            );
        }
        (Err(Error::Locate(error)), Err((hunk, code, candidates))) => {
            let first = &error.failures[0];
            assert_eq!((first.hunk, first.code()), (*hunk, *code), "{}", context());
            if let HunkErrorKind::ContextAmbiguous { candidates: found, total } = &first.kind {
                assert_eq!(*total, candidates.len(), "{}", context());
                assert_eq!(*found, candidates[..candidates.len().min(5)], "{}", context());
            }
        }
        _ => panic!("{:?} and {wanted:?}\n{}", found.map(|plan| plan.render()), context()),
    }
}

/// Makes a file and a patch of few distinct lines; most hunks are copied from the file, so that they often fit.
fn small_case(data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    const LINES: [&str; 6] = ["a", "b", "a ", "c", "", "b\t"];
    let mut bytes = data.iter().copied();
    let mut next = || bytes.next().unwrap_or(0);
    let shape = next();
    let alphabet = usize::from(shape % 6) + 1;
    let count = usize::from(next() % 24);
    let mut lines = Vec::new();
    let mut file = Vec::new();
    for at in 0..count {
        let byte = next();
        let line = LINES[usize::from(byte) % alphabet];
        lines.push(line);
        file.extend_from_slice(line.as_bytes());
        let ending: &[u8] = if shape & 0x40 != 0 && byte & 0x80 != 0 { b"\r\n" } else { b"\n" };
        if at + 1 < count || shape & 0x80 == 0 {
            file.extend_from_slice(ending);
        }
    }
    let mut patch = String::new();
    for _ in 0..next() % 4 + 1 {
        patch.push_str("@@\n");
        let (from, mode) = (usize::from(next()), next());
        for step in 0..usize::from(mode % 6) + 1 {
            let byte = next();
            let copied = lines.get((from + step) % lines.len().max(1)).copied().unwrap_or("a");
            let line = if byte & 0x20 != 0 { LINES[usize::from(byte) % 6] } else { copied };
            match byte >> 6 {
                0 | 1 => patch.push_str(&format!(" {line}\n")),
                2 => patch.push_str(&format!("-{line}\n")),
                _ => patch.push_str(&format!("+{line}x\n")),
            }
            if byte & 0x18 == 0x18 {
                patch.push_str("+new\n");
            }
        }
        if mode & 0x60 == 0x60 {
            patch.push_str("*** End of File\n");
        }
    }
    (file, patch.into_bytes())
}

fn split(file: &[u8]) -> Vec<(&[u8], &[u8])> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    file.split_inclusive(|&byte| byte == b'\n')
        .map(|line| {
            let ending = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
            line.split_at(line.len() - ending)
        })
        .collect()
}

type Refusal = (usize, &'static str, Vec<usize>);

/// The rules of placing and rendering, written down as plainly as possible.
fn reference(file: &[u8], hunks: &[Hunk<'_>]) -> Result<Vec<u8>, Refusal> {
    let lines = split(file);
    let total = lines.len();
    let mut placed: Vec<(usize, &Hunk<'_>)> = Vec::new();
    let mut cursor = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        let block: Vec<&[u8]> = hunk.old_lines().map(|line| line.text.as_bytes()).collect();
        let fits = |at: usize, tolerant: bool| {
            at + block.len() <= total
                && block.iter().enumerate().all(|(step, line)| {
                    let own = lines[at + step].0;
                    *line == own || (tolerant && trim(line) == trim(own))
                })
        };
        let free = |at: usize| !placed.iter().any(|&(other, taken)| conflict(at, hunk, other, taken));
        let mut place = None;
        let mut blocked = false;
        if block.is_empty() {
            place = Some(total);
        } else if hunk.end_of_file {
            let at = total.checked_sub(block.len()).filter(|&at| fits(at, true));
            let at = at.ok_or((index + 1, "eof_mismatch", vec![]))?;
            place = free(at).then_some(at);
            blocked = true;
        } else {
            'search: for from in [cursor, 0] {
                for tolerant in [false, true] {
                    let hits: Vec<usize> = (from..total).filter(|&at| fits(at, tolerant)).collect();
                    let open: Vec<usize> = hits.iter().copied().filter(|&at| free(at)).collect();
                    blocked |= hits.len() > open.len();
                    match open[..] {
                        [] => {}
                        [at] => {
                            place = Some(at);
                            break 'search;
                        }
                        _ => {
                            let candidates = open.iter().map(|at| at + 1).collect();
                            return Err((index + 1, "context_ambiguous", candidates));
                        }
                    }
                }
            }
        }
        let reason = if blocked { "overlapping_hunks" } else { "context_not_found" };
        let at = place.ok_or((index + 1, reason, vec![]))?;
        cursor = at + block.len();
        placed.push((at, hunk));
    }
    Ok(render(file, &lines, &placed))
}

fn trim(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !b" \t\r\x0b\x0c".contains(byte)).map_or(0, |at| at + 1);
    &line[..end]
}

/// Removed lines, all matched lines, and gaps that are inserted into without removing.
fn touched(at: usize, hunk: &Hunk<'_>) -> (BTreeSet<usize>, BTreeSet<usize>, BTreeSet<usize>) {
    let (mut removed, mut covered, mut gaps) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (start, end, added) in runs(at, hunk) {
        removed.extend(start..end);
        if start == end && !added.is_empty() {
            gaps.insert(start);
        }
    }
    covered.extend(at..at + hunk.old_lines().count());
    (removed, covered, gaps)
}

fn conflict(at: usize, hunk: &Hunk<'_>, other: usize, taken: &Hunk<'_>) -> bool {
    if taken.old_lines().count() == 0 {
        return false;
    }
    let (a, b) = (touched(at, hunk), touched(other, taken));
    !a.0.is_disjoint(&b.1) || !a.1.is_disjoint(&b.0) || !a.2.is_disjoint(&b.2)
}

/// Runs of changed lines: first line, end, and the added texts.
fn runs<'p>(at: usize, hunk: &Hunk<'p>) -> Vec<(usize, usize, Vec<&'p str>)> {
    let mut out = Vec::new();
    let mut line = at;
    let mut open: Option<(usize, usize, Vec<&str>)> = None;
    for hunk_line in &hunk.lines {
        if hunk_line.kind == LineKind::Context {
            out.extend(open.take());
            line += 1;
            continue;
        }
        let run = open.get_or_insert((line, line, Vec::new()));
        if hunk_line.kind == LineKind::Removed {
            line += 1;
            run.1 = line;
        } else {
            run.2.push(hunk_line.text);
        }
    }
    out.extend(open);
    out
}

fn render(file: &[u8], lines: &[(&[u8], &[u8])], placed: &[(usize, &Hunk<'_>)]) -> Vec<u8> {
    let total = lines.len();
    let is_append = |hunk: &Hunk<'_>| hunk.old_lines().count() == 0;
    let real = |at: usize| -> &[u8] {
        let nearest = lines[..=at].iter().rev().chain(&lines[at..]).find(|line| !line.1.is_empty());
        nearest.map_or(b"\n", |line| line.1)
    };
    let mut out: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut added_at_end = false;
    let mut add = |out: &mut Vec<(Vec<u8>, Vec<u8>)>, run: &(usize, usize, Vec<&str>)| {
        for (index, text) in run.2.iter().enumerate() {
            let ending: &[u8] = if run.1 > run.0 {
                real(run.0 + index.min(run.1 - run.0 - 1))
            } else if run.0 > 0 {
                real(run.0 - 1)
            } else if total > 0 {
                real(0)
            } else {
                b"\n"
            };
            out.push((text.as_bytes().to_vec(), ending.to_vec()));
            added_at_end |= run.1 == total;
        }
    };
    let ordinary: Vec<_> =
        placed.iter().filter(|(_, hunk)| !is_append(hunk)).flat_map(|(at, hunk)| runs(*at, hunk)).collect();
    let mut at = 0;
    while at <= total {
        for run in ordinary.iter().filter(|run| run.0 == at && run.1 == at) {
            add(&mut out, run);
        }
        if let Some(run) = ordinary.iter().find(|run| run.0 == at && run.1 > at) {
            add(&mut out, run);
            at = run.1;
            continue;
        }
        if at < total {
            out.push((lines[at].0.to_vec(), lines[at].1.to_vec()));
        }
        at += 1;
    }
    for (at, hunk) in placed.iter().filter(|(_, hunk)| is_append(hunk)) {
        for run in runs(*at, hunk) {
            add(&mut out, &run);
        }
    }
    if added_at_end && lines.last().is_some_and(|line| line.1.is_empty()) {
        let ending = real(total - 1).to_vec();
        for line in out.iter_mut().filter(|line| line.1.is_empty()) {
            line.1 = ending.clone();
        }
        if let Some(last) = out.last_mut() {
            last.1.clear();
        }
    }
    let mut bytes = if file.starts_with(b"\xef\xbb\xbf") { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    bytes.extend(out.into_iter().flat_map(|(content, ending)| [content, ending].concat()));
    bytes
}

/// A text is unique exactly when a slow count finds it once, and a diagnosis names lines that exist.
///
/// `data` is two length bytes, the file, the old text, and the new text.
pub fn text_edit(data: &[u8]) {
    let [file, old, rest @ ..] = data else { return };
    let (file, rest) = rest.split_at(usize::from(*file).min(rest.len()));
    let (old, new) = rest.split_at(usize::from(*old).min(rest.len()));
    let naive = if old.is_empty() { vec![] } else { positions(file, old) };
    match find_unique(file, old) {
        Ok(offset) => assert_eq!(naive, [offset]),
        Err(TextDiagnosis::Empty) => assert!(old.is_empty()),
        Err(TextDiagnosis::Ambiguous { total, offsets, candidates, .. }) => {
            assert_eq!(total, naive.len());
            assert_eq!(offsets, naive[..naive.len().min(5)]);
            for (candidate, &offset) in candidates.iter().zip(&offsets) {
                let line = file[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1;
                assert_eq!(candidate.line, line);
            }
        }
        Err(_) => assert!(naive.is_empty()),
    }
    let lines = file.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let diagnosis = explain_edit(file, old, new);
    assert!(diagnosis.file_lines().iter().all(|line| (1..=lines).contains(line)), "{diagnosis:?}");
    let text = diagnosis.describe(file, |line| String::from_utf8_lossy(line).into_owned());
    assert!(text.len() <= v4a_patch::MAX_DESCRIPTION_BYTES);
}

fn positions(file: &[u8], old: &[u8]) -> Vec<usize> {
    (0..file.len()).filter(|&at| file[at..].starts_with(old)).collect()
}

/// A patch of several sections leaves the map alone and names each changed file once.
pub fn apply_to_files(data: &[u8]) {
    let files = MemFiles::from([
        ("a.txt".to_owned(), b"one\ntwo\n".to_vec()),
        ("b/c.txt".to_owned(), b"x\r\ny\r\nx\r\n".to_vec()),
    ]);
    match apply_multi(&files, data, &Options::default()) {
        Ok(done) => {
            let mut seen = BTreeSet::new();
            for change in &done.changes {
                assert!(seen.insert(change.path.clone()), "{} twice", change.path);
                assert_eq!(change.existed, files.contains_key(&change.path));
                assert!(change.content.is_some() || change.existed);
                assert_ne!(change.content.as_ref(), files.get(&change.path));
            }
            let parsed: Patch<'_> = parse(data, Profile::Multi, &Options::default()).unwrap();
            assert_eq!(parsed.sections.len(), done.reports.len());
        }
        Err(error) => check_error(&error, b"one\ntwo\n", data),
    }
}
