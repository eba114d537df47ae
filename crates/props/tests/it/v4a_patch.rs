//! Properties of `v4a-patch` over generated inputs.

use props::v4a_patch as law;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::strategy::Just;

/// Lines that make up patches and files, so that random sequences often mean something.
fn piece() -> impl Strategy<Value = &'static [u8]> {
    prop_oneof![
        Just(&b"*** Begin Patch\n"[..]),
        Just(&b"*** End Patch\n"[..]),
        Just(&b"*** Update File: a.txt\n"[..]),
        Just(&b"*** Add File: n.txt\n"[..]),
        Just(&b"*** Delete File: b/c.txt\n"[..]),
        Just(&b"*** Move to: m.txt\n"[..]),
        Just(&b"*** End of File\n"[..]),
        Just(&b"@@\n"[..]),
        Just(&b"@@ one\n"[..]),
        Just(&b" one\n"[..]),
        Just(&b"-one\n"[..]),
        Just(&b"-two\r\n"[..]),
        Just(&b"+one\n"[..]),
        Just(&b"+caf\xc3\xa9\n"[..]),
        Just(&b"\n"[..]),
        Just(&b" \n"[..]),
        Just(&b"\t\n"[..]),
        Just(&b"one\n"[..]),
        Just(&b"two"[..]),
        Just(&b"1|one\n"[..]),
        Just(&b"\xe2\x80\x9cq\xe2\x80\x9d\xc2\xa0\n"[..]),
        Just(&b"\xff\n"[..]),
        Just(&b"```\n"[..]),
        Just(&b"<<EOF\n"[..]),
        Just(&b"EOF\n"[..]),
        Just(&b"\xef\xbb\xbf"[..]),
    ]
}

fn text(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(piece(), 0..most).prop_map(|pieces| pieces.concat())
}

/// A well-formed patch for `a.txt`, more or less.
fn patch() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(&b" one\n"[..]),
        Just(&b"-one\n"[..]),
        Just(&b"-two\n"[..]),
        Just(&b" two\n"[..]),
        Just(&b"+new\n"[..]),
        Just(&b"\n"[..]),
    ];
    vec(vec(line, 1..5), 1..4).prop_map(|hunks| {
        hunks.into_iter().flat_map(|hunk| [&b"@@\n"[..], &hunk.concat()].concat()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_does_not_depend_on_the_cuts(choice in any::<u8>(), text in text(16)) {
        law::parse_chunked(&[&[choice][..], &text].concat());
    }

    #[test]
    fn applying_keeps_the_rest(file in text(8), patch in prop_oneof![text(12), patch()]) {
        let file = &file[..file.len().min(255)];
        law::apply_keeps_the_rest(&[&[file.len() as u8][..], file, &patch].concat());
    }

    #[test]
    fn a_written_patch_applies(context in any::<u8>(), old in text(8), new in text(8)) {
        let old = &old[..old.len().min(255)];
        law::diff_then_apply(&[&[context, old.len() as u8][..], old, &new].concat());
    }

    #[test]
    fn a_written_patch_finds_its_place_among_equal_lines(data in vec(any::<u8>(), 2..60)) {
        law::diff_of_few_lines(&data);
    }

    #[test]
    fn a_text_is_found_as_often_as_it_occurs(file in text(8), old in text(3), new in text(3)) {
        let (file, old) = (&file[..file.len().min(255)], &old[..old.len().min(255)]);
        law::text_edit(&[&[file.len() as u8, old.len() as u8][..], file, old, &new].concat());
    }

    #[test]
    fn targets_in_literal_texts(file in text(6), pairs in vec((text(3), any::<bool>(), text(3)), 1..4)) {
        let mut data = [&[0][..], &file].concat();
        for (old, all, new) in pairs {
            data.extend([&[0][..], &old, &[u8::from(all)], &new].concat());
        }
        law::targets::plan_like_naive(&data);
    }

    #[test]
    fn several_files_change_together(text in text(14)) {
        law::apply_to_files(&[&b"*** Begin Patch\n"[..], &text, b"*** End Patch\n"].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn places_are_those_of_a_slow_search(data in vec(any::<u8>(), 4..80)) {
        law::apply_like_reference(&data);
    }

    #[test]
    fn targets_are_where_a_slow_search_finds_them(
        file in vec(2u8.., 0..24),
        picks in vec((2u8.., 2u8..8, any::<bool>(), vec(2u8.., 0..6), any::<bool>()), 1..4),
    ) {
        let mut data = [&[3][..], &file].concat();
        for (start, length, all, new, loosely) in picks {
            let place = [start, length, b'~'];
            let place = &place[..if loosely { 3 } else { 2 }];
            data.extend([&[0][..], place, &[u8::from(all)], &new].concat());
        }
        law::targets::plan_like_naive(&data);
    }
}
