//! Measures the warm search against ripgrep, alternately, on one folder: `cargo run --release --example warm -- DIR [RUNS [names]]`;
//! with `names`, only the listings and a search after a write.
//!
//! `cargo xtask bench search DIR --warm` builds and runs it. The patterns are meant for the source tree of the Linux kernel.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to the person who started it"
)]

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fs_tools::search_engine::{
    Case, Limits, NamePattern, Order, Output, Page, Pattern, Query, Span, Summary, Unit,
};
use fs_tools::{Call, Config, Find, Found, Freshness, Masking, Options, Workspace};

/// What an agent looks for: names of functions, types, options and messages, definitions and uses.
const QUERIES: &[&str] = &[
    "kvm_never_written",
    "kvm_vcpu_kick",
    "tcp_v4_rcv",
    "i_mmap_rwsem",
    "PM_RESUME",
    "(?i)pm_resume",
    r"ext4_[a-z]+_inode\(",
    "(read|write)_lock_irqsave",
    r"struct file_operations \w+ = \{",
    "kvm_vcpu_kick|tcp_v4_rcv|i_mmap_rwsem|ext4_da_write|blk_mq_run",
    "EXPORT_SYMBOL_GPL",
    r"CONFIG_\w+_DEBUG",
    "TODO|FIXME",
    "spin_(un)?lock",
    r"\bstruct\s+page\b",
    r"^#include <linux/slab\.h>",
    "copy_from_user",
    "module_init\\(",
    r"static inline void put_page",
    "MODULE_LICENSE\\(\"GPL",
    "use-after-free",
    r"rcu_dereference_protected\(",
    "do_sys_open",
    "vfs_read",
    r"int\s+ext4_writepage",
    "NETIF_F_HW_CSUM",
    "alloc_skb",
    "pr_warn_once",
    r"->release\s*=",
    "BUG_ON\\(in_interrupt",
    r"sizeof\(struct sk_buff\)",
    "drm_atomic_helper_commit",
    "usb_register_driver",
    "GFP_KERNEL \\| __GFP_ZERO",
    "arch_cpu_idle",
    r"#define\s+PAGE_SHIFT",
    "workqueue_struct",
    r"kmalloc_array\(.*GFP_ATOMIC",
    "i2c_smbus_read_byte_data",
    "deprecated",
];
/// Further ones for the comparison of rows alone: short and common ones, and such without a literal.
const MORE: &[&str] = &[
    r"^\s*$",
    r"\w{5}\s+\w{5}",
    "[A-Z]{3}_[A-Z]{4}",
    "if",
    "0x[0-9a-f]{8}",
    "struct",
    r"return -E\w+;",
    "(?i)linus",
    "é",
    r"\bfoo\b",
    "zzz+",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let dir = PathBuf::from(args.next().ok_or("a folder is needed")?).canonicalize()?;
    let runs: usize = args.next().map_or(Ok(5), |runs| runs.parse())?;
    if runs == 0 {
        return Err("at least one run is needed".into());
    }
    let queries: &[&str] = if args.next().as_deref() == Some("names") { &[] } else { QUERIES };
    for freshness in [Freshness::Watch, Freshness::Strict] {
        for large in [false, true] {
            if large && freshness == Freshness::Strict {
                continue;
            }
            measure(&dir, runs, freshness, large, queries)?;
        }
    }
    Ok(())
}

