/** Parses and checks tags whose repeated texts are joined into one. */
import type { XmlElement } from '../../xml/node.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import type { RuleReader } from '../parse.js'
import type { RuleReporter } from '../reporter.js'

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
  if (glued && text !== null) reader.report('rule_repeat_glued', element, { tag, value: text })
  return text
}

/** Reports tags that name parents and are joined without a separator. Overwriting rules keep the parents of the overwritten one, whatever they name. */
export function checkJoint(reporter: RuleReporter, tag: string, separator: RegExp): void {
  if (reporter.rule.definition.overwrite) return
  const elements = elementsOf(reporter.owner, tag)
  const joint = elements.findIndex((element, index) => {
    if (index === 0) return false
    return !separator.test(elements[index - 1].content.slice(-1)) && !separator.test(element.content.slice(0, 1))
  })
  if (joint > 0) reporter.report('rule_if_sid_repeated_tag', elements[joint], { tag, value: elements.map(({ content }) => content).join('') })
}
