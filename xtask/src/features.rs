//! `cargo xtask features`: no combination of features breaks a crate.

use std::collections::BTreeSet;

use xshell::Shell;

use crate::step::{Step, heading};
use crate::workspace;

/// Up to this many features all subsets are checked. Beyond it: none, each alone, all but each, and all, which
/// finds an item that lacks a `cfg` and two features that clash.
const ALL_SUBSETS_UP_TO: usize = 4;

pub(crate) fn run(sh: &Shell) -> anyhow::Result<()> {
    let mut checks = 0;
    for package in workspace::packages(sh)? {
        let features: Vec<&str> =
            package.features.keys().map(String::as_str).filter(|it| *it != "default").collect();
        if features.is_empty() {
            continue;
        }
        for subset in subsets(&features) {
            let title = format!("{} with [{}]", package.name, subset.join(", "));
            let mut step = Step::new(&title, "cargo check -q --no-default-features -p").arg(&package.name);
            if !subset.is_empty() {
                step = step.arg("--features").arg(subset.join(","));
            }
            step.run(sh)?;
            checks += 1;
        }
    }
    heading(&format!("{checks} feature sets checked"));
    Ok(())
}

fn subsets<'a>(features: &[&'a str]) -> BTreeSet<Vec<&'a str>> {
    let pick = |keep: &dyn Fn(usize) -> bool| -> Vec<&'a str> {
        features.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, it)| *it).collect()
    };
    if features.len() <= ALL_SUBSETS_UP_TO {
        return (0..1_usize << features.len()).map(|set| pick(&|at| set >> at & 1 == 1)).collect();
    }
    let mut sets = BTreeSet::from([pick(&|_| false), pick(&|_| true)]);
    for one in 0..features.len() {
        sets.insert(pick(&|at| at == one));
        sets.insert(pick(&|at| at != one));
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::subsets;

    #[test]
    fn few_features_give_every_subset() {
        let sets = subsets(&["a", "b"]);
        assert_eq!(sets.into_iter().collect::<Vec<_>>(), [vec![], vec!["a"], vec!["a", "b"], vec!["b"]]);
    }

    #[test]
    fn many_features_grow_linearly() {
        assert_eq!(subsets(&["a", "b", "c", "d", "e", "f", "g", "h"]).len(), 18);
    }
}
