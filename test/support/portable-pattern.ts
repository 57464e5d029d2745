/**
 * Whether a regular expression is written in the syntax that ECMA-262 (with and without the flag `u`), Python's `re`, Rust's `regex`, RE2 (Go) and Java read alike.
 * It is the subset that JSON Schema recommends (draft 2020-12, Core, 6.4), with `(?:…)` and the escapes that all of them know. `$` is the end in all of them,
 * but Python and Java also take one line break behind it: they accept more, never less.
 */

/** Escaped where they stand for themselves. */
const SYNTAX = '^$\\.*+?()[]{}|'
/** RE2 takes no more, those of nested quantifiers multiplied. */
const MOST_REPEATS = 1000

/** What is not portable about it; empty: nothing. */
export function portabilityFaults(pattern: string): string[] {
  const faults: string[] = []
  let at = 0
  const fault = (what: string): void => void faults.push(`${what} at ${at} of ${pattern}`)
  const isPlain = (char: string): boolean => char >= ' ' && char <= '~'

  /** One character behind a backslash. */
  const readEscape = (inClass: boolean): void => {
    const hex = /^x[0-9a-f]{2}/.exec(pattern.slice(at + 1))
    if (hex !== null) at += 4
    else if (SYNTAX.includes(pattern[at + 1] ?? '') || 'tnr'.includes(pattern[at + 1] ?? ' ') || (inClass && pattern[at + 1] === '-')) at += 2
    else {
      fault(`escape \\${pattern[at + 1] ?? ''}`)
      at += 2
    }
  }

  const readClass = (): void => {
    at++
    if (pattern[at] === '^') at++
    if (pattern[at] === ']') fault('empty class')
    while (at < pattern.length && pattern[at] !== ']') {
      // Sets within sets, and their operators, mean something in Java and will in Python.
      if (pattern[at] === '[' || /^(?:&&|--|~~|\|\|)/.test(pattern.slice(at))) fault('set operator')
      if (pattern[at] === '\\') readEscape(true)
      else if (isPlain(pattern[at])) at++
      else {
        fault('character beyond ASCII')
        at++
      }
    }
    if (pattern[at] !== ']') fault('open class')
    at++
  }

  /** @returns how often it repeats, where it counts */
  const readQuantifier = (): number => {
    const counted = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(at))
    if (counted !== null) at += counted[0].length
    else if ('*+?'.includes(pattern[at] ?? ' ')) at++
    else return 1
    if (pattern[at] === '?') at++
    if ('*+?{'.includes(pattern[at] ?? ' ')) fault('quantifier of a quantifier')
    return counted === null ? 1 : Math.max(1, Number(counted[1]), Number(counted[2] ?? 0))
  }

  /** @returns the most repeats within */
  const readAlternatives = (isNested: boolean): number => {
    let most = 1
    while (at < pattern.length && !(isNested && pattern[at] === ')')) {
      const char = pattern[at]
      if (char === '|') at++
      else if (char === '^' || char === '$') {
        const isInPlace = char === '^' ? at === 0 || '(|:'.includes(pattern[at - 1]) : at === pattern.length - 1 || '|)'.includes(pattern[at + 1])
        if (!isInPlace) fault('anchor in the middle')
        at++
      } else {
        let within = 1
        if (char === '(') {
          if (pattern[at + 1] === '?') {
            if (pattern[at + 2] !== ':') fault(`group ${pattern.slice(at, at + 3)}`)
            at += 2
          }
          at++
          within = readAlternatives(true)
          if (pattern[at] !== ')') fault('open group')
          at++
        } else if (char === '[') readClass()
        else if (char === '\\') readEscape(false)
        else {
          // Which line breaks a dot passes over differs.
          if (SYNTAX.includes(char)) fault(`bare ${char}`)
          else if (!isPlain(char)) fault('character beyond ASCII')
          at++
        }
        most = Math.max(most, within * readQuantifier())
      }
    }
    return most
  }

  if (readAlternatives(false) > MOST_REPEATS) fault('too many repeats')
  return faults
}
