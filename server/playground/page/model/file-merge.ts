/** A file that was edited here and at home, as the merge by rule takes it. */
import type { FileKind, MergeAnswer, MergeConflict, MergeRequest } from '#engine'
import { type Home, type HomeFile, textOf } from './home.js'
import type { EditedFile, State } from './state.js'

/** Names of lists are their paths, so there is no folder and no prefix. */
const LISTS = { folder: '', prefix: '' }

export interface FileConflict {
  readonly id: number
  readonly name: string
  readonly kind: HomeFile['kind']
  readonly base: string
  readonly mine: string
  /** Null: it is gone at home. */
  readonly theirs: string | null
}

/** How somebody has decided a conflict: for a side, or for a text of their own in place of theirs and mine. */
export type Choice = { readonly take: 'ours' | 'theirs' } | { readonly take: 'edited'; readonly text: string }

export function keyOf({ kind, name }: Pick<MergeConflict, 'kind' | 'name'>): string {
  return `${kind} ${name}`
}

/** The conflict of an id. */
export function conflictOf(state: Pick<State, 'files' | 'cases'>, home: Home, id: number): FileConflict {
  const saved = home.files.get(id)
  const theirs = home.conflicts.get(id) ?? null
  return {
    id,
    name: saved?.filename ?? theirs?.filename ?? '',
    kind: theirs?.kind ?? saved?.kind ?? 'rules',
    base: saved?.content ?? '',
    mine: textOf(state, home, id) ?? '',
    theirs: theirs?.content ?? null,
  }
}

/** Null: it is no content that can be merged by rule. */
export function mergeRequestOf({ kind, name, base, mine, theirs }: FileConflict, choices: ReadonlyMap<string, Choice>, conflicts: readonly MergeConflict[]): MergeRequest | null {
  if (kind === 'cases' || theirs === null) return null
  const file = (content: string): readonly (Pick<EditedFile, 'content'> & { path: string; kind: FileKind })[] => (content === '' ? [] : [{ path: name, kind, content }])
  const ours = conflicts.reduce((text, conflict) => {
    const choice = choices.get(keyOf(conflict))
    return choice?.take === 'edited' && conflict.ours !== null ? replaceOnce(text, conflict.ours, choice.text) : text
  }, mine)
  return {
    base: file(base),
    theirs: file(theirs),
    ours: {
      rules_xml: kind === 'rules' ? ours : '',
      decoders_xml: kind === 'decoders' ? ours : '',
      lists: kind === 'lists' ? [{ name, content: ours }] : [],
    },
    newItems: { rules: name, decoders: name, listsFolder: '' },
    lists: LISTS,
    resolutions: conflicts.flatMap(({ kind, name }) => {
      const choice = choices.get(keyOf({ kind, name }))
      return choice === undefined ? [] : [{ kind, name, take: choice.take === 'theirs' ? ('theirs' as const) : ('ours' as const) }]
    }),
  }
}

/** The merged text of the file. */
export function mergedText({ kind, name }: FileConflict, { files }: MergeAnswer): string {
  return files.find((file) => file.kind === kind && file.path === name)?.content ?? ''
}

/** Whether a text of one's own can take the place of mine: it must be found. */
export function isEditable({ mine }: FileConflict, { ours }: MergeConflict): boolean {
  return ours !== null && ours !== '' && mine.indexOf(ours) >= 0 && mine.indexOf(ours) === mine.lastIndexOf(ours)
}

function replaceOnce(text: string, part: string, other: string): string {
  const at = text.indexOf(part)
  return at < 0 ? text : text.slice(0, at) + other + text.slice(at + part.length)
}
