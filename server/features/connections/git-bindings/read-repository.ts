/**
 * Reads the content of a binding from a commit of its repository. The repository is hostile: everyone with write access chooses names, kinds, sizes and bytes. Invariants:
 *  1. only regular files below the binding's paths are read; links and submodules are never followed
 *  2. a file that cannot be content (its path, its bytes, its size) is skipped with a warning, and is not part of the result, so that no publication touches it
 *  3. a blob that the caller knows is not read again, if the known text has its id
 *  4. the result is within the limits of a content (`shared/content.ts`), or the reading fails with a code
 *  5. the text of a file, encoded as UTF-8, has the bytes of its blob: a byte order mark and line ends are kept
 */
import { toUSVString } from 'node:util'
import type { FileKind } from '#workers'
import { CALLS_AT_ONCE, FILE_BYTES, type GitFile, type GitGateway } from '../gateways/git/gateway.js'
import { inParts } from '../gateways/git/in-parts.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import { LISTS_BYTES, LISTS_LIMIT, type SourceFileEntry, XML_BYTES } from '../../../content/shared/content.js'
import { describeSourceFile } from '../../../content/shared/source-files.js'
import { SOURCE_FILES_LIMIT } from '../../../content/shared/workspace.js'
import { isBlob } from './blob-id.js'
import { writtenKind } from './file-kind.js'
import { baseName, folderOf, isBelow, isSafePath } from './paths.js'
import type { RepositoryPaths } from './store.js'

/** Prefix of the names of lists, by which rules refer to them. */
export const LIST_PREFIX = 'etc/lists/'
/** Maximum characters of a list's name (`shared/fields.ts`). */
const LIST_NAME_CHARACTERS = 255
/** The first line of a pointer of Git LFS. Pointers have less than 1,024 bytes. */
const LFS_HEADER = 'version https://git-lfs.github.com/spec/v1'
const LFS_POINTER_BYTES = 1024

