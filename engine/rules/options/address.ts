/** `<srcip>` and `<dstip>`, two names of one option. */
import { type AddressEntry, holdsAllIpv4, inAddressList, parseAddressEntry } from '../../conditions/address.js'
import { STATIC_INDEX } from '../../event/static-fields.js'
import { setOf } from '../../expressions/meaning.js'
import { append } from '../../source/append.js'
import { elementsOf } from '../../xml/definition-reporter.js'
import type { XmlElement } from '../../xml/node.js'
import { staticSubject } from '../condition.js'
import { TEXT_FAILS } from './explanations.js'
import type { ConditionOption } from './option.js'
import { NEGATE_ATTRIBUTE, readNegate } from './pattern-text.js'

interface AddressCondition {
  readonly entries: readonly AddressEntry[]
  /** Value of the last tag. */
  readonly negate: boolean
  readonly element: XmlElement
}

function addressOption(name: 'srcip' | 'dstip'): ConditionOption<AddressCondition> {
  const option: ConditionOption<AddressCondition> = {
    name,
    part: 'condition',
    repeat: 'each',
    help: {
      'en-US': `Address, network (10.0.0.0/8, 10.0.0.0/255.0.0.0, 2001:db8::/32) or "any" for the field ${name}. Repeated tags are alternatives; the last one's negate counts for all.`,
      'pt-BR': `Endereço, rede (10.0.0.0/8, 10.0.0.0/255.0.0.0, 2001:db8::/32) ou "any" para o campo ${name}. Tags repetidas são alternativas; o negate da última vale para todas.`,
    },
    attributes: [NEGATE_ATTRIBUTE],
    values: [],
    examples: [
      { xml: `<${name}>10.0.0.0/8</${name}>`, matches: [`{"${name}": "10.1.2.3"}`], misses: [`{"${name}": "11.1.2.3"}`, `{"${name}": "no address"}`, '10.1.2.3'] },
      { xml: `<${name}>10.0.0.1</${name}><${name} negate="yes">2001:db8::/32</${name}>`, matches: [`{"${name}": "10.0.0.2"}`], misses: [`{"${name}": "10.0.0.1"}`, 'x'] },
    ],
    read: (reader, element) => {
      const entry = parseAddressEntry(element.content)
      if (entry === null) return reader.refuse('rule_ip_invalid', element, { tag: name, value: element.content })
      if (element.content.startsWith('!')) reader.report('rule_ip_negation_ignored', element, { tag: name, value: element.content })
      const entries = append(reader.draft.valueOf(option)?.entries ?? [], entry)
      reader.draft.setCondition(option, { entries, negate: readNegate(reader, element), element })
    },
    check: (reporter) => {
      for (const element of elementsOf(reporter.owner, name)) {
        const entry = parseAddressEntry(element.content)
        if (entry !== null && holdsAllIpv4(entry)) reporter.report('rule_ip_all_ipv4', element, { tag: name, value: element.content })
        if (entry !== null && matchesSomeIpv4(entry)) reporter.report('rule_ip_cross_family', element, { tag: name, value: element.content })
      }
    },
    meaning: (definition) => {
      const condition = definition.valueOf(option)
      return condition === undefined ? undefined : [condition.negate, setOf(condition.entries.map((entry) => JSON.stringify(entry)))]
    },
    cost: 30,
    compile: ({ entries, negate }, compiler) =>
      compiler.add(option, {
        key: `${name} ${negate} ${JSON.stringify(entries)}`,
        subject: staticSubject(name),
        test: { kind: 'text', negate, passes: (text) => inAddressList(text, entries) },
      }),
    explain: TEXT_FAILS,
    neededFields: ({ element }) => [{ name, field: { static: STATIC_INDEX[name] }, element }],
  }
  return option
}

/** Wazuh compares an IPv4 address with bytes 0 to 3 of an IPv6 entry, masked by its bytes 4 to 7. */
function matchesSomeIpv4(entry: AddressEntry): boolean {
  if (entry.family !== 6) return false
  return [0, 1, 2, 3].every((byte) => (entry.address[byte] & ~entry.address[byte + 4]) === 0)
}

export const srcip = addressOption('srcip')
export const dstip = addressOption('dstip')
