import { toByteString } from '../source/byte-string.js'
import type { Attack } from './attack.js'

/** Behind it is the number of copies. */
const TIMES = toByteString(' × ')

/** The event of an attack as people read it: `"a" + "b" × 1000 + "!"`. Texts are byte strings. */
export function describeEvent({ prefix, pump, suffix }: Pick<Attack, 'prefix' | 'pump' | 'suffix'>, copies: number): string {
  const quoted = (text: string): string => JSON.stringify(text).replaceAll('\\\\', '\\').replace(/\\u00/g, '\\x')
  return [...(prefix === '' ? [] : [quoted(prefix)]), quoted(pump) + TIMES + String(copies), ...(suffix === '' ? [] : [quoted(suffix)])].join(' + ')
}
