/** An authenticator: codes by time of RFC 6238, by its own code, so that the service is not compared with its own library. */
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a moment. @param now milliseconds since the epoch @param steps of 30 seconds after that moment */
export function codeAt(secret: string, now: number, steps = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000) + steps))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = digest[19] & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** A code that is not valid within minutes of that moment. */
export function wrongCode(secret: string, now: number): string {
  const valid = new Set(Array.from({ length: 21 }, (_, index) => codeAt(secret, now, index - 10)))
  for (let code = 0; ; code++) {
    const text = String(code).padStart(6, '0')
    if (!valid.has(text)) return text
  }
}
