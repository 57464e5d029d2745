/** Memory that converts between bytes and texts. A `Buffer` of Node is one, and the names are its. */
export interface Bytes extends Uint8Array {
  /** Writes a byte string. */
  latin1Write(text: string, offset: number, length: number): number
  /** Returns bytes as a byte string. */
  latin1Slice(start: number, end: number): string
  /** Writes the UTF-8 form of a text, for which there must be room. @returns the number of its bytes */
  write(text: string, offset: number, encoding: 'utf8'): number
}

/**
 * What Node and browsers do differently. The package's import `#platform` leads to the module for either. In the UTF-8 form of a text a lone surrogate is
 * U+FFFD.
 */
export interface Platform {
  /** Returns a part of a memory. */
  bytesOver(memory: ArrayBuffer, offset?: number, length?: number): Bytes
  /** Returns a copy of the bytes of a byte string. */
  latin1Bytes(text: string): Bytes
  /** Returns the UTF-8 form of a text. */
  utf8Bytes(text: string): Bytes
  /** Returns the number of bytes of that form. */
  utf8Length(text: string): number
  /** Returns the text of the UTF-8 bytes in a byte string; invalid bytes become U+FFFD. */
  decodeUtf8(bytes: string): string
  /** Returns the SHA-256 of the UTF-8 form of a text. */
  sha256(text: string, encoding: 'hex' | 'base64url'): string
}
