//! Names of files that usually hold secrets of the project: guarded, but an operator or a person may open them.

use super::{Row, file, row};

/// What stands for a template without secrets.
const TEMPLATES: &[&str] = &[
    ".env.{example,sample,template,dist,defaults}",
    ".env.*.{example,sample,template,dist,defaults}",
    "{example,sample,template}.env",
];

/// The sensitive names.
#[rustfmt::skip]
pub(crate) const SENSITIVE: &[Row] = &[
    row("env_file", ".env"), // https://github.com/motdotla/dotenv
    row("env_variant", ".env.*").except(TEMPLATES), // https://github.com/bkeepers/dotenv#customizing-rails
    file("env_suffix", "*.env").except(TEMPLATES), // https://docs.docker.com/compose/how-tos/environment-variables/set-environment-variables/
    row("envrc", ".envrc"), // https://direnv.net/
    row("dev_vars", ".dev.vars"), // https://developers.cloudflare.com/workers/configuration/secrets/
    row("dev_vars_variant", ".dev.vars.*").except(&[".dev.vars.{example,sample,template}"]), // https://developers.cloudflare.com/workers/configuration/secrets/
    row("flaskenv", ".flaskenv"), // https://flask.palletsprojects.com/en/stable/cli/
    file("pem", "*.pem"), // RFC 7468
    file("key", "*.key"), // https://docs.openssl.org/master/man1/openssl-genpkey/
    file("pkcs12", "*.{p12,pfx}"), // RFC 7292
    file("certificate", "*.cer"), // RFC 5280; exported with its key by some tools
    file("java_keystore", "*.{jks,bks}"), // https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html
    file("putty_key", "*.ppk"), // https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html
    file("ssh_key", "id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk,xmss}"), // ssh-keygen(1)
    file("ssh_public_key", "id_{rsa,dsa,ecdsa,ecdsa_sk,ed25519,ed25519_sk,xmss}.pub"), // ssh-keygen(1)
    file("ssh_authorized", "{authorized_keys,authorized_keys2}"), // sshd(8)
    file("ssh_host_key", "ssh_host_*_key"), // sshd_config(5), HostKey
    file("ssh_host_public_key", "ssh_host_*_key.pub"), // sshd_config(5), HostKey
    file("pgp_secret", "{secring.gpg,secring.asc,*secret*.asc,*private*.asc}"), // https://www.gnupg.org/documentation/manuals/gnupg/
    file("service_account", "*service-account*.json"), // https://cloud.google.com/iam/docs/keys-create-delete
    file("service_account_snake", "*service_account*.json"), // https://cloud.google.com/iam/docs/keys-create-delete
    file("credentials_json", "credentials.json"), // https://developers.google.com/workspace/guides/create-credentials
    file("client_secret", "client_secret*.json"), // https://developers.google.com/identity/protocols/oauth2
    file("secrets_file", "secrets.{yml,yaml,json,toml}"), // https://guides.rubyonrails.org/security.html#custom-credentials, https://docs.streamlit.io/develop/concepts/connections/secrets-management
    file("local_settings", "local.settings.json"), // https://learn.microsoft.com/azure/azure-functions/functions-develop-local#local-settings-file
    file("app_settings", "appsettings.*.json"), // https://learn.microsoft.com/aspnet/core/fundamentals/configuration/
    file("wp_config", "wp-config.php"), // https://developer.wordpress.org/advanced-administration/wordpress/wp-config/
    file("htpasswd", ".htpasswd"), // https://httpd.apache.org/docs/current/programs/htpasswd.html
    file("rails_key", "master.key"), // https://guides.rubyonrails.org/security.html#custom-credentials
    file("ovpn", "*.ovpn"), // https://openvpn.net/community-resources/reference-manual-for-openvpn-2-6/
    file("keytab", "*.keytab"), // https://web.mit.edu/kerberos/krb5-latest/doc/basic/keytab_def.html
    row("docker_dir", ".docker"), // https://docs.docker.com/reference/cli/docker/#configuration-files
];
