//! Cases from the trackers of other tools; each test names the thread that it comes from.

use crate::{
    api::token,
    corpus::{A62, Gen, HEX, LOW36, base64, kinds::jwt},
};
use redact::Redactor;
use std::time::Instant;

fn masked(text: &str) -> String {
    Redactor::new().redact(text).into_owned()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(masked(text), expected);
}

#[track_caller]
fn visible(text: &str) {
    check(text, text);
}

#[track_caller]
fn hides(text: &str, value: &str) {
    assert!(!masked(text).contains(value), "{:?}", masked(text));
}

fn random(seed: u64, alphabet: &str, len: usize) -> String {
    Gen::new(seed).s(alphabet, len)
}

#[test]
fn templates_of_connection_strings_stay() {
    // hermes-agent #33801.
    visible("dsn = f\"postgresql://{auth}@{host}:{port}/{db}\"\n@decorator\ndef f(): pass\n");
    visible(
        "url: postgres://${DB_USER}:${DB_PASS}@localhost/app\nurl: https://<user>:<token>@git.example/x.git\n",
    );
    visible("ssh://git@host:22/x.git git@github.com:a/b.git");
}

#[test]
fn counts_of_tokens_are_not_tokens() {
    // hermes-agent #15934, #16127.
    visible("MAX_TOKENS=4096\nmax_tokens=4096,\n\"pad_token\": \"<|pad|>\", eos_token_id: 128009\n");
}

#[test]
fn identifiers_with_a_vendor_prefix_stay() {
    // hermes-agent #10983, #61876, #62943; centaur #1112; kcap-cli #248; paulsha-hippo #57.
    visible(
        "am_example_identifier_123 sk_hynix_chart.png risk-adjusted <task-notification> task-routing-map--sl-overview-of-things",
    );
    visible(&format!("task-{}", random(1, HEX, 32)));
}

#[test]
fn a_key_behind_a_sign_is_a_key() {
    // hermes-agent PR #103962.
    let key = format!("sk-{}", random(2, HEX, 32));
    check(&format!("key={key} ({key}) [{key}]"), "key=[FILTERED] ([FILTERED]) [[FILTERED]]");
}

#[test]
fn expressions_of_programs_stay() {
    // hermes-agent #51141, openclaw #127640, Codewhale #5546.
    visible(
        "TOKEN = r.json()[\"tenant_access_token\"]\nsecret = os.getenv(\"X_APP_SECRET\")\nif let token = timeObserverToken {}\n",
    );
    visible("\"jsonwebtoken\": \"^9.0.2\", password: credentials?.password, \"language\":\"en\"");
    visible(
        "password = forms.CharField(widget=forms.PasswordInput)\nlet api_key = self.config.api_key.clone();\n",
    );
}

#[test]
fn a_bare_token_in_front_of_a_host_is_masked() {
    // hermes-agent #6396, #54475.
    let value = random(3, A62, 40);
    check(&format!("https://{value}@github.com/x"), "https://[FILTERED]@github.com/x");
}

#[test]
fn paths_and_addresses_stay() {
    // zeroclaw #3064, khive #1040, detect-secrets #266.
    visible(
        "https://cdn.example/media/IMG20240131WA0007editedFinal.jpg near the secret docs/C-ADR-007-authorization-server.md:70",
    );
    visible("MONGO_INITDB_ROOT_PASSWORD_FILE=/run/secrets/db_username\n");
}

#[test]
fn a_format_decides_alone() {
    // pii-shield #196, khive #1044, ShieldCortex #257, pentect #971.
    let token = format!("gh{}_{}", "o", "abcabcabd".repeat(4));
    check(&format!("aaaa-bbbb-{token}"), "aaaa-bbbb-[FILTERED]");
    visible("the bearer of this note is a basic person; Bearer authentication is described below");
}

#[test]
fn server_tokens_of_the_long_form_are_one_span() {
    // detect-secrets #958, betterleaks #107, trivy #10826, secretlint #1518.
    let token = format!("gh{}_123456_{}", "s", jwt(&mut Gen::new(4), 256));
    check(&format!("x {token}, y"), "x [FILTERED], y");
}

#[test]
fn keys_with_a_second_word_are_keys() {
    // secretlint #994, openai-agents-go #95, nForma #269.
    for word in ["proj", "svcacct", "ant-api03", "or-v1"] {
        let key = format!("sk-{word}-{}", random(5, HEX, 64));
        check(&format!("a {key} b"), "a [FILTERED] b");
    }
}

#[test]
fn the_scheme_stays_and_the_value_goes() {
    // CFWorker4AliCDT #61, opencodex #1040.
    let (one, two) = (random(6, A62, 32), random(7, A62, 32));
    check(
        &format!("Authorization: Bearer {one}\nx-api-key: \"{two}\"\n"),
        "Authorization: Bearer [FILTERED]\nx-api-key: \"[FILTERED]\"\n",
    );
    check(&format!("Cookie: a=1; sessionid={one}; b=2"), "Cookie: a=1; sessionid=[FILTERED]; b=2");
}

