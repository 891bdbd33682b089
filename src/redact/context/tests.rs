use crate::redact::tests::redact;

const RANDOM: &str = "a8Kd0sP3mQ7xZ1vB5nW9";

/// Each `@` is gone, and nothing else.
fn check(text: &str, secret: &str) {
    let shown = redact(&text.replace('@', secret));
    assert_eq!(shown, text.replace('@', "\u{27e6}redacted:assigned_secret:1\u{27e7}"));
}

#[test]
fn the_value_of_an_option_may_stand_in_the_next_line() {
    for text in [
        "\"args\": [\n  \"-y\",\n  \"x/mcp\",\n  \"--api-key\",\n  \"@\"\n]",
        "  3|  \"--requirepass\",\n  4|  \"@\"\n  5|]",
        "args:\n- --token\n- @\n",
        "args:\n  - \"--password\"\n  - \"@\"\n",
        "cmd := exec.Command(\"x\",\n\t\"--token\",\n\t\"@\",\n)",
        "mytool --token \\\n  @\n",
        "mytool --token \\\n  \"@\" \\\n  -v\n",
    ] {
        check(text, RANDOM);
    }
    let text = "args:\n- --token-file\n- @\n\"--token\",\n\"--@\",\nthe token\n- @\n\"token\",\n\"@\",\n"
        .replace('@', RANDOM);
    assert_eq!(redact(&text), text);
}

#[test]
fn a_test_that_has_passed_keeps_its_name() {
    for name in [
        "TestTLSv12OnlyServer",
        "TestServeHTTP/GET_/api/v1/users/42",
        "TestConvert/int64_to_float64",
        "TestMigrate_v1_to_v2",
        "TestIPNet/192.168.1.1",
        "gcc.c-torture/execute/20000105-1.c",
        "test-hmac-sha1",
    ] {
        for text in [
            format!("--- PASS: {name} (0.00s)"),
            format!("    --- PASS: {name} (0.01s)\n"),
            format!("x\nPASS: {name}\n"),
            format!("PASS {name} (exit status: 0)"),
            format!("=== PASS: pkg/a {name} (0.00s)"),
            format!("{{\"Action\":\"pass\",\"Package\":\"x/y\",\"Test\":\"{name}\",\"Elapsed\":0}}"),
        ] {
            assert_eq!(redact(&text), text);
        }
    }
    assert_eq!(redact("render_pass = RENDER_PASS_2_DEPTH_X;"), "render_pass = RENDER_PASS_2_DEPTH_X;");
    for text in [
        "PASS=@",
        "  PASS: @\n",
        "PASS: \"@\"",
        "DB_PASS=@",
        "\"pass\": \"@\"",
        "'PASS' => '@',",
        "smtp_pass: @",
        "{\"key\": \"pass\", \"value\": \"@\"}",
        "- name: PASS\n  value: @\n",
    ] {
        check(text, RANDOM);
    }
}

#[test]
fn what_is_said_of_a_secret_is_none() {
    let (account, sum) = (
        "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984",
        "5f3a9c0b12d47e6f8a90b1c2d3e4f5061728394a5b6c7d8e9f00112233445566",
    );
    let uuid = "3f0c3d7a-4b1e-4c8d-a5f2-9d8e7c6b5a40";
    for text in [
        format!("TOKEN_ADDRESS={account}"),
        format!("USDC_TOKEN = \"{account}\""),
        format!("token: \"{account}\","),
        format!("checksum/secret: {sum}"),
        format!("token_hash: \"{sum}\""),
        format!("\"tokenDigest\": \"{sum}\""),
        format!("secret_version_id = \"{uuid}\""),
        format!("password reset for a user, request id: {uuid}"),
        "password: \"%env(resolve:DB_PASSWORD_V3)%\"".to_owned(),
        "const tokenRe = new RegExp(\"^[A-Za-z0-9_-]{20,40}$\");".to_owned(),
    ] {
        assert_eq!(redact(&text), text);
    }
    check("PRIVATE_KEY=@", &format!("0x{sum}"));
    for text in [
        "machine api.heroku.com\n  login x\n  password @\n",
        "vault write auth --secret-id @",
        "tool --token @ -v",
        "ENV API_KEY @",
        "Your new password is: @",
    ] {
        check(text, uuid);
    }
    for (text, value) in
        [("SECRET_KEY = (\r\n    \"@\"\r\n)", RANDOM), ("token = \\\r\n    \"@\"\r\n", RANDOM)]
    {
        check(text, value);
    }
}

