//! Keys lose their bodies however they are written, and what only names them stays.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::redact::{
    Redactor, rules,
    tests::{body, redact},
};

#[test]
fn a_private_key_loses_its_body_and_keeps_its_lines() {
    let line = body(rules::Class::Alnum, 64, 2);
    let numbered = format!(
        "     1|-----BEGIN RSA PRIVATE KEY-----\n     2|Proc-Type: 4,ENCRYPTED\n     3|\n     4|{line}\n     5|{line}x\n     6|QmFzZQ==\n     7|-----END RSA PRIVATE KEY-----\n     8|let after = \"{line}\";\n"
    );
    let shown = redact(&numbered);
    assert_eq!(shown.lines().count(), numbered.lines().count());
    assert!(!shown.contains(&line[..20]) || shown.matches(&line).count() == 1, "{shown}");
    assert!(!shown.contains("QmFzZQ"), "{shown}");
    assert!(shown.contains("     8|let after"), "{shown}");
    assert!(shown.contains("     4|⟦redacted:private_key:1⟧\n     5|⟦redacted:private_key:2⟧\n"), "{shown}");
    for before in ["7:    ", "7: | ", "service: ", "12:34:56 INFO: "] {
        let key = ["-----BEGIN PRIVATE KEY-----", &line, "QmFzZQ==", "-----END PRIVATE KEY-----"];
        let shown = redact(&key.map(|line| format!("{before}{line}\n")).concat());
        assert!(!shown.contains(&line[..20]) && !shown.contains("QmFzZQ"), "{shown}");
    }
    let escaped = format!(
        "{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{line}\\n{line}\\n-----END PRIVATE KEY-----\\n\"}}"
    );
    let shown = redact(&escaped);
    assert!(!shown.contains(&line[..20]) && shown.ends_with("-----END PRIVATE KEY-----\\n\"}"), "{shown}");
}

/// What takes the square of the text's length takes minutes here, unoptimised.
#[test]
fn beginnings_and_ends_of_keys_without_end_take_no_time() {
    let redactor = Redactor::new(true, &[]);
    for piece in [
        "-----BEGIN ",
        "-----END ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\\n",
        "-----BEGIN PRIVATE KEY-----\\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- x -----END CERTIFICATE-----",
    ] {
        let text = piece.repeat(400_000 / piece.len());
        assert_eq!(redactor.begin().text(&text), text.as_str(), "{piece}");
    }
}

#[test]
fn a_private_key_with_headers_is_replaced_however_its_lines_are_joined() {
    let lines: Vec<String> = (0..6).map(|seed| body(rules::Class::Alnum, 64, seed)).collect();
    let pgp = format!(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: OpenPGP.js v4.10.10\nComment: https://openpgpjs.org\n\n{}\no2ZNIwhDeA5TKh0=\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\n",
        lines.join("\n")
    );
    let rsa = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF\n\n{}\n-----END RSA PRIVATE KEY-----\n",
        lines.join("\n")
    );
    for key in [&pgp, &rsa] {
        let middle = key.find(&lines[2]).unwrap();
        for text in [
            key.clone(),
            serde_json::json!({"key": key}).to_string(),
            serde_json::json!({"of": serde_json::json!({"key": key}).to_string()}).to_string(),
            format!("KEY=\"{}\"\n", key.replace('\n', "\\n")),
            key.replace('\n', " "),
            key.replace('\n', "\r\n"),
            key.replace('\n', "\n\n"),
            key.replace('\n', "\\r\\n"),
            serde_json::json!({"key": key.replace('\n', "\r\n")}).to_string(),
            serde_json::json!({"of": serde_json::json!({"key": key.replace('\n', "\r\n")}).to_string()})
                .to_string(),
            numbered(&key.replace('\n', "\n\n")),
            key[middle..].to_owned(),
        ] {
            let shown = redact(&text);
            assert!(lines.iter().all(|line| !shown.contains(line.as_str())), "{shown}");
            assert!(!shown.contains("o2ZNIwhD") && !shown.contains("aB3d"), "{shown}");
            assert!(shown.contains("-----END"), "{shown}");
        }
        // What says how it is kept is no secret.
        assert!(
            redact(key).contains("OpenPGP.js v4.10.10\nComment: https://openpgpjs.org\n\n\u{27e6}")
                || key == &rsa
        );
        assert!(redact(key).contains(",0123456789ABCDEF0123456789ABCDEF\n\n\u{27e6}") || key == &pgp);
    }
}

