/** Keys that work everywhere in the page. Those of the editor are CodeMirror's. */
import { CODE_KEYS, type CodeCommand } from '../editor/code-keys.js'
import type { Playground } from '../model/playground.js'
import type { Part } from '../model/state.js'
import type { ShortcutName } from '../texts/en-US.js'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)
const CONTROL = isApple ? '⌘' : 'Ctrl'
const ALT = isApple ? '⌥' : 'Alt'
const SHIFT = isApple ? '⇧' : 'Shift'

/** Keys of a command of the editor, with the names that people know. */
function keysOf(command: CodeCommand): readonly string[] {
  return CODE_KEYS[command].split('-').map((part) => (part === 'Alt' ? ALT : part === 'Shift' ? SHIFT : part.toUpperCase()))
}

/** The keys of each shortcut, as the list of them shows. */
export const SHORTCUT_KEYS: Readonly<Record<ShortcutName, readonly string[]>> = {
  save: [CONTROL, 'S'],
  content: [ALT, SHIFT, 'C'],
  events: [ALT, SHIFT, 'E'],
  answer: [ALT, SHIFT, 'A'],
  share: [ALT, SHIFT, 'S'],
  views: [ALT, SHIFT, 'R'],
  keys: ['?'],
  nextEvent: ['↓', '↑'],
  addEvent: ['Enter'],
  complete: [CONTROL, 'Space'],
  help: keysOf('help'),
  definition: keysOf('definition'),
  uses: keysOf('uses'),
  rename: keysOf('rename'),
  outline: keysOf('outline'),
  format: keysOf('format'),
  nextProblem: ['F8'],
  fix: [CONTROL, SHIFT, 'M'],
  search: [CONTROL, 'F'],
  fold: [CONTROL, SHIFT, '['],
  undo: [CONTROL, 'Z'],
  escape: ['Esc'],
}

/** By the place of a key: with Alt a key writes another character on some keyboards. */
const PARTS: Readonly<Record<string, Part>> = { KeyC: 'content', KeyE: 'events', KeyA: 'answer' }

export function pressShortcut(event: KeyboardEvent, page: Playground): void {
  const { dialog, codeDialog, views, home } = page.store.state
  const isFree = dialog === null && codeDialog === null && views === null
  if (home !== null && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 's') {
    // Otherwise the browser saves the page.
    event.preventDefault()
    if (isFree) void page.home.save()
    return
  }
  if (!isFree) return
  if (event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey) {
    const part = PARTS[event.code]
    if (part !== undefined) showPart(page, part)
    else if (event.code === 'KeyS') page.store.update({ dialog: 'share' })
    else if (event.code === 'KeyR') page.views.open('graph', null)
    else return
    event.preventDefault()
  } else if (event.key === '?' && !isTyping(event.target)) {
    page.store.update({ dialog: 'keys' })
    event.preventDefault()
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** What gets the focus in each part. */
const FOCUSED: Readonly<Record<Part, string>> = {
  content: '#editor :is(.cm-content, .plain-text)',
  events: '.events [aria-selected=true], #add-events',
  answer: '.event-text :is(.cm-content, .plain-text)',
}

function showPart(page: Playground, part: Part): void {
  page.store.update({ part })
  // Hidden parts get no focus.
  setTimeout(() => document.querySelector<HTMLElement>(FOCUSED[part])?.focus())
}
