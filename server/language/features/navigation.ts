/** From a name to its definition and its uses, and to another name everywhere. */
import type { Locale } from '#engine'
import type { Location, Range, WorkspaceEdit } from 'vscode-languageserver-types'
import type { CaseText } from '../content/content-folder.js'
import type { ContentDocument } from '../content/document.js'
import type { Found } from '../content/name-index.js'
import { type NamePlace, nameAt } from '../content/names.js'
import type { Snapshot } from '../content/workspace.js'
import { Positions } from '../text/positions.js'
import { WORDS } from '../words.js'

/** Places of one answer. */
const PLACES_LIMIT = 5000

export function definitions(snapshot: Snapshot, document: ContentDocument, offset: number): Location[] {
  const place = nameAt(document.names, offset)
  if (place === undefined) return []
  const { names } = snapshot
  switch (place.kind) {
    case 'rule':
      return names.rules(place.name).map(({ document: other, item }) => locationOf(other, item.idStart, item.idEnd))
    case 'decoder':
      return names.decoders(place.name).map(({ document: other, item }) => locationOf(other, item.nameStart, item.nameEnd))
    case 'list': {
      const list = names.list(place.name)
      return list === undefined ? [] : [locationOf(list, 0, 0)]
    }
    default:
      return placesOf(snapshot, place.kind, place.name, true)
        .filter(({ item }) => item.isDefinition)
        .map(({ document: other, item }) => locationOf(other, item.start, item.end))
  }
}

/** @param includeDefinitions whether to list also where the name is defined */
export function references(snapshot: Snapshot, document: ContentDocument, offset: number, includeDefinitions: boolean): Location[] {
  const place = nameAt(document.names, offset)
  if (place === undefined) return []
  return placesOf(snapshot, place.kind, place.name, includeDefinitions).map(({ document: other, item }) => locationOf(other, item.start, item.end))
}

/** Places of the name at the cursor in its own document. */
export function highlights(document: ContentDocument, offset: number): Range[] {
  const place = nameAt(document.names, offset)
  if (place === undefined) return []
  return document.names.places.filter(({ kind, name }) => kind === place.kind && name === place.name).map(({ start, end }) => document.positions.range(start, end))
}

function placesOf({ names }: Snapshot, kind: NamePlace['kind'], name: string, includeDefinitions: boolean): readonly Found<NamePlace>[] {
  const found = names.places(kind, name)
  return (includeDefinitions ? found : found.filter(({ item }) => !item.isDefinition)).slice(0, PLACES_LIMIT)
}

export function locationOf({ uri, positions }: ContentDocument, start: number, end: number): Location {
  return { uri, range: positions.range(start, end) }
}

/** Why a name cannot be renamed; the text is shown to the user. */
export class NotRenamed extends Error {}

/** The range of the name that would be renamed. @throws NotRenamed */
export function prepareRename(snapshot: Snapshot, document: ContentDocument, offset: number, locale: Locale): Range {
  const place = renamedPlace(snapshot, document, offset, locale)
  return document.positions.range(place.start, place.end)
}

function renamedPlace(snapshot: Snapshot, document: ContentDocument, offset: number, locale: Locale): NamePlace {
  const words = WORDS[locale]
  const place = nameAt(document.names, offset)
  if (place === undefined || (place.kind !== 'rule' && place.kind !== 'decoder' && place.kind !== 'group')) throw new NotRenamed(words.notRenamed)
  const isBase = snapshot.names.places(place.kind, place.name).some(({ document: other, item }) => item.isDefinition && other.scope === 'default')
  if (isBase) throw new NotRenamed(words.stockId(place.name))
  return place
}

/** Renames a name in all own files, and an id also in the expectations of the cases. @throws NotRenamed */
export function rename(snapshot: Snapshot, document: ContentDocument, offset: number, written: string, cases: readonly CaseText[], locale: Locale): WorkspaceEdit {
  const place = renamedPlace(snapshot, document, offset, locale)
  const name = written.trim()
  const words = WORDS[locale]
  if (place.kind === 'rule') {
    if (!/^[0-9]{1,6}$/.test(name)) throw new NotRenamed(words.idInvalid)
    if (name !== place.name && snapshot.names.rules(name).length > 0) throw new NotRenamed(words.idTaken(name))
  } else if (name === '' || /["'<>,|\r\n]/.test(name)) throw new NotRenamed(words.nameInvalid)
  const changes: Record<string, { range: Range; newText: string }[]> = {}
  for (const { document: other, item } of snapshot.names.places(place.kind, place.name)) {
    if (other.scope === 'default') continue
    changes[other.uri] ??= []
    changes[other.uri].push({ range: other.positions.range(item.start, item.end), newText: name })
  }
  if (place.kind === 'rule') {
    for (const { uri, text } of cases) {
      const found = expectationsOf(text, place.name)
      if (found.length === 0) continue
      const positions = new Positions(text)
      changes[uri] = found.map((start) => ({ range: positions.range(start, start + place.name.length), newText: name }))
    }
  }
  return { changes }
}

/** Offsets of a rule id in the expectations of a suite: `rule = 100100`, `"expected_rule": "100100"`, and lists of ids. */
function expectationsOf(text: string, id: string): number[] {
  const found: number[] = []
  const inLine = /^[ \t]*rule[ \t]*=[ \t]*(\d+)[ \t]*$|"expected_rule"\s*:\s*"(\d+)"|"(?:expected|forbidden)_rule_ids"\s*:\s*\[([^\]]*)\]/gm
  for (const match of text.matchAll(inLine)) {
    const [whole, ini, single, list] = match
    const one = ini ?? single
    if (one === id) found.push(match.index + whole.lastIndexOf(id))
    if (list === undefined) continue
    const from = match.index + whole.length - 1 - list.length
    for (const word of list.matchAll(/\d+/g)) if (word[0] === id) found.push(from + word.index)
  }
  return found
}
