/** A small evaluator of Sigma rules, written from the specification: YAML by a parser that the project does not use itself, selections, modifiers and conditions. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { parseAllDocuments } from 'yaml'

export interface SigmaDocument {
  readonly title: string
  readonly id: string
  readonly name?: string
  readonly logsource?: Readonly<Record<string, string>>
  readonly detection?: Readonly<Record<string, unknown>> & { readonly condition: string }
  readonly correlation?: Readonly<Record<string, unknown>>
  readonly level?: string
  readonly tags?: readonly string[]
}

export interface SigmaEvent {
  readonly logsource: { readonly category: string; readonly service?: string }
  readonly fields: Readonly<Record<string, string>>
}

/** The documents of a text. @throws when it is no YAML, or has something that YAML warns of */
export function readSigma(text: string): SigmaDocument[] {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    for (const fault of [...document.errors, ...document.warnings]) throw fault
    return document.toJS() as SigmaDocument
  })
}

/** Whether a rule matches an event: of its log source, and by its condition. */
export function matchesSigma({ logsource = {}, detection }: SigmaDocument, event: SigmaEvent): boolean {
  if (detection === undefined) throw new Error('no detection')
  const isOfSource = Object.entries(logsource).every(([key, value]) => (event.logsource as Readonly<Record<string, string>>)[key] === value)
  return isOfSource && new ConditionReader(detection, event.fields).read()
}

/** `a and not (b or c)`: `not` binds more than `and`, and that more than `or`. */
class ConditionReader {
  readonly #words: string[]
  #at = 0

  constructor(
    readonly detection: Readonly<Record<string, unknown>> & { readonly condition: string },
    readonly fields: Readonly<Record<string, string>>,
  ) {
    this.#words = detection.condition.match(/[()]|[^\s()]+/g) ?? []
  }

  read(): boolean {
    const result = this.#or()
    if (this.#at < this.#words.length) throw new Error(`unread: ${this.#words.slice(this.#at).join(' ')}`)
    return result
  }

  #or(): boolean {
    let result = this.#and()
    while (this.#take('or')) result = this.#and() || result
    return result
  }

  #and(): boolean {
    let result = this.#not()
    while (this.#take('and')) result = this.#not() && result
    return result
  }

  #not(): boolean {
    if (this.#take('not')) return !this.#not()
    if (this.#take('(')) {
      const result = this.#or()
      if (!this.#take(')')) throw new Error('no closing parenthesis')
      return result
    }
    const name = this.#words[this.#at++]
    if (name === undefined || name === 'condition' || !Object.hasOwn(this.detection, name)) throw new Error(`no selection ${name}`)
    const selection = this.detection[name]
    const maps = (Array.isArray(selection) ? selection : [selection]) as readonly Readonly<Record<string, unknown>>[]
    return maps.some((map) => Object.entries(map).every(([key, value]) => holds(key, value, this.fields)))
  }

  #take(word: string): boolean {
    if (this.#words[this.#at] !== word) return false
    this.#at++
    return true
  }
}

function holds(key: string, value: unknown, fields: Readonly<Record<string, string>>): boolean {
  const [field, ...modifiers] = key.split('|')
  const text = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (modifiers[0] === 'exists') return (text !== undefined) === value
  if (text === undefined) return false
  return (Array.isArray(value) ? value : [value]).some((each: unknown) => {
    if (typeof each !== 'string') throw new Error(`no text: ${String(each)}`)
    return holdsOne(text, each, modifiers)
  })
}

/** A character that means itself. The specification names no other escape. */
const LITERALS = /\\[.^$*+?()[\]{}|\\/-]/g

function holdsOne(text: string, value: string, modifiers: readonly string[]): boolean {
  const [first, ...others] = modifiers
  if (first === 're') {
    const rest = value.replace(LITERALS, 'x')
    if (/\\|\(\?/.test(rest)) throw new Error(`not of the flavour: ${value}`)
    return new RegExp(value, others.join('')).test(text)
  }
  if (first === 'cidr') return inNetwork(text, value)
  const pattern = wildcards(value)
  const [before, after] = [first === 'contains' || first === 'endswith' ? '' : '^', first === 'contains' || first === 'startswith' ? '' : '$']
  if (first !== undefined && !['contains', 'endswith', 'startswith', 'cased'].includes(first)) throw new Error(`no modifier ${first}`)
  return new RegExp(`${before}${pattern}${after}`, first === 'cased' ? 's' : 'is').test(text)
}

/** `*` and `?` are wildcards unless a backslash is before them. */
function wildcards(value: string): string {
  return value.replace(/\\([\\*?])|([*?])|([^\w\s])/g, (_, escaped?: string, wild?: string, other?: string) => {
    if (wild !== undefined) return wild === '*' ? '.*' : '.'
    return `\\${escaped ?? other}`
  })
}

function inNetwork(text: string, network: string): boolean {
  const [address, bits] = network.split('/')
  const family = isIPv4(text) ? 'ipv4' : isIPv6(text) ? 'ipv6' : null
  if (family === null || isIPv4(address) !== (family === 'ipv4')) return false
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family)
  return list.check(text, family)
}