#[test]
fn a_password_may_have_letters_beyond_ascii_and_a_blank() {
    for password in
        ["kJ4#tü9Qx*Lw2Zr7+Vb", "kJ4#t§9Qx*Lw2Zr7+Vb", "kJ4#t€9Qx*Lw2Zr7+Vb", "kJ4#tñ9Qx*Lw2Zr7+Vb"]
    {
        for text in [
            "DB_PASSWORD=@\n",
            "DB_PASSWORD=\"@\"",
            "password: @\n",
            "\"password\": \"@\",",
            "<password>@</password>",
            "'password' => '@',",
            "\"Server=s;Uid=u;Password=@;\"",
            "--password '@'",
            "- name: DB_PASSWORD\n  value: \"@\"",
            "variable \"db_password\" {\n  default = \"@\"\n}",
        ] {
            check(text, password);
        }
    }
    check("\"password\": \"@\",", "kJ4#t\\u00fc9Qx*Lw2Zr7+Vb");
    check("password = \"@\"", "kJ4#t 9Qx*Lw2Zr7+Vb");
    for text in [
        "password: \"Das Gerät 2 für Übungen\"",
        "token: \"Prüfschlüssel für die Geräte\"",
        "das Token Prüfgerät-Übersicht-2024 gehört",
        "password\u{a0}GCC\u{a0}4.9.3\u{a0}/\u{a0}binutils\u{a0}2.25.1",
        "password: “a1B2…”",
    ] {
        assert_eq!(redact(text), text);
    }
}

/// Neither of what stands below one name is less of a secret than the other.
#[test]
fn all_that_stands_below_one_name_is_secret() {
    const OTHER: &str = "Zp4Wm8Tb3Yc6Xd9Ve2Uf5Sg7";
    const HEX: &str = "9f1c4b7ae2d80536fb41c7a29e50d83b";
    for (text, values) in [
        ("api_key:\n  default: \"@\"\n  production: \"#\"\n", [RANDOM, OTHER]),
        ("\"apiKey\": {\"default\": \"@\", \"production\": \"#\"}", [RANDOM, OTHER]),
        ("API_KEYS = {\"default\": \"@\", \"prod\": \"#\"}", [RANDOM, OTHER]),
        ("token:\n  value: \"@\"\n  previous: \"#\"\n", [RANDOM, OTHER]),
        ("API_KEYS = {\"dev\": \"@\", \"prod\": \"#\"}", [HEX, RANDOM]),
        ("api_keys:\n  dev: @\n  prod: #\n", [OTHER, HEX]),
    ] {
        let shown = redact(&text.replace('@', values[0]).replace('#', values[1]));
        assert!(values.iter().all(|value| !shown.contains(value)), "{shown}");
    }
    let text = format!("tokens:\n  linux: {HEX}\n  mac: {HEX}\n");
    assert_eq!(redact(&text), text);
}

/// Words that only end as another one does say nothing of a name.
#[test]
fn a_name_that_ends_like_another_word_is_one() {
    for name in [
        "DB_PASSWORD_UAT",
        "CLIENT_SECRET_UAT",
        "API_KEY_ANDROID",
        "apiKeyAndroid",
        "AUTH_TOKEN_ACCOUNT_CHAT",
        "API_KEY_SENDGRID",
        "api_key_stream_x",
        "TOKEN_PROFILE",
        "FB_PAGE_TOKEN",
        "STATUSPAGE_TOKEN",
        "ldap_default_authtok",
    ] {
        for text in ["#=@\n", "# = \"@\"", "#: @\n", "{\"#\": \"@\"}"] {
            check(&text.replace('#', name), RANDOM);
        }
    }
    for name in [
        "token_id",
        "tokenId",
        "tokenid",
        "TOKEN_URL",
        "tokenURL",
        "tokenFileName",
        "TOKEN_FILENAME",
        "secretName",
        "token_uuid",
        "passwordHash",
        "passwordhash",
        "PASSWORDFILE",
        "passwdhash",
        "token_expires_at",
        "tokenExpiresAt",
        "next_page_token",
        "NEXT_PAGE_TOKEN",
        "secret_username",
    ] {
        let text = format!("{name} = \"{RANDOM}\"");
        assert_eq!(redact(&text), text);
    }
    for text in ["\"passwords\": {\"dev\": \"@\", \"uat\": \"#\"}", "apiKey: { ios: '@', android: '#' }"] {
        let shown = redact(&text.replace('@', RANDOM).replace('#', "Zp4Wm8Tb3Yc6Xd9Ve2Uf5Sg7"));
        assert!(!shown.contains(RANDOM) && !shown.contains("Zp4"), "{shown}");
    }
}

