//! Every rule finds its token, ordinary text stays as it is, lines stay lines.

mod again;
mod named;
pub(super) mod repeated;
mod side;

use proptest::prelude::*;

use super::*;

pub(in crate::redact) fn redact(text: &str) -> String {
    Redactor::new(true, &[]).begin().text(text).into_owned()
}

/// Random-looking bytes of a class; no token stands in this file, so that scanners of repositories stay quiet.
pub(in crate::redact) fn body(class: rules::Class, length: usize, seed: usize) -> String {
    let all: Vec<char> = (b'!'..=b'~').filter(|byte| class.has(*byte)).map(char::from).collect();
    let plain: Vec<char> = all.iter().copied().filter(char::is_ascii_alphanumeric).collect();
    (0..length).map(|at| plain[(at * 7 + at * at * 3 + seed) % plain.len()]).collect()
}

#[test]
fn what_was_redacted_before_is_no_secret() {
    for text in [
        "https://user:\u{27e6}redacted:password_in_url:1\u{27e7}@example.org/A",
        "password = \"\u{27e6}redacted:assigned_secret:2\u{27e7}\"",
        "Authorization: Bearer \u{27e6}redacted:bearer_token:1\u{27e7}",
    ] {
        let redactor = Redactor::new(true, &[]);
        let mut redaction = redactor.begin();
        assert_eq!((redaction.text(text), redaction.count()), (Cow::Borrowed(text), 0));
    }
    // Only the beginning of one hides nothing.
    let text = "https://user:\u{27e6}redacted:hunter2hunter2@example.org/";
    assert!(!redact(text).contains("hunter2"), "{}", redact(text));
}

#[test]
fn every_token_is_found_alone_and_in_text() {
    for token in rules::TOKENS {
        assert!(token.prefix.contains(token.trigger) && token.trigger.len() >= 3, "{}", token.prefix);
        let mut secret = body(token.class, token.min.max(60).min(token.max), 5);
        if token.check == rules::Check::Jwt {
            let part = body(rules::Class::Alnum, 30, 3);
            secret = format!("{part}.eyJ{part}.{part}");
        }
        let whole = format!("{}{secret}", token.prefix);
        let kept = if token.keeps_prefix { token.prefix } else { "" };
        let placeholder = format!("{kept}{OPENS}{}:1{CLOSES}", token.id);
        for (before, after) in [
            ("", ""),
            ("   12|key = \"", "\";\n   13|next"),
            ("a=", "&b=1"),
            ("see ", "."),
            ("é", "é"),
            ("\\n", "\\n"),
            ("u=%20", "%0A"),
            ("\\u003d", "\\u0026"),
            ("\\x3d", "\\x26"),
            ("\u{1b}[1;31m", "\u{1b}[0m"),
            ("key: \\u001b[33m", "\\u001b[0m"),
        ] {
            if token.class == rules::Class::Url && after.starts_with('%') {
                continue;
            }
            let shown = redact(&format!("{before}{whole}{after}"));
            assert_eq!(shown, format!("{before}{placeholder}{after}"), "{}", token.prefix);
        }
        // Too short, in the middle of a word, or with the alphabet of something else: not a token.
        assert!(!redact(&whole[..token.prefix.len() + token.min.min(6)]).contains(OPENS), "{whole}");
        if !token.keeps_prefix {
            let is_marked = token.min >= 32 && token.prefix.contains(['_', '-']);
            let found = redact(&format!("x{whole}")).contains(&format!("{}:", token.id));
            assert_eq!(found, is_marked, "x{whole}");
        }
    }
}

