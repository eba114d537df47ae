//! The same trees and paths, resolved by another library with its own algorithm.

use std::fs;
use std::os::unix::fs::symlink;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::support::{CANARY, name, read, with_scene};

/// A small generator with a fixed seed: the same trees in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn path(&mut self, longest: usize) -> String {
        let parts: Vec<_> = (0..=self.below(longest))
            .map(|_| self.pick(&["a", "b", "c", "f", "..", ".", "l", "m"]))
            .collect();
        parts.join("/")
    }
}

#[test]
fn both_libraries_find_the_same_file() {
    with_scene("", |scene| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut agreed, mut found) = (0, 0);
        for tree in 0..40 {
            let base = scene.work().join(tree.to_string());
            for dir in ["", "a", "b", "a/b", "a/c", "a/b/c"] {
                fs::create_dir_all(base.join(dir)).unwrap();
                for entry in ["f", "l", "m"] {
                    let path = base.join(dir).join(entry);
                    match random.below(4) {
                        0 => fs::write(&path, path.to_str().unwrap()).unwrap(),
                        1 => symlink(random.path(4), &path).unwrap(),
                        2 => symlink(
                            "../".repeat(random.below(6)) + random.pick(&["outside/secret", "f", "a"]),
                            &path,
                        )
                        .unwrap(),
                        _ => {}
                    }
                }
            }
            let root = rooted_fs::Root::open(
                &base,
                match scene.root.tier() {
                    rooted_fs::Tier::Nofollow => rooted_fs::TierChoice::Nofollow,
                    _ => rooted_fs::TierChoice::Kernel,
                },
            )
            .unwrap();
            let other = Dir::open_ambient_dir(&base, ambient_authority()).unwrap();
            for _ in 0..150 {
                let asked = random.path(5);
                let (ours, theirs) = (read(&root, &asked), other.read(&asked));
                match (&ours, &theirs) {
                    (Ok(ours), Ok(theirs)) => {
                        assert_eq!(ours, theirs, "tree {tree}, `{asked}`");
                        assert_ne!(ours, CANARY);
                        found += 1;
                    }
                    (Err(_), Err(_)) => {}
                    // A path that leaves the root and comes back is fine here and refused there.
                    (Ok(ours), Err(_)) => assert!(ours.starts_with(base.to_str().unwrap().as_bytes())),
                    (Err(error), Ok(_)) => panic!("tree {tree}, `{asked}`: only we refuse: {error}"),
                }
                agreed += usize::from(ours.is_ok() == theirs.is_ok());
            }
        }
        assert!(
            found > 100 && agreed > 5500,
            "found {found}, agreed {agreed} of 6000: the trees test too little"
        );
        assert!(scene.root.stat(&name("0")).is_ok());
    });
}
