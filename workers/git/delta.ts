/** Deltas of a pack: an object as copies of ranges of another object, and inserted bytes. */
import { MalformedGitError } from './pkt-line.js'

/** Sizes above cannot be exact numbers. */
const SIZE_BYTES = 7

/** Size of the object that a delta makes. @throws MalformedGitError */
export function deltaSize(delta: Buffer): number {
  return readSize(delta, readSize(delta, 0).next).size
}

/** Commands between two calls of `spend`. */
const COMMANDS_AT_ONCE = 4096

/**
 * @param size of the object that the delta makes @param spend is called with numbers of commands, each of which takes the time of some hundred bytes however few
 *   it copies; it throws when they are too many @throws MalformedGitError if the delta is not one of that base
 */
export function applyDelta(base: Buffer, delta: Buffer, size: number, spend: (commands: number) => void): Buffer {
  const declared = readSize(delta, 0)
  if (declared.size !== base.length) throw new MalformedGitError('a delta of another object')
  const object = Buffer.alloc(size)
  let at = readSize(delta, declared.next).next
  let written = 0
  const write = (source: Buffer, start: number, length: number): void => {
    if (length === 0 || start + length > source.length || written + length > size) throw new MalformedGitError('a delta exceeds its object')
    source.copy(object, written, start, start + length)
    written += length
  }
  /** A number of which a command contains only the bytes that are not zero. */
  const number = (command: number, firstBit: number, bytes: number): number => {
    let value = 0
    for (let index = 0; index < bytes; index++) if ((command & (firstBit << index)) !== 0) value += (delta[at++] ?? 0) * 256 ** index
    return value
  }
  for (let commands = 1; at < delta.length; commands++) {
    if (commands % COMMANDS_AT_ONCE === 0) spend(COMMANDS_AT_ONCE)
    const command = delta[at++]
    if (command < 128) {
      write(delta, at, command)
      at += command
    } else {
      const start = number(command, 1, 4)
      // A length of 0 stands for 65,536.
      write(base, start, number(command, 16, 3) || 65_536)
    }
  }
  if (written !== size) throw new MalformedGitError('a delta makes less than its object')
  return object
}

function readSize(delta: Buffer, offset: number): { readonly size: number; readonly next: number } {
  let size = 0
  for (let index = 0; index < SIZE_BYTES; index++) {
    const byte = delta[offset + index]
    if (byte === undefined) break
    size += (byte & 127) * 128 ** index
    if (byte < 128) return { size, next: offset + index + 1 }
  }
  throw new MalformedGitError('a delta without a size')
}
