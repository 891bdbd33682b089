/* Rust's standard library wants ProcessPrng of bcryptprimitives.dll, which Wine 8 does not have. Windows has it since Vista. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    while (length > 0) {
        ULONG piece = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!SystemFunction036(buffer, piece)) return FALSE;
        buffer += piece;
        length -= piece;
    }
    return TRUE;
}
