/** Parses tags whose repeated texts are joined into one. */
import type { XmlElement } from '../../xml/node.js'
import type { RuleReader } from '../parse.js'

const PARENT_TAGS: ReadonlySet<string> = new Set(['if_sid', 'if_group', 'if_level'])

/**
 * Joins the text of a tag to the text of earlier tags with that name.
 *
 * @param separators without one of these at the joint, the last word of one text and the first of the next become one word; '': the joint is not checked
 */
export function joinTag(reader: RuleReader, before: string | null, element: XmlElement, separators: string): string | null {
  const tag = element.name.toLowerCase()
  const text = reader.joinText(before, element, tag)
  const isSeparator = (char: string): boolean => char === '' || separators.includes(char)
  const glued = separators !== '' && !isSeparator((before ?? '').slice(-1)) && !isSeparator(element.content.slice(0, 1))
  if (glued && text !== null) {
    if (!PARENT_TAGS.has(tag)) reader.report('rule_repeat_glued', element, { tag, value: text })
    // Overwriting rules keep the parents of the overwritten rule and ignore their own.
    else if (!reader.draft.overwrite || reader.context.placed(reader.draft.id) === undefined) reader.report('rule_if_sid_repeated_tag', element, { tag, value: text })
  }
  return text
}
