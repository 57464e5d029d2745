/** Parses the arguments of a subcommand from a table of its options. Errors are a `UsageError`: one line and a hint. `--help` prints the same table. */
import { parseArgs } from 'node:util'
import type { SharedOptions, ValueName } from './help.js'
import { LOCALES } from './language.js'
import { UsageError } from './usage-error.js'

/** One option. Its texts are in `i18n/messages/<locale>/help.ts`. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** Name of its value in help texts. */
  readonly value?: ValueName
  /** The allowed values. */
  readonly values?: readonly string[]
  /** The option can be repeated and has several values. For any other option the last one counts. */
  readonly multiple?: true
}

export type OptionTable = Readonly<Record<string, OptionSpec>>

/** Options that every subcommand has. */
export const COMMON_OPTIONS = {
  locale: { type: 'string', value: 'locale', values: LOCALES },
  color: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies SharedOptions

/** Options for the ruleset, shared by all subcommands that use one. */
export const RULESET_OPTIONS = {
  ruleset: { type: 'string', value: 'folder' },
  custom: { type: 'string', value: 'path', multiple: true },
} as const satisfies SharedOptions

/** Maximum edit distance for a suggestion. */
const MISSPELLING_LIMIT = 3

type OptionValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export class Arguments {
  readonly operands: readonly string[]
  readonly #values: OptionValues
  readonly #table: OptionTable

  constructor(table: OptionTable, values: OptionValues, operands: readonly string[]) {
    this.#table = table
    this.#values = values
    this.operands = operands
  }

  flag(name: string): boolean {
    return this.#values[name] === true
  }

  /** Whether the call has the option. */
  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  /** Undefined: the option is absent. */
  choice(name: string): boolean | undefined {
    const value = this.#values[name]
    return typeof value === 'boolean' ? value : undefined
  }

  text(name: string): string | null {
    const value = this.#values[name]
    if (typeof value !== 'string') return null
    const allowed = this.#table[name]?.values
    if (allowed !== undefined && !allowed.includes(value)) throw new UsageError('value_not_choice', { option: name, value, choices: allowed.join(', ') })
    return value
  }

  /** Values of a repeatable option, in the order of the call. */
  texts(name: string): readonly string[] {
    const values = this.#values[name]
    return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
  }

  /** For commands without operands. @throws UsageError */
  requireNoOperands(): void {
    if (this.operands.length > 0) throw new UsageError('operand_unexpected', { operand: this.operands[0] })
  }

  /** The value of an option as a number. @throws UsageError when it is not a number of at least `min` */
  number(name: string, min: number): number | null {
    const value = this.text(name)
    if (value === null) return null
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number) || number < min) throw new UsageError('value_not_number', { option: name, value, min })
    return number
  }
}

/** @param equivalents options of Wazuh's tools by their names here, which errors propose @throws UsageError */
export function readArguments(table: OptionTable, argv: readonly string[], equivalents: Readonly<Record<string, string>> = {}): Arguments {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { type, short, multiple = false }]) => [name, { type, multiple, ...(short === undefined ? {} : { short }) }]),
  )
  // Not strict: Node would report errors in English only; `checkOption` reports them in the caller's language.
  const { values, positionals, tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, allowNegative: true, tokens: true })
  for (const token of tokens) if (token.kind === 'option') checkOption(table, token, equivalents)
  return new Arguments(table, values as OptionValues, positionals)
}

/** An option as written in the call. */
interface WrittenOption {
  /** Without dashes; a short option by its long name. Node has removed the `no-` of a negated one, whether or not the option can be negated. */
  readonly name: string
  /** As written in the call. */
  readonly rawName: string
  readonly value: string | undefined
  /** `--name=value` rather than `--name value`; undefined without a value. */
  readonly inlineValue: boolean | undefined
}

function checkOption(table: OptionTable, { name: long, rawName, value, inlineValue }: WrittenOption, equivalents: Readonly<Record<string, string>>): void {
  const name = nameOf(table, rawName.startsWith('--') ? rawName.slice('--'.length) : long)
  if (name === null) {
    const bare = rawName.replace(/^-+/, '')
    if (Object.hasOwn(equivalents, bare)) throw new UsageError('option_of_wazuh', { option: rawName, here: equivalents[bare] })
    const near = nearest(rawName.replace(/^-+/, ''), Object.keys(table))
    throw near === null ? new UsageError('option_unknown', { option: rawName }) : new UsageError('option_misspelt', { option: rawName, near })
  }
  const { type, short } = table[name]
  const option = `${short === undefined ? '' : `-${short}, `}--${name}`
  if (type === 'boolean' && value !== undefined) throw new UsageError('option_takes_no_value', { option })
  if (type === 'string' && value === undefined) throw new UsageError('option_without_value', { option })
  // `--location --jsonl`: the value is missing, or begins with a dash. A single `-` is standard input.
  if (inlineValue === false && value?.startsWith('-') === true && value.length > 1) throw new UsageError('option_value_ambiguous', { option: rawName })
}

/** The name of the option: `--no-color` is `color`. Null when there is none. */
function nameOf(table: OptionTable, written: string): string | null {
  if (Object.hasOwn(table, written)) return written
  const negated = written.startsWith('no-') ? written.slice('no-'.length) : ''
  return Object.hasOwn(table, negated) && table[negated].type === 'boolean' ? negated : null
}

/** The most similar known word; null: none is similar. @param limit maximum edit distance */
export function nearest(written: string, known: readonly string[], limit = Math.min(MISSPELLING_LIMIT, Math.ceil(written.length / 2))): string | null {
  let best: string | null = null
  let bestDistance = limit + 1
  for (const word of known) {
    const distance = word.startsWith(written) && written.length > 1 ? 1 : editDistance(written, word)
    if (distance < bestDistance) {
      bestDistance = distance
      best = word
    }
  }
  return best
}

/** Number of letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]
}
