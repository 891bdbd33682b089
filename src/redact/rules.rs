//! The built-in rules: formats of secrets that their issuers made recognisable, and the few places where others stand.
//!
//! Data only. Which formats are worth knowing follows the default rules of gitleaks (MIT, <https://github.com/gitleaks/gitleaks>);
//! the formats themselves are those that the issuers publish. Left out is what cannot be told from ordinary text: a rule that
//! redacts code hurts every day.

/// Which bytes the body of a token has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `A-Z a-z 0-9`.
    Alnum,
    /// The same and `_ -`.
    Word,
    /// The same and `.`.
    Dotted,
    /// `A-Z a-z 0-9 + / = _ -`.
    Base64,
    /// The same and `%`, as in an address or a cookie.
    Url,
    /// `0-9 a-f`.
    Hex,
    /// `A-Z 2-7`.
    Base32,
}

/// What else has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    None,
    /// Letters and at least two digits, which no words have, or letters of both cases that make no words: of thirty random letters
    /// and digits one in fifty has but one digit.
    Random,
    /// Three parts between dots, the second a JSON object, too.
    Jwt,
    /// Not the issuer's own example.
    NoExample,
}

/// A token with a fixed beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// What the placeholder calls it.
    pub id: &'static str,
    /// How it begins.
    pub prefix: &'static str,
    /// The piece of the prefix that is looked for: three bytes or more, and shared where prefixes share it.
    pub trigger: &'static str,
    pub class: Class,
    /// Bytes after the prefix.
    pub min: usize,
    pub max: usize,
    pub check: Check,
    /// The prefix is a name and stays.
    pub keeps_prefix: bool,
}

const fn token(
    id: &'static str,
    prefix: &'static str,
    trigger: &'static str,
    class: Class,
    (min, max): (usize, usize),
) -> Token {
    Token { id, prefix, trigger, class, min, max, check: Check::None, keeps_prefix: false }
}

const fn checked(token: Token, check: Check) -> Token {
    Token { check, ..token }
}

const fn named(token: Token) -> Token {
    Token { keeps_prefix: true, ..token }
}

/// Longer than any token: what goes on further is something else (an image, a bundle).
const LONG: usize = 4096;

/// The longest private key in base64 of base64: one of RSA with 4096 bits has 4 400.
const KEY_IN_BASE64: usize = 6 * 1024;

