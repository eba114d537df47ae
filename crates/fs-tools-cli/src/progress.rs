//! A line on standard error that says how far long work has come: only on a person's terminal, only after a second,
//! and gone when the work is done.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fs_tools::Progress;

use crate::confirm;

/// Work that ends sooner has no line.
const AFTER: Duration = Duration::from_secs(1);
/// Time between two looks of the line.
const EVERY: Duration = Duration::from_millis(200);
/// Cells of a bar.
const CELLS: u64 = 24;
/// Columns where the terminal does not say.
const COLUMNS: usize = 80;
/// Goes to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Nothing: only the time goes on.
    None,
    /// Files.
    Files,
    /// Bytes.
    Bytes,
}

/// The line, while it lives. Without a terminal, or with an agent behind it, it does nothing.
pub(crate) struct Line(Option<Running>);

struct Running {
    shared: Arc<Shared>,
    painter: Option<JoinHandle<()>>,
}

struct Shared {
    label: &'static str,
    unit: Unit,
    done: AtomicU64,
    /// 0 where it is not known.
    total: AtomicU64,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    is_painted: bool,
    is_over: bool,
}

/// While it lives, the line is not painted, so that others can write to the terminal.
#[must_use]
pub(crate) struct Held<'l>(
    #[expect(dead_code, reason = "it is held, not looked at")] Option<MutexGuard<'l, State>>,
);

impl Line {
    /// Starts to watch work that is about to begin; `label` is a word such as `searching`.
    pub(crate) fn start(label: &'static str, unit: Unit) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if dumb || confirm::is_agent_behind() || !io::stderr().is_terminal() {
            return Self::none();
        }
        let shared = Arc::new(Shared {
            label,
            unit,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let painted = Arc::clone(&shared);
        // Work goes on without its line where no thread can be started.
        let painter = std::thread::Builder::new().spawn(move || painted.paint()).ok();
        Self(Some(Running { shared, painter }))
    }

    /// A line that never shows.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Says how much there is in all.
    pub(crate) fn expect(&self, total: u64) {
        if let Some(running) = &self.0 {
            running.shared.total.store(total, Ordering::Relaxed);
        }
    }

    /// Adds to what is done.
    pub(crate) fn add(&self, more: u64) {
        if let Some(running) = &self.0 {
            running.shared.done.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// Clears the line until the result is dropped.
    pub(crate) fn hold(&self) -> Held<'_> {
        Held(self.0.as_ref().map(|running| {
            let mut state = running.shared.lock();
            running.shared.erase(&mut state);
            state
        }))
    }
}

impl Progress for Line {
    fn report(&self, done: u64, total: Option<u64>, _label: &str) {
        if let Some(running) = &self.0 {
            running.shared.done.store(done, Ordering::Relaxed);
            running.shared.total.store(total.unwrap_or(0), Ordering::Relaxed);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let Some(running) = &mut self.0 else { return };
        let mut state = running.shared.lock();
        state.is_over = true;
        running.shared.erase(&mut state);
        drop(state);
        running.shared.ended.notify_all();
        if let Some(painter) = running.painter.take() {
            let _ = painter.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn erase(&self, state: &mut State) {
        if std::mem::take(&mut state.is_painted) {
            let mut err = io::stderr().lock();
            let _ = err.write_all(CLEAR.as_bytes()).and_then(|()| err.flush());
        }
    }

    fn paint(&self) {
        let started = Instant::now();
        let mut due = AFTER;
        let mut state = self.lock();
        while !state.is_over {
            let now = started.elapsed();
            if now < due {
                state = self.ended.wait_timeout(state, due - now).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            due = now + EVERY;
            let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
            let text = text(self.label, self.unit, done, total, now);
            let text: String = text.chars().take(columns().saturating_sub(1)).collect();
            let mut err = io::stderr().lock();
            state.is_painted = write!(err, "{CLEAR}{text}").and_then(|()| err.flush()).is_ok();
        }
    }
}

fn columns() -> usize {
    match rustix::termios::tcgetwinsize(io::stderr()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => COLUMNS,
    }
}

/// The line as it stands after `time`. In ASCII, since nobody knows what the terminal can show.
fn text(label: &str, unit: Unit, done: u64, total: u64, time: Duration) -> String {
    let mut text = format!("fs-tools: {label}");
    let amount = |count: u64| match unit {
        Unit::Bytes => bytes(count),
        _ => count.to_string(),
    };
    if unit != Unit::None && total > 0 {
        // What grows while it is read has no more than all of it.
        let share = u64::try_from(u128::from(done.min(total)) * 100 / u128::from(total)).unwrap_or(100);
        let full = share * CELLS / 100;
        let bar: String = (0..CELLS).map(|cell| if cell < full { '#' } else { '-' }).collect();
        text.push_str(&format!(" [{bar}] {share:3} %"));
    }
    if unit != Unit::None && (done > 0 || total > 0) {
        text.push_str(&format!(" {}", amount(done)));
        if total > 0 {
            text.push_str(&format!(" of {}", amount(total)));
        }
    }
    if unit == Unit::Files && (done > 0 || total > 0) {
        text.push_str(" files");
    }
    let seconds = time.as_secs();
    if seconds >= 60 {
        text.push_str(&format!(", {} min {} s", seconds / 60, seconds % 60));
    } else {
        text.push_str(&format!(", {seconds} s"));
    }
    text
}

fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = count as f64;
    let mut name = "bytes";
    for unit in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        name = unit;
    }
    if name == "bytes" { format!("{count} bytes") } else { format!("{value:.1} {name}") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Unit, bytes, text};

    #[test]
    fn the_line_says_what_is_known() {
        let at = Duration::from_secs;
        assert_eq!(text("searching", Unit::Files, 0, 0, at(1)), "fs-tools: searching, 1 s");
        assert_eq!(
            text("searching", Unit::Files, 1200, 0, at(61)),
            "fs-tools: searching 1200 files, 1 min 1 s"
        );
        assert_eq!(text("checking", Unit::None, 7, 9, at(2)), "fs-tools: checking, 2 s");
        assert_eq!(
            text("masking", Unit::Bytes, 512, 2048, at(3)),
            "fs-tools: masking [######------------------]  25 % 512 bytes of 2.0 KiB, 3 s"
        );
        let over = text("masking", Unit::Bytes, u64::MAX, 10, at(3));
        assert!(over.contains("[########################] 100 %"), "{over}");
    }

    #[test]
    fn sizes_are_short() {
        let cases = [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (3 << 19, "1.5 MiB")];
        for (count, expected) in cases {
            assert_eq!(bytes(count), expected);
        }
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }
}