fn measure(
    dir: &Path,
    runs: usize,
    freshness: Freshness,
    large: bool,
    queries: &[&str],
) -> Result<(), Box<dyn Error>> {
    let mut config = Config::default();
    (config.search.freshness, config.search.index_large) = (freshness, large);
    config.search.index_max_bytes = 1 << 30;
    config.history = false;
    let mut options = Options::new(dir, config);
    options.long_lived = true;
    let workspace = Workspace::open(options)?;
    println!("\n# {freshness:?}, {}", if large { "3- and 5-grams" } else { "4-grams" });

    let (before, started) = (cpu(), Instant::now());
    workspace.wait_for_index();
    let state = workspace.index_state();
    println!("{state}");
    println!(
        "built in {:.2} s, {:.2} s of processor time; {:.1} % of the text; resident {} MiB",
        started.elapsed().as_secs_f64(),
        (cpu() - before).as_secs_f64(),
        state.memory_bytes as f64 * 100.0 / state.text_bytes.max(1) as f64,
        resident() >> 20
    );

    let mut ratios = Vec::new();
    let mut differences = 0;
    let more: &[&str] = if queries.is_empty() { &[] } else { MORE };
    for (at, source) in queries.iter().chain(more).enumerate() {
        let pattern = Pattern::new(source, Case::Sensitive, Span::Line)?;
        let is_timed = at < queries.len();
        let output = if is_timed {
            Output::Lines { context: 0, unit: Unit::Line }
        } else {
            Output::Counts { first_lines: 0 }
        };
        let query = Query::content(pattern, output);
        let (mut rg, mut ours) = (Vec::new(), Vec::new());
        let mut rows = (0, 0);
        let mut read = 0;
        let times = if is_timed { runs } else { 1 };
        for _ in 0..times {
            let (lines, time) = ripgrep(dir, source, is_timed)?;
            rows.0 = lines;
            rg.push(time);
            let started = Instant::now();
            let (lines, summary) = find(&workspace, &query)?;
            ours.push(started.elapsed());
            (rows.1, read) = (lines, summary.coverage.bytes_read);
        }
        let (rg, ours) = (median(&mut rg), median(&mut ours));
        let ratio = rg.as_secs_f64() / ours.as_secs_f64();
        if is_timed {
            ratios.push(ratio);
        }
        differences += usize::from(rows.0 != rows.1);
        println!(
            "{source:<64} {:>7} rows{} rg {:>7.1} ms, ours {:>7.2} ms, {ratio:>6.1}x, {:>6.1} MB read",
            rows.1,
            if rows.0 == rows.1 { "," } else { " (DIFFER)," },
            rg.as_secs_f64() * 1e3,
            ours.as_secs_f64() * 1e3,
            read as f64 / 1e6
        );
    }
    if !ratios.is_empty() {
        ratios.sort_by(f64::total_cmp);
        let over = |least: f64| ratios.iter().filter(|ratio| **ratio >= least).count();
        println!(
            "{} queries: median {:.1}x, lowest {:.2}x, {} of them 10x or more; {differences} with other row counts than rg",
            ratios.len(),
            ratios[ratios.len() / 2],
            ratios[0],
            over(10.0)
        );
    }
    for (title, glob, order) in [
        ("all names", "", Order::Path),
        ("names by *.{c,h}", "*.{c,h}", Order::Path),
        ("newest first", "", Order::Modified),
    ] {
        let mut query = Query::names(NamePattern::classic(glob)?);
        query.order = order;
        let mut times = Vec::new();
        let mut rows = 0;
        for _ in 0..runs {
            let started = Instant::now();
            rows = find(&workspace, &query)?.0;
            times.push(started.elapsed());
        }
        println!("{title}: {rows} rows in {:.2} ms", median(&mut times).as_secs_f64() * 1e3);
    }
    after_a_write(&workspace, dir, runs)
}

/// The latency of a search right after a write, and whether it finds what was written.
fn after_a_write(workspace: &Workspace, dir: &Path, runs: usize) -> Result<(), Box<dyn Error>> {
    let file = dir.join("fs-tools-warm-bench.txt");
    let mut times = Vec::new();
    for run in 0..runs {
        let word = format!("freshly_written_{run}_word");
        fs::File::create(&file)?.write_all(format!("one line\n{word}\n").as_bytes())?;
        let pattern = Pattern::new(&word, Case::Sensitive, Span::Line)?;
        let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
        let started = Instant::now();
        let rows = find(workspace, &query)?.0;
        times.push(started.elapsed());
        if rows != 1 {
            fs::remove_file(&file)?;
            return Err(format!("{rows} rows right after a write").into());
        }
    }
    fs::remove_file(&file)?;
    println!("right after a write: {:.2} ms", median(&mut times).as_secs_f64() * 1e3);
    Ok(())
}

fn find(workspace: &Workspace, query: &Query) -> Result<(u64, Summary), Box<dyn Error>> {
    let find =
        Find { path: ".", query: query.clone(), page: Page::ALL, time: None, masking: Masking::Masked };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut rows, mut out) = (0, Vec::new());
    let summary = workspace.find(
        &find,
        &Limits::LIFTED.with_threads(threads),
        &Call::plain(),
        &mut |found: &Found<'_>| {
            rows += if let Found::File { count: Some(count), .. } = found { *count } else { 1 };
            match found {
                Found::Line(line) => {
                    out.extend_from_slice(line.path.as_os_str().as_encoded_bytes());
                    let _ = write!(out, ":{}:", line.line);
                    out.extend_from_slice(line.text);
                }
                Found::Name { path, .. } | Found::File { path, .. } => {
                    out.extend_from_slice(path.as_os_str().as_encoded_bytes());
                }
                _ => {}
            }
            out.push(b'\n');
            ControlFlow::Continue(())
        },
    )?;
    Ok((rows, summary))
}

/// Lines that ripgrep finds, and its time.
fn ripgrep(dir: &Path, pattern: &str, lines: bool) -> Result<(u64, Duration), Box<dyn Error>> {
    let mut command = Command::new("rg");
    command.args([
        "--no-config",
        if lines { "-n" } else { "-c" },
        "--no-heading",
        "--color",
        "never",
        "--hidden",
        "-g",
        "!.git",
    ]);
    command.args([
        "--no-require-git",
        "--no-ignore-parent",
        "--no-ignore-global",
        "--no-unicode",
        "-e",
        pattern,
        "./",
    ]);
    command.current_dir(dir).stdin(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let output = command.output()?;
    let time = started.elapsed();
    if !lines {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let counts = text.lines().filter_map(|line| line.rsplit_once(':')?.1.parse::<u64>().ok());
        return Ok((counts.sum(), time));
    }
    let lines = output.stdout.iter().filter(|&&byte| byte == b'\n').count() as u64;
    let partial = u64::from(output.stdout.last().is_some_and(|&byte| byte != b'\n'));
    Ok((lines + partial, time))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Processor time of this process so far, in ticks of a hundredth of a second.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    Duration::from_millis(10 * fields.get(11..13).map_or(0, |times| times.iter().sum()))
}

/// Bytes of memory in use.
fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    4_096 * statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0)
}
