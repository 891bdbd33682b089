//! Dates as people write them: `2012-11-20`, `Jan 1 2012 14:00`, `yesterday noon`, `2 weeks ago`, `2.weeks.ago`.
//!
//! They mean what they mean to git: what is not said, the time of day too, is that of this moment, and without a zone it is the user's
//! own. Each word is taken for what it can be; one that can be nothing is refused, where git would take it for now.

use jiff::{
    ToSpan as _, Zoned,
    civil::{Date, DateTime},
    tz::TimeZone,
};

const DAY: i64 = 24 * 60 * 60;
/// From here on a number is seconds since 1970.
const FIRST_EPOCH: i64 = 100_000_000;
const YEARS: std::ops::Range<i64> = 1970..2100;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Units of a fixed length, in seconds.
const UNITS: [(&str, i64); 5] =
    [("second", 1), ("minute", 60), ("hour", 3600), ("day", DAY), ("week", 7 * DAY)];
/// Zones by name (RFC 5322), in hours.
const ZONES: [(&str, i64); 11] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];
const FILLERS: [&str; 6] = ["at", "on", "of", "the", "and", "in"];

/// The moment that `text` names, in seconds; `None` for what is no date.
pub(super) fn parse(text: &str, now: &Zoned) -> Option<i64> {
    let exact = || gix::date::parse(text, Some(now.clone())).ok().map(|time| time.seconds);
    if text.starts_with('@') {
        return exact();
    }
    Said::read(&text.to_ascii_lowercase(), now).and_then(|said| said.moment(now))
}

/// What was said of a date.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    /// Seconds since 1970: that is all there is to say.
    epoch: Option<i64>,
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    clock: Option<(i64, i64, i64)>,
    /// The last time that the clock showed this.
    is_last: bool,
    /// Seconds east of Greenwich.
    offset: Option<i64>,
    /// Before now.
    seconds: i64,
    months: i64,
    says_something: bool,
}

impl Said {
    fn read(text: &str, now: &Zoned) -> Option<Self> {
        let mut said = Self::default();
        // A number that may count what follows it.
        let mut number = None;
        for piece in
            text.split(|mark: char| mark.is_whitespace() || mark == ',').filter(|piece| !piece.is_empty())
        {
            // A zone stands behind what it is the zone of.
            if piece.starts_with(['+', '-']) {
                said.settle(number.take())?;
            }
            if said.take_whole(piece)? {
                said.settle(number.take())?;
                continue;
            }
            for word in piece.split(['.', '-', '/', '_']).filter(|word| !word.is_empty()) {
                match (count(word), number) {
                    (Some(next), waiting) => {
                        said.settle(waiting)?;
                        number = Some(next);
                    }
                    (None, waiting) => {
                        let used = said.word(word, waiting, now)?;
                        if !used {
                            said.settle(waiting)?;
                        }
                        number = None;
                    }
                }
                said.says_something = true;
            }
        }
        said.settle(number)?;
        Some(said).filter(|said| said.says_something)
    }

    /// A date, a time of day or a zone by itself; false for what has to be taken word by word. `None` where it cannot stand here.
    fn take_whole(&mut self, piece: &str) -> Option<bool> {
        let (date, behind) = match piece.split_once('t') {
            Some((date, clock))
                if date.ends_with(|last: char| last.is_ascii_digit()) && clock.contains(':') =>
            {
                (Some(date), clock)
            }
            _ => (None, piece),
        };
        let taken = match date {
            Some(date) => self.date(date) && self.clock(behind),
            None => self.zone(piece) || self.date(piece) || self.clock(piece),
        };
        self.says_something |= taken;
        if date.is_some() && !taken { None } else { Some(taken) }
    }

