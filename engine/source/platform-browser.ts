/** The platform of browsers, whose digests are asynchronous, and whose decoder of that name reads windows-1252 for latin1. */
import { sha256 as digestOf } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Bytes, Platform } from './bytes.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** Number of arguments that every engine accepts in a call. */
const SLICE = 8_192

class BrowserBytes extends Uint8Array<ArrayBuffer> implements Bytes {
  latin1Write(text: string, offset: number, length: number): number {
    for (let at = 0; at < length; at++) this[offset + at] = text.charCodeAt(at)
    return length
  }

  latin1Slice(start: number, end: number): string {
    let text = ''
    for (let at = start; at < end; at += SLICE) text += String.fromCharCode.apply(null, this.subarray(at, Math.min(end, at + SLICE)) as unknown as number[])
    return text
  }

  write(text: string, offset: number): number {
    return encoder.encodeInto(text, this.subarray(offset)).written
  }
}

export const bytesOver: Platform['bytesOver'] = (memory, offset, length) => new BrowserBytes(memory, offset, length)

export const latin1Bytes: Platform['latin1Bytes'] = (text) => {
  const bytes = new BrowserBytes(new ArrayBuffer(text.length))
  bytes.latin1Write(text, 0, text.length)
  return bytes
}

export const utf8Bytes: Platform['utf8Bytes'] = (text) => {
  const { buffer, byteOffset, length } = encoder.encode(text)
  return new BrowserBytes(buffer, byteOffset, length)
}

export const utf8Length: Platform['utf8Length'] = (text) => {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) length++
    else if (unit < 0x800) length += 2
    else if (!isHighSurrogate(unit) || !isLowSurrogate(text.charCodeAt(at + 1))) length += 3
    else {
      length += 4
      at++
    }
  }
  return length
}

export const decodeUtf8: Platform['decodeUtf8'] = (bytes) => decoder.decode(latin1Bytes(bytes))

export const sha256: Platform['sha256'] = (text, encoding) => {
  const digest = digestOf(encoder.encode(text))
  if (encoding === 'hex') return bytesToHex(digest)
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
