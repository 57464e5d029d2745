/**
 * Options at the very start of a pattern: `(*UTF)`, `(*UCP)`, `(*ANYCRLF)`, `(*LIMIT_MATCH=1000)` and similar.
 */
import type { NewlineKind } from './ast.js'
import { SyntaxFault } from './syntax-error.js'

export interface StartOptions {
  utf: boolean
  ucp: boolean
  newline: NewlineKind
  /** `\R` matches CR, LF and CRLF only. */
  bsrAnycrlf: boolean
  notEmpty: 'no' | 'always' | 'at_start'
  startOptimizations: boolean
  /** Cleared by `(*NO_AUTO_POSSESS)`. */
  autoPossess: boolean
  limitMatch: number | null
  /** Offset at which the pattern itself begins. */
  end: number
}

/** PCRE2's message for a word that is neither a start option nor a verb. */
export const MALFORMED = '(*VERB) not recognized or malformed'
const MAX_LIMIT = 0xffffffff

const NEWLINES: ReadonlyMap<string, NewlineKind> = new Map([
  ['CR', 'cr'],
  ['LF', 'lf'],
  ['CRLF', 'crlf'],
  ['ANY', 'any'],
  ['ANYCRLF', 'anycrlf'],
  ['NUL', 'nul'],
])

/** Accepted without effect on what matches. */
const WITHOUT_EFFECT = new Set(['NO_DOTSTAR_ANCHOR', 'NO_JIT'])

export function readStartOptions(pattern: string): StartOptions {
  const options: StartOptions = {
    utf: false,
    ucp: false,
    newline: 'lf',
    bsrAnycrlf: false,
    notEmpty: 'no',
    startOptimizations: true,
    autoPossess: true,
    limitMatch: null,
    end: 0,
  }
  for (;;) {
    const rest = pattern.slice(options.end)
    const limit = /^\(\*(LIMIT_HEAP|LIMIT_DEPTH|LIMIT_RECURSION|LIMIT_MATCH)=/.exec(rest)
    if (limit !== null) {
      const value = /^(\d+)\)/.exec(rest.slice(limit[0].length))
      if (value === null || Number(value[1]) > MAX_LIMIT) throw new SyntaxFault(MALFORMED, options.end + limit[0].length)
      setLimit(options, limit[1], Number(value[1]))
      options.end += limit[0].length + value[0].length
      continue
    }
    const word = /^\(\*([A-Z_0-9]+)\)/.exec(rest)
    if (word === null || !setWord(options, word[1])) return options
    options.end += word[0].length
  }
}

/** Limits other than LIMIT_MATCH are used only when they are 0, because every search then fails. */
function setLimit(options: StartOptions, name: string, value: number): void {
  if (name === 'LIMIT_MATCH') options.limitMatch = value
  else if (value === 0) options.limitMatch = 0
}

function setWord(options: StartOptions, word: string): boolean {
  const newline = NEWLINES.get(word)
  if (newline !== undefined) options.newline = newline
  else if (word === 'UTF' || word === 'UTF8') options.utf = true
  else if (word === 'UCP') options.ucp = true
  else if (word === 'BSR_ANYCRLF') options.bsrAnycrlf = true
  else if (word === 'BSR_UNICODE') options.bsrAnycrlf = false
  else if (word === 'NOTEMPTY') options.notEmpty = 'always'
  else if (word === 'NOTEMPTY_ATSTART') options.notEmpty = 'at_start'
  else if (word === 'NO_START_OPT') options.startOptimizations = false
  else if (word === 'NO_AUTO_POSSESS') options.autoPossess = false
  else return WITHOUT_EFFECT.has(word)
  return true
}