fn numbered(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(index, line)| format!("{:>4}|{line}", index + 1));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_key_of_putty_is_replaced_however_its_lines_are_joined() {
    let line = |seed| body(rules::Class::Alnum, 64, seed);
    let (lines, public, sum) = ([1, 2, 3, 4].map(line), line(7), line(8));
    let key = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{public}\nPrivate-Lines: 4\n{}\nPrivate-MAC: {sum}\n",
        lines.join("\n")
    );
    let in_windows = key.replace('\n', "\r\n");
    for text in [
        key.clone(),
        in_windows.clone(),
        key.replace('\n', "\n\n"),
        numbered(&key.replace('\n', "\n\n")),
        serde_json::json!({"key": key}).to_string(),
        serde_json::json!({"key": in_windows}).to_string(),
        serde_json::json!({"of": serde_json::json!({"key": in_windows}).to_string()}).to_string(),
        key.repeat(2),
    ] {
        let shown = redact(&text);
        assert!(lines.iter().all(|line| !shown.contains(line.as_str())), "{shown}");
        assert!(shown.contains(&public) && shown.contains(&sum), "{shown}");
    }
}

#[test]
fn code_that_names_the_first_line_of_a_key_stays_as_it_is() {
    for text in [
        "if text.startswith(\"-----BEGIN RSA PRIVATE KEY-----\"): return decodeRsaPrivateKeyFromPemText(text)",
        "    if text.startswith(\"-----BEGIN RSA PRIVATE KEY-----\"):\n        return decodeRsaPrivateKeyFromPemText(text)\n    raise UnsupportedPrivateKeyFormatError\n",
        "A PEM file begins with `-----BEGIN PRIVATE KEY-----`.\nUse `BouncyCastleProviderConfiguration2` to read it\n",
        "String BEGIN = \"-----BEGIN RSA PRIVATE KEY-----\\n\";\npublic static PrivateKey readPrivateKeyFromClasspathResource(String name)\n",
        "-----BEGIN PRIVATE KEY-----\nand PrivateKeyInfoConverterFactory\n",
        "const body = wrapBase64AtSixtyFourColumns(der);\nreturn body + \"-----END PRIVATE KEY-----\";\n",
    ] {
        assert_eq!(redact(text), text);
    }
    let line = body(rules::Class::Alnum, 64, 2);
    let code = format!(
        "KEY = (\"-----BEGIN PRIVATE KEY-----\\n\"\n    \"{line}\\n\"\n    \"QmFzZQ==\\n\"\n    \"-----END PRIVATE KEY-----\")\n"
    );
    let shown = redact(&code);
    assert!(!shown.contains(&line) && !shown.contains("QmFzZQ"), "{shown}");
}