#[test]
fn a_stripe_key_may_have_one_digit_and_no_word_is_one() {
    let key = format!("sk_live_{}", ["vlAb", "jhsK", "JMKl", "BmuM", "gPYS", "vUe9"].concat());
    assert_eq!(redact(&key), format!("{OPENS}stripe_key:1{CLOSES}"));
    for text in ["sk_live_yourownkeygoeshere", "sk_test_your_secret_key", "rk_live_REPLACETHISPLACEHOLDER"] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn secrets_are_found_by_what_stands_in_front_of_them() {
    let random = format!("{}4{}7", body(rules::Class::Alnum, 18, 1), body(rules::Class::Alnum, 18, 9));
    for (text, wanted) in [
        (format!("API_KEY={random}"), "API_KEY=⟦redacted:assigned_secret:1⟧".to_owned()),
        (
            format!("  \"client_secret\": \"{random}\","),
            "  \"client_secret\": \"⟦redacted:assigned_secret:1⟧\",".to_owned(),
        ),
        (
            format!("aws_secret_access_key = {random}\n"),
            "aws_secret_access_key = ⟦redacted:assigned_secret:1⟧\n".to_owned(),
        ),
        (format!("authToken: '{random}'"), "authToken: '⟦redacted:assigned_secret:1⟧'".to_owned()),
        (
            format!("Authorization: Bearer {random}"),
            "Authorization: Bearer ⟦redacted:bearer_token:1⟧".to_owned(),
        ),
        (
            "postgres://app:hunter22@db/x".to_owned(),
            "postgres://app:⟦redacted:password_in_url:1⟧@db/x".to_owned(),
        ),
        (
            format!("https://{random}@github.com/a/b"),
            "https://⟦redacted:token_in_url:1⟧@github.com/a/b".to_owned(),
        ),
        (
            "-H \"Authorization: Basic dXNlcjpodW50ZXIy\"".to_owned(),
            "-H \"Authorization: Basic ⟦redacted:basic_auth:1⟧\"".to_owned(),
        ),
        (
            format!("key = SG.{}.{}9x7;", body(rules::Class::Alnum, 22, 3), body(rules::Class::Alnum, 40, 5)),
            "key = ⟦redacted:sendgrid_key:1⟧;".to_owned(),
        ),
        (
            format!("login('hf_{}aZ')", body(rules::Class::Alnum, 32, 3)),
            "login('⟦redacted:hugging_face_token:1⟧')".to_owned(),
        ),
        (
            format!("bot123456789:AA{}42/getMe", body(rules::Class::Alnum, 31, 3)),
            "bot123456789:⟦redacted:telegram_token:1⟧/getMe".to_owned(),
        ),
        (
            format!(
                "key: sk-{}T3BlbkFJ{};",
                body(rules::Class::Alnum, 20, 3),
                body(rules::Class::Alnum, 20, 5)
            ),
            "key: ⟦redacted:openai_key:1⟧;".to_owned(),
        ),
        (format!("('xai-{}a1b2')", body(rules::Class::Alnum, 76, 3)), "('⟦redacted:xai_key:1⟧')".to_owned()),
        (
            format!("x=r8_{}a1b2", body(rules::Class::Alnum, 33, 3)),
            "x=⟦redacted:replicate_token:1⟧".to_owned(),
        ),
        (
            "postgres://app:p%40ss%2Fword99@db/app mysql://root:pa$$w0rd99@db".to_owned(),
            "postgres://app:⟦redacted:password_in_url:1⟧@db/app mysql://root:⟦redacted:password_in_url:2⟧@db"
                .to_owned(),
        ),
        (
            "amqp://u:Abc;123,x@mq http://u:pw(1)23?45#6@h".to_owned(),
            "amqp://u:⟦redacted:password_in_url:1⟧@mq http://u:⟦redacted:password_in_url:2⟧@h".to_owned(),
        ),
        (format!("x-api-key: {random}"), "x-api-key: ⟦redacted:assigned_secret:1⟧".to_owned()),
        (format!("APIKEY={random}"), "APIKEY=⟦redacted:assigned_secret:1⟧".to_owned()),
        (format!("accessKey: '{random}'"), "accessKey: '⟦redacted:assigned_secret:1⟧'".to_owned()),
        (
            format!("PRIVATE_KEY=0x{}", ["4f3c2a1b0e9d8c7f", "6a5b7d1e93c2f048"].concat().repeat(2)),
            "PRIVATE_KEY=⟦redacted:assigned_secret:1⟧".to_owned(),
        ),
        (
            format!("Authorization: token {random}"),
            "Authorization: token ⟦redacted:assigned_secret:1⟧".to_owned(),
        ),
        (
            format!("//registry.npmjs.org/:_auth={random}"),
            "//registry.npmjs.org/:_auth=⟦redacted:assigned_secret:1⟧".to_owned(),
        ),
        (format!("\"auth\": \"{random}\""), "\"auth\": \"⟦redacted:assigned_secret:1⟧\"".to_owned()),
        (
            format!("client-key-data: {}==\n", random.repeat(30)),
            "client-key-data: ⟦redacted:private_key:1⟧\n".to_owned(),
        ),
        (format!("SharedAccessKey={random}="), "SharedAccessKey=⟦redacted:assigned_secret:1⟧".to_owned()),
        (
            format!("?sv=2022&sig={random}abc%2Fd%3D&x"),
            "?sv=2022&sig=⟦redacted:azure_signature:1⟧&x".to_owned(),
        ),
        (
            format!("use a1B8Q~{}12.", body(rules::Class::Alnum, 32, 3)),
            "use ⟦redacted:azure_secret:1⟧.".to_owned(),
        ),
        (
            format!(
                "DISCORD_TOKEN=M{}.a1-_bC.{}\n",
                body(rules::Class::Alnum, 23, 3),
                body(rules::Class::Alnum, 38, 5)
            ),
            "DISCORD_TOKEN=⟦redacted:assigned_secret:1⟧\n".to_owned(),
        ),
        (
            format!("api_key: pat{}.{}\n", body(rules::Class::Alnum, 14, 3), body(rules::Class::Hex, 64, 5)),
            "api_key: ⟦redacted:assigned_secret:1⟧\n".to_owned(),
        ),
        (
            format!("Private-Lines: 2\n{0}\nQm4=\nPrivate-MAC: {0}\n", body(rules::Class::Alnum, 64, 2)),
            format!(
                "Private-Lines: 2\n⟦redacted:private_key:1⟧\n⟦redacted:private_key:2⟧\nPrivate-MAC: {}\n",
                body(rules::Class::Alnum, 64, 2)
            ),
        ),
        (format!("x=sbp_{}", body(rules::Class::Hex, 40, 3)), "x=⟦redacted:supabase_token:1⟧".to_owned()),
    ] {
        assert_eq!(redact(&text), wanted);
    }
}

#[test]
fn a_jwt_is_known_whatever_its_header_begins_with() {
    use base64::Engine as _;
    let part = |json: &str| base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(json);
    for name in ["alg", "typ", "kid", "x5t", "jku", "cty", "enc", "iss", "zip", "crit"] {
        let header = part(&format!("{{\"{name}\":\"RS256\",\"alg\":\"RS256\"}}"));
        let jwt =
            format!("{header}.{}.{}", part("{\"sub\":\"1234567890\"}"), body(rules::Class::Alnum, 43, 3));
        assert_eq!(redact(&format!("id={jwt};")), "id=⟦redacted:jwt:1⟧;");
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in [
        "let token = parse_token_number_12345(input);",
        "secret = config.get_secret_v2_from_the_store_99(x)",
        "const API_KEY = process.env.API_KEY_FOR_TESTING_123;",
        "password = \"correct horse battery staple\"",
        "token: TokenKind::OpenParenthesis2,",
        "postgres://user:password@localhost/db https://example.org:8080/@x",
        "https://github.com/a/b?token=short http://[::1]:80/",
        "git@github.com:a/b.git ssh://git@host:22/x",
        "postgres://$USER:$PASSWORD@host/${DB}",
        "AKIAIOSFODNN7EXAMPLE",
        "Bearer authentication is described in RFC 6750",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY----- is how one begins",
        "eyJhbGciOiJIUzI1NiJ9 is a header alone",
        "sk-antenna ghp_short npm_config_yes=true glpat-x",
        "checksum = \"8f7a5b1c9d3e2f4a6b8c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f1a\"",
        "tokenizer.vocab_size: 151936, hidden_size: 4096",
        "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/42",
        "https://a-very-long-name-of-a-user-without-numbers@example.org/",
        "basic authorization: see Authorization: Basic realm",
        "the basic things; Basic dXNlcjpodW50ZXIy",
        "hf_hub_download(hf_model_name_of_a_certain_length_here) hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
        "char8_t xai-1 xai-a-word-in-a-sentence r8_register_name sbp_probe sk-learn T3BlbkFJ sk-T3BlbkFJ",
        "MSG.format(SG.name) SG.x.y 12:AAB 12345678:AAAA",
        "http://localhost:8080?mail=me@example.org https://example.org:443,me@example.org (http://a:80),b@c",
        "mysql://$user:$pass@$host postgres://%(user)s:%(password)s@host ftp://%USER%:%PASSWORD%@h x://$(a):$(b)@c",
        "mongodb://host1:27017,host2:27017/db?x=@ https://example.org/?a:b@c https://example.org?x=1:2345@y",
        "1//0 xoxb-not-a-token sq0 eyJ AKCp _auth = user_auth_handler_with_a_name_2_3 sig=abc &sig=x 8Q~ a8Q~b",
        "\"auth\": \"basic\", rivate-Lines: x private_key: ENC client-key-data: x api-key: none accessKey: id",
        "api/webhooks/ dapi dapipeline api_v1_users key-value pul-requests sntry pscale_tkn_ fo1_",
        "",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn the_same_secret_has_the_same_number_in_one_result() {
    let secret = |seed| format!("ghp_{}", body(rules::Class::Alnum, 36, seed));
    let redactor = Redactor::new(true, &["acme_([0-9]+)".to_owned(), "id=(?<secret>[a-z]+)".to_owned()]);
    let mut redaction = redactor.begin();
    let shown = redaction.text(&format!("{} {} {}", secret(1), secret(2), secret(1))).into_owned();
    assert_eq!(shown, "⟦redacted:github_pat:1⟧ ⟦redacted:github_pat:2⟧ ⟦redacted:github_pat:1⟧");
    assert_eq!(redaction.text(&secret(2)), "⟦redacted:github_pat:2⟧");
    assert_eq!(redaction.count(), 4);
    assert_eq!(redaction.text("acme_12 id=abc"), "⟦redacted:custom_1:1⟧ id=⟦redacted:custom_2:1⟧");
    assert_eq!(Redactor::new(false, &["a".to_owned()]).begin().text(&secret(1)), secret(1));
}

#[test]
fn anchors_of_a_pattern_are_those_of_a_line() {
    let patterns = ["^PASS=(?P<secret>.*)$", "^MYTOK-[0-9]{6}$", "tail:(?P<secret>[a-z]+)$", "^zz[a-z]+"];
    let redactor = Redactor::new(true, &patterns.map(str::to_owned));
    let secret = ["hunter 2", "MYTOK-123456", "beta", "zzhidden"];
    for before in ["", "   1|", "12:", "12-", "+", "-", " ", "   7|+", "    ", "0123abcd 2026-11-20 Ada: "] {
        for end in ["", "\n", "\r\n"] {
            let text = format!(
                "{before}first\n{before}PASS=hunter 2\n{before}MYTOK-123456\n{before}a tail:beta\n{before}zzhidden{end}"
            );
            let shown = redactor.begin().text(&text).into_owned();
            assert!(!secret.iter().any(|secret| shown.contains(secret)), "{shown}");
            let expected = format!(
                "{before}first\n{before}PASS=⟦redacted:custom_1:1⟧\n{before}⟦redacted:custom_2:1⟧\n{before}a tail:⟦redacted:custom_3:1⟧\n{before}⟦redacted:custom_4:1⟧{end}"
            );
            assert_eq!(shown, expected);
        }
    }
    for text in ["x MYTOK-123456", "MYTOK-123456 x", "SUPASS=a", "tail:beta x", "12|13|zzhidden"] {
        assert_eq!(redactor.begin().text(text), text);
    }
}

#[test]
fn placeholders_are_known_again() {
    let shown = "a ⟦redacted:github_pat:1⟧ b";
    assert_eq!(placeholder(shown), Some("⟦redacted:github_pat:1⟧"));
    for text in [
        "",
        "⟦redacted:⟧",
        "⟦redacted:x⟧",
        "⟦redacted:X:1⟧",
        "⟦redacted:x:⟧",
        "redacted:x:1",
        "⟦redacted:x:1",
    ] {
        assert_eq!(placeholder(text), None, "{text}");
    }
}

#[test]
fn patterns_that_cannot_be_used_say_why() {
    let reason = |pattern: &str| Pattern::compile(pattern).unwrap_err().to_string();
    assert_eq!(reason("a*"), "this pattern matches the empty text");
    assert_eq!(reason("(b"), "this is no usable regular expression: unclosed group");
    assert!(reason("(?=a)").contains("look-around"), "{}", reason("(?=a)"));
    for pattern in ["a\nb", r"begin[\n]+end", "(a\n|b\n)"] {
        assert!(reason(pattern).contains("line break"), "{}", reason(pattern));
    }
    assert!(Pattern::compile("a(\n|b)").is_ok() && Pattern::compile(r"a\s+b").is_ok());
    assert!(reason(r"\w{9000}").contains("larger than"), "{}", reason(r"\w{9000}"));
}

#[test]
fn two_threads_find_what_one_finds() {
    let token = format!("ghp_{}", body(rules::Class::Alnum, 36, 4));
    let key = format!("{}\n", body(rules::Class::Alnum, 64, 8)).repeat(40);
    let filler = "nothing to see here\n".repeat(30_000);
    // The key begins in the first half and ends in the second.
    let filler_before = filler.get(..filler.len() - 1000).unwrap();
    let text = format!(
        "{token}\n{filler_before}\n-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\n{filler}\n{token}"
    );
    assert!(text.len() > 1 << 20);
    let redactor = Redactor::new(true, &[]);
    let mut redaction = redactor.begin();
    let shown = redaction.text(&text);
    assert_eq!(redaction.count(), 42);
    assert!(
        shown.ends_with("⟦redacted:github_pat:1⟧") && !shown.contains(&token) && !shown.contains(key.trim())
    );
}

proptest! {
    #[test]
    fn a_text_cut_behind_any_line_gives_the_same(
        pieces in proptest::collection::vec(
            prop_oneof![
                "[ -~\\n\\r]{0,30}",
                Just("-----BEGIN EC PRIVATE KEY-----\n".to_owned()),
                Just("-----END EC PRIVATE KEY-----\n".to_owned()),
                Just(format!("{}\n", body(rules::Class::Alnum, 64, 8))),
                Just(format!("sk_live_{}\n", body(rules::Class::Alnum, 36, 4))),
                Just("https://u:pa55word@\n".to_owned()),
                Just(format!("ecret_key=\"{}12\"\n", body(rules::Class::Alnum, 30, 6))),
            ],
            0..20,
        )
    ) {
        let text = pieces.concat();
        let finder = find::Finder::new();
        let found = |cuts: &[usize]| {
            let mut spans = Vec::new();
            for ends in cuts.windows(2) {
                finder.find_from(&text, ends[0]..ends[1], &mut spans);
            }
            spans.sort_by_key(|span| (span.start, span.end, span.id.clone()));
            spans
        };
        let whole = found(&[0, text.len()]);
        for (cut, _) in text.match_indices('\n') {
            prop_assert_eq!(&found(&[0, cut + 1, text.len()]), &whole);
        }
    }

    #[test]
    fn lines_stay_lines_and_the_rest_stays(
        pieces in proptest::collection::vec(
            prop_oneof![
                "[ -~\\n\\r\\té⟦⟧]{0,40}",
                Just("-----BEGIN EC PRIVATE KEY-----\n".to_owned()),
                Just("-----END EC PRIVATE KEY-----".to_owned()),
                Just(format!("ghp_{}", body(rules::Class::Alnum, 36, 4))),
                Just(format!("{}\n", body(rules::Class::Alnum, 64, 8))),
                Just("https://u:pa55word@".to_owned()),
                Just(format!("secret_key=\"{}12", body(rules::Class::Alnum, 30, 6))),
            ],
            0..20,
        )
    ) {
        let text = pieces.concat();
        let redactor = Redactor::new(true, &["[a-c]{3}\\s?".to_owned()]);
        let mut redaction = redactor.begin();
        let shown = redaction.text(&text);
        prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
        if redaction.count() == 0 {
            prop_assert!(matches!(shown, Cow::Borrowed(_)));
        }
        // What is left of the text, in order, is the text without its secrets.
        let mut rest = text.as_str();
        let mut kept = shown.as_ref();
        while let Some(found) = placeholder(kept).filter(|_| redaction.count() > 0) {
            let at = kept.find(found).unwrap();
            if text.contains(found) {
                return Ok(());
            }
            let place = rest.find(&kept[..at]);
            prop_assert_eq!(place.is_some(), true);
            rest = &rest[place.unwrap() + at..];
            kept = &kept[at + found.len()..];
        }
        prop_assert!(rest.ends_with(kept));
        // What was redacted once stays as it is.
        let again = Redactor::new(true, &[]).begin().text(&shown).into_owned();
        prop_assert_eq!(again.matches('\n').count(), text.matches('\n').count());
    }
}
