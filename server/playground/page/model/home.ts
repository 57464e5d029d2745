/**
 * The home of the content: a folder that the command line serves, or a project or workspace of the service. The page edits a copy of its files; what differs from
 * the files as they were read or written last is not saved. Invariants:
 *  1. nothing is written before somebody saves
 *  2. a file that changes at home is replaced here if it was not edited here, and is a conflict otherwise, which somebody decides
 */
import type { FileKind } from '#engine'
import type { LeftOutFile } from '../../folder-api.js'
import { withPlainLineEnds } from './line-ends.js'
import type { ServiceFacts } from './service-records.js'
import type { EditedCase, EditedFile, State } from './state.js'
import { emptySuite, type Suite, writeSuite } from './suites.js'

/** A file at home. */
export interface HomeFile {
  readonly kind: FileKind | 'cases'
  /** Names it at home. */
  readonly path: string
  /** Its name in a ruleset. */
  readonly filename: string
  /** As it is at home. */
  readonly written: string
  /** The same, as the editor has it. */
  readonly content: string
  readonly etag: string
  /** It cannot be written as the page has it. */
  readonly isReadOnly: boolean
}

/** Why nothing is read from home or written to it: for a time, or until the page is opened again. */
export type HomeFault = 'unreachable' | 'ended' | 'too_large'

export interface Home {
  readonly kind: 'folder' | 'project' | 'workspace'
  readonly name: string
  /** Nothing can be saved. */
  readonly isReadOnly: boolean
  readonly fault: HomeFault | null
  readonly isSaving: boolean
  /** The files as they were read or written last, by the id of the file or suite of the page. */
  readonly files: ReadonlyMap<number, HomeFile>
  /** The files of cases, by id. */
  readonly suites: ReadonlyMap<number, Suite>
  /** Files that were edited both here and at home, as they are at home; null: they are gone there. */
  readonly conflicts: ReadonlyMap<number, HomeFile | null>
  readonly leftOut: readonly LeftOutFile[]
  /** Cases of a service, by the id of the case of the page. */
  readonly records: ReadonlyMap<number, CaseAtHome>
  /** What the service knows; null: home is a folder. */
  readonly service: ServiceFacts | null
}

/** A case of a service as it was read or written last. */
export interface CaseAtHome {
  readonly id: string
  readonly updatedAt: string
  readonly read: EditedCase
}

/** What differs from home. */
export interface Unsaved {
  /** Id of a file or suite; `NEW_SUITE`: cases that have no file yet; `CASES`: the cases of a service. */
  readonly id: number
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed'
}

export const NEW_SUITE = -1
export const CASES = -2
/** The file of the first cases. */
export const NEW_SUITE_PATH = 'tests/cases.json'

export function homeFile(file: Omit<HomeFile, 'content'>): HomeFile {
  return { ...file, content: withPlainLineEnds(file.written) }
}

/** The suite to which new cases belong; null: a new one. */
export function suiteOfNewCases({ suites, files }: Home): number | null {
  for (const [id, { document }] of suites) if (document !== null && files.get(id)?.isReadOnly !== true) return id
  return null
}

type Parts = Pick<State, 'files' | 'cases'>

/** The cases of a suite. @param id null: of a new one */
export function casesOf({ cases }: Parts, home: Home, id: number | null): readonly EditedCase[] {
  const ofNew = suiteOfNewCases(home)
  return cases.filter(({ suite }) => (suite ?? ofNew) === id)
}

/** The text that the file of an id has in the page; null: it is not there any more. */
export function textOf(state: Parts, home: Home, id: number): string | null {
  if (id === NEW_SUITE) return writeSuite(emptySuite(), casesOf(state, home, null)).text
  const suite = home.suites.get(id)
  if (suite === undefined) return state.files.find((file) => file.id === id)?.content ?? null
  const cases = casesOf(state, home, id)
  return isSame(cases, suite.cases) ? (home.files.get(id)?.content ?? null) : writeSuite(suite, cases).text
}

function isSame(some: readonly EditedCase[], others: readonly EditedCase[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}

/** What is not saved, in the order of the page. */
export function unsavedOf(state: Parts, home: Home): Unsaved[] {
  const isService = home.service !== null
  const found: Unsaved[] = []
  for (const { id, filename, content } of state.files) {
    const saved = home.files.get(id)
    if (saved === undefined) found.push({ id, name: filename, change: 'added' })
    else if (saved.content !== content || saved.filename !== filename) found.push({ id, name: filename, change: 'changed' })
  }
  const present = new Set(state.files.map(({ id }) => id))
  for (const [id, { filename }] of home.files) if (!present.has(id) && !home.suites.has(id)) found.push({ id, name: filename, change: 'removed' })
  for (const [id, { cases }] of home.suites) if (!isSame(casesOf(state, home, id), cases)) found.push({ id, name: home.files.get(id)?.path ?? '', change: 'changed' })
  if (!isService && suiteOfNewCases(home) === null && state.cases.some(({ suite }) => suite === undefined)) found.push({ id: NEW_SUITE, name: NEW_SUITE_PATH, change: 'added' })
  if (isService) {
    const { added, changed, removed } = changedCases(state, home)
    if (added.length + changed.length + removed.length > 0) found.push({ id: CASES, name: '', change: 'changed' })
  }
  return found
}

/** How the cases differ from those of a service. */
export function changedCases({ cases }: Pick<Parts, 'cases'>, { records }: Pick<Home, 'records'>): { added: EditedCase[]; changed: EditedCase[]; removed: number[] } {
  const present = new Set(cases.map(({ id }) => id))
  return {
    added: cases.filter(({ id }) => !records.has(id)),
    changed: cases.filter((one) => records.has(one.id) && records.get(one.id)?.read !== one),
    removed: [...records.keys()].filter((id) => !present.has(id)),
  }
}

/** Whether the file of an id was edited here since it was read. */
export function isEdited(state: Parts, home: Home, id: number): boolean {
  return unsavedOf(state, home).some((one) => one.id === id && one.change !== 'removed')
}

export function toEditedFile(id: number, { kind, filename, content }: HomeFile & { readonly kind: FileKind }): EditedFile {
  return { id, kind, filename, content }
}

export function isContent(file: HomeFile): file is HomeFile & { readonly kind: FileKind } {
  return file.kind !== 'cases'
}
