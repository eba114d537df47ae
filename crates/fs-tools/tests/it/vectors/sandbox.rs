//! SB and PR: the sandbox and the protected files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use fs_tools::{Config, Options, Workspace};
use serde_json::{Value, json};

use super::Vector;

fn read(path: impl AsRef<Path>) -> Value {
    json!({"path": path.as_ref().to_str().unwrap()})
}

/// The pattern of a path.
fn literal(path: &Path) -> String {
    path.to_str().unwrap().replace('.', r"\.")
}

/// A place beside the workspace with a file `f`, granted by `pattern`, where `{}` stands for it.
fn granted(id: &'static str, key: &str, pattern: &str) -> (tempfile::TempDir, Vector) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    fs::write(root.join("f"), "shared\n").unwrap();
    let pattern = pattern.replace("{}", &literal(&root));
    let vector = Vector::with(id, "", &json!({"tools": {key: [pattern]}}));
    (place, vector)
}

#[test]
fn the_workspace() {
    let vector = Vector::new("SB1", "");
    fs::write(vector.files.outside("secret"), "canary").unwrap();
    symlink("../secret", vector.files.path("link")).unwrap();
    vector.refused("read_file", read("link"), "outside_workspace").has("access denied").lacks("canary");
    let undefined = Workspace::open(Options::new("", Config::default())).err().unwrap();
    assert_eq!(
        (undefined.code(), undefined.to_string().as_str()),
        ("workspace_undefined", "workspace is not defined"),
        "SB2"
    );
    let vector = Vector::new("SB7", "");
    for path in ["one/f", "d/e/e/p/f", "d/e/e/p/g"] {
        vector.ok("write_file", json!({"path": path, "content": "x"}));
    }
    vector.refused("write_file", json!({"path": "one/f/g", "content": "x"}), "not_a_directory");
    let vector = Vector::new("SB8", "//- /d/f\nx\n");
    vector.refused("read_file", read("d"), "is_a_directory");
    let free = |root| Options::new(root, Config { restrict_to_workspace: false, ..Config::default() });
    Vector::open("SB8", "//- /d/f\nx\n", free).refused("read_file", read("d"), "is_a_directory");
    let vector = Vector::new("SB10", "");
    vector.ok("write_file", json!({"path": r"aaa\bbb\file.txt", "content": "x"}));
    vector.holds(r"aaa\bbb\file.txt", "x");
    let vector = Vector::new("SB11", "");
    for path in ["../x", "/etc/passwd"] {
        vector.refused("read_file", read(path), "outside_workspace").has("escapes workspace");
    }
    let vector = Vector::new("SB12", "");
    fs::create_dir(vector.files.outside("wsdef")).unwrap();
    fs::write(vector.files.outside("wsdef/s"), "canary").unwrap();
    vector.refused("read_file", read(vector.files.outside("wsdef/s")), "outside_workspace").lacks("canary");
    let real = tempfile::tempdir().unwrap();
    let alias = real.path().join("alias");
    let vector = Vector::open("SB13", "//- /f\ninside\n", |root| {
        symlink(&root, &alias).unwrap();
        Options::new(&alias, Config::default())
    });
    vector.ok("read_file", read(vector.files.path("f"))).has("inside");
    vector.ok("read_file", read(alias.join("f"))).has("inside");
    let config = json!({"agents": {"defaults": {"allow_read_outside_workspace": true}}});
    let vector = Vector::with("SB16", "", &config);
    fs::write(vector.files.outside("f"), "outside\n").unwrap();
    let path = vector.files.outside("f");
    vector.ok("read_file", read(&path)).has("outside");
    vector.refused("write_file", json!({"path": path, "content": "x"}), "outside_workspace");
}

