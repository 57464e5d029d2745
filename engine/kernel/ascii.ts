/** Bytes that several functions of the kernel look for. */
export const LF = 0x0a
export const SPACE = 0x20
export const PLUS_SIGN = 0x2b
export const COMMA = 0x2c
export const DASH = 0x2d
export const DOT = 0x2e
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
