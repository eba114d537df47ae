//! Grants, questions, and the memory of a yes.

use std::path::Path;

use sandbox_policy::{
    Answer, Basis, Confirmed, Decision, Facts, Family, Object, Op, Pending, Ruleset, decide,
};

use crate::support::rules;

fn batch() -> Ruleset {
    rules(|s| s.family = Family::Batch)
}

#[track_caller]
fn question(rules: &Ruleset, op: Op, path: &str, inode: Option<u64>) -> Pending {
    let facts = Facts { object: inode.map(|ino| Object::file(7, ino)), ..Facts::names(Path::new(path)) };
    match decide(rules, op, &facts) {
        Decision::Confirm(pending) => pending,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn yes(pending: Pending) -> Confirmed {
    Confirmed::of(&pending.answer(Answer::Yes).unwrap()).unwrap()
}

#[test]
fn a_grant_on_names_differs_from_one_on_facts() {
    let rules = rules(|_| {});
    let names = decide(&rules, Op::Read, &Facts::names(Path::new("/w/a"))).grant().unwrap();
    assert_eq!((names.basis(), names.object()), (Basis::Names, None));
    let facts = Facts::names(Path::new("/w/a")).with(Object::file(7, 8));
    let facts = decide(&rules, Op::Read, &facts).grant().unwrap();
    assert_eq!((facts.basis(), facts.object()), (Basis::Facts, Some((7, 8))));
    assert_ne!(names, facts);
    assert_eq!((facts.op(), facts.path()), (Op::Read, Path::new("/w/a")));
    assert!(!facts.is_confirmed());
    assert_eq!(Confirmed::of(&facts), None);
}

#[test]
fn an_answer_makes_a_grant_for_one_file() {
    let rules = batch();
    let pending = question(&rules, Op::Read, "/w/.env", Some(8));
    assert_eq!(pending.reason().code(), "sensitive");
    assert!(pending.reason().is_askable());
    let grant = pending.answer(Answer::Yes).unwrap();
    assert!(grant.is_confirmed());
    assert_eq!((grant.op(), grant.path(), grant.object()), (Op::Read, Path::new("/w/.env"), Some((7, 8))));
    let reason = question(&rules, Op::Read, "/w/.env", Some(8)).answer(Answer::No).unwrap_err();
    assert_eq!((reason.code(), reason.op()), ("declined", Op::Read));
    let reason = question(&rules, Op::Read, "/w/.env", Some(8)).refuse();
    assert_eq!(reason.code(), "sensitive");
}

#[test]
fn a_yes_is_remembered_for_the_same_file_and_access_only() {
    let rules = batch();
    let read = yes(question(&rules, Op::Read, "/w/.env", Some(8)));
    #[track_caller]
    fn check(pending: Pending, memory: &Confirmed, expected: bool) {
        assert_eq!(pending.matches(memory), expected);
        assert_eq!(pending.recall([memory]).is_ok(), expected);
    }
    check(question(&rules, Op::Read, "/w/.env", Some(8)), &read, true);
    check(question(&rules, Op::HistoryRead, "/w/.env", Some(8)), &read, true);
    check(question(&rules, Op::Read, "/w/.env", Some(9)), &read, false); // another file under the name
    check(question(&rules, Op::Read, "/w/b.pem", Some(8)), &read, false); // another name of the file
    check(question(&rules, Op::Read, "/w/b.pem", Some(9)), &read, false);
    check(question(&rules, Op::Edit, "/w/.env", Some(8)), &read, false);
    check(question(&rules, Op::Open, "/w/.env", Some(8)), &read, false);
    check(question(&rules, Op::Read, "/w/.env", None), &read, false);
    let write = yes(question(&rules, Op::Edit, "/w/.env", Some(8)));
    check(question(&rules, Op::Append, "/w/.env", Some(8)), &write, true);
    check(question(&rules, Op::Read, "/w/.env", Some(8)), &write, false);
}

#[test]
fn another_device_with_the_same_inode_is_another_file() {
    let rules = batch();
    let memory = yes(question(&rules, Op::Read, "/w/.env", Some(8)));
    let facts = Facts::names(Path::new("/w/.env")).with(Object::file(6, 8));
    let Decision::Confirm(pending) = decide(&rules, Op::Read, &facts) else { panic!() };
    assert!(pending.recall([&memory]).is_err());
}

#[test]
fn our_own_replacement_keeps_the_yes() {
    let rules = batch();
    let memory = yes(question(&rules, Op::Edit, "/w/.git/config", Some(8)));
    assert_eq!(memory.path(), Path::new("/w/.git/config"));
    let memory = memory.replaced_by(7, 99);
    assert!(question(&rules, Op::Edit, "/w/.git/config", Some(99)).recall([&memory]).is_ok());
    assert!(question(&rules, Op::Edit, "/w/.git/config", Some(8)).recall([&memory]).is_err());
}

#[test]
fn a_yes_on_names_leaves_no_memory() {
    let rules = batch();
    let grant = question(&rules, Op::Create, "/w/.git/hooks/x", None).answer(Answer::Yes).unwrap();
    assert_eq!(grant.basis(), Basis::Names);
    assert_eq!(Confirmed::of(&grant), None);
    assert_eq!(grant.notice().map(|reason| reason.code()), Some("run_later"));
}

#[test]
fn where_nobody_can_be_asked_a_question_is_a_refusal() {
    let rules = batch();
    let decision = decide(&rules, Op::Read, &Facts::names(Path::new("/w/.env")));
    assert!(!decision.is_allow());
    assert_eq!(decision.grant().unwrap_err().code(), "sensitive");
}

#[test]
fn a_grant_remembers_that_a_link_was_followed() {
    let rules = rules(|_| {});
    let facts = Facts { asked: Path::new("link"), via_symlink: true, ..Facts::names(Path::new("/w/a")) };
    assert!(decide(&rules, Op::Read, &facts).grant().unwrap().via_symlink());
    assert!(!decide(&rules, Op::Read, &Facts::names(Path::new("/w/a"))).grant().unwrap().via_symlink());
}

#[test]
fn rules_can_be_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Ruleset>();
    check::<Decision>();
    check::<Confirmed>();
    check::<sandbox_policy::DirRules<'static>>();
}
