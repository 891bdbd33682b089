/** Its scripts and its terminals are others. */
export function isWindows(): boolean {
  return /windows/iu.test(navigator.userAgent);
}
