/** Random content as data: files of small parts that can be left out when a failure is shrunk, and sessions of events. */
import type { FileKind, FileScope, LogFormat, SourceFile } from '#engine'

/** A decoder or rule: an opening tag, its content, and the closing tag. In a list, a line. */
export interface Item {
  readonly open: string
  readonly lines: readonly string[]
  readonly close: string
}

/** A `<group>` with its rules; in other files the whole file. */
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
  /** The layer that contains the file; 0: the base. */
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
  /** Before this event the state is serialized and restored, as when it moves to another thread. */
  readonly restoredAt: number
}

export interface RandomContent {
  readonly files: readonly RandomFile[]
  readonly sessions: readonly RandomSession[]
  /** Rules that are explained, by id. */
  readonly explained: readonly string[]
  /**
   * Whether the diagnostics of the checks are compared too, the content is compiled once more, and the base is compared before and after. This takes most of the
   * time.
   */
  readonly isThorough: boolean
}

export function toSourceFile({ kind, scope, filename, blocks }: RandomFile): SourceFile {
  const itemText = ({ open, lines, close }: Item): string => `${open}${lines.join('')}${close}\n`
  return { kind, scope, filename, content: blocks.map(({ open, items, close }) => `${open}${items.map(itemText).join('')}${close}`).join('') }
}
