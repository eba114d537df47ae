//! Speech to text, against an endpoint and programs of the test.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use fs_tools::{
    CommandTranscriber, Config, HttpTranscriber, NoTranscriber, Sound, TranscribeLimits, TranscribeVia,
    Transcriber, transcriber,
};

const LIMITS: TranscribeLimits =
    TranscribeLimits { max_bytes: 1000, max_answer_bytes: 200, timeout: Duration::from_secs(60) };

const SOUND: Sound<'static> = Sound { name: "talk \"1\".wav", mime: "audio/wav", bytes: b"RIFF\0\0sound" };

/// Answers one request with `answer`, and returns the request. `None` answers nothing, until the client hangs up.
fn serve(answer: Option<String>) -> (String, thread::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = request(&mut stream);
        match answer {
            // The client may have seen enough before the end.
            Some(answer) => drop(stream.write_all(answer.as_bytes())),
            None => drop(stream.read(&mut [0])),
        }
        request
    });
    (url, server)
}

/// Head and body of one request.
fn request(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let read = stream.read(&mut chunk).unwrap();
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|it| it.strip_prefix("content-length: "))
            .unwrap()
            .parse::<usize>()
            .unwrap();
        if read == 0 || bytes.len() >= head.len() + 4 + length {
            return bytes;
        }
    }
}

fn http(status: &str, body: &str) -> Option<String> {
    Some(format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len()))
}

/// What the engine makes of this answer: the text, or the code and a part of the message.
#[track_caller]
fn check(answer: Option<String>, limits: TranscribeLimits, expected: Result<&str, (&str, &str)>) {
    let (url, server) = serve(answer);
    let outcome = HttpTranscriber::new(&url, limits).key(Some("sk-secret".into())).transcribe(&SOUND);
    server.join().unwrap();
    match (outcome, expected) {
        (Ok(text), Ok(expected)) => assert_eq!(text, expected),
        (Err(error), Err((code, part))) => {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.to_string().contains(part), "{error}");
            assert!(!error.to_string().contains("sk-secret"), "{error}");
        }
        (outcome, expected) => panic!("{outcome:?}, not {expected:?}"),
    }
}

#[test]
fn a_file_is_sent_as_a_form_and_the_text_comes_back() {
    let (url, server) = serve(http("200 OK", "{\"text\": \" Hello, world.\\n\"}"));
    let engine =
        HttpTranscriber::new(&url, LIMITS).key(Some("sk-secret".into())).model("small").language(Some("en"));
    assert_eq!(engine.transcribe(&SOUND).unwrap(), "Hello, world.");
    assert!(!format!("{engine:?}").contains("sk-secret"));
    let request = server.join().unwrap();
    let text = String::from_utf8_lossy(&request);
    assert!(text.starts_with("POST /v1/audio/transcriptions HTTP/1.1\r\n"), "{text}");
    assert!(text.to_ascii_lowercase().contains("\r\nauthorization: bearer sk-secret\r\n"), "{text}");
    let boundary = text.split("boundary=").nth(1).unwrap().lines().next().unwrap();
    let parts: Vec<&str> = text.split(&format!("--{boundary}")).collect();
    assert!(parts.iter().any(|it| it.contains("name=\"model\"\r\n\r\nsmall\r\n")), "{text}");
    assert!(parts.iter().any(|it| it.contains("name=\"language\"\r\n\r\nen\r\n")), "{text}");
    let file = "name=\"file\"; filename=\"talk _1_.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF\0\0sound\r\n";
    assert!(parts.iter().any(|it| it.contains(file)), "{text}");
    assert_eq!(parts.last(), Some(&"--\r\n"));
}

#[test]
fn an_answer_that_is_no_text_says_what_it_is() {
    check(http("200 OK", "{\"text\": \"yes\"}"), LIMITS, Ok("yes"));
    check(
        http("401 Unauthorized", "{}"),
        LIMITS,
        Err(("transcription_refused", "fs_tools.transcribe.api_key_env")),
    );
    check(http("413 Payload Too Large", ""), LIMITS, Err(("transcription_failed", "too large")));
    check(http("429 Too Many Requests", ""), LIMITS, Err(("transcription_failed", "try again later")));
    let body = "{\"error\": {\"message\": \"out of\\nmemory\"}}";
    check(
        http("500 Internal Server Error", body),
        LIMITS,
        Err(("transcription_failed", "HTTP 500: out of memory")),
    );
    check(http("503 Busy", "<html>"), LIMITS, Err(("transcription_failed", "HTTP 503")));
    check(http("302 Found", ""), LIMITS, Err(("transcription_failed", "HTTP 302")));
    check(http("200 OK", "<html>"), LIMITS, Err(("transcription_unusable", "not JSON")));
    check(http("200 OK", "{\"words\": 1}"), LIMITS, Err(("transcription_unusable", "no member `text`")));
    check(http("200 OK", &"x".repeat(201)), LIMITS, Err(("transcription_unusable", "longer than 200 bytes")));
    check(Some("nonsense\r\n\r\n".into()), LIMITS, Err(("transcription_failed", "")));
}

