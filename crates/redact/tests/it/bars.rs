//! The bars on the labelled corpus: what must be covered, what must stay.

use crate::corpus::{Corpus, Label};
use redact::Redactor;
use std::collections::BTreeMap;

/// Covered texts and all texts of one label.
#[derive(Default)]
struct Score {
    covered: usize,
    all: usize,
}

impl Score {
    fn percent(&self) -> f64 {
        self.covered as f64 * 100.0 / self.all as f64
    }
}

#[track_caller]
fn check(seed: u64) {
    let corpus = Corpus::build(seed, 8);
    let redactor = Redactor::new();
    let mut scores: BTreeMap<Label, Score> = BTreeMap::new();
    let mut missed = Vec::new();
    for case in &corpus.positives {
        let spans = redactor.spans(case.text.as_bytes());
        let masked = redactor.redact(&case.text);
        let covered = case
            .secrets
            .iter()
            .all(|&(from, to)| (from..to).all(|at| spans.iter().any(|span| span.range().contains(&at))));
        let score = scores.entry(case.label).or_default();
        score.all += 1;
        score.covered += usize::from(covered);
        if !covered && !matches!(case.label, Label::Ambiguous | Label::Adversarial) {
            missed.push(format!(
                "{:?} {}: {}",
                case.label,
                case.kind,
                case.text.get(..400).unwrap_or(&case.text)
            ));
        }
        for keep in &case.keep {
            assert!(masked.contains(keep.as_str()), "seed {seed}: {} lost {keep:?}: {masked:?}", case.kind);
        }
        assert_eq!(
            masked.matches('\n').count(),
            case.text.matches('\n').count(),
            "seed {seed}: {} changed the number of lines",
            case.kind
        );
        assert_eq!(redactor.redact(&masked), masked, "seed {seed}: {} is masked anew", case.kind);
    }
    let hard: Vec<_> = corpus.negatives.iter().filter(|case| !case.soft).collect();
    let touched: Vec<_> = hard
        .iter()
        .filter(|case| !redactor.spans(case.text.as_bytes()).is_empty())
        .map(|case| (case.kind, redactor.redact(&case.text)))
        .collect();
    let bars = [
        (Label::Format, 100.0),
        (Label::Structural, 95.0),
        (Label::Keyed, 96.0),
        (Label::Entropy, 97.0),
        (Label::Adversarial, 80.0),
    ];
    for (label, bar) in bars {
        let score = &scores[&label];
        assert!(
            score.percent() >= bar,
            "seed {seed}: {label:?} {}/{} is below {bar} %, missed: {missed:?}",
            score.covered,
            score.all
        );
    }
    assert!(
        touched.len() * 416 <= 4 * hard.len(),
        "seed {seed}: {} of {} texts without secrets were changed: {touched:?}",
        touched.len(),
        hard.len()
    );
}

#[test]
fn bars_hold_on_the_labelled_corpus() {
    for seed in 1..=6 {
        check(seed);
    }
}

#[test]
fn the_corpus_is_as_large_as_it_says() {
    let corpus = Corpus::build(1, 8);
    assert!(corpus.positives.len() >= 1100 && corpus.negatives.len() >= 470);
    let soft = corpus.negatives.iter().filter(|case| case.soft).count();
    assert!(corpus.negatives.len() - soft >= 400);
}