#[test]
fn glued_names_are_names() {
    // opencode-swarm #2369.
    let value = random(8, LOW36, 24);
    for name in ["access_token", "client_secret", "accesstoken", "myApiKey", "X-Api-Key"] {
        check(&format!("{name}={value}"), &format!("{name}=[FILTERED]"));
    }
}

#[test]
fn names_that_are_none() {
    // gitleaks #1587, #1606, #1219, #877, #1321.
    let value = random(9, HEX, 32);
    for name in [
        "tokenizationId",
        "public_key",
        "keyboard",
        "monkey",
        "api_version",
        "client_name",
        "commit",
        "checksum",
    ] {
        visible(&format!("{name}: '{value}'"));
    }
    visible(
        "a username/password combination. vaultKey: \"my-app-database-password\" \"key\": \"ctrl+shift+alt+pagedown\" secret=REDACTED",
    );
}

#[test]
fn masked_text_is_left_alone() {
    // trufflehog #1489, ferret-scan #522, pi-data-masking #1.
    visible(
        "token=****************** key=sk-...abcd password=[FILTERED] Bearer [FILTERED] secret=REDACTED %2A%2A%2A%2A",
    );
}

#[test]
fn invisible_characters_do_not_help() {
    // fullsend #444, DAM #12.
    let token = token();
    for joint in ["\u{200b}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{ad}", "\u{1b}[31m"] {
        let (a, b) = token.split_at(20);
        check(&format!("x {a}{joint}{b} y"), "x [FILTERED] y");
    }
}

#[test]
fn escapes_do_not_help() {
    // modelaudit #1473.
    let token = token();
    check(&format!("?q={}&z", token.replace('_', "%5F")), "?q=[FILTERED]&z");
    check(&format!("\"{}\"", token.replace('_', "\\u005f")), "\"[FILTERED]\"");
    check(&format!("\"{}\"", token.replace('_', "\\x5f")), "\"[FILTERED]\"");
}

#[test]
fn joined_literals_keep_their_joints() {
    let token = token();
    let (a, b) = token.split_at(20);
    check(&format!("t = \"{a}\" + \"{b}\""), "t = \"[FILTERED]\" + \"[FILTERED]\"");
    check(&format!("T={a}\\\n{b}\n"), "T=[FILTERED]\\\n[FILTERED]\n");
}

#[test]
fn one_level_of_base64_is_read() {
    // gitleaks #807, detect-secrets #87.
    let value = base64(format!("[default]\ntoken = {}\n", token()).as_bytes());
    check(&format!("conf: {value}\n"), "conf: [FILTERED]\n");
}

#[test]
fn digests_and_ids_stay() {
    // IBM/detect-secrets #146, detect-secrets #312, #417, #593, skylos #694, trufflehog #4364, #3676, #1953, kingfisher #246.
    let mut g = Gen::new(10);
    visible(&format!("\"integrity\": \"sha512-{}\", \"contentHash\": \"{}\"", g.b64(64), g.b64(64)));
    visible(&format!("github.com/a/b v1.0.0 h1:{}\nnarHash = \"sha256-{}\";", g.b64(32), g.b64(32)));
    visible(&format!("commit {} uuid {} etag \"{}\" {}", g.hex(40), g.uuid(), g.hex(32), g.hex(64)));
    visible(&format!("<</ID [<{0}> <{0}>]>>", g.hex(32).to_uppercase()));
    visible("callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory and AKIAKTUELLERNACHRICHTENDIENST");
}

#[test]
fn connection_strings_of_odbc_are_read() {
    // kingfisher #12, prowler #12288.
    check("Driver={x};Server=s;UID=svc;PWD=Tr0ub4dor9x;", "Driver={x};Server=s;UID=svc;PWD=[FILTERED];");
    visible("jdbc:postgresql://host:5432/main?ssl=true");
}

#[test]
fn multibyte_neighbours_do_not_panic() {
    // googleworkspace/cli #575, foxguard #85.
    let token = token();
    check(&format!("é{token}é"), "é[FILTERED]é");
    check("password: \"пароль-Ж9x!\"", "password: \"[FILTERED]\"");
}

#[test]
fn a_value_split_over_pieces_is_masked() {
    // OpenHands #15720, fountain #2359, hermes-agent #56040.
    let text = format!("pass{}='Tr0ub4dor&3x'\n{}\n", "word", token());
    for at in 0..text.len() {
        let mut stream = redact::StreamRedactor::new(Redactor::new(), Vec::new());
        let Ok(()) = stream.write(&text.as_bytes()[..at]);
        let Ok(()) = stream.write(&text.as_bytes()[at..]);
        let Ok((out, _)) = stream.finish();
        assert_eq!(out, b"password='[FILTERED]'\n[FILTERED]\n");
    }
}

