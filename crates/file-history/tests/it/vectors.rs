//! The vectors: short stories about files, and what the history says afterwards.
//!
//! Numbers that are missing concern only the tools around this crate: the spelling of paths and arguments, links that
//! are followed, disks that are full or mounted read-only.

use file_history::{MemStore, SqliteStore, sqlite::SqliteOptions};

use crate::script::World;

/// Runs a script over both stores, several times through a file of its own.
#[track_caller]
fn check(name: &str, script: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let memory = MemStore::new();
    let mut world = World::new(|| memory.reopen());
    world.run(script);
    assert_eq!(world.transcript, expected, "{name} in memory");
    drop(world); // two at a time could wait for each other

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("history");
    let mut world = World::new(|| SqliteStore::open(&path, &SqliteOptions::default()).unwrap());
    world.run(script);
    assert_eq!(world.transcript, expected, "{name} in SQLite");
}

macro_rules! vectors {
    ($($name:ident: $script:expr => $expected:expr;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $script, $expected);
        })*
    };
}

vectors! {
    v01_create: "w T1 a x; list" => "1:create a T1 x";
    v02_baseline: "F a=o; w T1 a x; list" => "2:edit a T1 x\n1:baseline a - o";
    v03_unchanged: "F a=x; w T1 a x; list" => "unchanged\nno recorded changes";
    v04_same_second: "F a=o; tick 0; w T1 a 1; w T1 a 2; list; undo T1 T1; disk a" => "
        3:edit a T1 2
        2:edit a T1 1
        1:baseline a - o
        done
        a=o";
    v05_clock_goes_back: "w T1 a 1; clock -3600000; w T1 a 2; list" => "2:edit a T1 2\n1:create a T1 1";
    v06_external: "F a=o; w T1 a 1; ext a u; w T1 a 2; list" => "
        4:edit a T1 2
        3:external a - u
        2:edit a T1 1
        1:baseline a - o";
    v07_restore_external: "F a=o; w T1 a 1; ext a u; w T1 a 2; rs 3 T2; disk a; list limit=1" => "
        done
        a=u
        5:restore a T2 u from=3";
    v08_already: "w T1 a 1; rs 1 T2; list" => "nothing a:already\n1:create a T1 1";
    v09_restore_over_external: "F a=o; w T1 a 1; ext a u; rs 1 T2; disk a; rs 3 T2; disk a; list" => "
        done
        a=o
        done
        a=u
        5:restore a T2 u from=3
        4:restore a T2 o from=1
        3:external a - u
        2:edit a T1 1
        1:baseline a - o";
    v10_restore_removed_outside: "F a=o; w T1 a 1; extrm a; rs 2 T2; disk a; list limit=2" => "
        done
        a=1
        4:restore a T2 1 from=2
        3:external a - ∅";
    v11_directory_in_the_way: "F a=o; w T1 a 1; extdir a; rs 2 T2; paths; list" => "
        error blocked directory
        a
        2:edit a T1 1
        1:baseline a - o";
    v12_parent_is_gone: "w T1 d/a 1; extrm d; rs 1 T2; disk d/a; paths" => "done\nd/a=1\nd d/a";
    v13_parent_leads_outside: "w T1 d/a 1; extrm d; extout d; rs 1 T2; paths; list" => "
        error blocked outside
        d
        1:create d/a T1 1";
    v14_remove_and_restore_it: "F a=o; rm T1 a; disk a; list; rs 2 T2; disk a; list limit=1" => "
        a=∅
        2:remove a T1 ∅
        1:baseline a - o
        done
        a=o
        3:restore a T2 o from=2";
    v15_remove_and_restore_baseline: "F a=o; rm T1 a; rs 1 T2; disk a; list limit=1" => "
        done
        a=o
        3:restore a T2 o from=1";
    v16_remove_nothing: "rm T1 a; list" => "not_found\nno recorded changes";
    v17_remove_write_restore: "F a=o; rm T1 a; w T1 a n; rs 2 T2; disk a; list; rs 3 T2; disk a" => "
        done
        a=o
        4:restore a T2 o from=2
        3:create a T1 n
        2:remove a T1 ∅
        1:baseline a - o
        done
        a=n";
    v18_remove_external_restore: "F a=o; rm T1 a; ext a u; rs 2 T2; disk a; list limit=2" => "
        done
        a=o
        4:restore a T2 o from=2
        3:external a - u";
    v19_undo: "F a=o; w T1 a 1; w T1 a 2; undo T1 T2; disk a; list limit=1" => "
        done
        a=o
        4:restore a T2 o from=1";
    v20_undo_create: "w T1 a 1; undo T1 T2; disk a; list limit=1; rs 1 T2; disk a; list limit=1" => "
        done
        a=∅
        2:remove a T2 ∅
        done
        a=1
        3:restore a T2 1 from=1";
    v21_undo_three: "F a=o; w T1 a 1; w T1 b n; ap T1 c z; undo T1 T2; disk a; disk b; disk c" => "
        done set=1
        a=o
        b=∅
        c=∅";
    v22_undo_remove: "F a=o; rm T1 a; undo T1 T2; disk a" => "done\na=o";
    v23_later_task: "F a=o; F b=p; w T1 a 1; w T1 b 1; w T2 a 2; undo T1 T3; disk a; disk b; list limit=1" => "
        refused a:later_task(T2,5)
        a=2
        b=1
        5:edit a T2 2";
    v24_skip: "F a=o; F b=p; w T1 a 1; w T1 b 1; w T2 a 2; undo T1 T3 skip; disk a; disk b" => "
        partial a:later_task(T2,5)
        a=2
        b=p";
    v25_force: "F a=o; F b=p; w T1 a 1; w T1 b 1; w T2 a 2; undo T1 T3 force; disk a; disk b; rs 5 T3; disk a" => "
        done a:later_task(T2,5) set=1
        a=o
        b=p
        done
        a=2";
    v26_external: "F a=o; w T1 a 1; ext a u; undo T1 T2; disk a; list limit=1" => "
        refused a:external
        a=u
        2:edit a T1 1";
    v27_external_inside: "F a=o; w T1 a 1; ext a u; w T1 a 2; undo T1 T2; disk a" => "refused a:external(3)\na=2";
    v28_put_back_by_hand: "F a=o; w T1 a 1; ext a o; undo T1 T2; list" => "
        nothing a:already
        2:edit a T1 1
        1:baseline a - o";
    v29_undo_twice: "F a=o; w T1 a 1; undo T1 T2; undo T1 T2; list" => "
        done
        nothing a:already
        3:restore a T2 o from=1
        2:edit a T1 1
        1:baseline a - o";
    v30_undo_of_undo: "F a=o; w T1 a 1; undo T1 T2; undo T2 T3; disk a" => "done\ndone\na=1";
    v31_undo_itself: "F a=o; w T1 a 1; undo T1 T1; undo T1 T1; disk a; list limit=1" => "
        done
        nothing a:already
        a=o
        3:restore a T1 o from=1";
    v32_unknown_task: "undo T9 T1" => "error unknown_task";
    v33_task_without_changes: "know T1; undo T1 T2" => "nothing";
    v34_only_one_path: "F a=o; F b=p; w T1 a 1; w T1 b 1; undo T1 T2 a; disk a; disk b" => "done\na=o\nb=1";
    v35_denied: "F a=o; w T1 a 1; w T1 b n; F e/c=y; w T1 e/c z; deny e; undo T1 T2; disk a; disk b; disk e/c; paths; \
        list limit=2" => "
        failed
        a=1
        b=n
        e/c=z
        a b e e/c
        5:edit e/c T1 z
        4:baseline e/c - y";
    v36_taken_back: "F a=o; F b=p; F c=q; w T1 a 1; w T1 b 1; w T1 c 1; fault 13; undo T1 T2; disk a; disk b; disk c; \
        paths; list limit=1; list all limit=4" => "
        failed set=1
        a=1
        b=1
        c=1
        a b c
        6:edit c T1 1
        9:restore c T2 q from=5 aborted
        8:restore b T2 p from=3 aborted
        7:restore a T2 o from=1 aborted
        6:edit c T1 1";
    v37_interrupted: "F a=o; F b=p; F c=q; w T1 a 1; w T1 b 1; w T1 c 1; stop 13; undo T1 T2; kill; reopen; disk a; \
        disk b; disk c; paths" => "
        partial set=1
        7 done
        8 aborted
        9 aborted
        set 1 interrupted 1 of 3
        a=o
        b=1
        c=1
        a b c";
    v38_resume: "F a=o; F b=p; F c=q; w T1 a 1; w T1 b 1; w T1 c 1; stop 13; undo T1 T2; kill; reopen; resume 1 T2; \
        disk a; disk b; disk c; paths; resume 1 T2" => "
        partial set=1
        7 done
        8 aborted
        9 aborted
        set 1 interrupted 1 of 3
        done a:already set=2
        a=o
        b=p
        c=q
        a b c
        error not_interrupted";
    v38_rollback: "F a=o; F b=p; F c=q; w T1 a 1; w T1 b 1; w T1 c 1; stop 13; undo T1 T2; kill; reopen; rollback 1 T2; \
        disk a; disk b; disk c; paths" => "
        partial set=1
        7 done
        8 aborted
        9 aborted
        set 1 interrupted 1 of 3
        done b:already c:already
        a=1
        b=1
        c=1
        a b c";
    v40_temp_is_taken_away: "F a=o; crash P2 T1 a x; paths; reopen; disk a; paths; list all" => "
        .fs-tools-1.tmp a
        2 aborted
        a=o
        a
        2:edit a T1 x aborted
        1:baseline a - o";
    v39_after_intent: "F a=o; crash P1 T1 a x; reopen; disk a; list; list all" => "
        2 aborted
        a=o
        1:baseline a - o
        2:edit a T1 x aborted
        1:baseline a - o";
    v41_after_exchange: "F a=o; crash P3 T1 a x; reopen; disk a; paths; list limit=1" => "
        2 done
        a=x
        a
        2:edit a T1 x";
    v41_after_sync: "F a=o; crash P4 T1 a x; reopen; disk a; paths; list limit=1" => "
        2 done
        a=x
        a
        2:edit a T1 x";
    v41_after_settle: "F a=o; crash P5 T1 a x; reopen; disk a; paths; list limit=1" => "a=x\na\n2:edit a T1 x";
    v42_power_cut_lost: "F a=o; crash P3 T1 a x; cut lost; reopen; disk a; paths" => "2 aborted\na=o\na";
    v42_power_cut_kept: "F a=o; crash P3 T1 a x; cut kept; reopen; disk a; paths" => "2 done\na=x\na";
    v43_unknown: "F a=o; crash P1 T1 a x; ext a u; reopen; disk a; list limit=1; rs 1 T2; disk a; rs 2 T2; disk a" => "
        2 unknown
        a=u
        2:edit a T1 x unknown
        done
        a=o
        done
        a=x";
    v44_partial_append: "F a=o; crashap T1 a xyz oxy; reopen; disk a; list limit=1; rs 1 T2; disk a" => "
        2 partial
        a=oxy
        2:append a T1 oxyz partial
        done
        a=o";
    v49_task_filter: "F a=o; w T1 a 1; w T2 a 2; w T1 b 1; list task=T1" => "4:create b T1 1\n2:edit a T1 1";
    v51_from_is_inclusive: "clock -1000; w T1 a 1; w T1 a 2; list from=0" => "2:edit a T1 2";
    v55_empty_range: "list from=5 to=1" => "error empty_range";
    v58_all_filters: "w T1 a 1; w T1 a 2; w T2 a 3; w T1 b 4; w T1 a 5; list path=a task=T1 from=1000 to=9000" => "
        5:edit a T1 5
        2:edit a T1 2";
    v59_empty: "list; read a" => "no recorded changes\nno recorded changes";
    v60_read: "F a=o; w T1 a 1; read a" => "edit by T1: o -> 1";
    v61_read_changed: "F a=o; w T1 a 1; ext a u; read a; list limit=1" => "
        changed outside since 2: 1
        2:edit a T1 1";
    v62_read_gone: "F a=o; w T1 a 1; extrm a; read a" => "gone since 2: 1";
    v64_read_created: "w T1 a 1; read a" => "create by T1: ∅ -> 1";
    v66_sensitive: "F .env=K=1; secret T1 .env K=2; list; rs 1 T2; rs 2 T2; undo T1 T2; disk .env" => "
        2:edit .env T1 (sensitive)
        1:baseline .env - (sensitive)
        error not_restorable
        error not_restorable
        refused .env:not_restorable(sensitive)
        .env=K=2";
    v67_sealed: "key 1; F .env=K=1; seal T1 .env K=2; list; rs 1 T2; disk .env; w T1 b plain; key 2; rs 2 T2; disk .env; \
        undo T1 T3 skip; rs 4 T2; verify; key 1; rs 2 T2; disk .env; verify" => "
        2:edit .env T1 K=2
        1:baseline .env - K=1
        done
        .env=K=1
        error key_mismatch
        .env=K=1
        partial .env:not_restorable(key_mismatch)
        done
        sound
        done
        .env=K=2
        sound";
    v67_without_a_key: "key 1; F .env=K=1; seal T1 .env K=2; key 0; rs 1 T2; read .env; secret T2 .env K=33; list limit=1; \
        key 1; rs 1 T2; disk .env" => "
        error key_mismatch
        edit by T1: (key_mismatch) -> (key_mismatch)
        3:edit .env T2 (sensitive)
        done
        .env=K=1";
    v67_sealed_and_interrupted: "key 1; F .env=K=1; seal T1 .env K=2; ext .env K=3; seal T1 .env K=4; undo T1 T2 force; \
        disk .env; list" => "
        done .env:external(3)
        .env=K=1
        5:restore .env T2 K=1 from=1
        4:edit .env T1 K=4
        3:external .env - K=3
        2:edit .env T1 K=2
        1:baseline .env - K=1";
    v67_becomes_sensitive: "key 1; F .env=K=1; w T1 .env K=2; seal T1 .env K=3; w T1 .env K=4; list; verify; blobs; \
        purge path .env; blobs" => "
        4:edit .env T1 K=4
        3:edit .env T1 K=3
        2:edit .env T1 K=2
        1:baseline .env - K=1
        sound
        5 blobs
        0 blobs";
    v83_pruned_and_unknown: "w T1 a 1; w T2 a 2; w T3 a 3; clock 864000000; prune 7 1; rs 1 T4; rs 9 T4; list" => "
        pruned 2
        error pruned
        error unknown_version
        3:edit a T3 3";
    v85_mode: "F a=o; mode a 755; w T1 a 1; modeof a; undo T1 T2; modeof a; disk a" => "a 755\ndone\na 755\na=o";
    v88_empty_and_absent: "F a=; w T1 a x; list; rs 1 T2; disk a; rm T1 a; disk a; rs 1 T2; disk a" => "
        2:edit a T1 x
        1:baseline a -
        done
        a=
        a=∅
        done
        a=";
    v94_replaced_by_link: "F a=o; w T1 a 1; extlink a; rs 1 T2; paths; list limit=1" => "
        error blocked symlink
        a
        2:edit a T1 1";
    v95_created_directories: "F x=0; w T1 d/e/f 1; F d/g=user; undo T1 T2; paths" => "done\nd d/g x";
    v96_shared_content: "w T1 a same; w T2 b same; w T3 c same; blobs; purge path a; purge path b; blobs; rs 3 T4; verify; \
        purge path c; blobs" => "
        1 blobs
        1 blobs
        nothing c:already
        sound
        0 blobs";
}
