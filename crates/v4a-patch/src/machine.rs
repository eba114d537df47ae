//! The grammar as a state machine over lines; the whole-text parser and the stream are two ways to feed it.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Column, ParseError, ParseErrorKind as Kind};
use crate::grammar::{self, DIRECTIVES, Directive, Token, Wrapper};
use crate::hints;
use crate::options::{Options, Profile, Wrapping};
use crate::patch::{LineKind, SectionKind, normalize_path};

/// What the parser found, in order. The texts borrow from the bytes that were fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// `*** Begin Patch`
    Begin {
        /// The line of the patch, counted from 1.
        patch_line: usize,
    },
    /// A file section starts.
    Section {
        /// What it does.
        kind: SectionKind,
        /// The path as written.
        path: &'a str,
        /// The line of the patch.
        patch_line: usize,
    },
    /// `*** Move to:` of the section.
    MoveTo {
        /// The target as written.
        path: &'a str,
        /// The line of the patch.
        patch_line: usize,
    },
    /// A hunk starts.
    HunkStart {
        /// The line of its first header, or of its first line where it has none.
        patch_line: usize,
    },
    /// An `@@` line of the hunk.
    Header {
        /// The trimmed text after `@@`.
        text: &'a str,
        /// The line of the patch.
        patch_line: usize,
    },
    /// A line of the hunk, or an added line of an Add section.
    Line {
        /// What it does.
        kind: LineKind,
        /// The text after the prefix.
        text: &'a str,
        /// The line of the patch.
        patch_line: usize,
    },
    /// The hunk is closed and will not change any more.
    HunkEnd {
        /// Whether `*** End of File` closed it.
        end_of_file: bool,
    },
    /// `*** End Patch`
    End {
        /// The line of the patch.
        patch_line: usize,
    },
}

/// Where the parser is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first line that is not blank.
    Start,
    /// Inside the patch, before the first section.
    Top,
    /// In an Update section, no hunk open, none seen.
    Update,
    /// In a hunk.
    Hunk,
    /// Behind `*** End of File`.
    AfterEof,
    Add,
    Delete,
    /// Behind `*** End Patch`, or behind the wrapper.
    Done,
}

/// The open hunk.
#[derive(Debug, Default)]
struct Open {
    has_body: bool,
    /// A prefixed context or removed line was seen; bare blanks do not count.
    has_place: bool,
}

/// An owned copy of what an error about an earlier line needs.
#[derive(Debug, Default, Clone)]
struct Mark {
    line: usize,
    excerpt: String,
}

/// The parser proper. It keeps no text but the excerpts that a later error may need.
#[derive(Debug)]
pub(crate) struct Machine {
    edit_file: Option<Vec<String>>,
    given_path: String,
    lenient: bool,
    max_hunks: usize,
    state: State,
    envelope: bool,
    wrapper: Option<Wrapper<String>>,
    wrapper_closed: bool,
    open: Open,
    hunk_mark: Mark,
    /// Bare blanks of the open hunk whose meaning the next line decides: first line and count.
    pending: (usize, usize),
    /// Hunks, sections; hunks closed so far.
    hunks: usize,
    closed: usize,
    sections: usize,
    section_hunks: usize,
    section_moves: bool,
    section_mark: Mark,
    section_path: String,
    first_hunk: Mark,
    changes: bool,
    last_line: usize,
    indented_end: bool,
    pub(crate) complete: bool,
}

impl Machine {
    pub(crate) fn new(profile: Profile<'_>, options: &Options<'_>) -> Self {
        let (edit_file, given_path) = match profile {
            Profile::EditFile { path } => {
                let mut names = alloc::vec![normalize_path(path)];
                names.extend(options.aliases.iter().map(|alias| normalize_path(alias)));
                (Some(names), path.to_owned())
            }
            Profile::Multi => (None, String::new()),
        };
        Self {
            edit_file,
            given_path,
            lenient: options.wrapping == Wrapping::Lenient,
            max_hunks: options.limits.max_hunks,
            state: State::Start,
            envelope: false,
            wrapper: None,
            wrapper_closed: false,
            open: Open::default(),
            hunk_mark: Mark::default(),
            pending: (0, 0),
            hunks: 0,
            closed: 0,
            sections: 0,
            section_hunks: 0,
            section_moves: false,
            section_mark: Mark::default(),
            section_path: String::new(),
            first_hunk: Mark::default(),
            changes: false,
            last_line: 0,
            indented_end: false,
            complete: false,
        }
    }

