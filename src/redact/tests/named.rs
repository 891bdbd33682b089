//! Secrets that are known by their names, in whatever they were written down.

use super::*;

fn random() -> String {
    format!("{}4{}7", body(rules::Class::Alnum, 18, 1), body(rules::Class::Alnum, 18, 9))
}

/// All of the secret is gone, and nothing else: `@` stands for it.
fn check(text: &str, secret: &str, id: &str) {
    let shown = redact(&text.replace('@', secret));
    assert_eq!(shown, text.replace('@', &format!("{OPENS}{id}:1{CLOSES}")));
}

#[test]
fn every_name_of_a_secret_is_known() {
    for name in [
        "X-Api-Key",
        "api-key",
        "Api Key",
        "apikey",
        "apiKey",
        "pwd",
        "DB_PWD",
        "passphrase",
        "PASSPHRASE",
        "access-key",
        "accessKey",
        "AWS_ACCESS_KEY",
        "private-key",
        "encryption_key",
        "encryptionKey",
        "ENCRYPTION-KEY",
        "signing_key",
        "SigningKey",
        "master_key",
        "SMTP_PASS",
        "authkey",
        "Ocp-Apim-Subscription-Key",
        "x-functions-key",
        "APP_KEY",
        "SECRET_KEY_BASE",
        "db.password",
        "passwd",
    ] {
        for text in [
            "# @",
            "#: @\nnext",
            "#=\"@\"\n",
            "\"#\": \"@\",",
            "'#' => '@',",
            "set(\"#\", \"@\")",
            "{\\\"#\\\": \\\"@\\\", \\\"x\\\": 1}",
            "{\\\\\\\"#\\\\\\\":\\\\\\\"@\\\\\\\"}",
            "\\u0022#\\u0022:\\u0022@\\u0022",
            "<input name=&quot;#&quot; value=&quot;x&quot; #=&quot;@&quot;>",
            "?#=@&b=1",
            "?a=1\\u0026#=@\\u0026sig=",
            "?a=1&amp;#=@&amp;sig=",
            "%22#%22%3A%22@%22",
            "<#>@</#>",
            "\u{1b}[32m#\u{1b}[0m=\u{1b}[38;5;12m@\u{1b}[0m",
            "\\u001b[32m#\\u001b[0m: @\\u001b[0m",
            "curl --# @ -v",
            "curl --#=@",
            "ENV # @",
        ] {
            check(&text.replace('#', name), &random(), "assigned_secret");
        }
    }
    check("machine h login u password @\n", &random(), "assigned_secret");
    let shown = redact(&format!("NSString *apiKey = @\"{}\";", random()));
    assert_eq!(shown, "NSString *apiKey = @\"⟦redacted:assigned_secret:1⟧\";");
    check("APP_KEY=base64:@\n", &random(), "assigned_secret");
    check("npm config set //registry.npmjs.org/:_authToken @", &random(), "assigned_secret");
}

#[test]
fn an_escaped_sign_is_a_part_of_its_value() {
    let random = random();
    for sign in ["\\/", "\\u002b", "\\u002F", "%2B", "%3d"] {
        check("{\"api_key\":\"@\"}", &format!("{random}{sign}{random}{sign}"), "assigned_secret");
    }
}

#[test]
fn whatever_logs_in_is_known() {
    for text in [
        "Authorization: ApiKey @",
        "authorization: Token @\n",
        "'Authorization': 'SSWS @',",
        "-H \"Authorization: @\" x",
        "\\\"Authorization\\\": \\\"@\\\"",
        "headers.set(\"Authorization\", \"@\")",
        "AUTHORIZATION=@",
        "Proxy-Authorization: GenieKey @",
    ] {
        check(text, &random(), "assigned_secret");
    }
    for text in ["{\\\"Authorization\\\": \\\"Basic @\\\"}", "'authorization', 'basic @'"] {
        check(text, "dXNlcjpodW50ZXIy", "basic_auth");
    }
}

