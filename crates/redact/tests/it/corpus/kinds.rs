//! Token kinds with a published shape.

use super::{A52, A62, B32, B64U, BECH32, Gen, LOW36, UP36, base64, base64url, crc32};

/// Draws a value: the public part before it, and the value.
pub(crate) type Kind = fn(&mut Gen) -> (String, String);

/// `prefix`, 30 random characters and their checksum: the layout that two issuers publish.
fn crc(g: &mut Gen, prefix: &str) -> String {
    let body = g.s(A62, 30);
    let mut sum = u64::from(crc32(body.as_bytes()));
    let mut tail = [b'0'; 6];
    for digit in tail.iter_mut().rev() {
        *digit = A62.as_bytes()[(sum % 62) as usize];
        sum /= 62;
    }
    format!("{prefix}{body}{}", String::from_utf8_lossy(&tail))
}

/// A signed token with a signature of `size` bytes.
pub(crate) fn jwt(g: &mut Gen, size: usize) -> String {
    let alg = match size {
        0 => "none",
        32 => "HS256",
        64 => "ES256",
        _ => "RS256",
    };
    let head = base64url(format!("{{\"alg\":\"{alg}\",\"typ\":\"JWT\"}}").as_bytes());
    let name = g.pick(&["Sam Doe", "svc-build", "reader"]);
    let body = format!(
        "{{\"sub\":\"{}\",\"name\":\"{name}\",\"iat\":{},\"jti\":\"{}\"}}",
        g.digits(10),
        g.n(1_500_000_000, 1_800_000_000),
        g.uuid()
    );
    format!("{head}.{}.{}", base64url(body.as_bytes()), g.b64u(size))
}