/// Every token that is known by its beginning.
pub(super) const TOKENS: &[Token] = &[
    token("github_pat", "ghp_", "ghp_", Class::Alnum, (36, 255)),
    token("github_oauth", "gho_", "gho_", Class::Alnum, (36, 255)),
    token("github_app", "ghu_", "ghu_", Class::Alnum, (36, 255)),
    token("github_app", "ghs_", "ghs_", Class::Alnum, (36, 255)),
    token("github_refresh", "ghr_", "ghr_", Class::Alnum, (36, 255)),
    token("github_pat", "github_pat_", "hub_pat_", Class::Word, (40, 255)),
    token("docker_pat", "dckr_pat_", "ckr_pat_", Class::Word, (24, 64)),
    token("shopify_token", "shpat_", "hpat_", Class::Hex, (32, 32)),
    token("gitlab_pat", "glpat-", "lpat-", Class::Dotted, (20, 300)),
    token("gitlab_token", "glptt-", "glptt-", Class::Word, (20, 64)),
    token("gitlab_token", "gldt-", "gldt-", Class::Word, (20, 64)),
    token("gitlab_token", "glrt-", "glrt-", Class::Dotted, (20, 300)),
    checked(token("aws_access_key", "AKIA", "AKIA", Class::Base32, (16, 16)), Check::NoExample),
    checked(token("aws_access_key", "ASIA", "ASIA", Class::Base32, (16, 16)), Check::NoExample),
    checked(token("slack_token", "xapp-", "xapp-", Class::Word, (20, 255)), Check::Random),
    named(token("slack_webhook", "hooks.slack.com/services/", "hooks.slack", Class::Base64, (30, 100))),
    checked(token("stripe_key", "sk_live_", "k_live_", Class::Alnum, (16, 255)), Check::Random),
    checked(token("stripe_key", "rk_live_", "k_live_", Class::Alnum, (16, 255)), Check::Random),
    checked(token("stripe_key", "sk_test_", "k_test_", Class::Alnum, (16, 255)), Check::Random),
    checked(token("stripe_key", "rk_test_", "k_test_", Class::Alnum, (16, 255)), Check::Random),
    checked(token("webhook_secret", "whsec_", "whsec_", Class::Base64, (24, 255)), Check::Random),
    token("anthropic_key", "sk-ant-", "sk-ant-", Class::Word, (32, 255)),
    checked(token("openai_key", "sk-proj-", "sk-proj-", Class::Word, (40, 255)), Check::Random),
    checked(token("openai_key", "sk-svcacct-", "sk-svcacct-", Class::Word, (40, 255)), Check::Random),
    token("openrouter_key", "sk-or-v1-", "sk-or-v1-", Class::Hex, (64, 64)),
    token("google_api_key", "AIza", "AIza", Class::Word, (35, 35)),
    token("google_oauth", "ya29.", "ya29.", Class::Dotted, (30, 2048)),
    token("google_client_secret", "GOCSPX-", "GOCSPX-", Class::Word, (28, 28)),
    token("npm_token", "npm_", "npm_", Class::Alnum, (36, 36)),
    token("pypi_token", "pypi-AgE", "pypi-AgE", Class::Word, (50, 1024)),
    token("digitalocean_token", "dop_v1_", "_v1_", Class::Hex, (64, 64)),
    token("digitalocean_token", "doo_v1_", "_v1_", Class::Hex, (64, 64)),
    token("digitalocean_token", "dor_v1_", "_v1_", Class::Hex, (64, 64)),
    token("databricks_token", "dapi", "dapi", Class::Hex, (32, 32)),
    token("doppler_token", "dp.pt.", "dp.pt.", Class::Alnum, (43, 43)),
    named(token("discord_webhook", "discord.com/api/webhooks/", "api/webhooks/", Class::Base64, (60, 120))),
    named(token(
        "discord_webhook",
        "discordapp.com/api/webhooks/",
        "api/webhooks/",
        Class::Base64,
        (60, 120),
    )),
    token("gitlab_token", "GR1348941", "GR1348941", Class::Word, (20, 20)),
    token("gitlab_token", "glagent-", "glagent-", Class::Word, (50, 50)),
    token("gitlab_token", "gloas-", "gloas-", Class::Word, (64, 64)),
    token("shopify_token", "shpss_", "shpss_", Class::Hex, (32, 32)),
    token("shopify_token", "shppa_", "shppa_", Class::Hex, (32, 32)),
    token("shopify_token", "shpca_", "shpca_", Class::Hex, (32, 32)),
    checked(token("openai_key", "sk-admin-", "sk-admin-", Class::Word, (40, 255)), Check::Random),
    checked(token("planetscale_token", "pscale_tkn_", "pscale_", Class::Dotted, (32, 64)), Check::Random),
    checked(token("planetscale_token", "pscale_oauth_", "pscale_", Class::Dotted, (32, 64)), Check::Random),
    checked(token("planetscale_token", "pscale_pw_", "pscale_", Class::Dotted, (32, 64)), Check::Random),
    token("pulumi_token", "pul-", "pul-", Class::Hex, (40, 40)),
    token("rubygems_token", "rubygems_", "rubygems_", Class::Hex, (48, 48)),
    token("sentry_token", "sntryu_", "sntry", Class::Hex, (64, 64)),
    checked(token("sentry_token", "sntrys_", "sntry", Class::Base64, (60, 500)), Check::Random),
    checked(token("brevo_key", "xkeysib-", "xkeysib-", Class::Word, (81, 81)), Check::Random),
    token("vault_token", "hvb.", "hvb.", Class::Word, (138, 300)),
    token("perplexity_key", "pplx-", "pplx-", Class::Alnum, (48, 48)),
    token("notion_token", "ntn_", "ntn_", Class::Alnum, (46, 46)),
    token("heroku_key", "HRKU-AA", "HRKU-AA", Class::Word, (58, 58)),
    token("terraform_token", "atlasv1.", "atlasv1.", Class::Base64, (60, 70)),
    checked(token("postman_key", "PMAK-", "PMAK-", Class::Word, (59, 59)), Check::Random),
    checked(token("fly_token", "fo1_", "fo1_", Class::Word, (43, 43)), Check::Random),
    token("vault_token", "hvs.", "hvs.", Class::Word, (24, 255)),
    token("age_key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1", Class::Alnum, (58, 58)),
    token("grafana_token", "glsa_", "glsa_", Class::Word, (41, 64)),
    checked(token("groq_key", "gsk_", "gsk_", Class::Alnum, (40, 64)), Check::Random),
    token("linear_key", "lin_api_", "lin_api_", Class::Alnum, (40, 64)),
    token("figma_token", "figd_", "figd_", Class::Word, (40, 64)),
    token("atlassian_token", "ATATT3", "ATATT3", Class::Base64, (100, 300)),
    named(token("azure_key", "AccountKey=", "AccountKey=", Class::Base64, (80, 100))),
    named(token("slack_webhook", "hooks.slack.com/workflows/", "hooks.slack", Class::Base64, (30, 120))),
    named(token("slack_webhook", "hooks.slack.com/triggers/", "hooks.slack", Class::Base64, (30, 120))),
    token("docker_token", "dckr_oat_", "dckr_oat_", Class::Word, (24, 64)),
    token("dynatrace_token", "dt0c01.", "dt0c01.", Class::Dotted, (89, 89)),
    token("onepassword_token", "ops_eyJ", "ops_eyJ", Class::Base64, (200, LONG)),
    checked(token("circleci_token", "CCIPAT_", "CCIPAT_", Class::Word, (60, 80)), Check::Random),
    checked(token("nvidia_key", "nvapi-", "nvapi-", Class::Word, (60, 70)), Check::Random),
    checked(token("tailscale_key", "tskey-", "tskey-", Class::Word, (20, 128)), Check::Random),
    checked(token("slack_token", "xoxb-", "xox", Class::Word, (20, 255)), Check::Random),
    checked(token("slack_token", "xoxp-", "xox", Class::Word, (20, 255)), Check::Random),
    checked(token("slack_token", "xoxa-", "xox", Class::Word, (20, 255)), Check::Random),
    checked(token("slack_token", "xoxc-", "xox", Class::Word, (20, 255)), Check::Random),
    checked(token("slack_token", "xoxd-", "xox", Class::Url, (20, 500)), Check::Random),
    checked(token("slack_token", "xoxs-", "xox", Class::Word, (20, 255)), Check::Random),
    token("slack_token", "xoxr-", "xox", Class::Word, (32, 255)),
    checked(token("slack_token", "xoxe-", "xox", Class::Word, (40, 255)), Check::Random),
    checked(token("slack_token", "xoxe.xox", "xox", Class::Word, (20, 255)), Check::Random),
    checked(token("jwt", "eyJ", "eyJ", Class::Dotted, (40, LONG)), Check::Jwt),
    token("gitlab_token", "glcbt-", "glcbt-", Class::Word, (20, 64)),
    token("gitlab_token", "glft-", "glft-", Class::Word, (20, 64)),
    token("gitlab_token", "glimt-", "glimt-", Class::Word, (20, 64)),
    token("gitlab_token", "glsoat-", "glsoat-", Class::Word, (20, 64)),
    checked(token("aws_access_key", "ABIA", "ABIA", Class::Base32, (16, 16)), Check::NoExample),
    checked(token("aws_access_key", "ACCA", "ACCA", Class::Base32, (16, 16)), Check::NoExample),
    checked(token("aws_bedrock_key", "ABSK", "ABSK", Class::Base64, (109, 269)), Check::Random),
    checked(token("google_refresh", "1//0", "1//0", Class::Word, (60, 256)), Check::Random),
    checked(token("bitbucket_token", "ATBB", "ATBB", Class::Alnum, (32, 32)), Check::Random),
    token("bitbucket_token", "ATCTT3", "ATCTT3", Class::Base64, (100, 300)),
    token("vault_token", "hvr.", "hvr.", Class::Word, (90, 300)),
    checked(token("newrelic_key", "NRAK-", "NRAK-", Class::Alnum, (27, 27)), Check::Random),
    checked(token("netlify_token", "nfp_", "nfp_", Class::Alnum, (36, 36)), Check::Random),
    checked(token("jfrog_key", "AKCp", "AKCp", Class::Alnum, (69, 69)), Check::Random),
    token("sonar_token", "squ_", "squ_", Class::Hex, (40, 40)),
    token("buildkite_token", "bkua_", "bkua_", Class::Hex, (40, 40)),
    checked(token("supabase_key", "sb_secret_", "sb_secret_", Class::Word, (24, 64)), Check::Random),
    checked(token("grafana_token", "glc_", "glc_", Class::Base64, (60, 400)), Check::Random),
    checked(token("fly_token", "fm2_", "fm2_", Class::Base64, (100, LONG)), Check::Random),
    checked(token("square_token", "sq0atp-", "sq0", Class::Word, (22, 22)), Check::Random),
    checked(token("square_token", "sq0csp-", "sq0", Class::Word, (43, 43)), Check::Random),
    checked(token("langsmith_key", "lsv2_", "lsv2_", Class::Word, (46, 46)), Check::Random),
    checked(token("tavily_key", "tvly-", "tvly-", Class::Word, (32, 64)), Check::Random),
    checked(token("pinecone_key", "pcsk_", "pcsk_", Class::Word, (60, 80)), Check::Random),
    checked(token("doppler_token", "dp.st.", "dp.st.", Class::Dotted, (43, 64)), Check::Random),
    // `-----BEGIN PRIVATE`, `RSA`, `EC P`, `OPENSSH`, `ENCRYPTED`, `DSA` in base64, as clusters and pipelines keep keys.
    token("private_key", "LS0tLS1CRUdJTiBQUklWQVRF", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("private_key", "LS0tLS1CRUdJTiBSU0Eg", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("private_key", "LS0tLS1CRUdJTiBFQyBQ", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("private_key", "LS0tLS1CRUdJTiBPUEVOU1NI", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("private_key", "LS0tLS1CRUdJTiBFTkNSWVBU", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("private_key", "LS0tLS1CRUdJTiBEU0Eg", "LS0tLS1CRUdJTi", Class::Base64, (64, KEY_IN_BASE64)),
    token("sonar_token", "sqp_", "sqp_", Class::Hex, (40, 40)),
    token("sonar_token", "sqa_", "sqa_", Class::Hex, (40, 40)),
    checked(token("contentful_token", "CFPAT-", "CFPAT-", Class::Word, (43, 43)), Check::Random),
    checked(token("doppler_token", "dp.ct.", "dp.ct.", Class::Alnum, (40, 64)), Check::Random),
    checked(token("gitlab_token", "glffct-", "glffct-", Class::Word, (20, 64)), Check::Random),
    checked(token("openshift_token", "sha256~", "sha256~", Class::Word, (43, 43)), Check::Random),
    checked(token("hubspot_token", "pat-na1-", "pat-", Class::Word, (36, 36)), Check::Random),
    checked(token("hubspot_token", "pat-eu1-", "pat-", Class::Word, (36, 36)), Check::Random),
    checked(token("langfuse_key", "sk-lf-", "sk-lf-", Class::Word, (36, 36)), Check::Random),
    checked(token("prefect_key", "pnu_", "pnu_", Class::Alnum, (36, 36)), Check::Random),
    checked(token("typeform_token", "tfp_", "tfp_", Class::Word, (40, 80)), Check::Random),
    checked(token("neon_key", "napi_", "napi_", Class::Alnum, (48, 80)), Check::Random),
    checked(token("mapbox_token", "sk.eyJ", "sk.eyJ", Class::Dotted, (60, 255)), Check::Random),
    named(token(
        "discord_webhook",
        "discord.com/api/v10/webhooks/",
        "/v10/webhooks/",
        Class::Base64,
        (60, 120),
    )),
    named(token(
        "discord_webhook",
        "discord.com/api/v9/webhooks/",
        "/v9/webhooks/",
        Class::Base64,
        (60, 120),
    )),
];

/// The line that opens a private key, after five dashes.
pub(super) const KEY_BEGINS: &str = "BEGIN ";
/// The line that closes one.
pub(super) const KEY_ENDS: &str = "-----END ";

/// What stands in front of the number of lines of a key as `PuTTY` keeps it.
pub(super) const PUTTY_KEY: &str = "rivate-Lines: ";

/// Lines of a private key that hold nothing of it. Their names, and not the colon alone: that also stands behind the number of a
/// line, or the name of whoever logged it.
pub(super) const KEY_HEADERS: &[&str] =
    &["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: ", "MessageID: "];

/// What a word in front of a secret says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Address,
    EscapedAddress,
    /// `name:password@tcp(host)`, as Go's driver of `MySQL` is told.
    DataSource,
    Authorization,
    Bearer,
    /// A name whose value is a secret, whatever else it is called.
    Name,
    /// The same, behind a `pa`.
    PassName,
    /// The same, where it is not that of a page.
    TokenName,
    /// The same, where it is no part of a longer name.
    SecretName,
    /// The same, where it is no scope of a signature.
    Credential,
    /// What is written into a secret of a cluster as it is.
    StringData,
    /// The same, where the name ends here.
    NameEnd,
    /// The same, where the name is this word.
    Word,
    /// The same, where it does not say that a test has passed.
    Pass,
    /// A value that is given to a command which makes a secret of it.
    Literal,
    /// What an address or an object is in base64.
    Encoded,
    /// The same, where it may be a folder.
    WorkingFolder,
    /// What stands behind it in SQL, on the same line.
    Identified,
    /// The same, where another word says of what kind the key is.
    Key,
    Login,
    JsonKey,
    HuggingFace,
    SendGrid,
    Telegram,
    EarlyOpenAi,
    XAi,
    Replicate,
    Supabase,
    KeyBegins,
    KeyEnds,
    PuttyKey,
    Signature,
    AzureSecret,
}

/// The words in front of secrets, and whether their case is of no matter. Each begins with three bytes that are rare, for at every
/// place where those stand the rest is compared.
pub(super) const CONTEXTS: &[(&str, bool, Context)] = &[
    ("://", false, Context::Address),
    (":\\/", false, Context::EscapedAddress),
    (":\\\\", false, Context::EscapedAddress),
    ("rization", true, Context::Authorization),
    ("earer ", true, Context::Bearer),
    ("ecret", true, Context::SecretName),
    ("oken", true, Context::TokenName),
    ("tringData:", false, Context::StringData),
    ("redential", true, Context::Credential),
    ("dockerconfigjson", true, Context::Name),
    ("dockercfg", true, Context::Name),
    ("\"d\"", false, Context::JsonKey),
    ("\"p\"", false, Context::JsonKey),
    ("\"q\"", false, Context::JsonKey),
    ("\"k\"", false, Context::JsonKey),
    ("\"dp\"", false, Context::JsonKey),
    ("\"dq\"", false, Context::JsonKey),
    ("\"qi\"", false, Context::JsonKey),
    ("dentified", true, Context::Identified),
    ("ssw", true, Context::PassName),
    ("ssphr", true, Context::PassName),
    ("pass", true, Context::Pass),
    ("--from-literal", false, Context::Literal),
    ("Oi8v", false, Context::Encoded),
    ("ovL", false, Context::Encoded),
    ("6Ly", false, Context::Encoded),
    ("eyJ", false, Context::Encoded),
    ("requirepass", true, Context::NameEnd),
    ("storepass", true, Context::NameEnd),
    ("keypass", true, Context::NameEnd),
    ("psk", true, Context::Word),
    ("asicauth", true, Context::Name),
    ("thtok", true, Context::NameEnd),
    ("o-SecureString", false, Context::Name),
    ("@tcp(", false, Context::DataSource),
    ("@unix(", false, Context::DataSource),
    ("sessionid", true, Context::NameEnd),
    ("sessid", true, Context::NameEnd),
    ("pwd", true, Context::WorkingFolder),
    ("key", true, Context::Key),
    ("_auth", true, Context::Login),
    ("\"auth", true, Context::Login),
    ("hf_", false, Context::HuggingFace),
    ("SG.", false, Context::SendGrid),
    (":AA", false, Context::Telegram),
    ("T3BlbkFJ", false, Context::EarlyOpenAi),
    ("xai-", false, Context::XAi),
    ("r8_", false, Context::Replicate),
    ("sbp_", false, Context::Supabase),
    (KEY_BEGINS, false, Context::KeyBegins),
    (KEY_ENDS, false, Context::KeyEnds),
    (PUTTY_KEY, false, Context::PuttyKey),
    ("sig=", false, Context::Signature),
    ("8Q~", false, Context::AzureSecret),
    ("7Q~", false, Context::AzureSecret),
];

/// What stands in front of `key`, in the name of one that is a secret: a blank, a sign or nothing may lie between.
pub(super) const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "master",
    "auth",
    "encryption",
    "decryption",
    "encrypt",
    "signing",
    "account",
    "shared",
    "consumer",
    "subscription",
    "functions",
    "deploy",
    "hmac",
    "app",
    "license",
    "jwt",
    "session",
    "storage",
    "write",
    "cookie",
    "webhook",
    "cipher",
    "aes",
    "validation",
    "fernet",
    "machine",
    "unseal",
    "recovery",
    "symmetric",
    "symmetricsecurity",
];

/// What a thing is called whose field `key` is a secret: `"Jwt": { "Key": "…" }`.
pub(super) const KEY_OWNERS: &[&str] = &[
    "anthropic",
    "api",
    "auth",
    "cosmos",
    "cosmosdb",
    "encryption",
    "hmac",
    "jwt",
    "jwtbearer",
    "jwtconfig",
    "jwtoptions",
    "jwtsettings",
    "mailgun",
    "openai",
    "sendgrid",
    "signing",
    "stripe",
    "twilio",
];

/// What stands in front of `token` where it tells from where on a list goes on.
pub(super) const PAGES: &[&str] = &["next", "page", "starting", "continuation", "pagination"];
/// Which of them.
pub(super) const PAGES_WHICH: &[&str] =
    &["next", "previous", "prev", "last", "first", "new", "start", "current"];

/// What the name of something ends with that is about a secret, and none.
pub(super) const ABOUT_ONE: &[&str] = &[
    "address",
    "algorithm",
    "alphabet",
    "at",
    "budget",
    "characters",
    "chars",
    "charset",
    "checksum",
    "class",
    "count",
    "digest",
    "dir",
    "directory",
    "endpoint",
    "expiration",
    "expires",
    "expiry",
    "field",
    "file",
    "fingerprint",
    "folder",
    "hash",
    "hasher",
    "header",
    "length",
    "lifetime",
    "limit",
    "manager",
    "method",
    "name",
    "username",
    "param",
    "path",
    "pattern",
    "policy",
    "prefix",
    "ref",
    "regex",
    "route",
    "scope",
    "scopes",
    "sha256",
    "stream",
    "suffix",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
    "version",
    "version_id",
    "versionid",
];

/// Values that stand for a secret without being one.
pub(super) const STAND_INS: &[&str] =
    &["password", "passwd", "pass", "pwd", "secret", "token", "changeme", "example", "redacted", "user"];

impl Class {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Self::Url => Self::Base64.has(byte) || byte == b'%',
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
        }
    }
}
