import type { MatcherOption } from './option.js'

interface WrongDecoder {
  readonly wanted: string
  /** Null: no decoder matched. */
  readonly actual: string | null
}

export const decodedAs: MatcherOption<WrongDecoder> = {
  name: 'decoded_as',
  part: 'condition',
  repeat: 'last',
  help: {
    'en-US': 'Name that the decoder reported for the event must have. A child without use_own_name is reported under the name of its parent.',
    'pt-BR': 'Nome que o decoder informado para o evento precisa ter. Um filho sem use_own_name é informado com o nome do pai.',
  },
  attributes: [],
  values: [],
  examples: [{ xml: '<decoded_as>sshd</decoded_as>', matches: ['Jan  5 10:11:12 web1 sshd[2201]: hello'], misses: ['hello', '{"a": "b"}'] }],
  read: (reader, element) => {
    const cause = reader.context.lostDecoder(element.content)
    if (cause !== undefined) return reader.refuse('rule_decoded_as_unknown', element, { value: element.content }, { cause })
    if (reader.context.decoders.find(element.content) < 0) {
      return reader.refuse('rule_decoded_as_unknown', element, { value: element.content }, { known: () => reader.context.decoders.names() })
    }
    reader.draft.decodedAs = { name: element.content, element }
  },
  meaning: ({ decodedAs }) => decodedAs?.name,
  explain: {
    'en-US': ({ wanted, actual }) => `The rule requires the decoder "${wanted}", but ${actual === null ? 'no decoder matched' : `the reported decoder is "${actual}"`}.`,
    'pt-BR': ({ wanted, actual }) => `A regra exige o decoder "${wanted}", mas ${actual === null ? 'nenhum decoder casou' : `o decoder informado é "${actual}"`}.`,
  },
}
