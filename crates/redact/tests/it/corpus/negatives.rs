//! Texts without secrets that look as if they had some.

use super::{
    A62, B64, B64U, Corpus, DIG, Gen, LOW, LOW36, UP,
    structural::{D5, pem},
    title,
};

pub(crate) fn add(g: &mut Gen, c: &mut Corpus) {
    digests(g, c);
    names(g, c);
    texts(g, c);
    lists(g, c);
}

/// `count` pieces with `joint` between them.
fn join(g: &mut Gen, count: usize, joint: &str, piece: impl Fn(&mut Gen) -> String) -> String {
    (0..count).map(|_| piece(g)).collect::<Vec<_>>().join(joint)
}

fn words(g: &mut Gen, count: usize, joint: &str) -> String {
    join(g, count, joint, |g| g.word().to_owned())
}

fn lists(g: &mut Gen, c: &mut Corpus) {
    c.no("git_sha_list", join(g, 3, "\n", |g| format!("{} refs/heads/{}", g.hex(40), g.word())) + "\n");
    c.no("hex_colon_fp", format!("SHA256 Fingerprint={}\n", join(g, 32, ":", |g| g.hex(2).to_uppercase())));
    c.no("snake", format!("def {}({}=None): pass\n", words(g, 8, "_"), words(g, 5, "_")));
    c.no("screaming", format!("#define {} {}\n", words(g, 7, "_").to_uppercase(), g.n(1, 99)));
    c.no("java_package", format!("import com.{}.{};\n", words(g, 7, "."), title(&g.camel(3))));
    c.no("test_name", format!("    def test_{}_returns_404(self): ...\n", words(g, 12, "_")));
    c.no(
        "url_slug",
        format!("https://blog.acme.example/2026/0{}/{}-{}.html\n", g.n(1, 9), words(g, 10, "-"), g.hex(8)),
    );
    c.no(
        "file_path",
        format!(
            "/home/u/src/{}/{}.tsx\n",
            join(g, 9, "/", |g| g.word().to_owned() + g.pick(&["", "2", "_v1", "-x"])),
            g.camel(2)
        ),
    );
    c.no(
        "win_path",
        format!(
            "C:\\Users\\u\\AppData\\Local\\{}\\{}.dll\n",
            join(g, 6, "\\", |g| title(&g.camel(1))),
            g.camel(2)
        ),
    );
    c.no(
        "vite_asset_names",
        format!(
            "{{{}}}\n",
            join(g, 4, ",", |g| format!("\"{}-{}.js\":\"{}.js\"", g.word(), g.s(B64U, 8), g.word()))
        ),
    );
    let segments = join(g, 60, ",", |g| {
        let len = g.pick(&[4, 4, 5]);
        g.s(B64, len).replace('/', "A").replace('+', "C")
    });
    c.no("sourcemap_vlq", format!("{{\"version\":3,\"mappings\":\"{segments}{}\"}}\n", ";AACA".repeat(6)));
    for (kind, label, size) in [("certificate", "CERTIFICATE", 700), ("public_key_pem", "PUBLIC KEY", 294)] {
        let (_, lines, _) = pem(g, label, size);
        c.soft(kind, format!("{D5}BEGIN {label}{D5}\n{}\n{D5}END {label}{D5}\n", lines.join("\n")));
    }
    c.no(
        "c_hex_array",
        format!("static const uint8_t k[] = {{{}}};\n", join(g, 24, ", ", |g| format!("0x{}", g.hex(2)))),
    );
    c.no("float_table", format!("W = [{}]\n", join(g, 6, ", ", |g| format!("-0.{}", g.digits(16)))));
}

