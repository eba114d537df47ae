//! Values that their surroundings prove.

use super::{
    A62, B32, B64, B64U, Corpus, Gen, LOW36, Label::Structural, Part, base64, kinds::kinds, p, percent, s,
};

/// Five dashes, so that no key opener stands in this file.
pub(crate) const D5: &str = "-----";

/// A password with a symbol.
fn password(g: &mut Gen) -> String {
    let (head, tail) = (g.n(6, 9), g.n(6, 14));
    g.s(A62, head) + g.pick(&["!", "$", "%", "^", "*"]) + &g.s(A62, tail)
}

/// A password of letters and digits.
fn safe(g: &mut Gen) -> String {
    let len = g.n(14, 24);
    g.s(A62, len)
}

/// The opener, the lines of the body, and the end of an armoured key.
pub(crate) fn pem(g: &mut Gen, label: &str, size: usize) -> (String, Vec<String>, String) {
    let body = g.b64(size);
    let lines = body.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    (format!("{D5}BEGIN {label}{D5}"), lines, format!("{D5}END {label}{D5}"))
}

fn body(lines: &[String], before: &str, after: &str) -> Vec<Part> {
    lines.iter().flat_map(|line| [p(before), s(line), p(after)]).collect()
}

fn around(before: String, mut middle: Vec<Part>, after: String) -> Vec<Part> {
    middle.insert(0, p(before));
    middle.push(p(after));
    middle
}

pub(crate) fn add(g: &mut Gen, c: &mut Corpus) {
    connections(g, c);
    files(g, c);
    keys(g, c);
}

fn connections(g: &mut Gen, c: &mut Corpus) {
    let host = format!("{}-db.internal.example", g.word());
    let schemes = [
        ("postgres", 5432, "app"),
        ("postgresql+asyncpg", 5432, "app"),
        ("mysql", 3306, "shop"),
        ("mongodb+srv", 27017, "events"),
        ("redis", 6379, "0"),
        ("amqps", 5671, "vhost"),
        ("https", 8443, "git/repo.git"),
        ("ftp", 21, "pub"),
    ];
    for (scheme, port, path) in schemes {
        let user = g.pick(&["svc_reader", "admin", "app-user", "deploy"]);
        let parts = vec![
            p(format!("DATABASE_URL={scheme}://{user}:")),
            s(safe(g)),
            p(format!("@{host}:{port}/{path}\n")),
        ];
        c.add(format!("url_userinfo {scheme}"), Structural, parts, &[user, &host, scheme]);
    }
    c.add(
        "redis_nouser",
        Structural,
        vec![p("cache_url: redis://:"), s(safe(g)), p(format!("@{host}:6379/2\n"))],
        &[&host],
    );
    let head = format!("\"Server=tcp:{host},1433;Initial Catalog=main;User ID=svc;Password=");
    c.add(
        "ado_connstr",
        Structural,
        vec![p(head), s(password(g)), p(";Encrypt=True;\"\n")],
        &["User ID=svc", "Encrypt=True"],
    );
    let head = format!("jdbc.url=jdbc:postgresql://{host}/main?user=svc&password=");
    c.add("jdbc_param", Structural, vec![p(head), s(safe(g)), p("&ssl=true\n")], &["user=svc", "ssl=true"]);
    let head = "CONN=DefaultEndpointsProtocol=https;AccountName=acmestore;AccountKey=";
    c.add(
        "azure_storage",
        Structural,
        vec![p(head), s(g.b64(64)), p(";EndpointSuffix=core.windows.net\n")],
        &["AccountName=acmestore", "EndpointSuffix"],
    );
    let head = "SB=Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=";
    c.add(
        "azure_servicebus",
        Structural,
        vec![p(head), s(g.b64(32)), p("\n")],
        &["SharedAccessKeyName=Root"],
    );
    let head =
        "https://acme.blob.core.windows.net/c/f.bin?sv=2024-05-04&se=2027-01-01T00%3A00Z&sr=b&sp=r&sig=";
    let signature = percent(&g.b64(32)).replace('/', "%2F");
    c.add("azure_sas", Structural, vec![p(head), s(signature), p("\n")], &["sv=2024-05-04", "sp=r"]);
    let id = || "AKIA".to_owned();
    let parts = vec![
        p("https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="),
        s(id() + &g.s(B32, 16)),
        p("%2F20260314%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature="),
        s(g.hex(64)),
        p("\n"),
    ];
    c.add("aws_presigned", Structural, parts, &["X-Amz-Algorithm"]);
    let parts = vec![
        p("[default]\naws_access_key_id = "),
        s(id() + &g.s(B32, 16)),
        p("\naws_secret_access_key = "),
        s(g.b64(30)),
        p("\nregion = eu-west-1\n"),
    ];
    c.add("aws_pair", Structural, parts, &["aws_access_key_id", "region = eu-west-1"]);
    let token = kinds()
        .into_iter()
        .find(|(name, _)| *name == "github_server")
        .map(|(_, make)| make(g).1)
        .unwrap_or_default();
    c.add(
        "git_credentials",
        Structural,
        vec![p("https://x-access-token:"), s(token), p("@github.com/acme/app.git\n")],
        &["x-access-token", "@github.com/acme/app.git"],
    );
}