/** Why a file is not content. */
export const SKIP_REASONS = ['symlink', 'submodule', 'path_unsafe', 'lfs_pointer', 'not_utf8', 'file_too_large', 'kind_mixed', 'kind_unknown', 'list_name_too_long'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** A file below the binding's paths that is not content. */
export interface SkippedFile {
  readonly code: SkipReason
  /** As the provider writes it; cut, and without control characters. */
  readonly path: string
}

/** The content of a commit. */
export interface RepositoryContent {
  readonly commitSha: string
  /** Sorted by path. */
  readonly files: readonly SourceFileEntry[]
  /** Sorted by path. */
  readonly skipped: readonly SkippedFile[]
}

export interface ReadRequest {
  readonly repository: string
  readonly commitSha: string
  readonly paths: RepositoryPaths
  /** For errors. */
  readonly provider: string
  /** Files of an earlier reading, whose blobs are not read again. */
  readonly known?: readonly SourceFileEntry[]
  /** Selects files by path, before they are read. Default: all. */
  readonly selects?: (path: string) => boolean
}

/** What a path is used for. `xml`: rules or decoders, as the file says. */
type Role = FileKind | 'xml'
interface Candidate {
  readonly file: GitFile
  readonly role: Role
}

/** @throws ApiError of the provider; provider_too_large beyond the limits of a content */
export async function readRepository(gateway: GitGateway, request: ReadRequest, signal: AbortSignal): Promise<RepositoryContent> {
  const { repository, commitSha, paths, provider, known = [], selects = () => true } = request
  const skipped: SkippedFile[] = []
  const candidates: Candidate[] = []
  const seen = new Set<string>()
  for await (const part of inParts(await gateway.listFiles(repository, commitSha, signal))) {
    for (const file of part) {
      const role = roleOf(file.path, paths)
      if (role === null || !selects(file.path)) continue
      // Git itself allows a path once; a tree that was written by hand may repeat it.
      const reason = seen.size === seen.add(file.path).size ? 'path_unsafe' : reasonToSkip(file, role, paths)
      if (reason === null) candidates.push({ file, role })
      else skipped.push({ code: reason, path: shownPath(file.path) })
    }
  }
  if (candidates.length > SOURCE_FILES_LIMIT) throw tooLarge(provider, 'files', SOURCE_FILES_LIMIT)

  const texts = new Map(known.filter(isBlob).map(({ sha, xml }) => [sha, xml]))
  const files: SourceFileEntry[] = []
  const budget = new ContentBudget(provider)
  await eachAtOnce(candidates, CALLS_AT_ONCE, async ({ file, role }) => {
    const text = texts.get(file.blobSha) ?? (await readText(gateway, request, file, signal))
    const kind = typeof text === 'string' ? kindOf(role, text) : text.skip
    if (isSkip(kind) || typeof text !== 'string') return void skipped.push({ code: kind as SkipReason, path: shownPath(file.path) })
    budget.add(kind, text)
    files.push(describeSourceFile({ path: file.path, kind, xml: text, sha: file.blobSha }))
  })
  return { commitSha, files: files.sort(byPath), skipped: skipped.sort(byPath) }
}

/** Returns the folder of the lists, in which new lists are written. @param files of the binding: `lists_path` may be one of them */
export function listFolder(listsPath: string, files: readonly { readonly path: string }[]): string {
  return files.some(({ path }) => path === listsPath) ? folderOf(listsPath) : listsPath
}

/** Returns the name by which rules refer to a list: `etc/lists/` and the path below `lists_path`. */
export function listName(path: string, listsPath: string): string {
  return LIST_PREFIX + (path === listsPath ? baseName(path) : listsPath === '' ? path : path.slice(listsPath.length + 1))
}

/** The most specific path of the binding that covers a file decides its role. Null: the file is not content. */
function roleOf(path: string, { rules_path, decoders_path, lists_path }: RepositoryPaths): Role | null {
  const isXml = path.endsWith('.xml')
  const roles: { readonly folder: string; readonly role: Role }[] = []
  if (rules_path === decoders_path) {
    if (isXml && isBelow(path, rules_path)) roles.push({ folder: rules_path, role: 'xml' })
  } else if (isXml) {
    if (isBelow(path, rules_path)) roles.push({ folder: rules_path, role: 'rules' })
    if (isBelow(path, decoders_path)) roles.push({ folder: decoders_path, role: 'decoders' })
  }
  // XML in a folder of both is a rule or decoder file.
  if (lists_path !== null && isBelow(path, lists_path) && isList(path) && !(isXml && (lists_path === rules_path || lists_path === decoders_path)))
    roles.push({ folder: lists_path, role: 'lists' })
  return roles.sort((a, b) => b.folder.length - a.folder.length)[0]?.role ?? null
}

/** Compiled lists, read-me files and hidden files are no lists. */
export function isList(path: string): boolean {
  const name = baseName(path)
  return !name.endsWith('.cdb') && !name.startsWith('.') && !/^readme(?:\.|$)/i.test(name)
}

function reasonToSkip({ path, kind, size }: GitFile, role: Role, { lists_path }: RepositoryPaths): SkipReason | null {
  if (!isSafePath(path)) return 'path_unsafe'
  if (kind !== 'file') return kind
  if (size !== null && size > FILE_BYTES) return 'file_too_large'
  return role === 'lists' && listName(path, lists_path ?? '').length > LIST_NAME_CHARACTERS ? 'list_name_too_long' : null
}

/** Returns the text of a file, or why it is not content. */
export async function readText(
  gateway: GitGateway,
  { repository, commitSha }: Pick<ReadRequest, 'repository' | 'commitSha'>,
  file: GitFile,
  signal: AbortSignal,
): Promise<string | { readonly skip: SkipReason }> {
  let bytes: Uint8Array
  try {
    bytes = await gateway.readFile(repository, commitSha, file, signal)
  } catch (error) {
    if (error instanceof ProviderError && error.failure === 'too_large') return { skip: 'file_too_large' }
    throw error
  }
  const text = decode(bytes)
  if (text === null) return { skip: 'not_utf8' }
  return bytes.byteLength <= LFS_POINTER_BYTES && text.startsWith(LFS_HEADER) ? { skip: 'lfs_pointer' } : text
}

/** Null: the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function kindOf(role: Role, text: string): FileKind | SkipReason {
  if (role !== 'xml') return role
  const written = writtenKind(text)
  return written === 'mixed' ? 'kind_mixed' : (written ?? 'kind_unknown')
}

function isSkip(kind: FileKind | SkipReason): kind is SkipReason {
  return (SKIP_REASONS as readonly string[]).includes(kind)
}

/** Counts what was read, so that a large repository is not read to its end. */
class ContentBudget {
  readonly #provider: string
  readonly #bytes = { rules: 0, decoders: 0 }
  #lists = 0
  #listBytes = 0

  constructor(provider: string) {
    this.#provider = provider
  }

  /** @throws ProviderError too_large */
  add(kind: FileKind, text: string): void {
    if (kind === 'lists') {
      if (++this.#lists > LISTS_LIMIT) throw tooLarge(this.#provider, 'lists', LISTS_LIMIT)
      this.#listBytes += Buffer.byteLength(text)
      if (this.#listBytes > LISTS_BYTES) throw tooLarge(this.#provider, 'bytes of lists', LISTS_BYTES)
      return
    }
    this.#bytes[kind] += Buffer.byteLength(text)
    if (this.#bytes[kind] > XML_BYTES) throw tooLarge(this.#provider, `bytes of ${kind}`, XML_BYTES)
  }
}

/** The error of a repository beyond a limit. @param what that is limited */
export function tooLarge(provider: string, what: string, limit: number): ProviderError {
  return new ProviderError('too_large', { provider, details: { what, limit } })
}

/** Runs work for every entry, some at a time. After a failure no further work begins. */
export async function eachAtOnce<T>(entries: readonly T[], atOnce: number, work: (entry: T) => Promise<void>): Promise<void> {
  const remaining = entries[Symbol.iterator]()
  let hasFailed = false
  const worker = async (): Promise<void> => {
    for (const entry of remaining) {
      if (hasFailed) return
      try {
        await work(entry)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, worker))
}

/** Skipped files that an answer names. A hostile tree may have any number. */
export const SHOWN_SKIPPED = 1000

/** Characters of a path in a warning. Most are shorter than `PATH_CHARACTERS`; an unsafe one may have any length. */
const SHOWN_CHARACTERS = 256

/** Returns a path for people: an unsafe one may contain anything. */
export function shownPath(path: string): string {
  const text = path.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
  return toUSVString(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** Orders files by path, as Git's trees are. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