#[test]
fn whose_password_it_is_may_end_like_an_id_and_an_id_is_none() {
    for text in [
        "Password for david: @",
        "Temporary password for astrid: @",
        "API key for android: @",
        "Unseal Key 1: @",
    ] {
        check(text, RANDOM);
    }
    let uuid = "5f0c3d7a-91be-4c02-8d6f-a7e41b90c235";
    for front in [
        "Token issued for user",
        "Access token refreshed for account",
        "password changed by user",
        "token check requestId",
        "Token for tenant Id",
        "Token refresh job",
        "token request id",
    ] {
        let text = format!("{front}: {uuid}\nid = \"{uuid}\"");
        assert_eq!(redact(&text), text);
    }
    for front in [
        "Initial Root Token",
        "API key for project",
        "Temporary password for account",
        "Join token for group",
    ] {
        check(&format!("{front}: @"), uuid);
    }
    for id in ["01JZ8WQ4T7XK2M9C5B3N6V0HAD", "usr_9aKx27QmZt41Lw8Rb3Vc"] {
        let text = format!("Token validated for user id: {id}\npassword changed for user id: {id}\n");
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn columns_and_tables_give_values() {
    for blanks in [1, 31, 33, 60, 100] {
        let gap = " ".repeat(blanks);
        check(&format!("API_KEY:{gap}@\n"), RANDOM);
    }
    for text in [
        "│ API_KEY │ @ │",
        "┃ API_KEY      ┃ @ ┃",
        "║ API_KEY ║ @ ║",
        "ConvertTo-SecureString \"@\" -AsPlainText -Force",
    ] {
        check(text, RANDOM);
    }
}

#[test]
fn properties_and_what_has_a_comment_behind_it_are_read() {
    for name in
        ["openai.api.key", "stripe.api.key", "encryption.key", "jwt.key", "private.key", "fs.s3a.access.key"]
    {
        for text in
            ["#=@\n", "# = @\n", "#: @\n", "\"#\": \"@\"", "System.setProperty(\"api.key\", \"x\");\n#=@"]
        {
            check(&text.replace('#', name), RANDOM);
        }
    }
    let text = format!("if (auth.key == \"{RANDOM}\") {{ map.key => {RANDOM} }}\nsort.key = a\n");
    assert_eq!(redact(&text), text);
    for password in ["kJ4%t9QxLw2Zr7Vb8Nc3Md5F", "kJ4t9QxLw2Zr&7Vb8Nc3Md5F", "kJ4t9QxLw2Zr7Vb8Nc3&Md5F"] {
        for text in [
            "DB_PASSWORD=@ # prod\n",
            "db_password: @   # prod\n",
            "export DB_PASSWORD=@ # x",
            "spring.datasource.password=@ \nx",
        ] {
            check(text, password);
        }
    }
    for text in ["oraclePass = \"@\"", "jenkinsPass: @"] {
        check(text, "kJ4t9_QxLw2Zr7Vb8Nc3_Md5F");
    }
    let text = "secret = base64.b64decode(S3cretB64[4:])  # strip\nseasonPass = \"prod_NffrFeUfNV2Hib\"\n\
                stringData:\n  additionalProperties:\n    type: string\n  type: object\n";
    assert_eq!(redact(text), text);
    let text = format!(
        "broken: {RANDOM}\nisBroken = \"{RANDOM}\"\nsecretary: {RANDOM}\nshadowPass = \"Shadow_Map_2048x2_v3\"\n"
    );
    assert_eq!(redact(&text), text);
}