fn files(g: &mut Gen, c: &mut Corpus) {
    let host = format!("{}-db.internal.example", g.word());
    c.add(
        "npmrc_legacy",
        Structural,
        vec![p("//registry.acme.example/:_authToken="), s(g.uuid()), p("\nsave-exact=true\n")],
        &["//registry.acme.example/:_authToken="],
    );
    let value = base64(safe(g).as_bytes());
    c.add(
        "npmrc_password",
        Structural,
        vec![
            p("//registry.acme.example/:_password="),
            s(value),
            p("\n//registry.acme.example/:username=ci\n"),
        ],
        &["username=ci"],
    );
    c.add(
        "netrc",
        Structural,
        vec![p("machine api.acme.example\n  login ci-bot\n  password "), s(password(g)), p("\n")],
        &["login ci-bot"],
    );
    c.add(
        "netrc_oneline",
        Structural,
        vec![p("machine api.acme.example login ci-bot password "), s(safe(g)), p("\n")],
        &["login ci-bot"],
    );
    c.add("pgpass", Structural, vec![p(format!("{host}:5432:main:svc:")), s(safe(g)), p("\n")], &[&host]);
    let head = format!(
        "users:\n- name: ops\n  user:\n    client-certificate-data: {}\n    client-key-data: ",
        g.b64(600)
    );
    c.add("kubeconfig", Structural, vec![p(head), s(g.b64(900)), p("\n")], &["client-key-data"]);
    c.add(
        "kubeconfig_token",
        Structural,
        vec![p("users:\n- name: ops\n  user:\n    token: "), s(g.s(A62, 64)), p("\n")],
        &["token:"],
    );
    let pair = |g: &mut Gen| base64(format!("ci:{}", safe(g)).as_bytes());
    c.add(
        "docker_auth",
        Structural,
        vec![p("{\"auths\":{\"reg.acme.example\":{\"auth\":\""), s(pair(g)), p("\"}}}\n")],
        &["reg.acme.example", "\"auth\""],
    );
    c.add(
        "basic_header",
        Structural,
        vec![p("GET / HTTP/1.1\nAuthorization: Basic "), s(pair(g)), p("\n")],
        &["Authorization: Basic "],
    );
    let len = g.n(24, 60);
    c.add(
        "bearer_opaque",
        Structural,
        vec![p("GET / HTTP/1.1\nauthorization: bearer "), s(g.s(B64U, len)), p("\nAccept: */*\n")],
        &["Accept: */*"],
    );
    c.add(
        "cookie_session",
        Structural,
        vec![p("Cookie: theme=dark; sessionid="), s(g.s(LOW36, 32)), p("; lang=en\n")],
        &["theme=dark", "lang=en"],
    );
    let value = format!("s%3A{}.{}", g.s(B64U, 32), percent(&g.b64(32)));
    c.add(
        "set_cookie",
        Structural,
        vec![p("Set-Cookie: connect.sid="), s(value), p("; Path=/; HttpOnly\n")],
        &["Path=/; HttpOnly"],
    );
    let value = base64(safe(g).as_bytes());
    let head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  password: ";
    c.add("k8s_secret", Structural, vec![p(head), s(value), p("\n")], &["kind: Secret", "password:"]);
    let head = "<server><id>r</id><username>ci</username><password>";
    c.add(
        "maven_settings",
        Structural,
        vec![p(head), s(password(g)), p("</password></server>\n")],
        &["<username>ci</username>"],
    );
    let hash = format!("$6${}${}", g.s(A62, 16), g.s(&(A62.to_owned() + "./"), 86));
    c.add("shadow", Structural, vec![p("svc:"), s(hash), p(":19800:0:99999:7:::\n")], &["svc:"]);
}

