/** Random content as data: files of small parts that a shrinker can leave out, and sessions of events. */
import type { FileKind, FileScope, LogFormat, SourceFile } from '#engine'

/** A decoder or rule: an opening tag, what is in it, and the closing one. Of a list, a line. */
export interface Item {
  readonly open: string
  readonly lines: readonly string[]
  readonly close: string
}

/** A `<group>` with its rules; in other files the whole. */
export interface Block {
  readonly open: string
  readonly items: readonly Item[]
  readonly close: string
}

export interface RandomFile {
  readonly kind: FileKind
  readonly scope: FileScope
  readonly filename: string
  readonly blocks: readonly Block[]
  /** In which of two layers it is put on the base; 0 = it is in the base. */
  readonly layer: 0 | 1 | 2
}

export interface RandomEvent {
  readonly event: string
  readonly log_format: LogFormat
  readonly location: string
  /** The clock, in seconds. */
  readonly now: number
}

export interface RandomSession {
  readonly events: readonly RandomEvent[]
  /** Before this event the state is written out and read again, as when it moves to another thread. */
  readonly restoredAt: number
}

export interface RandomContent {
  readonly files: readonly RandomFile[]
  readonly sessions: readonly RandomSession[]
  /** Rules that are explained, by id. */
  readonly explained: readonly string[]
  /** Are the checks' findings compared too, is it compiled once more, and is the base looked at before and after? Most of the time would go there. */
  readonly isThorough: boolean
}

export function toSourceFile({ kind, scope, filename, blocks }: RandomFile): SourceFile {
  const itemText = ({ open, lines, close }: Item): string => `${open}${lines.join('')}${close}\n`
  return { kind, scope, filename, content: blocks.map(({ open, items, close }) => `${open}${items.map(itemText).join('')}${close}`).join('') }
}