    /// Hunks that are closed.
    pub(crate) fn closed(&self) -> usize {
        self.closed
    }

    fn edit(&self) -> bool {
        self.edit_file.is_some()
    }

    /// Takes one line without its LF.
    pub(crate) fn line<'a>(
        &mut self,
        bytes: &'a [u8],
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        self.last_line += 1;
        let mut bytes = bytes;
        if self.last_line == 1 {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let line = match core::str::from_utf8(bytes) {
            Ok(line) => line,
            Err(error) => {
                let good = &bytes[..error.valid_up_to()];
                let chars = core::str::from_utf8(good).map_or(0, |text| text.chars().count());
                let column = Column { bytes: good.len() + 1, chars: chars + 1 };
                let mut error = self.error(Kind::NotUtf8, "", &[], Some(hints::NOT_UTF8));
                error.patch_column = column;
                return Err(error);
            }
        };
        if let Some(wrapper) = &self.wrapper
            && !self.wrapper_closed
            && self.state != State::Start
            && grammar::closes(wrapper, line)
        {
            self.close_hunk(false, sink)?;
            self.wrapper_closed = true;
            self.state = State::Done;
            return Ok(());
        }
        match grammar::token(line) {
            Token::Blank(spaced) => self.blank(line, spaced, sink),
            token if self.state == State::Done => {
                let _ = token;
                Err(self.error(Kind::TrailingContent, line, &[], Some(hints::trailing(line))))
            }
            token if self.state == State::Start && self.wrap(line) => {
                let _ = token;
                Ok(())
            }
            token => self.token(line, token, sink),
        }
    }

