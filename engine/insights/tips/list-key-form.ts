/** An address is looked up in a list whose keys match only the identical text. */
import type { CdbList } from '../../lists/list.js'
import { fromByteString } from '../../source/byte-string.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Mistake extends Record<string, string | number> {
  rule: number
  list: string
  text: string
  key: string
  better: string
}

/** Returns a key that was probably intended for this address: `10.0.0` or `10.0.0.0/24`, where the engine needs `10.0.0.`. */
function findKey(keys: ReadonlyMap<string, string>, address: string): { key: string; better: string } | null {
  const octets = address.split('.')
  if (octets.length !== 4) return null
  for (let count = 3; count > 0; count--) {
    const prefix = octets.slice(0, count).join('.')
    const network = prefix + '.0'.repeat(4 - count)
    for (const key of [prefix, network, `${network}/${count * 8}`]) if (keys.has(key)) return { key, better: `${prefix}.` }
  }
  return null
}

function findMistake({ failures, runner }: ToldRun): Mistake | null {
  for (const [rule, { list, text }] of failures.lists) {
    if (text === undefined || list.lookup.startsWith('not_')) continue
    const { path } = list
    const found = findKey((runner.ruleset.lists.get(path) as CdbList).entries, text)
    if (found !== null) {
      return {
        rule: rule.id,
        list: fromByteString(path),
        text: fromByteString(text),
        key: fromByteString(found.key),
        better: fromByteString(found.better),
      }
    }
  }
  return null
}

export const listKeyForm = defineTip<Mistake>({
  id: 'list-key-form',
  applies: findMistake,
  text: {
    'en-US': ({ rule, list, text, key, better }) =>
      `Rule ${rule} looks for ${text} in ${list}, which has the key "${key}". A key stands for a network only when it ends in a dot ("${better}") and the lookup is address_match_key; masks such as /24 are not known.`,
    'pt-BR': ({ rule, list, text, key, better }) =>
      `A regra ${rule} procura ${text} em ${list}, que tem a chave "${key}". Uma chave só vale por uma rede quando termina em ponto ("${better}") e o lookup é address_match_key; máscaras como /24 não são conhecidas.`,
  },
})
