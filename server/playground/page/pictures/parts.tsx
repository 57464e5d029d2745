/** What several pictures are made of. */
import type { ComponentChildren } from 'preact'
import type { FileKind } from '#engine'
import { levelClass } from './level-class.js'
import { isSame, type Selection } from './selection.js'
import type { PictureWords } from './words.js'

/** A level as a number on its colour. */
export function Level({ level, words }: { readonly level: number; readonly words: PictureWords }) {
  return (
    <span class={`pic-level pic-level-${levelClass(level)}`} title={words.level(level)}>
      <span class="pic-unseen">{words.level(level)}</span>
      <span aria-hidden="true">{level}</span>
    </span>
  )
}

export type MarkKind = 'met' | 'failed' | 'skipped'
const MARKS: Readonly<Record<MarkKind, string>> = { met: '✓', failed: '✗', skipped: '–' }

/** The state of something as a sign, with its word for those who do not see it. */
export function Mark({ kind, word }: { readonly kind: MarkKind; readonly word: string }) {
  return (
    <span class={`pic-mark pic-mark-${kind}`} title={word}>
      <span class="pic-unseen">{word}</span>
      <span aria-hidden="true">{MARKS[kind]}</span>
    </span>
  )
}

export interface Choosing {
  readonly selected?: Selection | null | undefined
  /** Without it the picture is only to look at. */
  readonly onSelect?: ((selection: Selection) => void) | undefined
  /** Shows a definition in its file. Without it a place is only named. */
  readonly onOpen?: ((kind: FileKind, filename: string, line: number) => void) | undefined
}

interface ChoiceProps extends Choosing {
  readonly of: Selection | null
  readonly kind?: string
  readonly children: ComponentChildren
}

/** A rule or decoder that can be selected. */
export function Choice({ of, kind = 'pic-name', selected, onSelect, children }: ChoiceProps) {
  if (onSelect === undefined || of === null) return <span class={kind}>{children}</span>
  return (
    <button type="button" class={`${kind} pic-choice`} aria-pressed={isSame(selected, of)} onClick={() => onSelect(of)}>
      {children}
    </button>
  )
}

/** A tag as it is written in a rule. */
export function Tag({ tag, field, negate, words }: { readonly tag: string; readonly field: string | null; readonly negate: boolean; readonly words: PictureWords }) {
  return (
    <span class="pic-tag">
      {negate && <span class="pic-not">{words.negated} </span>}
      {field === null ? tag : `${tag} ${field}`}
    </span>
  )
}

interface PlaceProps extends Pick<Choosing, 'onOpen'> {
  readonly kind: FileKind
  /** What is defined there. */
  readonly name: string
  readonly filename: string | null
  readonly line: number | null
  readonly words: PictureWords
}

/** Where something is defined. */
export function Place({ kind, name, filename, line, words, onOpen }: PlaceProps) {
  if (filename === null || filename === '') return null
  const place = line === null ? filename : `${filename}:${line}`
  if (onOpen === undefined || line === null) return <span class="pic-place">{place}</span>
  return (
    <button type="button" class="pic-place pic-choice" title={words.definition(name)} onClick={() => onOpen(kind, filename, line)}>
      <span class="pic-unseen">{words.definition(name)}, </span>
      {place}
    </button>
  )
}

/** Cuts a text in its middle of a line. */
export function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}
