/** Its keyboards are named and used otherwise. */
export function isMac(): boolean {
  return /mac/iu.test(navigator.userAgent);
}
