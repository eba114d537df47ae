//! Properties of `file-history` over generated inputs.

use props::file_history;
use proptest::{collection::vec, prelude::*};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn model(data in vec(any::<u8>(), 0..240)) {
        file_history::model(&data);
    }

    #[test]
    fn codec(data in vec(any::<u8>(), 0..2000)) {
        file_history::codec(&data);
    }

    #[test]
    fn codec_of_repetitive_data(head in vec(any::<u8>(), 4), line in vec(any::<u8>(), 1..50), times in 1_usize..200) {
        file_history::codec(&[head, line.repeat(times)].concat());
    }

    #[test]
    fn database(data in vec(any::<u8>(), 0..40)) {
        file_history::database(&data);
    }

    #[test]
    fn times(from in "[0-9]{4}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9](:[0-5][0-9])?)?", to in "[0-9 :-]{0,20}") {
        file_history::times(from.as_bytes());
        file_history::times(format!("{from}\n{to}").as_bytes());
    }
}
