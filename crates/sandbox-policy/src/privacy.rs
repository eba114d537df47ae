//! Folders of macOS that a walk must not enter by accident.

use std::path::{Component, Path};

use crate::tables::privacy::{HOME_FOLDERS, VOLUMES};

/// Returns the folder that makes macOS ask the user, when `path` is that folder or lies in it.
///
/// The answer is relative to `home`, such as `Library/Mail`, or `Volumes` for a removable or network volume. Names are
/// compared without regard to ASCII case, as the file system does. The table applies to macOS only; the function is
/// pure, so it is up to the caller to ask it there alone.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::privacy_folder;
///
/// let home = Path::new("/Users/u");
/// assert_eq!(privacy_folder(home, Path::new("/Users/u/Library/Mail/V10")), Some("Library/Mail"));
/// assert_eq!(privacy_folder(home, Path::new("/Users/u/src")), None);
/// ```
pub fn privacy_folder(home: &Path, path: &Path) -> Option<&'static str> {
    if let Some(below) = strip(path, home) {
        return HOME_FOLDERS.iter().copied().find(|folder| strip(below, Path::new(folder)).is_some());
    }
    let mut names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let is_volume = names.next().is_some_and(|name| name.as_os_str().eq_ignore_ascii_case(VOLUMES));
    (is_volume && names.next().is_some()).then_some(VOLUMES)
}

/// Tells whether a walk that began at `start` leaves `dir` out.
///
/// It does, unless the walk was sent there: `start` is the folder itself or lies in it.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use sandbox_policy::walk_skips_privacy_folder;
///
/// let (home, mail) = (Path::new("/Users/u"), Path::new("/Users/u/Library/Mail"));
/// assert!(walk_skips_privacy_folder(home, home, mail));
/// assert!(!walk_skips_privacy_folder(home, mail, mail));
/// ```
pub fn walk_skips_privacy_folder(home: &Path, start: &Path, dir: &Path) -> bool {
    privacy_folder(home, dir).is_some_and(|folder| privacy_folder(home, start) != Some(folder))
}

fn strip<'p>(path: &'p Path, prefix: &Path) -> Option<&'p Path> {
    let mut rest = path.components();
    for name in prefix.components() {
        if !rest.next()?.as_os_str().eq_ignore_ascii_case(name.as_os_str()) {
            return None;
        }
    }
    Some(rest.as_path())
}
