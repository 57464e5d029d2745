import type { CompileOutcome, Dialect } from './expression.js'
import { compileOsMatch } from './osmatch/osmatch.js'
import { compileOsRegex } from './osregex/osregex.js'
import { compilePcre2 } from './pcre2/compile.js'

/**
 * Compiles each distinct pattern once: stock rules repeat patterns hundreds of times, and equal patterns are tested once per event.
 * A layer uses the patterns of its base and adds its own.
 */
export class ExpressionPool {
  readonly #base: ExpressionPool | null
  readonly #own = new Map<string, CompileOutcome>()

  constructor(base: ExpressionPool | null = null) {
    this.#base = base
  }

  /** @param pattern a byte string; @param capturing report groups (decoder `regex` only, BEHAVIOUR.md#expression-types) */
  compile(dialect: Dialect, pattern: string, capturing = false): CompileOutcome {
    const key = `${dialect}${capturing ? '+' : ''} ${pattern}`
    const known = this.#find(key)
    if (known !== undefined) return known
    const outcome = compileExpression(dialect, pattern, capturing)
    this.#own.set(key, outcome)
    return outcome
  }

  #find(key: string): CompileOutcome | undefined {
    return this.#own.get(key) ?? (this.#base === null ? undefined : this.#base.#find(key))
  }
}

/** Compiles one pattern. */
export function compileExpression(dialect: Dialect, pattern: string, capturing: boolean): CompileOutcome {
  if (dialect === 'osmatch') return compileOsMatch(pattern)
  if (dialect === 'osregex') return compileOsRegex(pattern, { capturing })
  return compilePcre2(pattern)
}
