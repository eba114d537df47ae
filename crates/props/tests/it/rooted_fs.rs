//! Properties of `rooted-fs` over generated inputs.

use props::rooted_fs as laws;
use proptest::prelude::*;

fn nearly_a_name() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[a-c./]{1,4}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..6),
        1 => (250_usize..260).prop_map(|n| vec![b'n'; n]),
        1 => (1_usize..30).prop_map(|n| b"directory/".repeat(n * 14)),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_name_has_one_spelling(bytes in nearly_a_name()) {
        laws::rel_name(&bytes);
    }

    #[test]
    fn a_path_leads_where_the_oracle_says(data in prop::collection::vec(any::<u8>(), 20..220)) {
        laws::resolve(&data);
    }
}
