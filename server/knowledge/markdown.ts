/**
 * Splits Markdown into sections, one for each heading with its text up to the next heading. A heading in a fenced block is none.
 *
 *     # The engine        ← a section "The engine"
 *     text
 *     ## Decoders         ← a section "Decoders", whose path is The engine › Decoders
 */

export interface MarkdownSection {
  /** The heading and those above it, from the first level on. Empty: text before the first heading. */
  readonly path: readonly string[]
  readonly text: string
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Sections with text, in their order. */
export function* splitMarkdown(markdown: string): Generator<MarkdownSection> {
  let path: string[] = []
  let text: string[] = []
  let fence: string | null = null
  const section = (): MarkdownSection[] => {
    const joined = text.join('\n').trim()
    return joined === '' ? [] : [{ path: path.filter((heading) => heading !== undefined), text: joined }]
  }
  for (const line of markdown.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && fence === null) fence = mark
    else if (mark !== undefined && fence !== null && mark[0] === fence[0] && mark.length >= fence.length) fence = null
    const heading = fence === null ? HEADING.exec(line) : null
    if (heading === null) {
      text.push(line)
      continue
    }
    yield* section()
    text = []
    const [, marks, title] = heading
    path = [...path.slice(0, marks.length - 1), title]
  }
  yield* section()
}

/** A part of a uid: lower case, words joined by `-`. */
export function slugOf(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
}