    /// `2012-11-20`, `11/20/2012`, `20.11.2012`, `20121120`.
    fn date(&mut self, piece: &str) -> bool {
        let numbers = |mark| -> Option<Vec<i64>> { piece.split(mark).map(digits).collect() };
        let found = ['-', '/', '.'].into_iter().find_map(|mark| Some((mark, numbers(mark)?)));
        let (year, month, day) = match found {
            Some(('-', parts)) if parts.len() == 1 && piece.len() == 8 => {
                (parts[0] / 10_000, parts[0] / 100 % 100, parts[0] % 100)
            }
            Some((mark, parts)) => match parts[..] {
                [year, month, day] if YEARS.contains(&year) => (year, month, day),
                [day, month, year] if mark == '.' || day > 12 => (year, month, day),
                [month, day, year] => (year, month, day),
                _ => return false,
            },
            None => return false,
        };
        let year = full_year(year);
        let fits = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        if fits {
            (self.year, self.month, self.day) = (Some(year), Some(month), Some(day));
        }
        fits
    }

    /// `10:30`, `10:30:05.25`, also with a zone behind it.
    fn clock(&mut self, piece: &str) -> bool {
        let end = piece
            .find(|mark: char| !mark.is_ascii_digit() && !matches!(mark, ':' | '.'))
            .unwrap_or(piece.len());
        let (clock, behind) = piece.split_at(end);
        let mut parts =
            clock.split(':').map(|part| digits(part.split_once('.').map_or(part, |(whole, _)| whole)));
        let (Some(Some(hour)), Some(Some(minute))) = (parts.next(), parts.next()) else { return false };
        let second = parts.next().unwrap_or(Some(0));
        let Some(second) =
            second.filter(|second| parts.next().is_none() && hour <= 24 && minute < 60 && *second <= 60)
        else {
            return false;
        };
        self.clock = Some((hour, minute, second));
        match behind {
            "" => true,
            "am" | "pm" => self.half(behind == "pm", None),
            zone => self.zone(zone),
        }
    }

