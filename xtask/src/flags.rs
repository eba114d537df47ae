//! The command line of the tasks.
#![allow(missing_docs, unreachable_pub, unused_qualifications, reason = "the parser is generated")]

use std::path::PathBuf;

xflags::xflags! {
    /// The tasks of this repository.
    cmd xtask {
        /// Checks everything on the stable toolchain: fmt, clippy, tests, benches, docs, generated files.
        cmd test {}
        /// Does what the server does: test, features, replay, and a fuzz smoke where a nightly toolchain exists.
        cmd ci {
            /// Seconds per fuzz target; 5 by default.
            optional --secs secs: u32
        }
        /// Checks every subset of the features of every crate.
        cmd features {}
        /// Writes the documents that the programs themselves know best, such as docs/tools.md.
        cmd gen {
            /// Writes nothing, and fails when the file is stale.
            optional --check
        }
        /// Rewrites the expected outputs in the tests.
        cmd bless {
            /// Only the tests of this crate.
            optional -p, --package package: String
        }
        /// Fuzzes all targets for 20 seconds each.
        cmd fuzz {
            /// Only this target.
            optional --target target: String
            /// Seconds per target; 20 by default.
            optional --secs secs: u32
            /// Shrinks the corpus of this target instead.
            optional --min target: String
        }
        /// Runs the benches and prints the ratios to the baselines of the same run.
        cmd bench {
            /// Only the bench of this crate.
            optional -p, --package package: String
            /// Only benchmarks whose name contains this. `search` with a folder: our search and those of other tools,
            /// run alternately on that folder. `mcp`: our server and other file servers.
            optional filter: String
            /// The folder to search.
            optional dir: PathBuf
            /// How often each tool runs in such a comparison; 7 by default.
            optional --runs runs: u32
            /// Compares the search of a server that has an index with rg.
            optional --warm
            /// Counts instructions with callgrind instead of measuring time.
            optional --counts
            /// Measures for a shorter time: noisier, good enough for a look.
            optional --quick
        }
        /// Makes mixed calls from four clients at once, a tenth of them hostile, with kills and cancellations in between.
        cmd mcp-load {
            /// Calls; 10,000 by default.
            optional --calls calls: u32
            /// Where the choices start; 1 by default.
            optional --seed seed: u64
        }
        /// Runs whole sessions of other people's clients against our server; installs them, pinned, below the target folder.
        cmd clients {
            /// Also runs the protocol's conformance suite against the server over HTTP.
            optional --conformance
            /// Also runs a whole agent, driven by a scripted model: a download of 200 MB.
            optional --agent
        }
        /// Compares the reading of ignore rules with git's, on random rules and paths.
        cmd ignore-fuzz {
            /// Pairs of rules and a path; a million by default.
            optional --pairs pairs: u64
            /// Where the random numbers start; 1 by default.
            optional --seed seed: u64
        }
        /// Measures line coverage.
        cmd cover {
            /// Only this crate.
            optional -p, --package package: String
        }
        /// Tests the tests of one crate by changing its code.
        cmd mutants {
            /// The crate.
            required -p, --package package: String
        }
        /// Cuts a loop-mounted ext4 off while the history writes to it, and looks for what is lost. Needs root, and says so
        /// where it cannot be done.
        cmd powercut {
            /// Power cuts; 12 by default.
            optional --rounds rounds: u32
        }
        /// Searches a tree with and without an index while it is changed by every means, and compares the answers.
        cmd index-rounds {
            /// Rounds of changes and queries, for each way of noticing changes; 10,000 by default.
            optional --rounds rounds: u32
        }
        /// Compares the public interfaces with an earlier revision.
        cmd semver {
            /// The git revision to compare with; the newest tag by default.
            optional --since rev: String
        }
        /// Compares the text of PDFs with that of pdftotext: words, time and memory.
        cmd documents {
            /// How often each program runs on each file; 3 by default.
            optional --runs runs: u32
            /// The PDFs; those of Debian's documentation by default.
            repeated file: PathBuf
        }
        /// Transcribes three clips with a real engine, which it downloads (600 MB).
        cmd transcribe {}
        /// Checks licences, advisories and duplicates of the dependencies.
        cmd deny {}
        /// Checks real files with syntax-scan: what is not fine, and a table per language.
        cmd syntax-corpus {
            /// Where the files are.
            repeated dir: PathBuf
        }
        /// Breaks valid files in one place, and measures how often syntax-scan notices.
        cmd syntax-mutants {
            /// How many mutants the language's own tool must have rejected, per group; 1500 by default.
            optional --count count: usize
            /// Only this group: c, c_header, cpp, cpp_header, go, json, python or toml.
            optional --only group: String
            /// Where the files are.
            repeated dir: PathBuf
        }
        /// Packs every published crate and builds it from its package.
        cmd package {}
        /// Builds installable packages of the program, installs each in a scratch folder and makes calls with it.
        cmd dist {
            /// Where the packages go; `dist` in cargo's target folder by default.
            optional --out dir: PathBuf
            /// Packs this program instead of building one.
            optional --program file: PathBuf
            /// Builds against the C library of this machine instead of a static program.
            optional --dynamic
            /// All of them, as far as the tools for them are there.
            default cmd all {}
            /// A Debian package.
            cmd deb {}
            /// Two npm packages: a launcher, and the program for this platform.
            cmd npm {}
            /// A Python wheel with the program in it.
            cmd wheel {}
            /// What `cargo install --path` installs.
            cmd install {}
        }
    }
}
