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

/** The text after the marks is trimmed by code: one pattern for all of it would take the square of a long line. */
const HEADING = /^ {0,3}(#{1,6})[ \t]+/
/** Longer headings are cut: a uid is in memory, in answers and in the log. */
const SLUG_CHARACTERS = 80
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
    const [start, marks] = heading
    path = [...path.slice(0, marks.length - 1), headingText(line.slice(start.length))]
  }
  yield* section()
}

/** Without the marks that may end a heading: `Title ##`. */
function headingText(text: string): string {
  const trimmed = text.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end -= 1
  return end === 0 ? '' : /\s/.test(trimmed[end - 1]) ? trimmed.slice(0, end).trimEnd() : trimmed
}

/** Slugs of the sections of a document in their order: headings joined by `.`; a repeated one has its number after `~`, which no slug has. */
export class SectionSlugs {
  readonly #used = new Map<string, number>()

  of(path: readonly string[]): string {
    const slug = path.map(slugOf).join('.') || 'introduction'
    const times = (this.#used.get(slug) ?? 0) + 1
    this.#used.set(slug, times)
    return times === 1 ? slug : `${slug}~${times}`
  }
}

/** A part of a uid: lower case, words joined by `-`. */
function slugOf(text: string): string {
  return text
    .slice(0, SLUG_CHARACTERS)
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
}
