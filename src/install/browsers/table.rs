//! The one table of browsers.
//!
//! Adding a browser is one row. A browser that looks in several folders gets several places, one on another system a place
//! with that system's name; what a row says comes from the vendor's documentation or source, or from what several installers
//! agree on, never from a guess: where nothing is known, there is no place.

use super::{Base, Boxed, Browser, Family, Os, Place};

const fn linux(own: &'static str) -> Place {
    Place::new(Os::Linux, Base::Config, own)
}

const fn linux_home(own: &'static str) -> Place {
    Place::new(Os::Linux, Base::Home, own)
}

const fn mac(own: &'static str) -> Place {
    Place::new(Os::MacOs, Base::ApplicationSupport, own)
}

/// On Windows only the registry names manifests; the folder shows that the browser is used.
const fn windows(base: Base, own: &'static str, registry: &'static [&'static str]) -> Place {
    Place { registry, ..Place::new(Os::Windows, base, own) }
}

const LINUX_CHROME: &[&str] = &["/etc/opt/chrome/native-messaging-hosts"];
const LINUX_EDGE: &[&str] = &["/etc/opt/edge/native-messaging-hosts"];
const LINUX_MOZILLA: &[&str] = &["/usr/lib/mozilla/native-messaging-hosts"];
const MAC_CHROME: &[&str] = &["/Library/Google/Chrome/NativeMessagingHosts"];
const MAC_EDGE: &[&str] = &["/Library/Microsoft/Edge/NativeMessagingHosts"];
const MAC_MOZILLA: &[&str] = &["/Library/Application Support/Mozilla/NativeMessagingHosts"];
const KEY_CHROME: &[&str] = &["Google\\Chrome"];
const KEY_CHROMIUM: &[&str] = &["Chromium", "Google\\Chrome"];
const KEY_EDGE: &[&str] = &["Microsoft\\Edge", "Chromium", "Google\\Chrome"];
const KEY_MOZILLA: &[&str] = &["Mozilla"];

/// Every browser we install into, in the order in which they are shown.
pub const BROWSERS: &[Browser] = &[
    Browser {
        id: "chrome",
        name: "Google Chrome",
        family: Family::Chromium,
        programs: &["google-chrome", "google-chrome-stable"],
        places: &[
            linux("google-chrome").system(LINUX_CHROME),
            mac("Google/Chrome").system(MAC_CHROME),
            windows(Base::LocalAppData, "Google/Chrome/User Data", KEY_CHROME),
        ],
        boxed: &[Boxed::Flatpak("com.google.Chrome")],
    },
    Browser {
        id: "chrome-beta",
        name: "Google Chrome Beta",
        family: Family::Chromium,
        programs: &["google-chrome-beta"],
        places: &[
            linux("google-chrome-beta").system(LINUX_CHROME),
            mac("Google/Chrome Beta").system(MAC_CHROME),
            windows(Base::LocalAppData, "Google/Chrome Beta/User Data", KEY_CHROME),
        ],
        boxed: &[],
    },
    Browser {
        id: "chrome-dev",
        name: "Google Chrome Dev",
        family: Family::Chromium,
        programs: &["google-chrome-unstable"],
        places: &[
            linux("google-chrome-unstable").system(LINUX_CHROME),
            mac("Google/Chrome Dev").system(MAC_CHROME),
            windows(Base::LocalAppData, "Google/Chrome Dev/User Data", KEY_CHROME),
        ],
        boxed: &[Boxed::Flatpak("com.google.ChromeDev")],
    },
    Browser {
        id: "chrome-canary",
        name: "Google Chrome Canary",
        family: Family::Chromium,
        programs: &["google-chrome-canary"],
        places: &[
            linux("google-chrome-canary").system(LINUX_CHROME),
            mac("Google/Chrome Canary").system(MAC_CHROME),
            windows(Base::LocalAppData, "Google/Chrome SxS/User Data", KEY_CHROME),
        ],
        boxed: &[],
    },
    Browser {
        id: "chrome-for-testing",
        name: "Chrome for Testing",
        family: Family::Chromium,
        programs: &[],
        places: &[
            linux("google-chrome-for-testing")
                .system(&["/etc/opt/chrome_for_testing/native-messaging-hosts"]),
            // Since version 146; older ones read `Google/Chrome for Testing`.
            mac("Google/ChromeForTesting")
                .system(&["/Library/Google/ChromeForTesting/NativeMessagingHosts"])
                .traces(&[
                    (Base::ApplicationSupport, "Google/ChromeForTesting"),
                    (Base::ApplicationSupport, "Google/Chrome for Testing"),
                ]),
            windows(
                Base::LocalAppData,
                "Google/Chrome for Testing/User Data",
                &["Google\\Chrome for Testing"],
            ),
        ],
        boxed: &[],
    },
    Browser {
        id: "chromium",
        name: "Chromium",
        family: Family::Chromium,
        programs: &["chromium", "chromium-browser"],
        places: &[
            linux("chromium").system(&["/etc/chromium/native-messaging-hosts"]),
            mac("Chromium").system(&["/Library/Application Support/Chromium/NativeMessagingHosts"]),
            windows(Base::LocalAppData, "Chromium/User Data", KEY_CHROMIUM),
        ],
        boxed: &[Boxed::Flatpak("org.chromium.Chromium"), Boxed::Snap("chromium")],
    },
    Browser {
        id: "edge",
        name: "Microsoft Edge",
        family: Family::Chromium,
        programs: &["microsoft-edge", "microsoft-edge-stable"],
        places: &[
            linux("microsoft-edge").system(LINUX_EDGE),
            mac("Microsoft Edge").system(MAC_EDGE),
            windows(Base::LocalAppData, "Microsoft/Edge/User Data", KEY_EDGE),
        ],
        boxed: &[Boxed::Flatpak("com.microsoft.Edge")],
    },
    Browser {
        id: "edge-beta",
        name: "Microsoft Edge Beta",
        family: Family::Chromium,
        programs: &["microsoft-edge-beta"],
        places: &[
            linux("microsoft-edge-beta").system(LINUX_EDGE),
            mac("Microsoft Edge Beta").system(MAC_EDGE),
            windows(Base::LocalAppData, "Microsoft/Edge Beta/User Data", KEY_EDGE),
        ],
        boxed: &[],
    },
    Browser {
        id: "edge-dev",
        name: "Microsoft Edge Dev",
        family: Family::Chromium,
        programs: &["microsoft-edge-dev"],
        places: &[
            linux("microsoft-edge-dev").system(LINUX_EDGE),
            mac("Microsoft Edge Dev").system(MAC_EDGE),
            windows(Base::LocalAppData, "Microsoft/Edge Dev/User Data", KEY_EDGE),
        ],
        boxed: &[],
    },
    Browser {
        id: "edge-canary",
        name: "Microsoft Edge Canary",
        family: Family::Chromium,
        programs: &[],
        places: &[
            mac("Microsoft Edge Canary").system(MAC_EDGE),
            windows(Base::LocalAppData, "Microsoft/Edge SxS/User Data", KEY_EDGE),
        ],
        boxed: &[],
    },
    Browser {
        id: "brave",
        name: "Brave",
        family: Family::Chromium,
        programs: &["brave-browser", "brave-browser-stable", "brave"],
        // For everybody: installers disagree about the folder, so none is named.
        places: &[
            linux("BraveSoftware/Brave-Browser"),
            mac("BraveSoftware/Brave-Browser"),
            windows(
                Base::LocalAppData,
                "BraveSoftware/Brave-Browser/User Data",
                &["BraveSoftware\\Brave-Browser", "Google\\Chrome"],
            ),
        ],
        boxed: &[Boxed::Flatpak("com.brave.Browser"), Boxed::Snap("brave")],
    },
    Browser {
        id: "vivaldi",
        name: "Vivaldi",
        family: Family::Chromium,
        programs: &["vivaldi", "vivaldi-stable"],
        places: &[
            linux("vivaldi").system(&["/etc/opt/vivaldi/native-messaging-hosts"]),
            mac("Vivaldi").system(&["/Library/Application Support/Vivaldi/NativeMessagingHosts"]),
            windows(Base::LocalAppData, "Vivaldi/User Data", &["Vivaldi", "Google\\Chrome"]),
        ],
        boxed: &[Boxed::Flatpak("com.vivaldi.Vivaldi")],
    },
    Browser {
        id: "opera",
        name: "Opera",
        family: Family::Chromium,
        programs: &["opera"],
        // It reads what is Chrome's.
        places: &[
            linux("google-chrome").system(LINUX_CHROME).traces(&[(Base::Config, "opera")]),
            mac("Google/Chrome")
                .system(MAC_CHROME)
                .traces(&[(Base::ApplicationSupport, "com.operasoftware.Opera")]),
            windows(Base::RoamingAppData, "Opera Software/Opera Stable", KEY_CHROME),
        ],
        boxed: &[Boxed::Snap("opera")],
    },
    Browser {
        id: "arc",
        name: "Arc",
        family: Family::Chromium,
        programs: &[],
        places: &[
            mac("Arc/User Data").system(&["/Library/Application Support/Arc/User Data/NativeMessagingHosts"])
        ],
        boxed: &[],
    },
    Browser {
        id: "helium",
        name: "Helium",
        family: Family::Chromium,
        programs: &["helium", "helium-browser"],
        // It reads what is Chrome's, behind its own.
        places: &[
            linux("net.imput.helium")
                .system(&["/etc/chromium/native-messaging-hosts"])
                .borrowing(&[(Base::Config, "google-chrome")], LINUX_CHROME),
            mac("net.imput.helium")
                .system(&["/Library/Application Support/Chromium/NativeMessagingHosts"])
                .borrowing(&[(Base::ApplicationSupport, "Google/Chrome")], MAC_CHROME),
        ],
        boxed: &[],
    },
    Browser {
        id: "yandex",
        name: "Yandex Browser",
        family: Family::Chromium,
        programs: &["yandex-browser", "yandex-browser-stable"],
        places: &[
            linux("yandex-browser").system(&["/etc/opt/yandex-browser/native-messaging-hosts"]),
            mac("Yandex/YandexBrowser").traces(&[(Base::ApplicationSupport, "Yandex/YandexBrowser")]),
            windows(Base::LocalAppData, "Yandex/YandexBrowser/User Data", KEY_CHROME),
        ],
        boxed: &[Boxed::Flatpak("ru.yandex.Browser")],
    },
    Browser {
        id: "iridium",
        name: "Iridium",
        family: Family::Chromium,
        programs: &["iridium-browser"],
        places: &[linux("iridium").system(&["/etc/iridium-browser/native-messaging-hosts"]), mac("Iridium")],
        boxed: &[],
    },
    Browser {
        id: "slimjet",
        name: "Slimjet",
        family: Family::Chromium,
        programs: &["slimjet", "flashpeak-slimjet"],
        places: &[linux("slimjet").system(&["/etc/opt/slimjet/native-messaging-hosts"]), mac("Slimjet")],
        boxed: &[],
    },
    Browser {
        id: "firefox",
        name: "Firefox",
        family: Family::Firefox,
        programs: &["firefox", "firefox-esr"],
        places: &[
            // Manifests stay in `~/.mozilla` even where profiles have moved to the XDG folder.
            linux_home(".mozilla")
                .system(LINUX_MOZILLA)
                .traces(&[(Base::Home, ".mozilla/firefox"), (Base::Config, "mozilla/firefox")]),
            mac("Mozilla").system(MAC_MOZILLA).traces(&[(Base::ApplicationSupport, "Firefox")]),
            windows(Base::RoamingAppData, "Mozilla/Firefox", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("org.mozilla.firefox"), Boxed::Snap("firefox")],
    },
    Browser {
        id: "zen",
        name: "Zen",
        family: Family::Firefox,
        programs: &["zen", "zen-browser"],
        // It reads what is Firefox's, and nothing in folders of its own name.
        places: &[
            linux_home(".mozilla")
                .system(LINUX_MOZILLA)
                .traces(&[(Base::Home, ".zen"), (Base::Config, "zen")]),
            mac("Mozilla").system(MAC_MOZILLA).traces(&[(Base::ApplicationSupport, "zen")]),
            windows(Base::RoamingAppData, "zen", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("app.zen_browser.zen")],
    },
    Browser {
        id: "librewolf",
        name: "LibreWolf",
        family: Family::Firefox,
        programs: &["librewolf"],
        places: &[
            linux_home(".librewolf").system(&["/usr/lib/librewolf/native-messaging-hosts"]),
            mac("librewolf").system(&["/Library/Application Support/librewolf/NativeMessagingHosts"]),
            windows(Base::RoamingAppData, "librewolf", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("io.gitlab.librewolf-community")],
    },
    Browser {
        id: "waterfox",
        name: "Waterfox",
        family: Family::Firefox,
        programs: &["waterfox"],
        places: &[
            linux_home(".waterfox").system(&["/usr/lib/waterfox/native-messaging-hosts"]),
            mac("Waterfox"),
            windows(Base::RoamingAppData, "Waterfox", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("net.waterfox.waterfox")],
    },
    Browser {
        id: "floorp",
        name: "Floorp",
        family: Family::Firefox,
        programs: &["floorp"],
        places: &[
            linux_home(".floorp").system(&["/usr/lib/floorp/native-messaging-hosts"]),
            mac("Mozilla").system(MAC_MOZILLA).traces(&[(Base::ApplicationSupport, "Floorp")]),
            windows(Base::RoamingAppData, "Floorp", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("one.ablaze.floorp")],
    },
    Browser {
        id: "tor",
        name: "Tor Browser",
        family: Family::Firefox,
        programs: &[],
        // On Linux it reads inside its own bundle, wherever that was unpacked: `--browser-dir` takes that.
        places: &[
            mac("TorBrowser-Data/Browser/Mozilla")
                .traces(&[(Base::ApplicationSupport, "TorBrowser-Data/Browser")]),
            windows(Base::RoamingAppData, "Tor Browser", KEY_MOZILLA),
        ],
        boxed: &[Boxed::Flatpak("org.torproject.torbrowser-launcher")],
    },
    Browser {
        id: "duckduckgo",
        name: "DuckDuckGo",
        family: Family::Chromium,
        programs: &[],
        places: &[Place::new(
            Os::MacOs,
            Base::Home,
            "Library/Containers/com.duckduckgo.macos.browser/Data/Library/Application Support",
        )],
        boxed: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::{BROWSERS, Family, Os};

    #[test]
    fn ids_are_unique_and_twenty_are_known_on_each_system() {
        for (index, browser) in BROWSERS.iter().enumerate() {
            assert!(BROWSERS[index + 1..].iter().all(|other| other.id != browser.id), "{}", browser.id);
        }
        for os in [Os::Linux, Os::MacOs, Os::Windows] {
            let known = BROWSERS.iter().filter(|browser| browser.place(os).is_some()).count();
            assert!(known >= 18, "{known} on {os:?}");
        }
        assert!(BROWSERS.len() >= 20);
    }

    #[test]
    fn places_say_what_their_system_needs() {
        for browser in BROWSERS {
            for place in browser.places {
                let name = browser.id;
                assert_eq!(place.registry.is_empty(), place.os != Os::Windows, "{name}");
                assert!(place.system.iter().all(|path| path.starts_with('/')), "{name}");
                assert!(!place.own.1.starts_with('/') && !place.own.1.ends_with('/'), "{name}");
                // Firefox's own folder of manifests exists where another browser was installed into, too.
                let shared = place.own.1 == ".mozilla" || place.own.1 == "Mozilla";
                assert!(!shared || !place.traces.is_empty(), "{name} has no trace of its own");
                if place.os == Os::Linux {
                    let folder = browser.family.manifest_folder(Os::Linux);
                    assert_eq!(folder == "NativeMessagingHosts", browser.family == Family::Chromium);
                    assert!(
                        place.system.iter().all(|path| path.ends_with("/native-messaging-hosts")),
                        "{name}"
                    );
                }
            }
        }
    }
}
