/** What threads read of Git: requests and results as plain data. Nothing here throws for what a server sends. */
import { createHash } from 'node:crypto'
import { type Pieces, toPieces } from '../shared/pieces.js'
import { FILE_BYTES } from './limits.js'
import { listTree } from './list-tree.js'
import { newestCommits } from './newest-commits.js'
import { PackTooLargeError, parseCommit, parseTree } from './objects.js'
import { Pack, type PackMemory } from './pack.js'
import { MalformedGitError } from './pkt-line.js'
import { GitRefusedError, packOf, readReferences, readReport, UnsupportedGitError } from './protocol.js'

/** A reading of a pack that was read before. `workLimit`: bytes that may be inflated and copied. */
interface OfPack {
  readonly pack: PackMemory
  readonly workLimit: number
}

export type GitReading =
  /** References of an answer, as pieces of `References`. */
  | { readonly of: 'references'; readonly bytes: Uint8Array; readonly branch: string | null }
  /** The pack of the answer to a fetch. */
  | { readonly of: 'fetch'; readonly bytes: Uint8Array }
  /** What a server says about a push, as pieces of a `PushRefusal`. */
  | { readonly of: 'report'; readonly bytes: Uint8Array; readonly reference: string }
  /** Files of a commit, as pieces of `GitFile`s. */
  | ({ readonly of: 'files'; readonly commitSha: string } & OfPack)
  /** Commits from a head, as pieces of `ListedCommit`s. */
  | ({ readonly of: 'commits'; readonly head: string; readonly limit: number } & OfPack)
  /** Entries of a tree, as pieces of `TreeEntry`s. */
  | ({ readonly of: 'tree'; readonly id: string; readonly entriesLimit: number } & OfPack)
  /** Id of the tree of a commit, as a piece. */
  | ({ readonly of: 'root'; readonly commitSha: string } & OfPack)
  | ({ readonly of: 'file'; readonly id: string } & OfPack)
  /** Git's id of a file, as a piece. */
  | { readonly of: 'id'; readonly bytes: Uint8Array; readonly algorithm: 'sha1' | 'sha256' }

export type GitRead =
  /** `work`: bytes that were inflated and copied. */
  | { readonly kind: 'value'; readonly value: Pieces; readonly work: number }
  | { readonly kind: 'pack'; readonly pack: PackMemory }
  | { readonly kind: 'file'; readonly bytes: Uint8Array<ArrayBuffer>; readonly work: number }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large'; readonly limit: number }
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'refused'; readonly message: string }

export function readGit(reading: GitReading): GitRead {
  try {
    return run(reading)
  } catch (error) {
    if (error instanceof MalformedGitError) return { kind: 'malformed' }
    if (error instanceof PackTooLargeError) return { kind: 'too_large', limit: error.limit }
    if (error instanceof UnsupportedGitError) return { kind: 'unsupported', what: error.what }
    if (error instanceof GitRefusedError) return { kind: 'refused', message: error.message }
    throw error
  }
}

function run(reading: GitReading): GitRead {
  switch (reading.of) {
    case 'references':
      return value(readReferences(bufferOf(reading.bytes), reading.branch))
    case 'report':
      return value(readReport(bufferOf(reading.bytes), reading.reference))
    case 'fetch':
      return { kind: 'pack', pack: Pack.read(packOf(bufferOf(reading.bytes))).memory }
    case 'id':
      return value(fileId(reading.bytes, reading.algorithm))
    default:
      return ofPack(reading, Pack.open(reading.pack, reading.workLimit))
  }
}

function ofPack(reading: Extract<GitReading, OfPack>, pack: Pack): GitRead {
  switch (reading.of) {
    case 'files':
      return value(listTree(pack, reading.commitSha), pack)
    case 'commits':
      return value(newestCommits(pack, reading.head, reading.limit), pack)
    case 'root':
      return value(parseCommit(pack.get(reading.commitSha).bytes).tree, pack)
    case 'tree': {
      const entries = parseTree(pack.get(reading.id).bytes)
      if (entries.length > reading.entriesLimit) throw new PackTooLargeError(reading.entriesLimit)
      return value(entries, pack)
    }
    case 'file': {
      const found = pack.describe(reading.id)
      // The ids of skipped files are not known.
      if (found === undefined && pack.hasSkipped) return { kind: 'too_large', limit: FILE_BYTES }
      if (found?.type !== 'blob') return { kind: 'missing' }
      // Memory of its own, which can be moved to another thread.
      return { kind: 'file', bytes: new Uint8Array(pack.get(reading.id).bytes), work: pack.work }
    }
  }
}

function value(found: unknown, { work }: Pick<Pack, 'work'> = { work: 0 }): GitRead {
  return { kind: 'value', value: toPieces(found), work }
}

/** Returns Git's id of a file's content. */
export function fileId(bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
