//! Every bound of the facade, by name, with where its number comes from.

/// Bytes that one byte-mode read returns at most, and by default (`tools.read_file.max_read_file_size`).
pub(crate) const READ_BYTES: usize = 65_536;
/// Largest file that is given away whole, as a resource.
pub(crate) const RESOURCE_BYTES: u64 = 1024 * 1024;
/// Largest picture that is given away whole: what hosts of models take.
pub(crate) const PICTURE_BYTES: u64 = 5 * 1024 * 1024;
/// Lines that one line-mode read returns at most (`tools.read_file.max_lines`).
pub(crate) const READ_LINES: usize = 2_000;
/// Characters of one line in the line-numbered view (`tools.read_file.max_line_length`).
pub(crate) const READ_LINE_CHARS: usize = 2_000;
/// Characters of a result that stay inline (`tools.max_inline_result_chars`).
pub(crate) const INLINE_CHARS: usize = 16_384;
/// Largest file that `edit_file` loads; the patch applier has the same limit.
pub(crate) const EDIT_BYTES: u64 = 256 * 1024 * 1024;
/// Largest text argument (content, patch, new text) that a call may carry.
pub(crate) const ARGUMENT_BYTES: usize = 64 * 1024 * 1024;
/// Entries of one list in the arguments of a call.
pub(crate) const ARGUMENT_ITEMS: usize = 1_000;
/// A diff is built only up to this size of each side.
pub(crate) const DIFF_INPUT_BYTES: usize = 65_536;
/// A diff is built only up to this many lines of each side.
pub(crate) const DIFF_INPUT_LINES: usize = 2_000;
/// Lines of context around a change.
pub(crate) const DIFF_CONTEXT: usize = 3;
/// Characters of a diff that the model sees.
pub(crate) const DIFF_MODEL_CHARS: usize = 12_288;
/// Bytes of a diff that the user sees.
pub(crate) const DIFF_USER_BYTES: usize = 16_384;
/// Entries of one directory page.
pub(crate) const LIST_ENTRIES: usize = 1_000;
/// Matches of one search page by default, and at most.
pub(crate) const SEARCH_LIMIT: (usize, usize) = (50, 200);
/// Lines of context around a match at most.
pub(crate) const SEARCH_CONTEXT: usize = 20;
/// Bytes of one shown search line.
pub(crate) const SEARCH_LINE_BYTES: usize = 240;
/// Bytes of one search page.
pub(crate) const SEARCH_OUTPUT_BYTES: usize = 65_536;
/// Rows of one `find_files` search page by default.
pub(crate) const FIND_ROWS: u64 = 256;
/// Matching lines whose numbers a row of `find_files` carries.
pub(crate) const FIND_FIRST_LINES: usize = 5;
/// Bytes of one line that `find_files` shows.
pub(crate) const FIND_LINE_BYTES: usize = 512;
/// Bytes of the rows of one `find_files` result.
pub(crate) const FIND_OUTPUT_BYTES: usize = 128 * 1024;
/// Milliseconds after which a search answers with what it has.
pub(crate) const SEARCH_MILLIS: u64 = 10_000;
/// Bytes before and after a window that are read so that a credential cut by the window is still recognised.
pub(crate) const MASK_CONTEXT_BYTES: u64 = 65_536;
/// A line is retained up to this many bytes; the rest of it is neither shown nor masked.
pub(crate) const RETAINED_LINE_BYTES: usize = 1024 * 1024;
/// Attempts to open what was judged before a lost race is reported as `busy`.
pub(crate) const RACE_RETRIES: usize = 8;
/// Attempts to redo an edit on the newer content when another writer came first.
pub(crate) const EDIT_RETRIES: usize = 64;
/// Characters of an argument value that an error repeats.
pub(crate) const ECHO_CHARS: usize = 120;
/// Bytes of all artifacts together, above which the oldest are removed.
pub(crate) const ARTIFACT_TOTAL_BYTES: u64 = 64 * 1024 * 1024;
/// Seconds after which an artifact may be removed: three days.
pub(crate) const ARTIFACT_AGE_SECS: u64 = 3 * 24 * 3600;
/// Omission of large base64 results: at least this many bytes.
pub(crate) const BASE64_MIN_BYTES: usize = 1_024;
/// Paths that one `file_history` read compares.
pub(crate) const HISTORY_PATHS: usize = 24;
/// Rows that are asked of the history at a time.
pub(crate) const HISTORY_PAGE: usize = 100;
/// Lines, rows or pages of one `read_files` entry by default.
pub(crate) const BATCH_READ_LINES: u64 = 2_048;
/// Bytes of one `read_files` entry.
pub(crate) const BATCH_READ_BYTES: usize = 1 << 20;
/// Bytes of a `read_files` result after which further entries are left for another call.
pub(crate) const READ_FILES_BYTES: usize = 4 << 20;
/// Largest image that `read_files` takes.
pub(crate) const IMAGE_BYTES: usize = 10 << 20;
/// Lines on each side of a row of `around` by default.
pub(crate) const AROUND_LINES: u64 = 20;
/// Largest file that `read_files` takes into memory; larger text is read in pieces.
pub(crate) const WHOLE_FILE_BYTES: u64 = 64 << 20;
/// Bytes at the start of a file among which a NUL means binary, as git has it.
pub(crate) const BINARY_HEAD: usize = 8_000;
/// Changes after which old versions are looked for; also once a day.
pub(crate) const PRUNE_EVERY: u32 = 256;
/// Milliseconds that `open_file` waits for the opener.
pub(crate) const OPEN_MILLIS: u64 = 10_000;
/// Largest file that is sent to a speech-to-text engine: the limit of the OpenAI endpoint, 25 MiB.
pub(crate) const SOUND_BYTES: usize = 25 << 20;
/// Longest transcript: some twenty hours of speech.
pub(crate) const TRANSCRIPT_BYTES: usize = 1 << 20;
/// Seconds that one file may take: local engines run at a few times the speed of speech.
pub(crate) const TRANSCRIBE_SECONDS: usize = 300;
/// Memory that the index of a workspace takes at most (`fs_tools.search.index_max_bytes`): a tenth of 2 GiB of text.
pub(crate) const INDEX_BYTES: usize = 256 * 1024 * 1024;
/// Files that make an index worth while (`fs_tools.search.index_min_files`): fewer are read in a tenth of a second.
pub(crate) const INDEX_MIN_FILES: usize = 10_000;