#[test]
fn the_rest_of_a_private_key_is_known_by_its_last_line() {
    let line = body(rules::Class::Alnum, 64, 2);
    let close = "-----END EC PRIVATE KEY-----";
    for before in ["", " ", "+", "   12|", "conf.yml:7:  "] {
        let rest =
            [&line, &line, "QmFzZQ==", close, "after"].map(|line| format!("{before}{line}\n")).concat();
        let text = format!("@@ -3,4 +3,4 @@\n{rest}");
        let shown = redact(&text);
        assert!(!shown.contains(&line[..20]) && !shown.contains("QmFzZQ"), "{shown}");
        assert!(shown.ends_with(&format!("{before}{close}\n{before}after\n")), "{shown}");
        assert_eq!(shown.lines().count(), text.lines().count());
    }
    let escaped = format!("{line}\\nQmFzZQ==\\n{close}\\n\"");
    assert!(!redact(&escaped).contains("QmFzZQ"), "{}", redact(&escaped));
    for text in [
        format!("words\n{close}\n"),
        format!("{line}\nbetween\nwords\n{close}\n"),
        format!("{line}\n-----END CERTIFICATE-----\n"),
        format!("short\n{close}\n"),
    ] {
        assert_eq!(redact(&text), text);
    }
}

/// A key without a passphrase as `ssh-keygen` writes it, of bytes that are nobody's: two thirds of its beginning are zeros and names.
fn openssh(kind: &str, public: usize, private: usize, comment: &str) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |length: usize| -> Vec<u8> {
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        (0..length).map(next).collect()
    };
    let text = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat();
    let public = [text(kind.as_bytes()), text(&random(public))].concat();
    let check = random(4);
    let mut secret =
        [&check, &check, public.as_slice(), &text(&random(private)), &text(comment.as_bytes())].concat();
    secret.extend((1..=8).take((8 - secret.len() % 8) % 8));
    let none = [text(b"none"), text(b"none"), text(b""), 1_u32.to_be_bytes().to_vec()].concat();
    STANDARD.encode([&b"openssh-key-v1\0"[..], &none, &text(&public), &text(&secret)].concat())
}

#[test]
fn a_private_key_in_a_narrow_column_loses_its_body() {
    let random: String = (0..10).map(|seed| body(rules::Class::Alnum, 64, seed)).collect();
    let keys = [
        ("", random[..635].to_owned()),
        ("OPENSSH ", openssh("ssh-ed25519", 32, 64, "ann@example.org")),
        ("OPENSSH ", openssh("ssh-ed25519", 32, 64, "")),
        ("OPENSSH ", openssh("ssh-rsa", 385, 1400, "ann@a-machine-with-a-long-name.example.org")),
        ("OPENSSH ", openssh("ecdsa-sha2-nistp256", 65, 33, "ann")),
    ];
    for (width, (kind, whole)) in
        [1, 4, 8, 10, 16, 20, 23].into_iter().flat_map(|width| keys.iter().map(move |key| (width, key)))
    {
        let lines: Vec<&str> =
            whole.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let key = format!(
            "-----BEGIN {kind}PRIVATE KEY-----\n{}\n-----END {kind}PRIVATE KEY-----\nafter it\nthe end\n",
            lines.join("\n")
        );
        let end = key.find(&format!("{}\n", lines[3])).unwrap();
        for text in [
            key.clone(),
            key.replace('\n', "\r\n"),
            numbered(&key),
            serde_json::json!({"key": key}).to_string(),
            // Its last line stands further below, or its first one further above.
            key.split("-----END").next().unwrap().to_owned(),
            key[end..].to_owned(),
        ] {
            let shown = redact(&text);
            let left = lines.iter().filter(|line| line.len() > 3 && shown.contains(**line)).count();
            assert_eq!((left, shown.matches('\n').count()), (0, text.matches('\n').count()), "{shown}");
            assert_eq!(shown.contains("after it"), text.contains("after it"), "{shown}");
        }
    }
    for text in [
        "-----BEGIN PRIVATE KEY-----\nis how one\nbegins, and\nthis is the end of it\n-----END PRIVATE KEY-----\n",
        "// -----BEGIN PRIVATE KEY-----\nlet one = Abc;\nlet two = Def;\nlet six = Ghi;\n",
        "one\ntwo\nsix\nten\nend\n-----END PRIVATE KEY-----\n",
    ] {
        assert_eq!(redact(text), text);
    }
}
