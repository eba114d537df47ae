//! Folders of a macOS home directory whose first access makes the system ask the user, or hang.

/// The folders, relative to a home directory.
///
/// # Source
///
/// <https://support.apple.com/guide/mac-help/control-access-to-files-and-folders-on-mac-mchld5a35146/mac> and
/// <https://developer.apple.com/documentation/security/protecting-user-data-with-app-sandbox>
#[rustfmt::skip]
pub(crate) const HOME_FOLDERS: &[&str] = &[
    "Desktop", // Files and Folders
    "Documents", // Files and Folders
    "Downloads", // Files and Folders
    "Movies", // Media library
    "Music", // Media library
    "Pictures", // Photos
    "Public", // shared over the network
    ".Trash", // Full Disk Access
    "Library/Mail", // Full Disk Access
    "Library/Messages", // Full Disk Access
    "Library/Safari", // Full Disk Access
    "Library/Calendars", // Calendars
    "Library/Reminders", // Reminders
    "Library/Application Support/AddressBook", // Contacts
    "Library/Application Support/CallHistoryDB", // Full Disk Access
    "Library/Application Support/CallHistoryTransactions", // Full Disk Access
    "Library/Application Support/com.apple.TCC", // Full Disk Access
    "Library/Application Support/MobileSync", // Full Disk Access
    "Library/Containers", // App data of others
    "Library/Group Containers", // App data of others
    "Library/Mobile Documents", // iCloud Drive
    "Library/CloudStorage", // file providers, may download
    "Library/Cookies", // Full Disk Access
    "Library/HomeKit", // Home data
    "Library/Suggestions", // Full Disk Access
    "Library/Metadata/CoreSpotlight", // Full Disk Access
];

/// The directory that holds removable and network volumes.
pub(crate) const VOLUMES: &str = "Volumes";
