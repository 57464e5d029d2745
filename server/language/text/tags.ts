/** The tags of rules and decoders, from the engine's tables. */
import { describeSchema } from '#engine'

const { rules, decoders } = describeSchema('en-US')

const optionsOf = (context: string, section: typeof rules | typeof decoders): ReadonlySet<string> =>
  new Set(section.elements.filter((element) => element.context === context).map(({ name }) => name.toLowerCase()))

export const RULE_TAGS = optionsOf('rule', rules)
export const DECODER_TAGS = optionsOf('decoder', decoders)

/** Tags that are allowed inside an option, by its name. */
export const INNER_TAGS: ReadonlyMap<string, readonly string[]> = new Map(
  [...rules.elements, ...decoders.elements]
    .filter(({ context }) => context === 'rule' || context === 'decoder')
    .map(({ name, child_tags }) => [name, child_tags.map((tag) => tag.toLowerCase())]),
)
