/**
 * Reads the arguments of a subcommand from a table of its options. What is wrong is a `UsageError`: one line, and a hint. The table is also
 * what `--help` prints, so that the two cannot disagree.
 */
import { parseArgs } from 'node:util'

/** One option. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** What its value is called in help texts. */
  readonly value?: string
  /** The only values that it takes. */
  readonly values?: readonly string[]
  readonly help: string
}

export type OptionTable = Readonly<Record<string, OptionSpec>>

/** Options that every subcommand has. */
export const COMMON_OPTIONS: OptionTable = {
  locale: { type: 'string', value: 'LOCALE', values: ['en-US', 'pt-BR'], help: 'language of reports and findings (default: from LANG)' },
  color: { type: 'boolean', help: 'colours even where the output is no terminal; --no-color: never (NO_COLOR is respected too)' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
}

/** Which ruleset: shared by all subcommands that stand on one. */
export const RULESET_OPTIONS: OptionTable = {
  ruleset: { type: 'string', value: 'DIR', help: 'base ruleset: a folder with decoders/, rules/ and lists/ (default: the shipped reference)' },
  custom: { type: 'string', value: 'DIR', help: 'your own content on top of it, in a folder of the same form' },
}

/** A call that can't be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(
    message: string,
    /** What to do instead; null = see the help. */
    readonly hint: string | null = null,
  ) {
    super(message)
  }
}

/** How far a misspelt option may be from one that exists. */
const MISSPELLING_LIMIT = 3

export class Arguments {
  readonly operands: readonly string[]
  readonly #values: Readonly<Record<string, string | boolean | undefined>>
  readonly #table: OptionTable

  constructor(table: OptionTable, values: Readonly<Record<string, string | boolean | undefined>>, operands: readonly string[]) {
    this.#table = table
    this.#values = values
    this.operands = operands
  }

  flag(name: string): boolean {
    return this.#values[name] === true
  }

  /** Undefined when it was not said. */
  choice(name: string): boolean | undefined {
    const value = this.#values[name]
    return typeof value === 'boolean' ? value : undefined
  }

  text(name: string): string | null {
    const value = this.#values[name]
    if (typeof value !== 'string') return null
    const allowed = this.#table[name]?.values
    if (allowed !== undefined && !allowed.includes(value)) throw new UsageError(`--${name} can't be "${value}"`, `It is one of: ${allowed.join(', ')}.`)
    return value
  }

  /** Of a command that takes nothing but options. @throws UsageError */
  requireNoOperands(): void {
    if (this.operands.length > 0) throw new UsageError(`it takes no "${this.operands[0]}"`)
  }

  /** A number from `least` on. */
  number(name: string, least: number): number | null {
    const value = this.text(name)
    if (value === null) return null
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number) || number < least) throw new UsageError(`--${name} can't be "${value}"`, `It is a number from ${least} on.`)
    return number
  }
}

/** @throws UsageError */
export function readArguments(table: OptionTable, argv: readonly string[]): Arguments {
  const options = Object.fromEntries(Object.entries(table).map(([name, { type, short }]) => [name, { type, ...(short === undefined ? {} : { short }) }]))
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true, allowNegative: true })
    return new Arguments(table, values as Record<string, string | boolean | undefined>, positionals)
  } catch (fault) {
    throw toUsageError(fault, table, argv)
  }
}

function toUsageError(fault: unknown, table: OptionTable, argv: readonly string[]): unknown {
  const { code, message } = fault as { code?: string; message?: string }
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const written = /'([^']+)'/.exec(message ?? '')?.[1] ?? argv.find((word) => word.startsWith('-')) ?? ''
    const near = nearest(written.replace(/^-+/, ''), Object.keys(table))
    return new UsageError(`unknown option ${written}`, near === null ? null : `Did you mean --${near}?`)
  }
  if (code?.startsWith('ERR_PARSE_ARGS') === true) return new UsageError((message ?? '').split(/[.\n]/)[0].replace(/^Option '([^']+)'/, (_, option: string) => `option ${option}`))
  return fault
}

/** The known word that is nearest, or null when none is near. */
export function nearest(written: string, known: readonly string[]): string | null {
  let best: string | null = null
  let least = Math.min(MISSPELLING_LIMIT, Math.ceil(written.length / 2)) + 1
  for (const word of known) {
    const distance = word.startsWith(written) && written.length > 1 ? 1 : editDistance(written, word)
    if (distance < least) {
      least = distance
      best = word
    }
  }
  return best
}

/** Letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]
}
