import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Bytes, Platform } from '../../../engine/source/bytes.js'
import * as browser from '../../../engine/source/platform-browser.js'
import * as node from '../../../engine/source/platform-node.js'

const TEXTS = fc.array(
  fc.oneof(fc.constantFrom('a', '\0', '\x7f', '\x80', 'é', 'ÿ', '€', '\ufeff', '\ud83d', '\ude00', '😀', 'a'.repeat(9_000)), fc.string({ unit: 'binary', maxLength: 20 })),
  {
    maxLength: 12,
  },
)
const BYTES = fc.uint8Array({ maxLength: 40 }).map((bytes) => String.fromCharCode(...bytes))

/** What a platform makes of a text and of a byte string. */
function resultsOf(platform: Platform, text: string, bytes: string): unknown {
  const latin1 = platform.latin1Bytes(bytes)
  const utf8 = platform.utf8Bytes(text)
  const memory = platform.bytesOver(new ArrayBuffer(utf8.length + latin1.length + 1))
  return {
    length: platform.utf8Length(text),
    utf8: wholeOf(utf8),
    latin1: wholeOf(latin1),
    decoded: [platform.decodeUtf8(bytes), platform.decodeUtf8(wholeOf(utf8))],
    written: [memory.latin1Write(bytes, 1, bytes.length), memory.write(text, 1 + bytes.length, 'utf8'), wholeOf(memory)],
    digests: [platform.sha256(text, 'hex'), platform.sha256(text, 'base64url')],
  }
}

function wholeOf(bytes: Bytes): string {
  return bytes.latin1Slice(0, bytes.length)
}

test('browsers convert and hash texts as Node does', () => {
  fc.assert(
    fc.property(TEXTS, BYTES, (parts, bytes) => {
      const text = parts.join('')
      assert.deepEqual(resultsOf(browser, text, bytes), resultsOf(node, text, bytes))
    }),
    { numRuns: 500 },
  )
})

test('a byte order mark is kept, and every byte is a char', () => {
  const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
  for (const platform of [browser, node]) {
    assert.equal(platform.decodeUtf8('\xef\xbb\xbfa'), '\ufeffa')
    assert.equal(wholeOf(platform.latin1Bytes(all)), all)
  }
})
