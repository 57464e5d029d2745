/** A text with what differs from an older one: what was there is struck in it. Loaded with the dialog of conflicts. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { xml } from '@codemirror/lang-xml'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import type { Texts } from '../texts/index.js'
import { phrasesOf } from './phrases.js'
import { editorTheme } from './theme.js'

/** Compared no further than this, so that two texts that have nothing in common take no seconds. */
const SCAN_LIMIT = 2_000

const LOOK = EditorView.theme({
  '&': { height: 'auto', maxHeight: '320px' },
  '.cm-content': { padding: '8px 0' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-b .cm-changedText, .cm-changedText': { background: 'none', textDecoration: 'underline', textDecorationColor: 'var(--good)', textUnderlineOffset: '3px' },
  '.cm-deletedChunk': { backgroundColor: 'var(--error-soft)', paddingLeft: '6px' },
  '.cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText': { background: 'none', textDecoration: 'line-through', textDecorationColor: 'var(--error)' },
  '.cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-insertedLine, .cm-insertedLine ins': { textDecoration: 'none' },
})

export interface ComparedText {
  readonly text: string
  /** What it was before; null: it is new. */
  readonly before: string | null
  readonly label: string
  readonly isXml: boolean
  /** Null: it is read-only. */
  readonly onChange: ((text: string) => void) | null
}

export function showCompared(parent: HTMLElement, { text, before, label, isXml, onChange }: ComparedText, texts: Texts): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        isXml ? xml() : [],
        editorTheme,
        LOOK,
        EditorView.lineWrapping,
        EditorState.readOnly.of(onChange === null),
        EditorState.phrases.of(phrasesOf(texts)),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({ original: before ?? '', mergeControls: false, gutter: false, diffConfig: { scanLimit: SCAN_LIMIT } }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange?.(state.doc.toString())
        }),
      ],
    }),
  })
}