fn keys(g: &mut Gen, c: &mut Corpus) {
    for (label, size) in [
        ("RSA PRIVATE KEY", 1190),
        ("EC PRIVATE KEY", 121),
        ("PRIVATE KEY", 1218),
        ("OPENSSH PRIVATE KEY", 400),
        ("ENCRYPTED PRIVATE KEY", 1300),
        ("DSA PRIVATE KEY", 450),
    ] {
        let (open, lines, end) = pem(g, label, size);
        c.add(
            format!("pem {label}"),
            Structural,
            around(format!("# key\n{open}\n"), body(&lines, "", "\n"), format!("{end}\ntail line\n")),
            &[&open, &end, "tail line"],
        );
    }
    let (open, lines, end) = pem(g, "RSA PRIVATE KEY", 1190);
    let head =
        format!("{open}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{}\n\n", g.hex(32).to_uppercase());
    c.add(
        "pem_proc_type",
        Structural,
        around(head, body(&lines, "", "\n"), format!("{end}\n")),
        &[&open, &end],
    );
    let (open, lines, end) = pem(g, "PRIVATE KEY", 1218);
    let head = format!("{{\"type\":\"service_account\",\"private_key\":\"{open}\\n");
    c.add(
        "pem_json_escaped",
        Structural,
        around(head, body(&lines, "", "\\n"), format!("{end}\\n\",\"client_email\":\"x@acme.example\"}}\n")),
        &["service_account", "client_email"],
    );
    let (open, lines, end) = pem(g, "EC PRIVATE KEY", 121);
    c.add(
        "pem_yaml_block",
        Structural,
        around(
            format!("tls:\n  key: |\n    {open}\n"),
            body(&lines, "    ", "\n"),
            format!("    {end}\n  port: 8443\n"),
        ),
        &["port: 8443"],
    );
    let (open, lines, _) = pem(g, "RSA PRIVATE KEY", 600);
    c.add(
        "pem_truncated",
        Structural,
        around(format!("{open}\n"), body(&lines[..8], "", "\n"), String::new()),
        &[&open],
    );
    let (open, lines, end) = pem(g, "PGP PRIVATE KEY BLOCK", 700);
    let mut middle = body(&lines, "", "\n");
    middle.extend([p("="), s(g.s(A62, 4))]);
    c.add(
        "pgp_private",
        Structural,
        around(format!("{open}\n\n"), middle, format!("\n{end}\n")),
        &[&open, &end],
    );
    let lines: Vec<String> = (0..14).map(|_| g.s(B64, 64)).collect();
    let head = format!(
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 1\n{}\nPrivate-Lines: 14\n",
        g.s(B64, 64)
    );
    c.add(
        "putty_ppk",
        Structural,
        around(head, body(&lines, "", "\n"), format!("Private-MAC: {}\n", g.hex(64))),
        &["Comment: k"],
    );
}
