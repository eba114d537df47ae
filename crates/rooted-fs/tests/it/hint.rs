//! Where a path leads: spelling, links, missing parts, and the errors of each.

use std::path::Path;

use rooted_fs::{Follow, Place, Root, TierChoice};

use crate::support::{Scene, on_both_tiers, with_scene};

const TREE: &str = "\
//- /file
text
//- /dir/sub/deep
text
//- /to_file -> file
//- /to_dir -> dir/sub
//- /abs -> WORK/dir/sub
//- /up -> dir/../dir/sub/../sub/deep
//- /chain1 -> chain2
//- /chain2 -> chain3
//- /chain3 -> to_file
//- /loop1 -> loop2
//- /loop2 -> loop1
//- /self -> self
//- /here -> .
//- /dangling -> dir/nothing
//- /dangling_dir -> nothing/below
//- /slash -> file/
//- /out_file -> OUTSIDE/secret
//- /out_dir -> ../outside
//- /out_missing -> ../outside/nothing
//- /out_and_back -> ../work/file
//- /dir/far -> ../../outside/sub
//- /proc_root -> /proc/self/root/nothing-here
//- /new_below -> to_dir/new
";

/// Shows a hint as one word: the name inside, `=` for an outside place, or the error.
fn show(scene: &Scene, asked: &str, follow: Follow) -> String {
    let asked = asked.replace("WORK", scene.work().to_str().unwrap());
    match scene.root.hint(Path::new(&asked), follow) {
        Err(error) => format!("error {}", error.code()),
        Ok(hint) => {
            let place = match &hint.place {
                Place::Inside(name) => name.as_path().to_str().unwrap().to_owned(),
                Place::Outside(path) => match path.strip_prefix(scene.base()) {
                    Ok(rest) => format!("={}", rest.display()),
                    Err(_) => format!("={}", path.display()),
                },
            };
            let mut text = place;
            for (set, mark) in [(!hint.exists, " new"), (hint.via_symlink, " link"), (hint.wants_dir, " dir")]
            {
                if set {
                    text.push_str(mark);
                }
            }
            if let Some(problem) = hint.problem {
                text.push_str(" ! ");
                text.push_str(problem.code());
            }
            text
        }
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    with_scene(TREE, |scene| {
        for (asked, expected) in cases {
            assert_eq!(&show(scene, asked, Follow::Leaf), expected, "`{asked}` on {}", scene.root.tier());
        }
    });
}

#[test]
fn plain_paths() {
    check(&[
        ("file", "file"),
        ("./file", "file"),
        (".//.//file", "file"),
        ("dir/sub/deep", "dir/sub/deep"),
        ("dir//sub/./deep", "dir/sub/deep"),
        ("dir/", "dir dir"),
        ("dir/.", "dir dir"),
        (".", " dir"),
        ("WORK", ""),
        ("WORK/", " dir"),
        ("WORK/file", "file"),
        ("WORK/../work/file", "file"),
        ("dir/../file", "file"),
        ("dir/sub/../..", " dir"),
        ("../work/file", "file"),
    ]);
}

#[test]
fn what_is_missing_is_plain_names() {
    check(&[
        ("new", "new new"),
        ("new/below/it", "new/below/it new"),
        ("dir/new", "dir/new new"),
        ("dir/new/./x//y", "dir/new/x/y new"),
        ("new/", "new new dir"),
        ("new/../x", "error parent_of_missing"),
        ("dir/new/../../file", "error parent_of_missing"),
        ("to_dir/new", "dir/sub/new new link"),
        ("~", "~ new"),
        ("$HOME/x", "$HOME/x new"),
        ("file://x", "file:/x new"),
        ("..%2f..%2fetc", "..%2f..%2fetc new"),
        ("..\\outside", "..\\outside new"),
        (" file", " file new"),
        ("\u{ff0e}\u{ff0e}/outside", "\u{ff0e}\u{ff0e}/outside new"),
    ]);
}

#[test]
fn links_that_stay_inside() {
    check(&[
        ("to_file", "file link"),
        ("to_dir/deep", "dir/sub/deep link"),
        ("to_dir", "dir/sub link"),
        ("to_dir/", "dir/sub link dir"),
        ("abs/deep", "dir/sub/deep link"),
        ("up", "dir/sub/deep link"),
        ("chain1", "file link"),
        ("here/here/file", "file link"),
        // `..` goes up from where the link leads, not from where it stands.
        ("to_dir/..", "dir link dir"),
        ("to_dir/../sub/deep", "dir/sub/deep link"),
        ("out_and_back", "file link"),
        ("out_dir/../work/file", "file link"),
    ]);
}

#[test]
fn links_that_leave() {
    check(&[
        ("out_file", "=outside/secret link"),
        ("out_dir", "=outside link"),
        ("out_dir/", "=outside link dir"),
        ("out_dir/secret", "=outside/secret link"),
        ("out_dir/new", "=outside/new new link"),
        ("dir/far/secret", "=outside/sub/secret link"),
        ("to_dir/../../../outside/secret", "=outside/secret link"),
        ("here/../outside/secret", "=outside/secret link"),
    ]);
}

#[test]
fn what_happens_outside_is_told_apart_from_errors() {
    check(&[
        ("out_missing", "=outside/nothing new link ! dangling_symlink"),
        ("out_dir/new/../x", "=outside/new new link ! parent_of_missing"),
        ("out_dir/secret/x", "=outside/secret new link ! not_a_directory"),
        ("proc_root", "=/nothing-here new link ! dangling_symlink"),
    ]);
}

#[test]
fn paths_that_leave_by_spelling() {
    check(&[
        ("..", "= dir"),
        ("../outside/secret", "=outside/secret"),
        ("WORK/../outside/secret", "=outside/secret"),
        ("WORK-evil/secret", "=work-evil/secret"),
        ("WORK /secret", "=work /secret"),
        ("WORK\"", "=work\""),
        ("dir/../../outside", "=outside"),
        ("/", "=/ dir"),
        ("/..", "=/ dir"),
        ("//", "=/ dir"),
    ]);
}

#[test]
fn errors_inside() {
    check(&[
        ("", "error empty_path"),
        ("a\0b", "error invalid_name"),
        ("file/x", "error not_a_directory"),
        ("file/", "error not_a_directory"),
        ("file/..", "error not_a_directory"),
        ("file/.", "error not_a_directory"),
        ("to_file/x", "error not_a_directory"),
        ("slash", "error not_a_directory"),
        ("loop1", "error symlink_loop"),
        ("self/x", "error symlink_loop"),
        ("dangling", "error dangling_symlink"),
        ("dangling/", "error dangling_symlink"),
        ("dangling/x", "error dangling_symlink"),
        ("dangling_dir", "error dangling_symlink"),
        ("new_below", "error dangling_symlink"),
    ]);
    let long = "x".repeat(256);
    let deep = "d/".repeat(2100);
    check(&[(&long, "error name_too_long"), (&deep, "error name_too_long")]);
    check(&[(&format!("new/{long}"), "error name_too_long")]);
}

#[test]
fn the_link_itself() {
    with_scene(TREE, |scene| {
        for (asked, expected) in [
            ("to_file", "to_file"),
            ("dangling", "dangling"),
            ("self", "self"),
            ("out_file", "out_file"),
            ("here/loop1", "loop1 link"),
            ("abs/deep", "dir/sub/deep link"),
            ("file", "file"),
            ("new", "new new"),
            // A trailing slash asks for what the link leads to.
            ("to_dir/", "dir/sub link dir"),
            ("out_dir/", "=outside link dir"),
        ] {
            assert_eq!(show(scene, asked, Follow::NoLeaf), expected, "`{asked}` on {}", scene.root.tier());
        }
    });
}

#[test]
fn forty_links_are_followed_and_more_are_not() {
    let mut tree = String::from("//- /end\ntext\n//- /l0 -> end\n");
    for n in 1..=60 {
        tree.push_str(&format!("//- /l{n} -> l{}\n", n - 1));
    }
    with_scene(&tree, |scene| {
        assert_eq!(show(scene, "l39", Follow::Leaf), "end link");
        assert_eq!(show(scene, "l40", Follow::Leaf), "error symlink_loop");
        assert_eq!(show(scene, "l60", Follow::Leaf), "error symlink_loop");
    });
}

#[test]
fn links_that_multiply_are_bounded() {
    // Each level doubles the steps of the one below: unbounded, this would be 2^40 steps.
    let mut tree = String::from("//- /d0/\n");
    for n in 1..=40 {
        tree.push_str(&format!("//- /d{n} -> d{m}/../d{m}\n", m = n - 1));
    }
    with_scene(&tree, |scene| assert_eq!(show(scene, "d40", Follow::Leaf), "error symlink_loop"));
}

#[test]
fn a_root_behind_a_link_is_known_by_both_spellings() {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /file\ntext\n");
        let link = scene.base().join("alias");
        std::os::unix::fs::symlink("work", &link).unwrap();
        let root = Root::open(&link, choice).unwrap();
        assert_eq!(root.path(), scene.work());
        assert_eq!(root.configured_path(), link);
        assert_eq!(root.id(), scene.root.id());
        for base in [link, scene.work()] {
            let asked = base.join("file");
            assert!(root.spelled_inside(&asked));
            let hint = root.hint(&asked, Follow::Leaf).unwrap();
            assert!(matches!(hint.place, Place::Inside(name) if name.as_bytes() == b"file"));
        }
        assert!(!root.spelled_inside(&scene.outside()));
        assert!(!root.spelled_inside(&scene.base().join("work-evil")));
        assert!(root.spelled_inside(Path::new("../outside")));
    });
}

