/** How the editors look: everything by the variables of the page's style sheet, so that light and dark are one theme. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const MARKS = {
  error: 'var(--error)',
  warning: 'var(--warning)',
  info: 'var(--accent)',
  hint: 'var(--muted)',
} as const

const LOOK = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none', paddingLeft: '6px' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--line-tint)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch': { backgroundColor: 'var(--match)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selection)' },
  '.cm-matchingBracket': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--match)', outline: 'none' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--muted)', padding: '0 6px' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', fontFamily: 'var(--sans)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 28px 8px 12px' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--muted)', fontSize: '18px', right: '8px', top: '6px' },
  '.cm-textfield': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: '6px', padding: '4px 8px', fontSize: '13px' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '4px 10px',
    fontSize: '13px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow)',
    fontFamily: 'var(--sans)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '14px', alignItems: 'baseline', padding: '3px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': {
    flex: '1',
    minWidth: '0',
    marginLeft: '0',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    color: 'var(--muted)',
    fontFamily: 'var(--sans)',
    fontStyle: 'normal',
  },
  '.cm-tooltip.cm-completionInfo': { padding: '0', margin: '0 4px' },
  '.cm-tooltip-section:not(:first-child)': { borderTop: '1px solid var(--line)' },
  '.cm-snippetField': { backgroundColor: 'var(--match)' },
  '.cm-diagnostic': { padding: '10px 14px', borderLeft: 'none', maxWidth: '460px', fontSize: '13px', lineHeight: '1.5' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)', borderRadius: '6px', padding: '4px 10px', margin: '8px 8px 0 0', font: 'inherit' },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  ...Object.fromEntries(
    Object.entries(MARKS).map(([severity, colour]) => [
      `.cm-lintRange-${severity}`,
      { textDecoration: `underline wavy ${colour}`, textDecorationThickness: '1.5px', textUnderlineOffset: '3px', textDecorationSkipInk: 'none' },
    ]),
  ),
  '.cm-lintRange-active': { backgroundColor: 'var(--match)' },
  '.cm-gutter-lint': { width: '12px' },
  '.cm-gutter-lint .cm-gutterElement': { display: 'grid', placeItems: 'center', padding: '0' },
  // CodeMirror's own are images in the style sheet, which the policy of the page forbids.
  ...Object.fromEntries(
    Object.entries(MARKS).map(([severity, colour]) => [
      `.cm-lint-marker-${severity}`,
      { content: 'normal', width: '7px', height: '7px', borderRadius: '4px', backgroundColor: colour },
    ]),
  ),
})

export const SYNTAX = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--code-tag)' },
  { tag: tags.attributeName, color: 'var(--code-attribute)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--code-value)' },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.content, color: 'var(--ink)' },
  { tag: [tags.character, tags.labelName], color: 'var(--code-value)' },
])

export const editorTheme: Extension = [LOOK, syntaxHighlighting(SYNTAX)]
