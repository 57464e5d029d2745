/**
 * The template of a log: its words, with a mark for those that differ from event to event (numbers, addresses, names with digits, quoted texts). Logs of one
 * message of a program have the same one. It is that of Drain's first step, and needs no other logs, so threads agree on it.
 */

/** Words of a log that count; the end of a long one is mostly data. */
const WORDS_LIMIT = 24
/** Bytes of a log that are looked at. */
const LENGTH_LIMIT = 512
const QUOTED = /"[^"]*"|'[^']*'/g
const VARIABLE = /\d|^[A-Fa-f]{8,}$/
const MARK = '<*>'
/** The value of `key=value` and `key:value` differs, and the key does not. */
const KEYED = /^([A-Za-z_][\w.-]{0,63})([=:])(.+)$/

/** @param log a byte string */
export function templateOf(log: string): string {
  const words = log
    .slice(0, LENGTH_LIMIT)
    .replace(QUOTED, MARK)
    .split(/\s+/, WORDS_LIMIT + 1)
  const shown = words.slice(0, WORDS_LIMIT).map(masked)
  if (words.length > WORDS_LIMIT) shown.push('…')
  return shown.join(' ')
}

function masked(word: string): string {
  const keyed = KEYED.exec(word)
  if (keyed !== null) return `${keyed[1]}${keyed[2]}${MARK}`
  return VARIABLE.test(word) ? MARK : word
}