#[test]
fn a_root_on_slash_works_like_any_other() {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /file\ntext\n");
        let slash = Root::open(Path::new("/"), choice).unwrap();
        let asked = scene.work().join("../work/./file");
        let hint = slash.hint(&asked, Follow::Leaf).unwrap();
        let Place::Inside(name) = hint.place else { panic!("nothing is outside of /") };
        assert_eq!(Path::new("/").join(name.as_path()), scene.work().join("file"));
        assert_eq!(slash.open_file(&name).unwrap().read_to_limit(100).unwrap(), b"text\n");
        let up = slash.hint(Path::new("/../../.."), Follow::Leaf).unwrap();
        assert!(matches!(up.place, Place::Inside(name) if name.is_root()));
    });
}

#[test]
fn a_root_that_is_renamed_goes_on() {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /dir/file\ntext\n//- /link -> dir\n");
        let moved = scene.base().join("moved");
        std::fs::rename(scene.work(), &moved).unwrap();
        let hint = scene.root.hint(Path::new("link/file"), Follow::Leaf).unwrap();
        let Place::Inside(name) = hint.place else { panic!("the link stays inside") };
        assert_eq!(scene.root.open_file(&name).unwrap().read_to_limit(9).unwrap(), b"text\n");
        std::fs::rename(moved, scene.work()).unwrap();
    });
}

#[test]
fn opening_a_root_fails_clearly() {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /file\n//- /loop -> loop\n");
        let code = |path: &Path| Root::open(path, choice).unwrap_err().code();
        assert_eq!(code(Path::new("")), "empty_path");
        assert_eq!(code(&scene.work().join("missing")), "not_found");
        assert_eq!(code(&scene.work().join("file")), "not_a_directory");
        assert_eq!(code(&scene.work().join("loop")), "symlink_loop");
    });
    assert_eq!(Root::open(Path::new("/"), TierChoice::Nofollow).unwrap().tier().as_str(), "nofollow");
}
