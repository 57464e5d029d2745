/** Takes over what has changed at home. */
import { CASES_LIMIT } from '../../worker/limits.js'
import { casesOf, type Home, type HomeFile, isContent, isEdited, textOf, toEditedFile } from './home.js'
import { type EditedCase, type EditedFile, newId } from './state.js'
import { readSuite, type Suite } from './suites.js'

/** A file that differs from the one that was read; null: it is gone. */
export interface Found {
  readonly path: string
  readonly file: HomeFile | null
}

/** One whose cases are read. */
export interface PreparedFound extends Found {
  readonly id: number
  readonly suite: Suite | null
}

/** The copy of the page, and its home. */
export interface Parts {
  readonly files: readonly EditedFile[]
  readonly cases: readonly EditedCase[]
  readonly home: Home
}

/** A file of cases that cannot be read now, such as one that somebody is writing. */
const UNREADABLE: Suite = { cases: [], document: null, ini: null, entries: [] }

export function prepare({ home, cases }: Pick<Parts, 'home' | 'cases'>, found: readonly Found[]): PreparedFound[] {
  const ids = new Map(Array.from(home.files, ([id, { path }]) => [path, id]))
  const replaced = new Set(found.map(({ path }) => ids.get(path)))
  const prepared: PreparedFound[] = []
  let left = CASES_LIMIT - cases.filter(({ suite }) => suite === undefined || !replaced.has(suite)).length
  for (const { path, file } of found) {
    const id = ids.get(path) ?? newId()
    const isSuite = file !== null && !isContent(file)
    const suite = isSuite ? (readSuite(id, path, file.content, left) ?? UNREADABLE) : null
    left -= suite?.cases.length ?? 0
    prepared.push({
      path,
      file: suite === UNREADABLE && file !== null ? { ...file, isReadOnly: true } : file,
      id,
      suite: suite !== null && file?.isReadOnly === true ? { ...suite, cases: suite.cases.map((one): EditedCase => ({ ...one, isReadOnly: true })) } : suite,
    })
  }
  return prepared
}

export function takeOver(parts: Parts, found: readonly PreparedFound[]): Parts {
  const { home } = parts
  const now = { files: new Map(home.files), suites: new Map(home.suites), conflicts: new Map(home.conflicts) }
  let { files, cases } = parts

  const casesBut = (id: number): readonly EditedCase[] => {
    const own = new Set(casesOf(parts, home, id))
    return cases.filter((one) => !own.has(one))
  }
  const remove = (id: number): void => {
    files = files.filter((file) => file.id !== id)
    if (home.suites.has(id)) cases = casesBut(id)
    for (const map of [now.files, now.suites, now.conflicts]) map.delete(id)
  }
  const put = (id: number, file: HomeFile, suite: Suite | null): void => {
    now.files.set(id, file)
    now.conflicts.delete(id)
    if (isContent(file)) {
      const edited = toEditedFile(id, file)
      files = files.some((one) => one.id === id) ? files.map((one) => (one.id === id ? edited : one)) : [...files, edited]
    } else if (suite !== null) {
      now.suites.set(id, suite)
      cases = [...(home.suites.has(id) ? casesBut(id) : cases), ...suite.cases]
    }
  }

  for (const { file, id, suite } of found) {
    const saved = home.files.get(id)
    if (saved === undefined) {
      if (file === null) continue
      const sameName = isContent(file) ? files.find((one) => one.kind === file.kind && one.filename === file.filename && !now.files.has(one.id)) : undefined
      if (sameName === undefined || sameName.content === file.content) put(sameName?.id ?? id, file, suite)
      else {
        now.files.set(sameName.id, { ...file, written: '', content: '' })
        now.conflicts.set(sameName.id, file)
      }
      continue
    }
    if (file !== null && file.etag === saved.etag) {
      now.conflicts.delete(id)
      continue
    }
    const wasEdited = isEdited(parts, home, id)
    if (file !== null && wasEdited && textOf(parts, home, id) !== file.content) {
      now.conflicts.set(id, file)
    } else if (file === null && wasEdited) {
      now.conflicts.set(id, null)
    } else {
      if (file === null || isContent(file) !== isContent(saved)) remove(id)
      if (file !== null) put(id, file, suite)
    }
  }
  return { files, cases, home: { ...home, ...now } }
}

/** Ends the conflict about a file. @param content what it becomes here; null: it is removed here */
export function settled({ files, cases, home }: Parts, id: number, content: string | null): Parts {
  const theirs = home.conflicts.get(id) ?? null
  const now = { files: new Map(home.files), suites: new Map(home.suites), conflicts: new Map(home.conflicts) }
  now.conflicts.delete(id)
  // What is saved from now on replaces what is at home.
  if (theirs === null) now.files.delete(id)
  else now.files.set(id, theirs)
  const changed = { ...home, ...now }
  if (!home.suites.has(id)) {
    const left = content === null ? files.filter((file) => file.id !== id) : files.map((file) => (file.id === id ? { ...file, content } : file))
    return { home: changed, files: left, cases }
  }
  const mine = casesOf({ files, cases }, home, id)
  const others = cases.filter((one) => !mine.includes(one))
  const room = CASES_LIMIT - others.length
  const read = content === null || theirs === null ? null : readSuite(id, theirs.path, content, room)
  const readTheirs = theirs === null ? null : readSuite(id, theirs.path, theirs.content, room)
  if (theirs === null) now.suites.delete(id)
  else now.suites.set(id, { ...(read ?? UNREADABLE), cases: content === theirs.content ? (read?.cases ?? []) : (readTheirs?.cases ?? []) })
  // If the file is gone, the page keeps its cases of it, for a new file.
  const own = theirs === null && content !== null ? mine.map(({ suite: _, ...one }) => one) : (read?.cases ?? [])
  return { home: changed, files, cases: [...others, ...own] }
}