#[test]
fn allow_lists() {
    let (place, vector) = granted("SB3", "allow_read_paths", "^{}");
    vector.ok("read_file", read(place.path().canonicalize().unwrap().join("f"))).has("shared");
    vector.refused("read_file", read("/etc/hostname"), "outside_workspace");
    let (place, vector) = granted("SB4", "allow_read_paths", "^{}");
    let root = place.path().canonicalize().unwrap();
    fs::create_dir(vector.files.outside("secret")).unwrap();
    fs::write(vector.files.outside("secret/s"), "canary").unwrap();
    symlink(vector.files.outside("secret"), root.join("link")).unwrap();
    vector.refused("read_file", read(root.join("link/s")), "outside_workspace").lacks("canary");
    let (place, vector) = granted("SB5", "allow_write_paths", "^{}");
    let path = place.path().canonicalize().unwrap().join("new/nested/f");
    vector.ok("write_file", json!({"path": path, "content": "x"}));
    assert_eq!(fs::read_to_string(path).unwrap(), "x");
    let real = tempfile::tempdir().unwrap();
    fs::write(real.path().join("f"), "shared\n").unwrap();
    let names = tempfile::tempdir().unwrap();
    let alias = names.path().canonicalize().unwrap().join("alias");
    symlink(real.path(), &alias).unwrap();
    let pattern = format!("^{}(?:/|$)", literal(&alias));
    let vector = Vector::with("SB6", "", &json!({"tools": {"allow_read_paths": [pattern]}}));
    vector.ok("read_file", read(alias.join("f"))).has("shared");
    let vector = Vector::with("SB14", "", &json!({"tools": {"allow_read_paths": ["projects"]}}));
    fs::create_dir(vector.files.outside("projects")).unwrap();
    fs::write(vector.files.outside("projects/f"), "canary").unwrap();
    vector
        .refused("read_file", read(vector.files.outside("projects/f")), "outside_workspace")
        .lacks("canary");
    let warnings = vector.files.tools.workspace().warnings();
    assert!(warnings.iter().any(|warning| warning.contains("projects")), "SB14: {warnings:?}");
    let dir = tempfile::tempdir().unwrap();
    let config = Config { allow_read_paths: vec!["(".into()], ..Config::default() };
    let bad = Workspace::open(Options::new(dir.path(), config)).err().unwrap();
    assert_eq!(bad.code(), "bad_pattern", "SB15");
}

#[test]
fn protected_files() {
    let tree = "//- /.env\nSECRET\n//- /.env.local\nSECRET\n//- /.envrc\nSECRET\n//- /.security.yml\nSECRET\n\
                //- /.netrc\nSECRET\n//- /.aws/credentials\nSECRET\n//- /.ENV.Prod\nSECRET\n";
    let configs = [
        json!({}),
        json!({"agents": {"defaults": {"restrict_to_workspace": false}}}),
        json!({"tools": {"allow_read_paths": ["/.*"], "allow_write_paths": ["/.*"]}}),
    ];
    for config in &configs {
        let vector = Vector::open("PR1", tree, |root| {
            let loaded = Config::load(&config.to_string(), &|_| None).unwrap();
            Options::new(root, loaded.config)
        });
        symlink(".env", vector.files.path("alias")).unwrap();
        for name in [".env", ".env.local", ".envrc", ".security.yml", ".netrc", ".aws/credentials", "alias"] {
            for path in [name.to_owned(), vector.files.path(name).to_str().unwrap().to_owned()] {
                for (tool, args) in [
                    ("read_file", json!({"path": path})),
                    ("search_files", json!({"pattern": "SECRET", "path": path})),
                    ("edit_file", json!({"path": path, "old_text": "SECRET", "new_text": "x"})),
                    ("append_file", json!({"path": path, "content": "x"})),
                    ("write_file", json!({"path": path, "content": "x", "overwrite": true})),
                ] {
                    let outcome = vector.call(tool, args);
                    assert!(outcome.reply.is_error, "PR1: {tool} {path}: {}", outcome.text());
                    outcome.has("access denied").lacks("SECRET");
                }
            }
        }
    }
    Vector::new("PR2", tree).refused("read_file", read(".ENV.Prod"), "sensitive").lacks("SECRET");
    Vector::new("PR3", "//- /.env.example\nKEY=\n").ok("read_file", read(".env.example")).has("KEY=");
    let vector = Vector::new("PR4", "//- /id_rsa\nSECRET\n//- /x.pem\nSECRET\n");
    for name in ["id_rsa", "x.pem"] {
        vector.refused("read_file", read(name), "sensitive").lacks("SECRET");
    }
}
