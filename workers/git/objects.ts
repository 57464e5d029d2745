/**
 * Git's objects: trees and commits as bytes and as values. Names of tree entries are bytes, and may be no UTF-8; they are kept as `latin1` texts, so that
 * an unchanged entry is written as it was.
 */
import { createHash } from 'node:crypto'
import { COMMIT_BYTES, ENTRIES_LIMIT } from './limits.js'
import { MalformedGitError } from './pkt-line.js'

/** A pack, or an object of it, exceeds a limit of this folder. */
export class PackTooLargeError extends Error {
  override readonly name = 'PackTooLargeError'
  constructor(readonly limit: number) {
    super('the pack is too large')
  }
}

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/** An object with its id. */
export interface NamedObject extends GitObject {
  readonly id: string
}

export interface TreeEntry {
  /** Octal, without leading zeros: `40000` is a folder, `100755` an executable file, `120000` a symbolic link, `160000` a submodule. */
  readonly mode: string
  /** Bytes as `latin1`. */
  readonly name: string
  readonly id: string
}

export interface CommitObject {
  readonly tree: string
  readonly parents: readonly string[]
  readonly authorName: string
  readonly authoredAt: Date
  readonly message: string
}

export const FOLDER_MODE = '40000'
export const FILE_MODE = '100644'
/** Bytes of an id. */
export const ID_BYTES = 20
/** The id that stands for none. */
export const NO_ID = '0'.repeat(2 * ID_BYTES)

const ID = /^[0-9a-f]{40}$/

export function isObjectId(text: string): boolean {
  return ID.test(text)
}

/** Returns the object with its id. */
export function named(type: ObjectType, bytes: Buffer): NamedObject {
  return { type, bytes, id: createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex') }
}

/** Digits of a mode. The bytes before the name are searched no further, because a hostile tree may have millions of zeros there. */
const MODE_DIGITS = 6

/** @throws MalformedGitError; PackTooLargeError above `ENTRIES_LIMIT` */
export function parseTree(bytes: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const space = bytes.subarray(0, offset + MODE_DIGITS + 1).indexOf(0x20, offset)
    const end = bytes.indexOf(0, space)
    const next = end + 1 + ID_BYTES
    if (space === -1 || end === -1 || next > bytes.length) throw new MalformedGitError('a tree is cut')
    const mode = bytes.toString('latin1', offset, space).replace(/^0+/, '')
    const name = bytes.toString('latin1', space + 1, end)
    if (!/^[0-7]{5,6}$/.test(mode) || name === '' || name.includes('/')) throw new MalformedGitError('a tree has a malformed entry')
    if (entries.length === ENTRIES_LIMIT) throw new PackTooLargeError(ENTRIES_LIMIT)
    entries.push({ mode, name, id: bytes.toString('hex', end + 1, next) })
    offset = next
  }
  return entries
}

/** Entries in any order. */
export function treeObject(entries: readonly TreeEntry[]): NamedObject {
  // Git sorts a folder as if its name ended with a slash.
  const sorted = entries.map((entry) => ({ ...entry, key: entry.mode === FOLDER_MODE ? `${entry.name}/` : entry.name })).sort((a, b) => (a.key < b.key ? -1 : 1))
  return named('tree', Buffer.concat(sorted.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')])))
}

/** @throws MalformedGitError; PackTooLargeError above `COMMIT_BYTES` */
export function parseCommit(bytes: Buffer): CommitObject {
  if (bytes.length > COMMIT_BYTES) throw new PackTooLargeError(COMMIT_BYTES)
  const text = bytes.toString('utf8')
  const end = text.indexOf('\n\n')
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n')
  const valuesOf = (name: string): string[] => headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  const [tree = ''] = valuesOf('tree')
  const parents = valuesOf('parent')
  // Not one expression: over a line of many `<` its time would be quadratic.
  const [author = ''] = valuesOf('author')
  const [addressAt, timeAt] = [author.indexOf('<'), author.lastIndexOf('> ')]
  const authoredAt = new Date(Number(/^(-?\d{1,15}) [+-]\d{4}$/.exec(author.slice(timeAt + 2))?.[1]) * 1000)
  const isAuthor = addressAt !== -1 && addressAt < timeAt && !Number.isNaN(authoredAt.getTime())
  if (!isAuthor || ![tree, ...parents].every(isObjectId)) throw new MalformedGitError('a malformed commit')
  return { tree, parents, authorName: author.slice(0, addressAt).trimEnd(), authoredAt, message: end === -1 ? '' : text.slice(end + 2) }
}

export interface NewCommitObject {
  readonly tree: string
  readonly parent: string
  readonly person: { readonly name: string; readonly email: string }
  readonly at: Date
  readonly message: string
}

/** A commit whose author is also its committer. */
export function commitObject({ tree, parent, person, at, message }: NewCommitObject): NamedObject {
  const signature = `${person.name} <${person.email}> ${Math.floor(at.getTime() / 1000)} +0000`
  const ended = message.endsWith('\n') ? message : `${message}\n`
  return named('commit', Buffer.from(`tree ${tree}\nparent ${parent}\nauthor ${signature}\ncommitter ${signature}\n\n${ended}`))
}