#[rustfmt::skip]
fn digests(g: &mut Gen, c: &mut Corpus) {
    c.no("git_sha", format!("commit {}\nAuthor: A <a@acme.example>\n", g.hex(40)));
    c.no("git_sha_short", format!("fixed in {} and {}\n", g.hex(7), g.hex(10)));
    c.no("uuid", format!("{{\"requestId\":\"{}\",\"id\":\"{}\"}}\n", g.uuid(), g.uuid().to_uppercase()));
    c.no("md5_hex", format!("{}  {}-{}.tar.gz\n", g.hex(32), g.word(), g.word()));
    c.no("sha256_hex", format!("{}  {}.iso\nsha256:{}\n", g.hex(64), g.word(), g.hex(64)));
    c.no("sha512_hex", format!("{}  {}.iso\n", g.hex(128), g.word()));
    c.no("sha1_upper", format!("Fingerprint={}\n", g.hex(40).to_uppercase()));
    c.no("docker_digest", format!("image: reg.acme.example/{}/{}@sha256:{}\n", g.word(), g.word(), g.hex(64)));
    c.no("sri_sha512", format!("      \"integrity\": \"sha512-{}\",\n      \"dev\": true\n", g.b64(64)));
    c.no("sri_sha1", format!("      \"integrity\": \"sha1-{}\",\n", g.b64(20)));
    c.no("yarn_berry_checksum", format!("  checksum: 10c0/{}\n  languageName: node\n", g.hex(128)));
    c.no("pnpm_lock", format!("  /{}@1.{}.3:\n    resolution: {{integrity: sha512-{}}}\n", g.word(), g.n(0, 9), g.b64(64)));
    c.no("sri_html", format!("<script src=\"https://cdn.acme.example/{}.min.js\" integrity=\"sha384-{}\" crossorigin=\"anonymous\"></script>\n", g.word(), g.b64(48)));
    c.no("csp_hash", format!("Content-Security-Policy: script-src 'self' 'sha256-{}'\n", g.b64(32)));
    c.no("go_sum", format!("github.com/acme/{} v1.{}.{} h1:{}\ngithub.com/acme/{} v0.2.0/go.mod h1:{}\n", g.word(), g.n(0, 30), g.n(0, 9), g.b64(32), g.word(), g.b64(32)));
    c.no("cargo_checksum", format!("[[package]]\nname = \"{}\"\nversion = \"1.0.{}\"\nsource = \"registry+https://git.acme.example/rust-index\"\nchecksum = \"{}\"\n", g.word(), g.n(0, 99), g.hex(64)));
    c.no("nix_hash", format!("  sha256 = \"{}\";\n  narHash = \"sha256-{}\";\n", g.s("0123456789abcdfghijklmnpqrsvwxyz", 52), g.b64(32)));
    c.no("nix_store", format!("/nix/store/{}-{}-2.{}/bin/{}\n", g.s("0123456789abcdfghijklmnpqrsvwxyz", 32), g.word(), g.n(1, 9), g.word()));
    c.no("pip_hash", format!("{}==2.{}.1 \\\n    --hash=sha256:{}\n", g.word(), g.n(0, 9), g.hex(64)));
    c.no("poetry_lock", format!("    {{file = \"{}-1.2-py3-none-any.whl\", hash = \"sha256:{}\"}},\n", g.word(), g.hex(64)));
    c.no("nuget_contenthash", format!("        \"contentHash\": \"{}\",\n", g.b64(64)));
    c.no("cocoapods", format!("SPEC CHECKSUMS:\n  {}: {}\n", title(g.word()), g.hex(40)));
    c.no("etag", format!("ETag: \"{}-{}\"\nX-Request-Id: {}\n", g.hex(32), g.n(1, 9), g.uuid()));
    c.no("ulid", format!("{{\"id\":\"01{}\"}}\n", g.s("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)));
    c.soft("ksuid", format!("run=2{} ok\n", g.s(A62, 26)));
    c.soft("nanoid21", format!("{{\"id\":\"{}\"}}\n", g.s(B64U, 21)));
    c.no("objectid", format!("{{\"_id\":{{\"$oid\":\"{}\"}}}}\n", g.hex(24)));
    c.no("snowflake_id", format!("{{\"guild_id\":\"{}\",\"channel\":{}}}\n", g.digits(18), g.digits(19)));
    c.no("trace_ctx", format!("traceparent: 00-{}-{}-01\n", g.hex(32), g.hex(16)));
    c.no("camel", format!("public {} {}(final {} {}) {{ return {}; }}\n", title(&g.camel(4)), g.camel(6), g.camel(5), g.camel(4), g.camel(5)));
    c.no("java_fqcn_trace", format!("\tat org.{}.{}.{}.{}$${}.{}({}.java:{})\n", g.word(), g.word(), g.word(), title(&g.camel(3)), title(&g.camel(2)), g.camel(2), title(&g.camel(2)), g.n(10, 900)));
    c.no("url_long_path", format!("https://docs.acme.example/{}/{}/{}-2024-report-a1b2c3d4e5f6g7h8.pdf?page={}#L{}\n", g.word(), g.camel(3), g.word(), g.n(1, 9), g.n(1, 99)));
    c.no("js_import", format!("import {{ {}, {} }} from '@acme/{}-{}/dist/esm/{}/{}.mjs';\n", g.camel(3), g.camel(4), g.word(), g.word(), g.word(), g.camel(3)));
    c.no("webpack_chunk", format!("<script src=\"/static/js/{}.{}.chunk.js\"></script><link href=\"/assets/index-{}.css\">\n", g.word(), g.hex(8), g.s(B64U, 8)));
}

#[rustfmt::skip]
fn names(g: &mut Gen, c: &mut Corpus) {
    c.no("css_class_hash", format!("<div class=\"css-{} sc-{} {}_{}__{} MuiBox-root-{}\">\n", g.s(LOW36, 6), g.s(A62, 6), title(g.word()), g.word(), g.s(A62, 5), g.n(1, 99)));
    c.no("tailwind", "<div class=\"grid-cols-[repeat(auto-fit,minmax(12rem,1fr))] hover:bg-[#1a2b3c]/80 md:translate-x-[calc(100%-2rem)]\">\n".to_owned());
    c.no("dna", ">seq1\n".to_owned() + &g.s("ACGT", 80).to_string() + "\n" + &g.s("ACGT", 80).to_string() + "\n");
    c.no("protein", ">sp|P12345\nM".to_owned() + &g.s("ACDEFGHIKLMNPQRSTVWY", 60).to_string() + "\n" + &g.s("ACDEFGHIKLMNPQRSTVWY", 60).to_string() + "\n");
    c.no("smiles", "CC(C)CC1=CC=C(C=C1)C(C)C(=O)OCCN2CCN(CC2)C3=NC4=CC=CC=C4S3\n".to_owned());
    c.no("prose_en", "The old lighthouse keeper climbed the stairs each evening, counting the steps under his breath while the tide went out.\n".to_owned());
    c.no("prose_de", "Donaudampfschifffahrtsgesellschaftskapitänsmütze und Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz sind lange Wörter.\n".to_owned());
    c.no("prose_fr", "Il était une fois, près de l'étang, une grand-mère qui racontait des histoires à la lueur d'une lampe à pétrole.\n".to_owned());
    c.no("prose_ru", "Однажды вечером старый смотритель маяка поднялся по лестнице и долго смотрел на море.\n".to_owned());
    c.no("prose_zh", "从前有一座灯塔，守塔人每天傍晚登上阶梯，望着退潮的大海。\n".to_owned());
    c.no("prose_ja", "むかしむかし、灯台守が毎晩階段を上り、引いていく潮を見つめていました。\n".to_owned());
    c.no("prose_ar", "كان حارس المنارة القديمة يصعد الدرج كل مساء وينظر إلى البحر.\n".to_owned());
    c.no("semver", format!("\"{}\": \"^{}.{}.{}-rc.{}+build.2026{}.{}\"\n", g.word(), g.n(1, 20), g.n(0, 30), g.n(0, 9), g.n(1, 9), g.n(1000, 1231), g.hex(7)));
    c.no("pseudo_version", format!("golang.org/x/{} v0.0.0-2026{}{}-{}\n", g.word(), g.n(1001, 1231), g.digits(6), g.hex(12)));
    c.no("timestamp", format!("2026-03-14T09:26:53.{}+02:00 17{} P3Y6M4DT12H30M5S\n", g.digits(9), g.digits(11)));
    c.no("phone", "Call +1 (555) 010-0199 or +44 20 7946 0958, IBAN DE00 0000 0000 0000 0000 00\n".to_owned());
    c.no("i18n_key", format!("  \"{}.{}.{}.{}ErrorMessage.description\": \"{} could not be saved\",\n", g.word(), g.word(), g.camel(2), g.word(), title(g.word())));
    c.no("rust_mangled", format!("_ZN4core3ops8function6FnOnce{}call_once$u7b$$u7b$vtable.shim$u7d$$u7d$17h{}E\n", g.n(10, 40), g.hex(16)));
    c.no("rust_mangled_v0", format!("_RNvXs5_NtCs{}_4core3fmtRNtNtNtCs{}_5{}4{}5ErrorNtB5_5Debug3fmt\n", g.s(A62, 11), g.s(A62, 11), &g.word()[..5], &g.word()[..4]));
    c.no("cpp_mangled", "_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPKcm\n".to_owned());
    c.no("swift_mangled", "$s10Foundation4DataV15_RepresentationO22withUnsafeMutableBytesyxxSwKXEKlF\n".to_owned());
    c.no("objc_selector", "- (void)tableView:(UITableView *)tableView didSelectRowAtIndexPathWithAnimatedTransitionCoordinator:(id)c;\n".to_owned());
    c.no("minified_js", "!function(e,t){\"object\"==typeof exports&&\"undefined\"!=typeof module?t(exports):t((e=e||self).X={})}(this,function(e){var t=Object.assign||function(e){for(var t=1;t<arguments.length;t++){var n=arguments[t];for(var r in n)n.hasOwnProperty(r)&&(e[r]=n[r])}return e};function n(e,t,n){return t in e?Object.defineProperty(e,t,{value:n,enumerable:!0,configurable:!0,writable:!0}):e[t]=n,e}});\n".to_owned());
    c.no("protobuf_desc", format!("DESCRIPTOR = _pool.AddSerializedFile(b'\\n\\x10{}/{}.proto\\x12\\x07{}\\x1a\\x1fgoogle/protobuf/timestamp.proto\\\"\\x8e\\x01\\n\\x0c{}\\x12\\x0f\\n\\x07')\n", g.word(), g.word(), g.word(), g.camel(2)));
    c.no("llvm_ir", format!("%{} = getelementptr inbounds %\"class.std::__1::basic_{}\", ptr %{}, i64 0, i32 {}\n", g.n(1, 99), g.word(), g.n(1, 99), g.n(0, 9)));
    c.no("regex_src", "PATTERN = r'^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'\n".to_owned());
    c.no("alphabet", format!("ALPHABET = \"{}{}{}+/\"\n", UP, LOW, DIG));
    c.no("alphabet_b58", "const B58: &str = \"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz\";\n".to_owned());
    c.no("keyboard_combo", "  \"key\": \"ctrl+shift+alt+pagedown\", \"command\": \"workbench.action.moveEditorToNextGroup\"\n".to_owned());
    c.no("placeholder_caps", g.pick(&["API_KEY=YOUR_API_KEY\n", "SECRET_KEY=CHANGE_ME_BEFORE_DEPLOY\n", "OPENAI_API_KEY=your-openai-api-key-here\n", "TOKEN=REPLACE_WITH_YOUR_TOKEN\n"]).to_string());
    c.no("placeholder_angle", g.pick(&["Authorization: Bearer <token>\n", "Authorization: Bearer <YOUR_ACCESS_TOKEN>\n", "password: <your-password-here>\n"]).to_string());
    c.no("placeholder_var", g.pick(&["password: ${DB_PASSWORD}\n", "token: {{ .Values.auth.token }}\n", "api_key: ${{ secrets.OPENAI_API_KEY }}\n", "secret: $(cat /run/secrets/app)\n", "key: %{API_KEY}\n"]).to_string());
    c.no("placeholder_url", g.pick(&["url: postgres://${DB_USER}:${DB_PASS}@localhost/app\n", "url: postgres://user:\u{70}assword@localhost:5432/db\n", "url: https://<user>:<token>@git.acme.example/x.git\n"]).to_string());
    c.no("placeholder_x", "Set `gh".to_owned() + "p_" + &"x".repeat(36) + "` or `sk-" + &"X".repeat(40) + "` or `AKIA" + &"X".repeat(16) + "`\n");
}

#[rustfmt::skip]
fn texts(g: &mut Gen, c: &mut Corpus) {
    c.soft("aws_doc_example", "AKIA".to_owned() + "IOSFODNN7" + "EXAMPLE is the id used in the vendor's manual\n");
    c.no("masked", "token=****************** key=sk-...abcd password=[FILTERED] Bearer [FILTERED] secret=REDACTED\n".to_owned());
    c.no("env_lookup", g.pick(&["api_key = os.environ[\"OPENAI_API_KEY\"]\n", "token = os.getenv('GITHUB_TOKEN', '')\n", "secret := os.Getenv(\"CLIENT_SECRET\")\n", "const password = process.env.DB_PASSWORD;\n", "let token = std::env::var(\"API_TOKEN\")?;\n"]).to_string());
    c.no("code_token_word", g.pick(&["token = tokenizer.convert_ids_to_tokens(input_ids[0])\n", "secret_name = get_secret_value_response(SecretId=name)\n", "password_field = forms.CharField(widget=forms.PasswordInput)\n", "next_page_token = response.get('nextPageToken')\n", "key = lambda item: item.created_at_timestamp\n"]).to_string());
    c.no("code_type_decl", g.pick(&["pub struct AccessTokenResponse { access_token: SecretString, token_type: TokenType }\n", "fn verify_password_hash(password: &str, expected_password_hash: &PasswordHash) -> Result<()> {\n", "let api_key: Option<ApiKeyCredential> = credentials.api_key.clone();\n"]).to_string());
    c.no("k8s_refs", format!("        secretKeyRef:\n          name: {}-{}-credentials\n          key: {}-api-token\n      imagePullSecrets:\n      - name: regcred-{}\n", g.word(), g.word(), g.word(), g.word()));
    c.no("secret_names", format!("resource \"aws_secretsmanager_secret\" \"{}_{}_password\" {{ name = \"prod/{}/{}-password\" }}\narn:aws:secretsmanager:eu-west-1:{}:secret:prod/{}-{}\n", g.word(), g.word(), g.word(), g.word(), g.digits(12), g.word(), g.s(A62, 6)));
    c.no("hf_config", "  \"tokenizer_class\": \"LlamaTokenizerFast\",\n  \"pad_token\": \"<|finetune_right_pad_id|>\",\n  \"eos_token_id\": 128009\n".to_owned());
    c.no("bearer_prose", "The bearer of this note gets coffee. Bearer tokens are described below; a Basic understanding is enough.\n".to_owned());
    c.no("sk_words", "sk-learn, sk-SK locale, task-oriented-dialogue-management-system, disk-encryption-configuration-manager, risk-assessment_framework\n".to_owned());
    c.no("css_kebab_sk", ".sk-folding-cube-animation-container-wrapper{transform:rotateZ(45deg)} .task-sk-proj-list-item-selected-highlighted{}\n".to_owned());
    c.no("akia_words", "AKIAKTUELLERNACHRICHTENDIENST and ASIAPACIFICREGIONALHEADQUARTERS\n".to_owned());
    c.no("eyj_words", "eyJ is how base64 of an opening brace begins; see eyJhbGciOi in the docs.\n".to_owned());
    c.soft("ssh_public", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ".to_owned() + g.b64(380).trim_end_matches('=') + " ci@acme\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + g.b64(32).trim_end_matches('=') + " x\n");
    c.soft("known_hosts_hash", format!("|1|{}|{} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}\n", g.b64(20), g.b64(20), g.b64(32).trim_end_matches('=')));
    c.soft("data_uri_png", "background:url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA".to_owned() + g.b64(400).trim_end_matches('=') + ")\n");
    c.soft("data_uri_font", "src:url(data:font/woff2;base64,d09GMgABAAAA".to_owned() + g.b64(400).trim_end_matches('=') + ") format('woff2')\n");
    c.soft("jupyter_png", "     \"image/png\": \"iVBORw0KGgoAAAANSUhEUgAA".to_owned() + g.b64(500).trim_end_matches('=') + "\\n\",\n");
    c.soft("wasm_b64", "const wasm=\"AGFzbQEAAAA".to_owned() + &g.b64(300).to_string() + "\";\n");
    c.soft("stripe_publishable", "const pk = 'pk_".to_owned() + "live_" + &g.s(A62, 24).to_string() + "';\n");
    c.no("git_index_line", format!("diff --git a/src/{}.rs b/src/{}.rs\nindex {}..{} 100644\n--- a/src/{}.rs\n", g.word(), g.word(), g.hex(10), g.hex(10), g.word()));
    c.no("git_lfs_pointer", format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n", g.hex(64), g.n(1000, 9999999)));
    c.no("eth_address", format!("address constant A = 0x{};\nbytes32 constant H = 0x{};\n", g.hex(40), g.hex(64)));
    c.no("unicode_table", "('\\u{1f600}', '\\u{1f64f}'), ('\\u{a960}', '\\u{a97c}'), ('\\u{ac00}', '\\u{d7a3}'),\n".to_owned());
    c.no("bazel_label", format!("//third_party/java/{}/{}:{}_{}_java_proto_{}\n@maven//:com_google_{}_{}_failureaccess\n", g.word(), g.word(), g.word(), g.word(), g.word(), g.word(), g.word()));
    c.no("gradle_coord", format!("implementation(\"androidx.{}.{}:{}-{}-viewmodel-savedstate:2.{}.0-alpha0{}\")\n", g.word(), g.word(), g.word(), g.word(), g.n(1, 9), g.n(1, 9)));
    c.no("sql_ddl", format!("CREATE INDEX idx_{}_{}_{}_created_at ON {}_{} (password_reset_token_expires_at, api_key_hash);\n", g.word(), g.word(), g.word(), g.word(), g.word()));
    c.soft("email_msgid", format!("Message-ID: <CA+{}={}@mail.acme.example>\n", g.s(A62, 12), g.s(A62, 14)));
    c.no("youtube_id", format!("https://video.example/watch?v={}&t=42s\n", g.s(B64U, 11)));
    c.soft("doc_id_url", format!("https://docs.acme.example/document/d/1{}/edit\n", g.s(B64U, 43)));
    c.soft("google_client_id", format!("\"client_id\": \"{}-{}.apps.googleusercontent.com\"\n", g.digits(12), g.s(LOW36, 32)));
    c.no("k8s_pod_name", format!("{}-{}-{}-{}   1/1   Running   0   4d\n", g.word(), g.word(), g.s("bcdfghjklmnpqrstvwxz2456789", 10), g.s("bcdfghjklmnpqrstvwxz2456789", 5)));
    c.no("terraform_lock_h1", format!("    \"h1:{}\",\n    \"zh:{}\",\n", g.b64(32), g.hex(64)));
    c.no("bsd_checksum", format!("SHA256 ({}.tgz) = {}\n", g.word(), g.b64(32)));
    c.no("gitmodules_url", format!("url = git@github.com:acme/{}-{}.git\nssh://git@git.acme.example:2222/{}.git\n", g.word(), g.word(), g.word()));
    c.no("scoped_url_at", format!("https://cdn.acme.example/npm/@acme/{}@1.2.{}/dist/{}.js and 12:30@home\n", g.word(), g.n(0, 9), g.word()));
}
