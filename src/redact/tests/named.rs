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