#[test]
fn an_address_may_be_escaped() {
    for text in ["postgres:\\/\\/user:@@db\\/x", "{\\\"u\\\": \\\"https:\\\\\\/\\\\\\/user:@@db\\\"}"] {
        let shown = redact(&text.replacen('@', "hunter22", 1));
        assert_eq!(shown, text.replacen('@', "⟦redacted:password_in_url:1⟧", 1));
    }
    let shown = redact("\"postgres://u:hun\\u0026ter22@db\"");
    assert_eq!(shown, "\"postgres://u:⟦redacted:password_in_url:1⟧@db\"");
    for sign in ["\\u0026", "%26", "&amp;"] {
        check(&format!("?sv=2022{sign}sig=@&x"), &format!("{}x", random().repeat(2)), "azure_signature");
    }
}

#[test]
fn what_only_names_a_secret_stays_as_it_is() {
    for text in [
        "password: string, pwd: &str, pwd = os.getcwd() let api_key = get_key(); passphrase = prompt()",
        "PWD=/home/ada/projects/outrigger2026/build3/x-1\nOLDPWD=/home/ada/projects/outrigger2026/build3/x-2",
        "Access-Control-Allow-Headers: Authorization, X-Api-Key, X-Requested-With-2-3-4-5",
        "X-Api-Key: <your-key> api-key: ${API_KEY_NUMBER_12_OF_MINE} signing_key: xxxxxxxxxxxxxxxxxxxxxxxx",
        "primary_key: 8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c, \"key\": \"8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c\"",
        "cache-key: v1-8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c keyboard: 8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c",
        "first_passes = 8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c",
        "pub const DOT11_AUTH_ALGO_80211_SHARED_KEY: DOT11_AUTH_ALGORITHM = 2i32;",
        "the token AbstractSyntaxTreeNode2Factory3 and the secret of_the_name_number_12_here",
        "\"api_key\": \"\", \"x-1234567890-abcdefghij-1234\": 1",
        "[\"secret\", \"parse_token_number_12345\"]",
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request",
        "authorization: see https://example.org/ Authorization: Digest username=\"x\"",
        "C:\\\\Users\\\\ada12:x@y http:\\/\\/example.org\\/",
        "serialization: 8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c",
    ] {
        assert_eq!(redact(text), text);
    }
}

