/** The usual form of each option, from the examples in the option tables. The examples run as tests, so they are correct. */
import { findDecoderOption } from '../decoders/options/index.js'
import { findRuleOption } from '../rules/options/index.js'

/** A rule or decoder with the option. */
export interface OptionExample {
  readonly xml: string
  /** Events for which the rule is final, or which the decoder decodes; several of one session are joined by line breaks. */
  readonly events: readonly string[]
}

/** Returns the first example of an option of rules; null: there is no such option. */
export function ruleOptionExample(name: string): OptionExample | null {
  const example = findRuleOption(name)?.examples[0]
  if (example === undefined) return null
  const { xml, around = '', attributes, before = '', matches } = example
  const description = xml.startsWith('<description>') ? '' : '<description>example</description>'
  const rule = `<rule id="100100" level="10"${attributes === undefined ? '' : ` ${attributes}`}>${around}${xml}${description}</rule>`
  return { xml: before === '' ? rule : `${before}\n${rule}`, events: matches.map((events) => (typeof events === 'string' ? events : events.join('\n'))) }
}

/** Returns the first example of an option of decoders; null: there is no such option. */
export function decoderOptionExample(name: string): OptionExample | null {
  const example = findDecoderOption(name)?.examples[0]
  if (example === undefined) return null
  const { xml, around = '', before = '', events } = example
  const decoder = `<decoder name="example">${around}${xml}</decoder>`
  return { xml: before === '' ? decoder : `${before}\n${decoder}`, events: events.filter((event) => event.decoder !== null).map(({ event }) => event) }
}
