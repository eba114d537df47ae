//! The command line of the tasks.
#![allow(missing_docs, unreachable_pub, unused_qualifications, reason = "the parser is generated")]

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
        /// Writes docs/tools.md from the tool definitions.
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
            /// Only benchmarks whose name contains this.
            optional filter: String
            /// Counts instructions with callgrind instead of measuring time.
            optional --counts
            /// Measures for a shorter time: noisier, good enough for a look.
            optional --quick
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
        /// Compares the public interfaces with an earlier revision.
        cmd semver {
            /// The git revision to compare with; the newest tag by default.
            optional --since rev: String
        }
        /// Checks licences, advisories and duplicates of the dependencies.
        cmd deny {}
        /// Packs every published crate and builds it from its package.
        cmd package {}
    }
}
