/**
 * `validate --fix`: applies the corrections that the engine knows to the caller's files. A pass corrects everything that does not overlap and compiles again,
 * because a correction can bring out the next one; a pass with which there are more errors than before is dropped.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Fix, SourceFile } from '#engine'
import { applyReplacements, countOf, fromByteString } from '#engine'
import type { ContentFolder } from '../language/content/content-folder.js'
import { type Snapshot, Workspace } from '../language/content/workspace.js'
import { apart, fixesFor } from '../language/features/code-actions.js'
import { toUri } from './diagnostics/source-root.js'
import type { ContentFile } from './input/content-files.js'

/** Passes of a call. More are not needed where corrections bring out others, and two that undo each other must end. */
const PASSES_LIMIT = 10

export interface CorrectedFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface Corrections {
  readonly files: readonly CorrectedFile[]
  readonly count: number
}

/**
 * @param own the content on top of the base @param corrected paths of the files in it that are corrected
 * @param includeProposals whether to take also the best correction that the engine is not sure of
 */
export function correctFiles(base: readonly SourceFile[], own: readonly ContentFile[], corrected: ReadonlySet<string>, includeProposals: boolean): Corrections {
  const workspace = new Workspace(new MemoryContent(base, own))
  let count = 0
  for (let pass = 0; pass < PASSES_LIMIT; pass++) {
    const before = workspace.snapshot()
    const changes = correctionsOf(before, corrected, includeProposals)
    if (changes.length === 0) break
    for (const { path, text } of changes) workspace.open(path, text, '')
    if (errorsOf(workspace.snapshot()) > errorsOf(before)) {
      for (const { path, previous } of changes) workspace.open(path, previous, '')
      break
    }
    count += changes.reduce((sum, change) => sum + change.count, 0)
  }
  const files = own.flatMap(({ path, file }) => {
    const after = workspace.textOf(path)
    return after === undefined || after === file.content ? [] : [{ path, before: file.content, after }]
  })
  return { files, count }
}

interface Change {
  readonly path: string
  readonly previous: string
  readonly text: string
  readonly count: number
}

function correctionsOf(snapshot: Snapshot, corrected: ReadonlySet<string>, includeProposals: boolean): Change[] {
  return snapshot.own.flatMap((document): Change[] => {
    if (!corrected.has(document.uri)) return []
    const fixes = snapshot.diagnosticsOf(document).flatMap((diagnostic): Fix[] => {
      const found = fixesFor(snapshot, document, diagnostic)
      const chosen = found.find(({ isSure }) => isSure) ?? (includeProposals ? found[0] : undefined)
      return chosen === undefined ? [] : [chosen]
    })
    const edits = apart(fixes)
    if (edits.length === 0) return []
    const count = fixes.filter((fix) => fix.edits.every((edit) => edits.includes(edit))).length
    return [{ path: document.uri, previous: document.text, text: fromByteString(applyReplacements(document.bytes, edits)), count }]
  })
}

function errorsOf(snapshot: Snapshot): number {
  return snapshot.own.reduce((sum, document) => sum + countOf(snapshot.diagnosticsOf(document).filter(({ severity }) => severity === 'error')), 0)
}

/** Files of a call, under their paths. */
class MemoryContent implements ContentFolder {
  readonly #base: readonly SourceFile[]
  readonly #own: readonly ContentFile[]

  constructor(base: readonly SourceFile[], own: readonly ContentFile[]) {
    this.#base = base
    this.#own = own
  }

  base(): ReturnType<ContentFolder['base']> {
    return this.#base.map((file) => ({ uri: `base:${file.kind}/${file.filename}`, file }))
  }

  own(): ReturnType<ContentFolder['own']> {
    return this.#own.map(({ path, file }) => ({ uri: path, file }))
  }

  cases(): [] {
    return []
  }

  fileOf(): null {
    return null
  }

  uriOfNew(): null {
    return null
  }
}

/** The changes as `git apply` and `patch` take them. */
export async function describeCorrections({ files }: Pick<Corrections, 'files'>): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return files
    .map(({ path, before, after }) => {
      const name = toUri(path)
      // A path outside of the repository is absolute.
      const [from, to] = isAbsolute(name) ? [name, name] : [`a/${name}`, `b/${name}`]
      return createTwoFilesPatch(from, to, before, after, '', '', options)
    })
    .join('')
}

/**
 * Writes the files, each in one step. One that has changed since it was read is left alone, and so is one that a link leads to outside of the folders.
 * @param within files or folders; absent: anywhere @returns the paths of those
 */
export function writeCorrections({ files }: Pick<Corrections, 'files'>, within?: readonly string[]): string[] {
  const roots = within?.map((path) => realpathSync(path))
  return files.flatMap(({ path, before, after }) => {
    const target = realpathSync(path)
    if (roots?.some((root) => isInside(root, target)) === false || readFileSync(target, 'utf8') !== before) return [path]
    replaceFile(target, after)
    return []
  })
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
}

/** Writes a file beside the one at the path, and moves it there: also after a crash, one of the two is there as a whole. */
function replaceFile(path: string, text: string): void {
  const written = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeFileSync(written, text, { flag: 'wx', flush: true, mode: statSync(path).mode & 0o777 })
    renameSync(written, path)
  } catch (fault) {
    rmSync(written, { force: true })
    throw fault
  }
}
