//! A scan never allocates.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};
use syntax_scan::{Language, Outcome, Scanner, scan};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only passes calls on")]
// SAFETY: every call is passed on unchanged to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_scanner_is_as_small_as_the_docs_say() {
    let size = size_of::<Scanner>();
    assert!(size <= 24 * 1024, "{size}");
}

#[test]
fn no_scan_allocates() {
    let inputs: [(Language, &[u8]); 6] = [
        (Language::Json, br#"{"a": [1, -2.5e3, "\u00e4", true], "b": {"c": null}}"#),
        (Language::CFamily, b"#if A\nint f(void) { return R\"x(})x\"[0]; }\n#else\nint f;\n#endif\n"),
        (Language::Go, b"func f() rune { return '\\'' /* { */ }\n"),
        (Language::Python, b"x = f\"{a[\"b\"]:>{w}}\" + '''\n'''\n"),
        (Language::Toml, b"[a]\nb = [\"\"\"c\"\"\", '''d''']\n"),
        (Language::CFamily, b"int f( { ] }"),
    ];
    let before = ALLOCATIONS.with(Cell::get);
    let mut seen = 0;
    for (language, input) in inputs {
        let mut scanner = Scanner::new(language);
        for byte in input.chunks(1) {
            scanner.push(byte);
        }
        seen += u32::from(scanner.finish() == scan(language, input));
        let deep = [b'['; 300];
        seen += u32::from(scan(language, &deep) != Outcome::Ok);
    }
    let after = ALLOCATIONS.with(Cell::get);
    assert_eq!(after - before, 0);
    assert_eq!(seen, 12);
    let boxed = std::hint::black_box(Box::new(1));
    assert!(ALLOCATIONS.with(Cell::get) > after, "the counter counts {boxed}");
}
