//! The helper on Windows: the binary, started again, as one dialog. What keeps programs together is a job, which needs no helper.
//!
//! It shows what it is told to show and nothing else: the words are arguments, the answer is a line and an exit code.
#![expect(unsafe_code, reason = "the system's dialogs have no safe wrapper")]
#![expect(clippy::print_stdout, reason = "the answer of a process of its own, whose output the host reads")]

use std::{
    ffi::{OsStr, OsString},
    os::windows::ffi::{OsStrExt as _, OsStringExt as _},
    process::ExitCode,
    ptr,
};

use windows_sys::Win32::{
    Foundation::{HWND, LPARAM, WPARAM},
    System::Com::{COINIT_APARTMENTTHREADED, CoInitializeEx, CoTaskMemFree},
    UI::{
        Shell::{
            BFFM_INITIALIZED, BFFM_SETSELECTIONW, BIF_NEWDIALOGSTYLE, BIF_RETURNONLYFSDIRS, BROWSEINFOW,
            GPFIDL_DEFAULT, SHBrowseForFolderW, SHGetPathFromIDListEx,
        },
        WindowsAndMessaging::{
            IDYES, MB_DEFBUTTON2, MB_ICONWARNING, MB_SETFOREGROUND, MB_TOPMOST, MB_YESNO, MessageBoxW,
            SendMessageW, SetForegroundWindow,
        },
    },
};

/// The first argument that makes the binary a dialog; hidden from people.
pub const HELPER_ARGUMENT: &str = "__dialog";
/// The second one, as `dialog` writes it.
const FOLDER: &str = "folder";
/// The second one, as `dialog` writes it.
const CONFIRM: &str = "confirm";

/// The longest path that the system has.
const PATH_UNITS: usize = 32 * 1024;

/// Shows the dialog that the arguments describe. 0: yes, or the folder that was printed; 1: no; 2: nothing could be shown.
pub fn run_helper() -> ExitCode {
    let mut words = std::env::args_os().skip(2);
    let (kind, title, more) = (words.next(), words.next().unwrap_or_default(), words.next());
    match kind.as_deref().and_then(OsStr::to_str) {
        Some(FOLDER) => folder(&title, more.as_deref()),
        Some(CONFIRM) => confirm(&title, &more.unwrap_or_default()),
        _ => ExitCode::from(2),
    }
}

fn folder(title: &OsStr, start: Option<&OsStr>) -> ExitCode {
    let (title, start) = (wide(title), start.map(wide));
    let mut shown = vec![0_u16; PATH_UNITS];
    let description = BROWSEINFOW {
        pszDisplayName: shown.as_mut_ptr(),
        lpszTitle: title.as_ptr(),
        ulFlags: BIF_RETURNONLYFSDIRS | BIF_NEWDIALOGSTYLE,
        lpfn: Some(begun),
        lParam: start.as_ref().map_or(0, |start| start.as_ptr().addr().cast_signed()),
        ..BROWSEINFOW::default()
    };
    if let Some(start) = &start {
        // The dialog hands it back as a number.
        let _ = start.as_ptr().expose_provenance();
    }
    let mut path = vec![0_u16; PATH_UNITS];
    // SAFETY: every pointer leads to a value of this function that outlives the dialog; what the system allocates is freed.
    let chosen = unsafe {
        if CoInitializeEx(ptr::null(), COINIT_APARTMENTTHREADED.cast_unsigned()) < 0 {
            return ExitCode::from(2);
        }
        let list = SHBrowseForFolderW(&raw const description);
        if list.is_null() {
            return ExitCode::from(1);
        }
        let chosen = SHGetPathFromIDListEx(list, path.as_mut_ptr(), PATH_UNITS as u32, GPFIDL_DEFAULT);
        CoTaskMemFree(list.cast());
        chosen
    };
    let end = path.iter().position(|unit| *unit == 0).unwrap_or(path.len());
    match OsString::from_wide(&path[..end]).to_str() {
        Some(text) if chosen != 0 && !text.is_empty() => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(2),
    }
}

/// The dialog stands: it comes to the front, since whoever asked for it is a browser, and opens where it should.
unsafe extern "system" fn begun(window: HWND, message: u32, _: LPARAM, start: LPARAM) -> i32 {
    if message == BFFM_INITIALIZED {
        // SAFETY: the window is the dialog's; the start is the text that `folder` keeps, or nothing.
        unsafe {
            SetForegroundWindow(window);
            if start != 0 {
                let is_a_path: WPARAM = 1;
                SendMessageW(window, BFFM_SETSELECTIONW, is_a_path, start);
            }
        }
    }
    0
}

fn confirm(title: &OsStr, text: &OsStr) -> ExitCode {
    let (title, text) = (wide(title), wide(text));
    let style = MB_YESNO | MB_ICONWARNING | MB_DEFBUTTON2 | MB_SETFOREGROUND | MB_TOPMOST;
    // SAFETY: both texts end with a zero and outlive the dialog.
    match unsafe { MessageBoxW(ptr::null_mut(), text.as_ptr(), title.as_ptr(), style) } {
        IDYES => ExitCode::SUCCESS,
        0 => ExitCode::from(2),
        _ => ExitCode::from(1),
    }
}

fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}