/// A twentieth of the tokens of twenty letters and digits have less than two digits.
#[test]
fn a_token_may_have_no_digits() {
    let letters = ["vlAbjhsKJM", "KlBmuMgPYS", "vUqeTrWzQa", "xCnHdRfGiP"].concat();
    for (prefix, length) in [("sq0atp-", 22), ("whsec_", 32), ("ATBB", 32), ("nfp_", 36), ("xoxb-", 24)] {
        assert!(!redact(&format!("{prefix}{}", &letters[..length])).contains(&letters[..10]), "{prefix}");
    }
    assert!(!redact(&format!("123456789:AA{}", &letters[..33])).contains(&letters[..10]));
    for text in [
        "whsec_YourWebhookSigningSecretHere",
        "whsec_your_webhook_signing_secret_here",
        "xoxb-this-is-not-a-token-at-all",
        "xoxb-ReplaceThisWithYourOwnToken",
        "nfp_PutTheAccessTokenOfYourAccountInHere",
        "12345678:AAbstractSyntaxTreeNodeFactoryInJava",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_is_about_a_secret_or_reads_as_words_is_none() {
    for line in [
        "tokenizer = \"meta-llama/Llama-3-8B-Instruct\"",
        "tokenizer_name: microsoft/Phi-3-mini-4k-instruct",
        "secretName: letsencrypt-prod-2024-example-com",
        "secretKeyRef: production-db-credentials-2024",
        "TOKEN_FILE=/var/run/secrets/token-2024/abc12",
        "SECRET_DIR=/home/ada/projects/app2/config3",
        "PASSWORD_FILE: /run/secrets/postgres15/password1",
        "secretProviderClass: azure-kv-prod-westeurope2-csi1",
        "accessToken: userCredentials2FromStorage1,",
        "const tokenStream = createTokenStream2FromV1Source,",
        "password_hash_algorithm = \"pbkdf2_sha256_iterations_600000\"",
        "PASSWORD_HASHER = \"argon2id-v19-m65536-t3-p4\"",
        "token_endpoint_auth_method = \"private_key_jwt2_client_secret1\"",
        "token_url: \"/oauth2/v2/token/introspect/endpoint\"",
        "api_key_header = \"X-Api2-Key-Header-Name-V1\"",
        "secret: projects/my-project-12/secrets/db-pass/versions/2",
        "passwordResetRoute: \"/api/v2/users/reset-password/v1/confirm\"",
        "password = \"/api/v2/users/reset-password/v1/confirm\"",
        "secret_name = \"projects/p1/secrets/s2/versions/latest\"",
        "\"tokenId\": \"123e4567-e89b-12d3-a456-426614174000\"",
        "api_key_id: 123e4567-e89b-12d3-a456-426614174000",
    ] {
        assert_eq!(redact(line), line);
    }
    let uuid = "123e4567-e89b-12d3-a456-426614174000";
    for line in ["secret_id: @", "SECRET_ID=@", "token: \"@\"", "secretNames: @"] {
        check(line, uuid, "assigned_secret");
    }
    check("password: \"@\"", "correct-horse-battery-staple-42", "assigned_secret");
    check("token: @,", &random(), "assigned_secret");
    // One in a hundred of random values has as many slashes, and letters that could be words.
    let missed = (0..1000).filter(|seed| {
        let value = format!(
            "{}/{}/7x1",
            body(rules::Class::Alnum, 18, *seed),
            body(rules::Class::Alnum, 18, seed + 7)
        );
        let line = format!("secret = \"{value}\"");
        redact(&line) == line
    });
    assert!(missed.count() <= 10);
}

/// As languages, tools and files of settings write a name and its value.
#[test]
fn a_secret_is_known_in_whatever_is_written_between() {
    for text in [
        "const API_KEY: &str = \"@\";",
        "static TOKEN: &'static str = \"@\";",
        "const apiKey: string = '@'",
        "api_key: Optional[str] = \"@\"",
        "var apiKey string = \"@\"",
        "static const char api_key[] = \"@\";",
        "#define API_KEY \"@\"",
        "SECRET_KEY = b\"@\"",
        "token = r'@'",
        "app.config['SECRET_KEY'] = '@'",
        "os.environ[\"API_KEY\"] = \"@\"",
        "ENV['API_TOKEN'] ||= '@'",
        "apiKey = process.env.API_KEY || \"@\"",
        "API_KEY = os.getenv(\"API_KEY\") or \"@\"",
        "Config { api_key: Some(\"@\"), x: 1 }",
        "password=SecretStr('@')",
        "setToken(\"@\")",
        "\"tokens\": [\"@\"]",
        "API_KEY ?= @",
        "mytool login --token \"@\" --x",
        "ENV API_KEY \"@\"",
        "CREATE USER app WITH PASSWORD '@';",
        "  password \"@\"",
        "| api_key | `@` |",
        "|  SecretAccessKey  |  @  |",
        "**API key**: @",
        "Token is @",
        "token -> @",
        "password\u{ff1a}@",
        "\u{201c}token\u{201d}: \u{201c}@\u{201d}",
        "password:\u{a0}@",
        "api_tokens:\n  - @",
        "token: |\n  @",
        "   12|api_key: >-\n   13|  @",
        "\"token\":\n    \"@\"",
        "- name: API_TOKEN\n  value: \"@\"",
        "+- name: API_TOKEN\n+  value: @",
        "{\"name\": \"API_TOKEN\", \"value\": \"@\"}",
        "{\"key\": \"api_key\", \"value\": \"@\", \"type\": \"text\"}",
        "<add key=\"ApiKey\" value=\"@\" />",
        "<entry key=\"apiKey\">@</entry>",
        "<string name=\"client_token\">@</string>",
        "<key>API_TOKEN</key>\n<string>@</string>",
        "NEW_RELIC_LICENSE_KEY=@",
        "JWT_KEY=@",
        "pass: @",
        "requirepass @",
        "credentials: @",
        "Cookie: sessionid=@; x=y",
    ] {
        check(text, &random(), "assigned_secret");
        check(text, "5d41402abc4b2a76b9719d911017c592", "assigned_secret");
    }
}

/// Numbers from one beginning on, for values that look random (xorshift).
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 20
    })
}