    /// `+01:00`, `-0500`, `+02`, `z`. It needs a time of day or seconds in front of it, unless it is a name.
    fn zone(&mut self, piece: &str) -> bool {
        if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == piece) {
            self.offset = Some(hours * 3600);
            return true;
        }
        let sign = if piece.starts_with('-') { -1 } else { 1 };
        let Some(rest) = piece.strip_prefix(['+', '-']) else { return false };
        let (hours, minutes) = match (rest.split_once(':'), rest.len()) {
            (Some((hours, minutes)), 5) => (digits(hours), digits(minutes)),
            (None, 4) => (digits(&rest[..2]), digits(&rest[2..])),
            (None, 2) => (digits(rest), Some(0)),
            _ => (None, None),
        };
        let (Some(hours), Some(minutes)) = (hours, minutes) else { return false };
        if self.clock.is_none() && self.epoch.is_none() {
            return false;
        }
        // What is no zone says nothing to git.
        if hours < 24 && minutes < 60 {
            self.offset = Some(sign * (hours * 3600 + minutes * 60));
        }
        true
    }

    /// Takes a word; whether `number` counts it. `None` for a word that means nothing.
    fn word(&mut self, word: &str, number: Option<i64>, now: &Zoned) -> Option<bool> {
        let plural = word.strip_suffix('s').unwrap_or(word);
        if let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == plural) {
            self.seconds = self.seconds.checked_add(length.checked_mul(number?)?)?;
            return Some(true);
        }
        if let Some(months) =
            [("month", 1), ("year", 12)].into_iter().find_map(|(name, of)| (name == plural).then_some(of))
        {
            self.months = self.months.checked_add(number?.checked_mul(months)?)?;
            return Some(true);
        }
        if let Some(month) = place(word, &MONTHS) {
            self.month = Some(month + 1);
            return Some(false);
        }
        if let Some(weekday) = place(word, &WEEKDAYS) {
            // Beside a date it says nothing new.
            let Some(weeks) = number.filter(|_| self.day.is_none()) else { return Some(false) };
            let back = (i64::from(now.weekday().to_sunday_zero_offset()) - weekday).rem_euclid(7);
            let weeks = if back == 0 { weeks } else { weeks - 1 };
            self.seconds =
                self.seconds.checked_add((weeks.checked_mul(7)?.checked_add(back)?).checked_mul(DAY)?)?;
            return Some(true);
        }
        match word {
            "today" | "now" => {}
            "yesterday" => self.seconds = self.seconds.checked_add(DAY)?,
            "never" => self.epoch = Some(0),
            "midnight" => self.clock = Some((0, 0, 0)),
            "noon" => (self.clock, self.is_last) = (Some((12, 0, 0)), true),
            "tea" => (self.clock, self.is_last) = (Some((17, 0, 0)), true),
            "am" | "pm" => return self.half(word == "pm", number).then_some(number.is_some()),
            // It belongs to what was counted.
            "ago" if self.seconds != 0 || self.months != 0 => {}
            word if FILLERS.contains(&word) => {}
            word => {
                // `5pm`, `1st`.
                let digits_end = word.find(|mark: char| !mark.is_ascii_digit()).filter(|end| *end > 0)?;
                let (number, behind) = word.split_at(digits_end);
                match behind {
                    "am" | "pm" => return self.half(behind == "pm", digits(number)).then_some(false),
                    "st" | "nd" | "rd" | "th" => self.settle(digits(number))?,
                    _ => return None,
                }
            }
        }
        Some(false)
    }

    /// In the morning or the afternoon: an hour by itself, or the time of day that was said.
    fn half(&mut self, is_afternoon: bool, hour: Option<i64>) -> bool {
        let clock = hour.map(|hour| (hour, 0, 0)).or(self.clock);
        let Some((hour, minute, second)) = clock.filter(|(hour, ..)| (1..=12).contains(hour)) else {
            return false;
        };
        self.clock = Some((hour % 12 + if is_afternoon { 12 } else { 0 }, minute, second));
        true
    }

    /// A number that counts nothing is a day, a year, or seconds since 1970.
    fn settle(&mut self, number: Option<i64>) -> Option<()> {
        let Some(number) = number else { return Some(()) };
        if number >= FIRST_EPOCH && self.year.is_none() && self.month.is_none() && self.day.is_none() {
            self.epoch = Some(number);
        } else if YEARS.contains(&number) && self.year.is_none() {
            self.year = Some(number);
        } else if (1..=31).contains(&number) && self.day.is_none() {
            self.day = Some(number);
        } else if (0..100).contains(&number) && self.year.is_none() && self.month.is_some() {
            self.year = Some(full_year(number));
        } else {
            return None;
        }
        Some(())
    }

    fn moment(&self, now: &Zoned) -> Option<i64> {
        if let Some(epoch) = self.epoch {
            return Some(epoch);
        }
        let before = now.timestamp().as_second().checked_sub(self.seconds)?;
        let then = jiff::Timestamp::from_second(before).ok()?.to_zoned(now.time_zone().clone());
        let this_month = i64::from(then.month());
        let month = self.month.unwrap_or(this_month);
        // Without a year it is the last time that there was such a month.
        let year = self.year.unwrap_or(i64::from(then.year()) - i64::from(month > this_month));
        let (hour, minute, second) =
            self.clock.unwrap_or((then.hour().into(), then.minute().into(), then.second().into()));
        let mut day = self.day.unwrap_or(then.day().into());
        if self.is_last && self.day.is_none() && self.seconds == 0 && i64::from(then.hour()) < hour {
            day -= 1;
        }
        let months = (year * 12 + month - 1).checked_sub(self.months)?;
        // A day that its month does not have is one of the next.
        let year = i16::try_from(months.div_euclid(12)).ok()?;
        let first = Date::new(year, i8::try_from(months.rem_euclid(12) + 1).ok()?, 1).ok()?;
        let clock = hour.hours().minutes(minute).seconds(second);
        let civil = first.checked_add((day - 1).days()).ok()?.at(0, 0, 0, 0).checked_add(clock).ok()?;
        match self.offset {
            Some(offset) => Some(seconds(civil, &TimeZone::UTC)? - offset),
            None => seconds(civil, now.time_zone()),
        }
    }
}