/// All kinds by name.
#[rustfmt::skip]
pub(crate) fn kinds() -> Vec<(&'static str, Kind)> {
    vec![
        ("github_pat", |g| (String::new(), crc(g, "ghp_"))),
        ("github_oauth", |g| (String::new(), crc(g, "gho_"))),
        ("github_user", |g| (String::new(), crc(g, "ghu_"))),
        ("github_server", |g| (String::new(), crc(g, "ghs_"))),
        ("github_refresh", |g| (String::new(), crc(g, "ghr_"))),
        ("npm_token", |g| (String::new(), crc(g, "npm_"))),
        ("github_server_jwt", |g| (String::new(), format!("gh{}_{}_{}", "s", g.digits(6), jwt(g, 256)))),
        ("github_fine", |g| (String::new(), format!("github{}{}_{}", "_pat_", g.s(A62, 22), g.s(A62, 59)))),
        ("gitlab_pat", |g| (String::new(), format!("glpat-{}", g.s(B64U, 20)))),
        ("gitlab_routable", |g| (String::new(), format!("glpat-{}.01.{}", g.s(B64U, 44), g.s(LOW36, 9)))),
        ("gitlab_trigger", |g| (String::new(), format!("glptt-{}", g.hex(40)))),
        ("gitlab_deploy", |g| (String::new(), format!("gldt-{}", g.s(B64U, 20)))),
        ("gitlab_runner", |g| (String::new(), format!("glrt-{}", g.s(B64U, 20)))),
        ("aws_akid", |g| (String::new(), format!("AKIA{}", g.s(B32, 16)))),
        ("aws_asia", |g| (String::new(), format!("ASIA{}", g.s(B32, 16)))),
        ("aws_bedrock", |g| (String::new(), format!("ABSK{}", g.b64(96).trim_end_matches('=')))),
        ("slack_bot", |g| (String::new(), format!("xoxb-{}-{}-{}", g.digits(12), g.digits(13), g.s(A62, 24)))),
        ("slack_user", |g| (String::new(), format!("xoxp-{}-{}-{}-{}", g.digits(12), g.digits(12), g.digits(13), g.hex(32)))),
        ("slack_app", |g| (String::new(), format!("xapp{}{}-{}-{}", "-1-A", g.s(UP36, 10), g.digits(13), g.hex(64)))),
        ("slack_config", |g| (String::new(), format!("xoxe.{}-1-{}", "xoxp", g.s(A62, 163)))),
        ("google_api", |g| (String::new(), format!("AIza{}{}", "Sy", g.s(B64U, 33)))),
        ("google_oauth_secret", |g| (String::new(), format!("GOCSPX-{}", g.s(B64U, 28)))),
        ("google_access", |g| (String::new(), { let len = g.n(120, 200); format!("ya29.{}{}", "a0", g.s(B64U, len)) })),
        ("google_refresh", |g| (String::new(), format!("1//0{}{}", g.s(A62, 1), g.s(B64U, 96)))),
        ("openai_legacy", |g| (String::new(), format!("sk-{}T3Blbk{}{}", g.s(A62, 20), "FJ", g.s(A62, 20)))),
        ("openai_project", |g| (String::new(), format!("sk-proj-{}T3Blbk{}{}", g.s(B64U, 74), "FJ", g.s(B64U, 74)))),
        ("anthropic", |g| (String::new(), format!("sk-ant-{}{}AA", "api03-", g.s(B64U, 93)))),
        ("openrouter", |g| (String::new(), format!("sk-or-{}{}", "v1-", g.hex(64)))),
        ("deepseek", |g| (String::new(), format!("sk-{}", g.hex(32)))),
        ("stripe_secret", |g| (String::new(), format!("sk_{}{}", "live_", g.s(A62, 24)))),
        ("stripe_secret_long", |g| (String::new(), format!("sk_{}{}", "live_", g.s(A62, 99)))),
        ("stripe_restricted", |g| (String::new(), format!("rk_{}{}", "live_", g.s(A62, 24)))),
        ("stripe_webhook", |g| (String::new(), format!("whsec_{}", g.s(A62, 32)))),
        ("groq", |g| (String::new(), format!("gsk_{}", g.s(A62, 52)))),
        ("huggingface", |g| (String::new(), format!("hf_{}", g.s(A52, 34)))),
        ("replicate", |g| (String::new(), format!("r8_{}", g.s(A62, 37)))),
        ("perplexity", |g| (String::new(), format!("pplx-{}", g.s(A62, 48)))),
        ("xai", |g| (String::new(), format!("xai-{}", g.s(A62, 80)))),
        ("pypi", |g| (String::new(), format!("pypi-{}{}", "AgEIcHlwaS5vcmc", g.s(B64U, 150)))),
        ("rubygems", |g| (String::new(), format!("rubygems_{}", g.hex(48)))),
        ("cargo_registry", |g| (String::new(), format!("cio{}", g.s(A62, 32)))),
        ("dockerhub", |g| (String::new(), format!("dckr_pat_{}", g.s(B64U, 27)))),
        ("clojars", |g| (String::new(), format!("CLOJARS_{}", g.hex(60)))),
        ("sendgrid", |g| (String::new(), format!("SG.{}.{}", g.s(B64U, 22), g.s(B64U, 43)))),
        ("mailgun", |g| (String::new(), format!("key-{}", g.hex(32)))),
        ("mailchimp", |g| (String::new(), format!("{}-us{}", g.hex(32), g.n(1, 21)))),
        ("twilio_key", |g| (String::new(), format!("SK{}", g.hex(32)))),
        ("telegram", |g| (String::new(), format!("{}:AA{}", g.digits(10), g.s(B64U, 33)))),
        ("discord_bot", |g| (String::new(), format!("{}.{}.{}", base64(g.digits(18).as_bytes()).trim_end_matches('='), g.s(B64U, 6), g.s(B64U, 38)))),
        ("shopify", |g| (String::new(), format!("shpat_{}", g.hex(32)))),
        ("square", |g| (String::new(), format!("sq0csp-{}", g.s(B64U, 43)))),
        ("square_eaaa", |g| (String::new(), format!("EAAA{}", g.s(B64U, 60)))),
        ("braintree", |g| (String::new(), format!("access_token${}${}${}", "production", g.s(LOW36, 16), g.hex(32)))),
        ("digitalocean", |g| (String::new(), format!("dop_v1_{}", g.hex(64)))),
        ("heroku", |g| (String::new(), format!("HRKU-{}{}", "AA", g.s(B64U, 58)))),
        ("vercel", |g| (String::new(), format!("vcp_{}", g.s(A62, 56)))),
        ("netlify", |g| (String::new(), format!("nfp_{}", g.s(A62, 36)))),
        ("cloudflare_ca", |g| (String::new(), format!("v1.0-{}-{}", g.hex(24), g.hex(146)))),
        ("databricks", |g| (String::new(), format!("dapi{}", g.hex(32)))),
        ("azure_ad", |g| (String::new(), format!("{}8Q~{}", g.s(A62, 3), g.s(&(A62.to_owned() + "._~-"), 34)))),
        ("vault", |g| (String::new(), format!("hvs.{}", g.s(B64U, 95)))),
        ("terraform", |g| (String::new(), format!("{}.atlas{}{}", g.s(A62, 14), "v1.", g.s(B64U, 67)))),
        ("doppler", |g| (String::new(), format!("dp.pt.{}", g.s(A62, 43)))),
        ("pulumi", |g| (String::new(), format!("pul-{}", g.hex(40)))),
        ("linear", |g| (String::new(), format!("lin_api_{}", g.s(A62, 40)))),
        ("notion", |g| (String::new(), format!("ntn_{}{}", g.digits(11), g.s(A62, 35)))),
        ("figma", |g| (String::new(), format!("figd_{}", g.s(B64U, 40)))),
        ("airtable", |g| (String::new(), format!("pat{}.{}", g.s(A62, 14), g.hex(64)))),
        ("postman", |g| (String::new(), format!("PMAK-{}-{}", g.hex(24), g.hex(34)))),
        ("newrelic", |g| (String::new(), format!("NRAK-{}", g.s(UP36, 27)))),
        ("grafana_sa", |g| (String::new(), { let body = format!("glsa_{}", g.s(A62, 32)); format!("{body}_{:08x}", crc32(body.as_bytes()).swap_bytes()) })),
        ("sentry_user", |g| (String::new(), format!("sntryu_{}", g.hex(64)))),
        ("launchdarkly", |g| (String::new(), format!("sdk-{}", g.uuid()))),
        ("planetscale", |g| (String::new(), format!("pscale_tkn_{}", g.s(B64U, 43)))),
        ("supabase", |g| (String::new(), format!("sbp_{}", g.hex(40)))),
        ("tailscale", |g| (String::new(), format!("tskey-auth-{}CNTRL-{}", g.s(A62, 12), g.s(A62, 32)))),
        ("age", |g| (String::new(), format!("AGE-SECRET{}{}", "-KEY-1", g.s(BECH32, 58)))),
        ("onepassword", |g| (String::new(), format!("ops_{}", base64(format!("{{\"signInAddress\": \"acme.example\", \"k\": \"{}\"}}", g.b64(180)).as_bytes()).trim_end_matches('=')))),
        ("atlassian", |g| (String::new(), { let body = format!("ATATT3xFfGF0{}=", g.s(B64U, 171)); format!("{body}{:08X}", crc32(body.as_bytes())) })),
        ("artifactory", |g| (String::new(), format!("AKCp{}", g.s(A62, 69)))),
        ("dynatrace", |g| (String::new(), format!("dt0c01.{}.{}", g.s(UP36, 24), g.s(UP36, 64)))),
        ("jwt_hs256", |g| (String::new(), jwt(g, 32))),
        ("jwt_rs256", |g| (String::new(), jwt(g, 256))),
        ("jwt_es256", |g| (String::new(), jwt(g, 64))),
        ("jwt_none", |g| (String::new(), jwt(g, 0))),
        ("jwe", |g| (String::new(), format!("{}.{}.{}.{}.{}", base64url(b"{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}"), g.b64u(256), g.b64u(12), g.b64u(90), g.b64u(16)))),
        ("slack_webhook", |g| ("https://hooks.slack.com/services/".to_owned(), format!("T{}/B{}/{}", g.s(UP36, 9), g.s(UP36, 10), g.s(A62, 24)))),
        ("discord_webhook", |g| (format!("https://discord.com/api/webhooks/{}/", g.digits(18)), g.s(B64U, 68))),
        ("fly", |g| ("FlyV1 ".to_owned(), format!("fm2_{}", g.b64(200)))),
    ]
}