#[test]
fn of_random_values_behind_a_name_nearly_all_are_known() {
    let alphanumeric = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect::<String>();
    let hex = "0123456789abcdef";
    let small = ('a'..='z').chain('0'..='9').collect::<String>();
    let signs = format!("{alphanumeric}!@#$%^&*()-_=+");
    let base64 = format!("{alphanumeric}+/");
    for (line, alphabet, length, missed_at_most) in [
        ("API_KEY=@", hex, 24, 1),
        ("API_KEY=@", hex, 32, 0),
        ("token: @", small.as_str(), 32, 12),
        ("TOKEN=@", alphanumeric.as_str(), 20, 12),
        ("Authorization: Bearer @", alphanumeric.as_str(), 20, 8),
        ("TOKEN=\"@\"", alphanumeric.as_str(), 32, 1),
        ("AWS_SESSION_TOKEN=@", base64.as_str(), 900, 1),
        ("\"refresh_token\": \"@\"", alphanumeric.as_str(), 300, 0),
        ("password: \"@\"", signs.as_str(), 24, 12),
        ("DB_PASSWORD=@\n", signs.as_str(), 24, 12),
        ("token: sha256~@", alphanumeric.as_str(), 43, 1),
        ("VAULT_TOKEN=s.@", alphanumeric.as_str(), 24, 8),
        ("API_TOKEN=12|@", alphanumeric.as_str(), 40, 1),
        ("postgres://app:#@@db/x", alphanumeric.as_str(), 20, 0),
        ("postgres://app:2024#@@db/x", alphanumeric.as_str(), 12, 0),
    ] {
        let mut random = numbers(7);
        let missed = (0..300).filter(|_| {
            let all: Vec<char> = alphabet.chars().collect();
            let value: String =
                random.by_ref().take(length).map(|number| all[number as usize % all.len()]).collect();
            redact(&line.replacen('@', &value, 1)).contains(&value)
        });
        let missed = missed.count();
        assert!(missed <= missed_at_most, "{line}: {missed} of 300");
    }
}

#[test]
fn keys_are_known_in_base64_and_as_json() {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n", body(rules::Class::Alnum, 600, 3));
    let key = BASE64_STANDARD.encode(key);
    for text in ["  tls.key: @", "x = \"@\"", "SSH=@"] {
        check(text, &key, "private_key");
    }
    let certificate =
        BASE64_STANDARD.encode("-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0B\n");
    assert_eq!(redact(&format!("  tls.crt: {certificate}")), format!("  tls.crt: {certificate}"));
    check("{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"@\"}", &random(), "private_key");
    let other = format!("{{\"d\":\"{}\"}}", random());
    assert_eq!(redact(&other), other);
}

