//! Arrows between the crates point one way, and no core knows another.

use super::{is_core, packages, report};

#[test]
fn dependencies_point_from_front_end_to_facade_to_cores() {
    let packages = packages();
    let cores: Vec<&str> = packages.iter().filter(|it| is_core(it)).map(|it| it.name.as_str()).collect();
    assert!(cores.len() >= 8, "the cores were not found: {cores:?}");
    let mut problems = Vec::new();
    for package in &packages {
        for to in &package.internal {
            let allowed = match package.name.as_str() {
                "fs-tools-cli" => to == "fs-tools",
                "fs-tools" => cores.contains(&to.as_str()),
                "props" | "benches" => to == "fs-tools" || cores.contains(&to.as_str()),
                _ => false,
            };
            if !allowed {
                problems.push(format!("{} must not depend on {to}, not even for tests", package.name));
            }
        }
    }
    report(&problems);
}
