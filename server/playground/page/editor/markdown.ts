/**
 * Markdown as the language server and the engine write it: paragraphs, `code`, **bold**, escapes, a rule, and XML in fences. Anything else is text, so that nothing of
 * a rule becomes markup.
 */
import { xmlLanguage } from '@codemirror/lang-xml'
import { highlightCode } from '@lezer/highlight'
import { SYNTAX } from './theme.js'

/** An escape, code, or bold text. */
const INLINE = /\\([\\<*_`[\]])|`([^`]+)`|\*\*((?:\\.|[^*\\])+)\*\*/g

export function renderMarkdown(text: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'prose'
  // Fences are every second part.
  for (const [index, part] of text.split(/^```\w*\n([\s\S]*?)\n```$/m).entries()) {
    if (index % 2 === 1) box.append(exampleOf(part))
    else for (const block of part.split(/\n{2,}/)) addBlock(box, block.trim())
  }
  return box
}

function addBlock(box: HTMLElement, block: string): void {
  if (block === '---') box.append(document.createElement('hr'))
  else if (block !== '') addInline(box.appendChild(document.createElement('p')), block)
}

function addInline(box: HTMLElement, text: string): void {
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, code, bold] = match
    box.append(text.slice(end, match.index))
    end = match.index + whole.length
    if (escaped !== undefined) box.append(escaped)
    else if (code !== undefined) box.appendChild(document.createElement('code')).textContent = code
    else addInline(box.appendChild(document.createElement('strong')), bold)
  }
  box.append(text.slice(end))
}

function exampleOf(code: string): HTMLElement {
  const box = document.createElement('pre')
  highlightCode(
    code,
    xmlLanguage.parser.parse(code),
    SYNTAX,
    (text, classes) => {
      const span = box.appendChild(document.createElement('span'))
      span.className = classes
      span.textContent = text
    },
    () => box.append('\n'),
  )
  return box
}
