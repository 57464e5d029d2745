/** The Markdown that descriptions of the interface use: paragraphs, code and links. */
import { html, type Markup } from '../../core/http/text/html.js'

const INLINE = /`([^`]+)`|\[([^\]]+)\]\((https:\/\/[^)\s]+)\)/

export function paragraphs(text: string): Markup {
  return html`${text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>\n`)}`
}

/** Formats the inline elements of a text. */
export function inline(text: string): Markup {
  // Each match has three groups; those of the other form are undefined.
  const parts = text.split(INLINE)
  const written: Markup[] = []
  for (let at = 0; at < parts.length; at += 4) {
    const [plain, code, label, address] = parts.slice(at, at + 4)
    written.push(html`${plain}`)
    if (code !== undefined) written.push(html`<code>${code}</code>`)
    if (address !== undefined) written.push(html`<a href="${address}">${label}</a>`)
  }
  return html`${written}`
}