#[test]
fn an_engine_that_does_not_answer_is_given_up() {
    let hasty = TranscribeLimits { timeout: Duration::from_millis(200), ..LIMITS };
    check(None, hasty, Err(("transcription_time_out", "fs_tools.transcribe.timeout_s")));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = HttpTranscriber::new(&format!("http://{nobody}"), LIMITS).transcribe(&SOUND).unwrap_err();
    assert_eq!(error.code(), "transcription_failed");
}

#[test]
fn a_large_file_is_not_sent() {
    let sound = Sound { bytes: &[0; 1001], ..SOUND };
    let error = HttpTranscriber::new("http://127.0.0.1:9", LIMITS).transcribe(&sound).unwrap_err();
    assert_eq!(error.code(), "sound_too_large");
    let error = CommandTranscriber::new(&["true".into()], LIMITS).transcribe(&sound).unwrap_err();
    assert_eq!(error.code(), "sound_too_large");
}

#[track_caller]
fn check_command(words: &[&str], expected: Result<&str, &str>) {
    let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
    let limits = TranscribeLimits { timeout: Duration::from_millis(700), ..LIMITS };
    let patient = words.first().is_none_or(|it| it != "/bin/sleep");
    let outcome = CommandTranscriber::new(&words, if patient { LIMITS } else { limits }).transcribe(&SOUND);
    assert_eq!(outcome.as_deref().map_err(|it| it.code()), expected);
}

#[test]
fn a_program_gets_the_file_and_prints_the_text() {
    check_command(&["/bin/cat", "{input}"], Ok("RIFF\0\0sound"));
    let script = "cat < \"$1\"; case $1 in /*.wav) echo !;; esac; stat -c %a \"$1\"";
    check_command(&["/bin/sh", "-c", script, "sh", "{input}"], Ok("RIFF\0\0sound!\n600"));
    // No shell: what looks like one is a word.
    check_command(&["/bin/echo", "  $HOME; *  "], Ok("$HOME; *"));
    // The copy is gone afterwards.
    let words = ["/bin/echo", "{input}"].map(str::to_owned);
    let path = CommandTranscriber::new(&words, LIMITS).transcribe(&SOUND).unwrap();
    assert!(!std::path::Path::new(&path).exists() && path.ends_with("/sound.wav"), "{path}");
}

#[test]
fn a_program_that_fails_says_so() {
    check_command(&["/bin/false", "{input}"], Err("transcription_failed"));
    check_command(&["/no/such/program", "{input}"], Err("transcription_failed"));
    check_command(&[], Err("transcription_failed"));
    check_command(&["/bin/sleep", "1000"], Err("transcription_time_out"));
    check_command(&["/bin/cat", "/dev/zero"], Err("transcription_unusable"));
    check_command(&["/usr/bin/printf", "\\377"], Err("transcription_unusable"));
}

#[test]
fn the_configuration_chooses_the_engine() {
    let load = |text: &str| Config::load(text, &|_| None);
    let section = |inner: &str| load(&format!("{{\"fs_tools\": {{\"transcribe\": {inner}}}}}"));
    let none = transcriber(&load("{}").unwrap().config.transcribe, &|_| None);
    let error = none.transcribe(&SOUND).unwrap_err();
    assert_eq!(error.code(), "transcription_not_configured");
    assert!(error.to_string().contains("fs_tools.transcribe.url"), "{error}");
    assert_eq!(NoTranscriber.transcribe(&SOUND).unwrap_err(), error);

    let config =
        section("{\"command\": [\"/bin/cat\", \"{input}\"], \"max_bytes\": 5}").unwrap().config.transcribe;
    assert_eq!(config.via, Some(TranscribeVia::Command(vec!["/bin/cat".into(), "{input}".into()])));
    assert_eq!(transcriber(&config, &|_| None).transcribe(&SOUND).unwrap_err().code(), "sound_too_large");

    let (url, server) = serve(http("200 OK", "{\"text\": \"hi\"}"));
    let config =
        section(&format!("{{\"url\": \"{url}/\", \"api_key_env\": \"KEY\"}}")).unwrap().config.transcribe;
    let engine = transcriber(&config, &|name| (name == "KEY").then(|| "sk-1".to_owned()));
    assert_eq!(engine.transcribe(&SOUND).unwrap(), "hi");
    assert!(String::from_utf8_lossy(&server.join().unwrap()).contains("Bearer sk-1"));

    for wrong in [
        "{\"url\": \"ftp://x\"}",
        "{\"url\": \"http://x\", \"command\": [\"a\", \"{input}\"]}",
        "{\"command\": [\"a\", \"b\"]}",
        "{\"command\": [\"{input}\"]}",
        "{\"timeout_s\": \"x\"}",
    ] {
        assert_eq!(section(wrong).unwrap_err().code(), "config_wrong_type", "{wrong}");
    }
    let warnings = section("{\"urll\": \"http://x\"}").unwrap().warnings;
    assert!(warnings[0].contains("did you mean `fs_tools.transcribe.url`"), "{warnings:?}");
}
