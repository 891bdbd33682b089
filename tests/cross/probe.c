/* A program for exec_run: says what it was given, or starts a child that would outlive it.
 *
 *   probe echo ARG...           each argument on a line of its own, then the working folder, then TEMP
 *   probe short PATH            the short form of a path that is there
 *   probe tree FILE SECONDS     starts `probe leaf FILE SECONDS` on its own, says so, and sleeps for an hour
 *   probe leave FILE SECONDS    the same, but ends at once
 *   probe leaf FILE SECONDS     waits, then writes FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static int start_leaf(wchar_t **argv) {
    wchar_t own[MAX_PATH], line[2048];
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION started;
    GetModuleFileNameW(NULL, own, MAX_PATH);
    _snwprintf(line, 2048, L"\"%ls\" leaf \"%ls\" %ls", own, argv[2], argv[3]);
    /* Inherits the output, as a careless program would let it. */
    if (!CreateProcessW(own, line, NULL, NULL, TRUE, DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP, NULL, NULL, &startup, &started))
        return 3;
    printf("started %lu\n", started.dwProcessId);
    fflush(stdout);
    return 0;
}

int wmain(int argc, wchar_t **argv) {
    wchar_t folder[MAX_PATH], temp[MAX_PATH] = L"";
    if (argc < 2) return 2;
    if (!wcscmp(argv[1], L"echo")) {
        for (int at = 2; at < argc; at++) printf("arg %ls\n", argv[at]);
        GetCurrentDirectoryW(MAX_PATH, folder);
        GetEnvironmentVariableW(L"TEMP", temp, MAX_PATH);
        printf("folder %ls\ntemp %ls\n", folder, temp);
        return 7;
    }
    if (!wcscmp(argv[1], L"short") && argc == 3) {
        if (!GetShortPathNameW(argv[2], folder, MAX_PATH)) return 3;
        printf("%ls\n", folder);
        return 0;
    }
    if (argc < 4) return 2;
    if (!wcscmp(argv[1], L"leaf")) {
        Sleep(1000 * _wtoi(argv[3]));
        FILE *file = _wfopen(argv[2], L"w");
        return file == NULL || fclose(file) != 0;
    }
    int failed = start_leaf(argv);
    if (failed || !wcscmp(argv[1], L"leave")) return failed;
    Sleep(3600 * 1000);
    return 0;
}