    /// Takes the end of the text.
    pub(crate) fn finish<'a>(&mut self, sink: &mut dyn FnMut(Event<'a>)) -> Result<(), ParseError> {
        self.close_hunk(false, sink)?;
        if self.envelope && !self.complete {
            let mut error = self.error(Kind::UnterminatedPatch, "", &["*** End Patch"], None);
            error.hint = Some(if self.indented_end { hints::INDENTED_END } else { hints::CUT_OFF });
            error.patch_line = self.last_line.max(1);
            return Err(error);
        }
        if self.complete {
            return Ok(());
        }
        self.verdict(1)
    }

    /// Judges the patch as a whole; `end` is the line that a missing body is reported at.
    fn verdict(&mut self, end: usize) -> Result<(), ParseError> {
        let empty = if self.edit() { self.hunks == 0 } else { self.sections == 0 };
        if empty {
            let expected: &[&str] = if self.edit() { &["@@"] } else { &["*** Update File: <path>"] };
            let mut error = self.error(Kind::EmptyPatch, "", expected, None);
            error.patch_line = end;
            return Err(error);
        }
        if !self.changes {
            let mark = self.first_hunk.clone();
            return Err(self.error_at(&mark, Kind::NoChanges, &["-", "+"], Some(hints::NO_CHANGES)));
        }
        Ok(())
    }

    fn wrap(&mut self, line: &str) -> bool {
        if !self.lenient || self.wrapper.is_some() {
            return false;
        }
        self.wrapper = grammar::wrapper(line).map(|wrapper| match wrapper {
            Wrapper::Fence(mark, count) => Wrapper::Fence(mark, count),
            Wrapper::Tag(tag) => Wrapper::Tag(tag.to_owned()),
        });
        self.wrapper.is_some()
    }

    fn blank<'a>(
        &mut self,
        line: &'a str,
        spaced: bool,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        match self.state {
            State::Hunk if spaced => self.body(b' ', &line[1..], sink),
            State::Hunk | State::Add => {
                if self.pending.1 == 0 {
                    self.pending.0 = self.last_line;
                }
                self.pending.1 += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn token<'a>(
        &mut self,
        line: &'a str,
        token: Token<'a>,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        let start = self.state == State::Start;
        if start && !self.edit() {
            return match token {
                Token::Directive(Directive::Begin) => self.directive(line, Directive::Begin, sink),
                Token::Directive(Directive::End) => {
                    Err(self.error(Kind::UnexpectedEnd, line, &["*** Begin Patch"], None))
                }
                _ => {
                    Err(self.error(Kind::MissingBegin, line, &["*** Begin Patch"], hints::before_patch(line)))
                }
            };
        }
        match token {
            Token::Blank(_) => Ok(()),
            Token::Directive(Directive::Environment(_)) if self.edit() => self.unknown(line),
            Token::Directive(directive) => self.directive(line, directive, sink),
            Token::UnknownDirective => self.unknown(line),
            Token::Header(text) => self.header(line, text, sink),
            Token::Body(prefix) => match self.state {
                State::Hunk => self.body(prefix, &line[1..], sink),
                State::Add if prefix == b'+' => self.added(line, sink),
                State::Update if !self.edit() && !grammar::is_indented_directive(line) => {
                    self.start_hunk(line, sink)?;
                    self.body(prefix, &line[1..], sink)
                }
                _ => Err(self.misplaced_text(line, Some(prefix))),
            },
            Token::Other => Err(self.misplaced_text(line, None)),
        }
    }

    fn unknown(&mut self, line: &str) -> Result<(), ParseError> {
        Err(self.error(Kind::UnknownDirective, line, DIRECTIVES, hints::unknown_directive(line, self.edit())))
    }

    /// Says what is wrong with a line that is neither a directive nor a header, where no body line may stand.
    fn misplaced_text(&self, line: &str, prefix: Option<u8>) -> ParseError {
        match self.state {
            State::Hunk => {
                self.error(Kind::InvalidLinePrefix, line, &[" ", "-", "+", "@@", "***"], hints::prefix(line))
            }
            State::Add => self.error(Kind::InvalidLinePrefix, line, &["+", "***"], Some(hints::ADD_PREFIX)),
            State::AfterEof => {
                self.error(Kind::ContentAfterEof, line, &["@@", "*** End Patch"], Some(hints::AFTER_EOF))
            }
            _ if grammar::is_indented_directive(line) => {
                self.error(Kind::IndentedDirective, line, &[], Some(hints::INDENTED))
            }
            State::Start | State::Top | State::Update if self.edit() && prefix.is_some() => {
                self.error(Kind::MissingHunkHeader, line, &["@@"], hints::missing_header(line))
            }
            State::Delete => self.error(Kind::UnexpectedText, line, &["***"], Some(hints::DELETE_BODY)),
            State::Top if !self.edit() => {
                self.error(Kind::UnexpectedText, line, &DIRECTIVES[1..4], hints::before_patch(line))
            }
            _ => self.error(
                Kind::UnexpectedText,
                line,
                &["*** Begin Patch", "*** Update File: <path>", "@@"],
                hints::before_patch(line),
            ),
        }
    }

    fn header<'a>(
        &mut self,
        line: &'a str,
        text: &'a str,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        match self.state {
            State::Hunk if !self.open.has_body => {
                self.pending = (0, 0);
                sink(Event::Header { text, patch_line: self.last_line });
                return Ok(());
            }
            State::Hunk => self.close_hunk(false, sink)?,
            State::Update | State::AfterEof => {}
            State::Start | State::Top if self.edit() => {
                self.section("", SectionKind::Update, "", sink);
            }
            State::Add => return Err(self.misplaced_text(line, None)),
            _ => {
                return Err(self.error(
                    Kind::UnexpectedText,
                    line,
                    &["*** Update File: <path>"],
                    Some(hints::HEADER_WITHOUT_FILE),
                ));
            }
        }
        self.start_hunk(line, sink)?;
        sink(Event::Header { text, patch_line: self.last_line });
        Ok(())
    }

    fn start_hunk<'a>(&mut self, line: &str, sink: &mut dyn FnMut(Event<'a>)) -> Result<(), ParseError> {
        if self.hunks >= self.max_hunks {
            return Err(self.error(
                Kind::LimitExceeded { limit: "hunks", max: self.max_hunks },
                line,
                &[],
                None,
            ));
        }
        self.hunks += 1;
        self.section_hunks += 1;
        self.open = Open::default();
        self.hunk_mark = self.mark(line);
        if self.hunks == 1 {
            self.first_hunk = self.hunk_mark.clone();
        }
        self.pending = (0, 0);
        self.state = State::Hunk;
        sink(Event::HunkStart { patch_line: self.last_line });
        Ok(())
    }

    fn body<'a>(
        &mut self,
        prefix: u8,
        text: &'a str,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        for at in 0..self.pending.1 {
            sink(Event::Line { kind: LineKind::Context, text: "", patch_line: self.pending.0 + at });
        }
        self.pending = (0, 0);
        let kind = match prefix {
            b'-' => LineKind::Removed,
            b'+' => LineKind::Added,
            _ => LineKind::Context,
        };
        self.open.has_body = true;
        self.open.has_place |= kind != LineKind::Added;
        self.changes |= kind != LineKind::Context;
        self.indented_end =
            kind == LineKind::Context && grammar::directive(grammar::trim_str(text)) == Some(Directive::End);
        sink(Event::Line { kind, text, patch_line: self.last_line });
        Ok(())
    }

    fn added<'a>(&mut self, line: &'a str, sink: &mut dyn FnMut(Event<'a>)) -> Result<(), ParseError> {
        if self.pending.1 > 0 {
            let mut error = self.error(Kind::InvalidLinePrefix, "", &["+"], Some(hints::ADD_BLANK));
            error.patch_line = self.pending.0;
            return Err(error);
        }
        sink(Event::Line { kind: LineKind::Added, text: &line[1..], patch_line: self.last_line });
        Ok(())
    }

    /// Closes the open hunk, if there is one.
    fn close_hunk<'a>(&mut self, eof: bool, sink: &mut dyn FnMut(Event<'a>)) -> Result<(), ParseError> {
        if self.state != State::Hunk {
            self.pending = (0, 0);
            return Ok(());
        }
        let mark = self.hunk_mark.clone();
        if !self.open.has_body {
            return Err(self.error_at(&mark, Kind::EmptyHunk, &[" ", "-", "+"], Some(hints::EMPTY_HUNK)));
        }
        if !self.open.has_place && !eof {
            return Err(self.error_at(
                &mark,
                Kind::AmbiguousInsertion,
                &["*** End of File"],
                Some(hints::AMBIGUOUS_INSERTION),
            ));
        }
        self.pending = (0, 0);
        self.closed += 1;
        self.state = if eof { State::AfterEof } else { State::Update };
        sink(Event::HunkEnd { end_of_file: eof });
        Ok(())
    }

    fn section<'a>(&mut self, line: &str, kind: SectionKind, path: &'a str, sink: &mut dyn FnMut(Event<'a>)) {
        self.sections += 1;
        self.section_hunks = 0;
        self.section_moves = false;
        self.section_mark = self.mark(line);
        self.section_path.clear();
        self.section_path.push_str(path);
        self.changes |= kind != SectionKind::Update;
        self.state = match kind {
            SectionKind::Update => State::Update,
            SectionKind::Add => State::Add,
            SectionKind::Delete => State::Delete,
        };
        sink(Event::Section { kind, path, patch_line: self.last_line });
    }

    /// Closes the section: an Update of the full dialect needs a hunk or a Move.
    fn close_section(&mut self) -> Result<(), ParseError> {
        let update = matches!(self.state, State::Update | State::AfterEof);
        if !self.edit() && update && self.section_hunks == 0 && !self.section_moves {
            let mark = self.section_mark.clone();
            return Err(self.error_at(&mark, Kind::EmptySection, &["@@", "*** Move to: <path>"], None));
        }
        Ok(())
    }

    fn directive<'a>(
        &mut self,
        line: &'a str,
        directive: Directive<'a>,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        if directive == Directive::EndOfFile {
            if self.state != State::Hunk {
                return Err(self.error(Kind::MisplacedDirective, line, &[], Some(hints::STRAY_EOF)));
            }
            return self.close_hunk(true, sink);
        }
        self.close_hunk(false, sink)?;
        match directive {
            Directive::Begin => {
                if self.state != State::Start || self.envelope {
                    return Err(self.error(Kind::MisplacedDirective, line, &[], Some(hints::SECOND_BEGIN)));
                }
                self.envelope = true;
                self.state = State::Top;
                sink(Event::Begin { patch_line: self.last_line });
                Ok(())
            }
            Directive::End => {
                if !self.envelope {
                    return Err(self.error(Kind::UnexpectedEnd, line, &[], Some(hints::END_WITHOUT_BEGIN)));
                }
                self.close_section()?;
                self.verdict(self.last_line)?;
                self.complete = true;
                self.state = State::Done;
                sink(Event::End { patch_line: self.last_line });
                Ok(())
            }
            Directive::Update(path) => self.update(line, path, sink),
            Directive::Add(_) | Directive::Delete(_) | Directive::MoveTo(_) if self.edit() => Err(self
                .error(
                    Kind::UnsupportedSection,
                    line,
                    &["*** Update File: <path>"],
                    Some(hints::UNSUPPORTED),
                )),
            Directive::Add(path) => self.file_section(line, SectionKind::Add, path, sink),
            Directive::Delete(path) => self.file_section(line, SectionKind::Delete, path, sink),
            Directive::MoveTo(path) => self.move_to(line, path, sink),
            Directive::Environment(path) => {
                if self.state != State::Top || self.sections > 0 {
                    return Err(self.error(Kind::MisplacedDirective, line, &DIRECTIVES[1..4], None));
                }
                if path.is_empty() { Err(self.empty_path(line)) } else { Ok(()) }
            }
            Directive::EndOfFile => Ok(()),
        }
    }

    fn update<'a>(
        &mut self,
        line: &'a str,
        path: &'a str,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        let Some(names) = &self.edit_file else {
            return self.file_section(line, SectionKind::Update, path, sink);
        };
        if self.sections > 0 {
            let kind =
                if self.section_path.is_empty() { Kind::MisplacedDirective } else { Kind::MultipleSections };
            let hint = if self.section_path.is_empty() { hints::LATE_UPDATE } else { hints::MULTIPLE };
            return Err(self.error(kind, line, &["@@", "*** End Patch"], Some(hint)));
        }
        if path.is_empty() {
            return Err(self.empty_path(line));
        }
        if !names.contains(&normalize_path(path)) {
            let mut error = self.error(Kind::PathMismatch, line, &[], Some(hints::PATH_MISMATCH));
            error.path = Some(self.given_path.as_str().into());
            error.patch_column = path_column(line, path);
            return Err(error);
        }
        self.section(line, SectionKind::Update, path, sink);
        Ok(())
    }

    fn file_section<'a>(
        &mut self,
        line: &'a str,
        kind: SectionKind,
        path: &'a str,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        self.close_section()?;
        if path.is_empty() {
            return Err(self.empty_path(line));
        }
        self.section(line, kind, path, sink);
        Ok(())
    }

    fn move_to<'a>(
        &mut self,
        line: &'a str,
        path: &'a str,
        sink: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), ParseError> {
        if self.state != State::Update || self.section_hunks > 0 || self.section_moves {
            return Err(self.error(Kind::MisplacedDirective, line, &[], Some(hints::STRAY_MOVE)));
        }
        if path.is_empty() {
            return Err(self.empty_path(line));
        }
        if normalize_path(path) == normalize_path(&self.section_path) {
            let mut error = self.error(Kind::MoveToSelf, line, &[], Some(hints::MOVE_TO_SELF));
            error.path = Some(self.section_path.as_str().into());
            error.patch_column = path_column(line, path);
            return Err(error);
        }
        self.section_moves = true;
        self.changes = true;
        sink(Event::MoveTo { path, patch_line: self.last_line });
        Ok(())
    }

    fn empty_path(&self, line: &str) -> ParseError {
        let mut error = self.error(Kind::EmptyPath, line, &["<path>"], None);
        error.patch_column = Column { bytes: line.len() + 1, chars: line.chars().count() + 1 };
        error
    }

    fn mark(&self, line: &str) -> Mark {
        Mark { line: self.last_line, excerpt: excerpt(line) }
    }

    fn error(
        &self,
        kind: Kind,
        line: &str,
        expected: &'static [&'static str],
        hint: Option<&'static str>,
    ) -> ParseError {
        ParseError {
            kind,
            patch_line: self.last_line.max(1),
            patch_column: Column::FIRST,
            excerpt: excerpt(line).into(),
            expected,
            hint,
            path: None,
        }
    }

    fn error_at(
        &self,
        mark: &Mark,
        kind: Kind,
        expected: &'static [&'static str],
        hint: Option<&'static str>,
    ) -> ParseError {
        ParseError {
            patch_line: mark.line.max(1),
            excerpt: mark.excerpt.as_str().into(),
            ..self.error(kind, "", expected, hint)
        }
    }

    /// Makes the error for a patch that is longer than allowed.
    pub(crate) fn too_long(&self, max: usize) -> ParseError {
        let mut error = self.error(Kind::LimitExceeded { limit: "patch_bytes", max }, "", &[], None);
        error.patch_line = self.last_line + 1;
        error
    }
}

/// Returns where `path` starts in the directive `line`.
fn path_column(line: &str, path: &str) -> Column {
    let before = line.find(':').map_or("", |colon| {
        let rest = &line[colon + 1..];
        let skipped = rest.find(path).unwrap_or(0);
        &line[..colon + 1 + skipped]
    });
    Column { bytes: before.len() + 1, chars: before.chars().count() + 1 }
}

/// Cuts a line to 160 characters.
pub(crate) fn excerpt(line: &str) -> String {
    match line.char_indices().nth(160) {
        Some((cut, _)) => {
            let mut text = line[..cut].to_owned();
            text.push('…');
            text
        }
        None => line.to_owned(),
    }
}
