/**
 * Splits a PCRE2 pattern into its consecutive parts: an atom with its quantifier, a group, a class. Groups stay whole, so every sequence of parts is a
 * pattern. It serves explanations only and need not be exact.
 */
export interface Pcre2Alternative {
  /** `(*UTF)(?i)…` at the front of the pattern; every prefix needs it. */
  readonly options: string
  /** Offset of the first piece. */
  readonly start: number
  readonly texts: readonly string[]
}

const START_OPTIONS = /^(?:\(\*[A-Z0-9_=]+\)|\(\?[a-zA-Z^-]+\))+/
const QUANTIFIER = /^(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})[+?]?/

export function splitPcre2(pattern: string): Pcre2Alternative[] {
  const options = START_OPTIONS.exec(pattern)?.[0] ?? ''
  const alternatives: { start: number; texts: string[] }[] = [{ start: options.length, texts: [] }]
  let at = options.length
  while (at < pattern.length) {
    if (pattern[at] === '|') {
      alternatives.push({ start: at + 1, texts: [] })
      at++
      continue
    }
    const atom = atomEnd(pattern, at)
    const quantifier = QUANTIFIER.exec(pattern.slice(atom, atom + 32))
    const end = atom + (quantifier?.[0].length ?? 0)
    alternatives[alternatives.length - 1].texts.push(pattern.slice(at, end))
    at = end
  }
  return alternatives.map(({ start, texts }) => ({ options, start, texts }))
}

function atomEnd(pattern: string, at: number): number {
  if (pattern[at] === '\\') return escapeEnd(pattern, at)
  if (pattern[at] === '[') return classEnd(pattern, at)
  if (pattern[at] !== '(') return at + 1
  let depth = 0
  for (let i = at; i < pattern.length; ) {
    if (pattern[i] === '\\') i = escapeEnd(pattern, i)
    else if (pattern[i] === '[') i = classEnd(pattern, i)
    else {
      if (pattern[i] === '(') depth++
      else if (pattern[i] === ')' && --depth === 0) return i + 1
      i++
    }
  }
  return pattern.length
}

/** The end of `\x{41}`, `\p{L}`, `\Q…\E`, or of a backslash with one character. */
function escapeEnd(pattern: string, at: number): number {
  if (pattern[at + 1] === 'Q') {
    const close = pattern.indexOf('\\E', at + 2)
    return close < 0 ? pattern.length : close + 2
  }
  const long = /^\\(?:[xopPgkN]\{[^}]*\}|[pP].|x[0-9a-fA-F]{1,2}|[gk]<[^>]*>|[gk]'[^']*'|c.)/.exec(pattern.slice(at, at + 64))
  return at + (long?.[0].length ?? 2)
}

function classEnd(pattern: string, at: number): number {
  let i = at + 1
  if (pattern[i] === '^') i++
  if (pattern[i] === ']') i++
  while (i < pattern.length && pattern[i] !== ']') {
    if (pattern[i] === '\\') i = escapeEnd(pattern, i)
    else if (pattern.startsWith('[:', i) && pattern.indexOf(':]', i) > 0) i = pattern.indexOf(':]', i) + 2
    else i++
  }
  return i + 1
}
