//! What a search did not look at, in sentences.

use std::path::PathBuf;

use search_engine::{End, Summary};

use crate::render::show_name;

/// What is said when the tree is not the one that the page before was cut from.
pub(crate) const CHANGED: &str = "[the tree changed since the page before: results may repeat or be missing; repeat the \
                                  search with offset=0 for a whole list]";

/// Sentences about what was not searched, so that an answer is never silently incomplete.
pub(crate) fn gaps(summary: &Summary) -> Vec<String> {
    let coverage = &summary.coverage;
    let mut gaps = Vec::new();
    match summary.end {
        End::FileBudget => gaps.push("[limit reached: the budget of files is used up]".to_owned()),
        End::EntryLimit => gaps.push("[limit reached: the tree has too many entries]".to_owned()),
        End::TimeUp => gaps.push("[limit reached: the time is over; these are partial results]".to_owned()),
        _ => {}
    }
    if coverage.all_ignored() {
        gaps.push(format!(
            "[0 files visible, {} ignored by .gitignore or .ignore: name a path to search there]",
            coverage.ignored_files + coverage.ignored_dirs
        ));
    }
    let mut skipped = |count: u64, what: &str, first: &[PathBuf]| {
        if count > 0 {
            let names: Vec<String> = first.iter().take(3).map(|path| show_name(path).into_owned()).collect();
            let named = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
            let dots = if count > names.len() as u64 && !names.is_empty() { ", …" } else { "" };
            gaps.push(format!("[not searched, {what}: {count} file(s){named}{dots}]"));
        }
    };
    skipped(coverage.budget_skipped.count, "over the budget of bytes", &coverage.budget_skipped.first);
    skipped(coverage.too_large.count, "too large", &coverage.too_large.first);
    skipped(coverage.unreadable.count, "unreadable", &coverage.unreadable.first);
    skipped(coverage.too_deep.count, "too deep", &coverage.too_deep.first);
    skipped(coverage.binary.count, "binary", &[]);
    if coverage.lines_cut > 0 {
        gaps.push(format!(
            "[{} file(s) have lines over 1 MiB: only their start was searched]",
            coverage.lines_cut
        ));
    }
    if summary.changed {
        gaps.push(CHANGED.to_owned());
    }
    gaps
}