fn seconds(civil: DateTime, zone: &TimeZone) -> Option<i64> {
    Some(zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp().as_second())
}

/// Two digits are a year, too.
fn full_year(year: i64) -> i64 {
    match year {
        0..70 => 2000 + year,
        70..100 => 1900 + year,
        year => year,
    }
}

fn digits(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// A number by digits or by its name.
fn count(word: &str) -> Option<i64> {
    let named = NUMBERS.iter().zip(1_i64..).find(|(name, _)| **name == word).map(|(_, number)| number);
    digits(word).or(named).or((word == "last").then_some(1))
}

fn place(word: &str, names: &[&str]) -> Option<i64> {
    let found = names.iter().position(|name| word.len() >= 3 && name.starts_with(word))?;
    i64::try_from(found).ok()
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn at(text: &str) -> Option<i64> {
        let now = jiff::Timestamp::from_second(1_795_595_400).unwrap();
        parse(text, &now.in_tz("Asia/Tokyo").unwrap())
    }

    /// What `git rev-parse --since=…` says at that moment, there.
    #[test]
    fn dates_mean_what_they_mean_to_git() {
        for (text, expected) in [
            ("2012", 1_353_832_200),
            ("Jan 1 2012", 1_325_406_600),
            ("1st of January 2012", 1_325_406_600),
            ("20 Nov 12", 1_353_400_200),
            ("20-Nov-2012", 1_353_400_200),
            ("2012-11-20", 1_353_400_200),
            ("2012/11/20", 1_353_400_200),
            ("11/20/2012", 1_353_400_200),
            ("20.11.2012", 1_353_400_200),
            ("20121120", 1_353_400_200),
            ("Feb 31 2012", 1_330_677_000),
            ("2012-11-20 10:00", 1_353_373_200),
            ("2012-11-20T10:00:00.5Z", 1_353_405_600),
            ("2012-11-20T10:00:00+01:00", 1_353_402_000),
            ("2012-11-20 10:00:00 -00:60", 1_353_373_200),
            ("Mon, 02 Jan 2012 10:00:00 +0130", 1_325_493_000),
            ("Mon Jan 2 10:00:00 2012 EST", 1_325_516_400),
            ("Jan 2 2012 10:00pm", 1_325_509_200),
            ("1700000000", 1_700_000_000),
            ("1700000000 +0200", 1_700_000_000),
            ("now", 1_795_595_400),
            ("today", 1_795_595_400),
            ("noon", 1_795_575_600),
            ("noon yesterday", 1_795_489_200),
            ("yesterday noon", 1_795_489_200),
            ("yesterday 5pm", 1_795_507_200),
            ("10am", 1_795_568_400),
            ("10 am", 1_795_568_400),
            ("midnight", 1_795_532_400),
            ("tea", 1_795_593_600),
            ("never", 0),
            ("2 weeks ago", 1_794_385_800),
            ("2.weeks.ago", 1_794_385_800),
            ("three days 2 hours ago", 1_795_329_000),
            ("last friday", 1_795_163_400),
            ("2 tuesday", 1_794_904_200),
            ("5 months ago", 1_782_376_200),
            ("last year", 1_764_059_400),
            ("december", 1_766_651_400),
            ("May 31", 1_780_216_200),
            ("31", 1_796_113_800),
            ("10:30", 1_795_570_200),
        ] {
            assert_eq!(at(text), Some(expected), "{text}");
        }
        assert_eq!((at("@0"), at("@-5"), at("@1700000000 +0200")), (Some(0), Some(-5), Some(1_700_000_000)));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "-",
            "T",
            "tomorrow",
            "never say",
            "5 min ago",
            "week ago",
            "ago",
            "12345",
            "13pm",
            "2012-11-20x",
            "2012-13-20",
            "2012-11-20T25:00",
            "+0100",
            "@",
            "ä",
            "99999999999 years ago",
            "99999999999999999999 weeks ago",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