#[test]
fn names_and_code_beside_a_name_of_a_secret_stay() {
    for text in [
        "\"valueFrom\": \"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-postgres-main-AbC12d\"",
        "secret: my-app-tls-2024-prod-eu-west-1",
        "tlsSecret: wildcard-example-com-tls-2024",
        "imagePullSecret: regcred-ghcr-io-2024-prod1",
        "\"NextToken\": \"AQICAHhnX2hYb3Rva2VuMTIzNDU2Nzg5MA\"",
        "--starting-token AQICAHhnX2hYb3Rva2VuMTIzNDU2Nzg5MA",
        "pub Token: D3DKMT_PRESENTHISTORYTOKEN_0,",
        "pub const WPS_PASSWORD_ID_MAX: DOT11_WPS_DEVICE_PASSWORD_ID = 65535i32;",
        "cancellationToken: CancellationToken2WithTimeout30",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_2024_HERE",
        "let authorization = authorization.expect(\"Basic authentication must use a header\");",
        "Token::BorrowedStr(\"custom format: 2000-01-01 00:00:00 -04:00\"),",
        "password: \"{{ vault_password_2024_of_Production }}\"",
        "password: \"${DB_PASSWORD_2024_of_Production}\"",
        "password: \"^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,}$\"",
        "    token=self.get_token2(x1, Y2),",
        "token_expires: \"2024-01-01T00:00:00.000Z\"",
        "api_key=os.environ[\"API_KEY_NUMBER_2_OF_9\"]",
        "fn token(&self) -> &str",
        "https://host:8080?mail=me2024@example.org https://example.org:443,me@example.org",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_password_is_known_with_all_its_signs_however_they_are_escaped() {
    for text in [
        r#""password": "p9*Qg3l0}Ukw{\u003c4Y\u0026z","#,
        r#""SecretString": "{\"password\":\"p9*Qg3l0}Ukw{\\u003c4Y\"}""#,
        r#""MYSQL_PASSWORD=3nq-++nGJ$}Xiul4""#,
        r#""password": "3nq-\"nGJ\\$}Xiul4","#,
        "POST /login?user=a&password=3L3PHcssB%21P06WXf",
        "jdbc:mysql://h/d?user=u&password=7%2AXu%23u0Kd9%21qZ",
        "mytool --password 'dv{L$U*1i_5iE&NI'",
        "ALTER USER a WITH PASSWORD 'dv{L$U*1i_5iE&NI';",
        "machine h login u password X9#dvLU*1i_5iENI",
        "<password>5Y%}Kq2&amp;dvLU*1i_5</password>",
        "spring.datasource.password=hO6]KIRV%D+CeUpD",
        "password = F*x)Z5c+jE4n$zzB",
        "\"Server=s;User Id=u;Password=6c5PI*l{(uvssy-z;Database=d\"",
        "root:3L3PHcss-P06WXf@tcp(127.0.0.1:3306)/app",
        "Authorization: Bearer 198|WLjrnXe3kq0Zs81vBn5W9a8Kd",
        "\"Authorization\": \"OAuth 00D5g!AQ8AQKd0sP3mQ7xZ1vB5nW9\"",
        "CREATE USER 'app'@'%' IDENTIFIED BY 'a8Kd0sP3mQ7xZ1vB5nW9';",
        "password: \"3f9c0a7b5e2d8146\"",
        "password: hugro4-ciztyX-bobde9",
    ] {
        let shown = redact(text);
        assert!(shown.contains(OPENS), "{text}");
        // Nothing of it is left beside the placeholder, and what closes it is.
        let (before, rest) = shown.split_once(OPENS).unwrap();
        let behind = rest.split_once(CLOSES).unwrap().1;
        assert!(text.starts_with(before) && text.ends_with(behind), "{shown}");
        assert!(behind.is_empty() || !behind.starts_with(|c: char| c.is_ascii_alphanumeric()), "{shown}");
    }
    for text in [
        "token = le32_to_cpu(td->ptr->token);",
        "#define IN_DATA_TOKEN    cpu_to_le32(0x2255c007)",
        "TOKEN_ALPHABET = \"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\"",
    ] {
        assert_eq!(redact(text), text);
    }
}
