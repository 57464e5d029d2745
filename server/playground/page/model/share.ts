/** The whole work in the fragment of an address. Browsers do not send fragments, so no server sees it. */
import { deflate, inflate, TooLargeError } from './bytes.js'
import type { Work } from './state.js'
import { readWork, writeWork } from './written-work.js'

/** What the fragment begins with. */
const MARK = '#w='
/** Longer addresses are cut by some browsers, chats and mail programs. */
export const LINK_CHARACTERS = 60_000
/** Maximum bytes of the text that a link unpacks to: the text of a link that is short enough can be a thousand times as long. */
const UNPACKED_BYTES = 8 * 1024 * 1024
/** A piece that `String.fromCharCode` takes at once. */
const PIECE = 8192

/** Returns the fragment, which may be longer than `LINK_CHARACTERS`. */
export async function writeFragment(work: Work): Promise<string> {
  const packed = await deflate(new TextEncoder().encode(writeWork(work)))
  let binary = ''
  for (let at = 0; at < packed.length; at += PIECE) binary += String.fromCharCode(...packed.subarray(at, at + PIECE))
  return MARK + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

export function hasWork(fragment: string): boolean {
  return fragment.startsWith(MARK)
}

/** Returns null for a fragment that is no work. */
export async function readFragment(fragment: string): Promise<Work | null> {
  if (!hasWork(fragment)) return null
  try {
    const binary = atob(fragment.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = await inflate(
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
      UNPACKED_BYTES,
    )
    return readWork(new TextDecoder().decode(bytes))
  } catch (error) {
    // `atob`, and the stream, of a link that somebody has cut or made up.
    if (error instanceof DOMException || error instanceof TypeError || error instanceof TooLargeError) return null
    throw error
  }
}
