//! Names that no tool may read, list or write, whatever is configured: credentials, keychains, system secrets.

use super::{Row, file, row};

/// The protected names.
#[rustfmt::skip]
pub(crate) const PROTECTED: &[Row] = &[
    // Keys and agents.
    row("ssh_dir", ".ssh"), // https://man.openbsd.org/ssh.1#FILES
    row("gnupg_dir", "{.gnupg,.gpg}"), // https://www.gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html
    row("password_store", ".password-store"), // https://www.passwordstore.org/
    row("keepass", "*.{kdb,kdbx}"), // https://keepass.info/help/base/firststeps.html
    row("age_keys", ".config/sops/age"), // https://github.com/getsops/sops#encrypting-using-age
    row("age_keys_mac", "Library/Application Support/sops/age"), // https://github.com/getsops/sops#encrypting-using-age
    row("onepassword_cli", ".config/op"), // https://developer.1password.com/docs/cli/config-directories/
    row("bitwarden_cli", ".config/Bitwarden CLI"), // https://bitwarden.com/help/cli/
    row("vault_token", ".vault-token"), // https://developer.hashicorp.com/vault/docs/commands/login
    // Clouds.
    row("aws_dir", ".aws"), // https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html
    row("boto", "{.boto,.s3cfg}"), // https://cloud.google.com/storage/docs/boto-gsutil, https://s3tools.org/usage
    row("gcloud_dir", "{.gcloud,.config/gcloud}"), // https://cloud.google.com/sdk/docs/configurations
    row("azure_dir", ".azure"), // https://learn.microsoft.com/cli/azure/azure-cli-configuration
    row("oci_dir", ".oci"), // https://docs.oracle.com/iaas/Content/API/Concepts/sdkconfig.htm
    row("doctl", "{.config/doctl,Library/Application Support/doctl}"), // https://docs.digitalocean.com/reference/doctl/
    row("fly", ".fly"), // https://fly.io/docs/flyctl/
    row("heroku", ".heroku"), // https://devcenter.heroku.com/articles/using-the-cli
    row("kube_dir", ".kube"), // https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
    row("databricks", ".databrickscfg"), // https://docs.databricks.com/dev-tools/auth/config-profiles
    row("snowflake", "{.snowflake,.snowsql}"), // https://docs.snowflake.com/developer-guide/snowflake-cli/connecting/configure-cli
    row("terraform_state", "*.tfstate"), // https://developer.hashicorp.com/terraform/language/state/sensitive-data
    row("terraform_state_backup", "{*.tfstate.backup,*.tfstate.*.backup,*.tfstate.d,*.tfstate.bak,*.tfstate.old}"), // https://developer.hashicorp.com/terraform/cli/commands/state
    row("terraform_cli", "{.terraformrc,terraform.rc,.terraform.d/credentials.tfrc.json}"), // https://developer.hashicorp.com/terraform/cli/config/config-file
    row("pulumi", ".pulumi/credentials.json"), // https://www.pulumi.com/docs/iac/cli/commands/pulumi_login/
    row("rclone", "{.config/rclone/rclone.conf,.rclone.conf}"), // https://rclone.org/docs/#config-string
    row("kaggle", ".kaggle"), // https://www.kaggle.com/docs/api
    row("hugging_face", "{.cache/huggingface,.huggingface}/{token,stored_tokens}"), // https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
    // Containers and package registries.
    row("docker_config", ".docker/{config.json,contexts,trust}"), // https://docs.docker.com/reference/cli/docker/#configuration-files
    row("containers_auth", ".config/containers/auth.json"), // containers-auth.json(5)
    row("dockercfg", ".dockercfg"), // https://docs.docker.com/reference/cli/docker/login/
    row("docker_socket", "/{run,var/run}/docker.sock"), // https://docs.docker.com/engine/security/protect-access/
    row("containerd_socket", "/{run,var/run}/{containerd,crio,podman}"), // https://github.com/containerd/containerd/blob/main/docs/ops.md
    row("npmrc", ".npmrc"), // https://docs.npmjs.com/cli/configuring-npm/npmrc
    row("yarnrc", "{.yarnrc,.yarnrc.yml}"), // https://yarnpkg.com/configuration/yarnrc
    row("pypirc", ".pypirc"), // https://packaging.python.org/specifications/pypirc/
    row("pip_conf", "{.config/pip,.pip,pip}/{pip.conf,pip.ini}"), // https://pip.pypa.io/en/stable/topics/configuration/
    row("cargo_credentials", ".cargo/{credentials,credentials.toml}"), // https://doc.rust-lang.org/cargo/reference/config.html#credentials
    row("gem_credentials", ".gem/credentials"), // https://guides.rubygems.org/publishing/
    row("bundle_config", ".bundle/config"), // https://bundler.io/man/bundle-config.1.html
    row("composer_auth", "{.composer,.config/composer}/auth.json"), // https://getcomposer.org/doc/articles/authentication-for-private-packages.md
    row("maven", ".m2/{settings.xml,settings-security.xml}"), // https://maven.apache.org/guides/mini/guide-encryption.html
    row("gradle", ".gradle/gradle.properties"), // https://docs.gradle.org/current/userguide/build_environment.html
    row("nuget", "{.nuget,.config/nuget,NuGet}/NuGet.Config"), // https://learn.microsoft.com/nuget/consume-packages/configuring-nuget-behavior
    // Source hosting and remote machines.
    row("git_credentials", "{.git-credentials,.config/git/credentials}"), // https://git-scm.com/docs/git-credential-store
    row("git_credential_cache", "{.git-credential-cache,.cache/git/credential}"), // https://git-scm.com/docs/git-credential-cache
    row("gh_hosts", ".config/gh/hosts.yml"), // https://cli.github.com/manual/gh_auth_login
    row("hub", ".config/hub"), // https://hub.github.com/hub.1.html
    row("glab", ".config/glab-cli"), // https://gitlab.com/gitlab-org/cli
    row("netrc", "{.netrc,_netrc}"), // https://everything.curl.dev/usingcurl/netrc.html
    row("security_yml", ".security.yml"), // credential file of PicoClaw
    row("security_yml_variants", ".security.yml.*"), // credential file of PicoClaw, its backups
    // Databases and mail.
    row("pgpass", ".pgpass"), // https://www.postgresql.org/docs/current/libpq-pgpass.html
    row("mysql", "{.my.cnf,.mylogin.cnf}"), // https://dev.mysql.com/doc/refman/en/option-files.html
    row("mongorc", "{.mongorc.js,.mongoshrc.js}"), // https://www.mongodb.com/docs/mongodb-shell/mongoshrc/
    row("redis_cli_auth", ".rediscli_auth"), // https://redis.io/docs/latest/develop/tools/cli/
    row("msmtprc", "{.msmtprc,.config/msmtp/config}"), // https://marlam.de/msmtp/msmtp.html#Configuration-files
    // Wallets.
    row("keystore", "*.keystore"), // https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html
    row("wallets", "{.wallet,.sui,.ethereum/keystore,.config/solana/id.json,.bitcoin}"), // https://geth.ethereum.org/docs/fundamentals/account-management
    // Tokens of agents and editors.
    row("claude_token", ".claude/.credentials.json"), // https://docs.anthropic.com/en/docs/claude-code/iam
    row("codex_token", ".codex/auth.json"), // https://github.com/openai/codex/blob/main/docs/authentication.md
    row("gemini_token", ".gemini/oauth_creds.json"), // https://github.com/google-gemini/gemini-cli
    row("copilot_token", ".config/github-copilot"), // https://docs.github.com/copilot
    // Browsers.
    row("chromium_secrets", "{Login Data,Login Data For Account,Web Data}"), // https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md
    row("chromium_linux", "~/.config/{google-chrome,google-chrome-beta,chromium,microsoft-edge,BraveSoftware,vivaldi,opera}"), // https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md#Linux
    row("chromium_mac", "~/Library/Application Support/{Google/Chrome,Chromium,Microsoft Edge,BraveSoftware,Vivaldi,com.operasoftware.Opera}"), // https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md#Mac-OS-X
    row("chromium_windows", "AppData/{Local,Roaming}/{Google/Chrome,Chromium,Microsoft/Edge,BraveSoftware,Vivaldi,Opera Software}"), // https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md#Windows
    row("firefox_secrets", "{logins.json,key3.db,key4.db,cookies.sqlite,signons.sqlite}"), // https://support.mozilla.org/kb/profiles-where-firefox-stores-user-data
    row("firefox_profiles", "{.mozilla/firefox,Library/Application Support/Firefox,AppData/Roaming/Mozilla/Firefox}"), // https://support.mozilla.org/kb/profiles-where-firefox-stores-user-data
    row("safari", "~/Library/{Cookies,Safari}"), // https://support.apple.com/guide/safari/welcome/mac
    // Keychains of the desktop.
    row("mac_keychains", "Library/Keychains"), // https://support.apple.com/guide/security/keychain-data-protection-secb0694df1a/web
    row("gnome_keyrings", "{.local/share/keyrings,.gnome2/keyrings}"), // https://wiki.gnome.org/Projects/GnomeKeyring
    row("kwallet", ".local/share/kwalletd"), // https://apps.kde.org/kwalletmanager5/
    row("windows_vaults", "AppData/{Local,Roaming,LocalLow}/Microsoft/{Credentials,Protect,Vault}"), // https://learn.microsoft.com/windows/win32/secauthn/credentials-management
    // Histories of shells and database clients: commands with secrets in them.
    row("shell_history", "{.bash_history,.zsh_history,.sh_history,.ash_history,.histfile,.zhistory,.history}"), // bash(1), zshparam(1), HISTFILE
    row("fish_history", ".local/share/fish/fish_history"), // https://fishshell.com/docs/current/cmds/history.html
    row("client_history", "{.psql_history,.mysql_history,.sqlite_history,.rediscli_history,.python_history,.node_repl_history,.irb_history}"), // psql(1), mysql(1), sqlite3(1), python(1)
    // The system.
    row("shadow", "/etc/{shadow,gshadow}"), // shadow(5)
    row("shadow_backup", "/etc/{shadow-,gshadow-}"), // shadow(5)
    row("master_passwd", "/{etc,private/etc}/{master.passwd,spwd.db}"), // https://man.freebsd.org/passwd(5)
    row("sudoers", "/{etc,private/etc}/{sudoers,sudoers.d}"), // sudoers(5)
    row("opasswd", "/etc/security/opasswd"), // pam_unix(8)
    file("ssh_host_keys", "/etc/ssh/*_key"), // sshd_config(5), HostKey
    row("krb5_keytab", "/etc/krb5.keytab"), // https://web.mit.edu/kerberos/krb5-latest/doc/basic/keytab_def.html
    row("sssd", "/var/lib/sss"), // sssd(8)
    row("processes", "/proc"), // proc(5): environ, mem, fd and root of every process
    row("kernel_objects", "/sys"), // sysfs(5)
    row("devices", "/dev").except(&["/dev/shm"]), // https://www.kernel.org/doc/html/latest/admin-guide/devices.html
    row("volume_ids", "/{.vol,.file}"), // macOS: files by number, past every name
    row("resource_fork", "..namedfork"), // macOS: the second content of a file, https://developer.apple.com/library/archive/technotes/tn/tn1150.html
    row("run_secrets", "/{run,var/run}/secrets"), // https://docs.docker.com/engine/swarm/secrets/, https://kubernetes.io/docs/concepts/configuration/secret/
    row("credentials_dirs", "/run/{credentials,user/*/keyring,user/*/gnupg}"), // https://systemd.io/CREDENTIALS/
];