#[test]
fn costly_texts_take_linear_time() {
    // tamp #20, detect-secrets #868, #977, gitleaks #1843, kcap-cli #129.
    let texts = [
        "A_".repeat(128 * 1024),
        "a=".repeat(128 * 1024),
        format!("{}=", " ".repeat(256 * 1024)),
        "password=".repeat(30_000),
        format!("{}{}", "-----BEGIN RSA PRIVATE KEY-----\\n", "QUJD\\n".repeat(50_000)),
        format!("{}-", ["gh", "p_"].concat()).repeat(60_000),
        "eyJhbGciOiJIUzI1NiJ9.".repeat(12_000),
        "aaaaaaaaaaaaaaaa1%41".repeat(13_000),
        "abcdefgh12345678\" + \"".repeat(12_000),
        format!("password{}", " ".repeat(60)).repeat(4_000),
        "a://b:c@".repeat(30_000),
    ];
    for text in texts {
        let start = Instant::now();
        let _ = masked(&text);
        let millis = start.elapsed().as_millis();
        // A debug build on a busy machine; a quadratic rule would take minutes.
        assert!(millis < 20_000, "{} bytes of {:?} took {millis} ms", text.len(), &text[..20]);
    }
}

#[test]
fn opaque_values_without_a_name_are_masked() {
    // openai-agents-go #95.
    hides(&format!("see {} there", random(11, A62, 40)), &random(11, A62, 40));
}

#[test]
fn lock_files_stay() {
    let mut g = Gen::new(12);
    for _ in 0..20 {
        let (sha1, sha256, sha512) = (g.b64(20), g.b64(32), g.b64(64));
        let (hex32, hex40, hex64) = (g.hex(32), g.hex(40), g.hex(64));
        let url = format!("https://registry.example/p/-/p-1.0.{}.tgz", g.n(0, 99));
        // npm 1 to 3, yarn 1 and berry, pnpm, bun, deno.
        visible(&format!(
            "\"p\": {{\"version\": \"1.0.0\", \"resolved\": \"{url}\", \"integrity\": \"sha1-{sha1}\", \"dev\": true}}"
        ));
        visible(&format!(
            "\"node_modules/p\": {{\n  \"resolved\": \"{url}\",\n  \"integrity\": \"sha512-{sha512}\"\n}}"
        ));
        visible(&format!("p@^1.0.0:\n  resolved \"{url}#{hex40}\"\n  integrity sha512-{sha512}\n"));
        visible(&format!(
            "\"p@npm:^1.0.0\":\n  resolution: \"p@npm:1.0.0\"\n  checksum: 10c0/{hex64}{hex64}\n"
        ));
        visible(&format!("  p@1.0.0:\n    resolution: {{integrity: sha512-{sha512}}}\n"));
        visible(&format!("    \"p\": [\"p@1.0.0\", \"\", {{}}, \"sha512-{sha512}\"],\n"));
        visible(&format!(
            "\"npm:p@1\": {{ \"integrity\": \"sha512-{sha512}\" }}, \"https://deno.land/std/a.ts\": \"{hex64}\""
        ));
        // cargo, go, poetry, uv, pipenv, pip.
        visible(&format!(
            "name = \"p\"\nchecksum = \"{hex64}\"\nsource = \"git+https://g.example/p?rev=a#{hex40}\"\n"
        ));
        visible(&format!("g.example/p v1.0.0 h1:{sha256}\ng.example/p v1.0.0/go.mod h1:{sha256}\n"));
        visible(&format!(
            "{{file = \"p-1.0-py3-none-any.whl\", hash = \"sha256:{hex64}\"}}\ncontent-hash = \"{hex64}\"\n"
        ));
        visible(&format!(
            "wheels = [{{ url = \"https://files.example/packages/{}/{}/{}/p-1.0.whl\", hash = \"sha256:{hex64}\" }}]",
            &hex64[..2],
            &hex64[2..4],
            &hex64[4..]
        ));
        visible(&format!("\"hashes\": [\"sha256:{hex64}\"], p==1.0 --hash=sha256:{hex64}"));
        // bundler, composer, mix, nix, swift, nuget, terraform, conan, cocoapods.
        visible(&format!("CHECKSUMS\n  p (1.0.0) sha256={hex64}\n"));
        visible(&format!(
            "\"reference\": \"{hex40}\", \"shasum\": \"{hex40}\", \"content-hash\": \"{hex32}\""
        ));
        visible(&format!("\"p\": {{:hex, :p, \"1.0.0\", \"{hex64}\", [:mix], [], \"hexpm\", \"{hex64}\"}},"));
        visible(&format!("\"narHash\": \"sha256-{sha256}\", \"rev\": \"{hex40}\""));
        visible(&format!("\"state\": {{ \"revision\": \"{hex40}\", \"version\": \"1.0.0\" }}"));
        visible(&format!("\"resolved\": \"1.0.0\", \"contentHash\": \"{sha512}\""));
        visible(&format!("hashes = [\n  \"h1:{sha256}\",\n  \"zh:{hex64}\",\n]"));
        visible(&format!("\"p/1.0#{hex32}%1700000000.123\""));
        visible(&format!("SPEC CHECKSUMS:\n  P: {hex40}\n"));
    }
}
