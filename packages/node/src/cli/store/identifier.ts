/** Whether a text has the form of an identifier: 96 lower-case hexadecimal characters. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{96}$/.test(text);
}
