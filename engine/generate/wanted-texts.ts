/**
 * What the rules on a path want of an event: for each text that they test, values that pass all their conditions on it. Conditions that no value can be found for,
 * and those on the whole event (its time), are left to the run.
 */
import type { Expression } from '../expressions/expression.js'
import { type CdbList, lookUp } from '../lists/list.js'
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import type { RuleDefinition } from '../rules/rule.js'
import { type Condition, type Subject, SUBJECT_DYNAMIC, SUBJECT_LIST_USER, SUBJECT_STATIC, SUBJECT_USER, staticSubject } from '../rules/condition.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import { foldCase } from '../source/byte-string.js'
import { type Sample, samplesOf } from './sample-text.js'

/** A text of the event. */
export interface WantedText {
  readonly subject: Subject
  /** Name of the field, as a rule writes it; empty for the log, the program name and others that are no fields. */
  readonly name: string
  /** Values that pass, the best first. Empty: none is known. */
  readonly values: readonly string[]
  passes(text: string): boolean
}

/** Values that are tried for one text. */
const VALUES_LIMIT = 12
/** Addresses of a rule that are tried. */
const ADDRESSES_LIMIT = 20
/** Keys of a list that are tried. */
const KEYS_LIMIT = 4
/** What may follow a value so that a decoder, which wants more, reads it. */
const TAILS = ['', '00', '0', '1', 'a', '.example.com', '/'] as const
const ADDRESSES = ['203.0.113.7', '198.51.100.20', '10.1.2.3', '192.168.1.20', '172.16.0.5', '127.0.0.1', '8.8.8.8', '2001:db8::7'] as const

/** Returns what an event has to have for these rules. @param fields of which any value will do, by subject */
export function wantedTexts(rules: readonly CompiledRule[], lists: ReadonlyMap<string, CdbList>, fields: ReadonlyMap<Subject, string>): WantedText[] {
  const bySubject = new Map<Subject, Tested>()
  const tested = (subject: Subject, name: string): Tested => {
    let found = bySubject.get(subject)
    if (found === undefined) bySubject.set(subject, (found = new Tested(subject, name)))
    return found
  }
  for (const [subject, name] of fields) tested(subject, name)
  for (const { conditions, lists: lookups, definition } of rules) {
    const addresses = addressesIn(definition)
    for (const condition of conditions) if (condition.test.kind !== 'event') tested(condition.subject, condition.field ?? fieldName(condition.subject)).add(condition, addresses)
    for (const list of lookups) tested(list.subject, list.field).addList(list, lists.get(list.path))
  }
  return [...bySubject.values()].map((each) => each.wanted())
}

/** The name of a static field; empty for other texts. */
export function fieldName(subject: Subject): string {
  if (subject === SUBJECT_USER || subject === SUBJECT_LIST_USER) return 'dstuser'
  return subject >= SUBJECT_STATIC && subject < SUBJECT_DYNAMIC ? STATIC_FIELDS[subject - SUBJECT_STATIC] : ''
}

/** A value that fields of that name have. @param round another round has another value */
export function usualValue(name: string, round = 0): string {
  const lower = name.toLowerCase()
  if (/(?:^|[._])(?:src|source|client|remote|peer).*ip|^srcip$|ipaddress|(?:^|[._])ip$|addr/.test(lower)) return `203.0.113.${7 + round}`
  if (/ip$/.test(lower)) return `198.51.100.${20 + round}`
  if (/port$/.test(lower)) return String(50122 + round)
  if (/user|account|login/.test(lower)) return round === 0 ? 'alice' : `alice${round}`
  if (/url|uri|path/.test(lower)) return round === 0 ? '/index.html' : `/index${round}.html`
  if (/status|code/.test(lower)) return String(200 + round)
  if (/(?:^|[._])p?id$|number|size|count|bytes/.test(lower)) return String(4711 + round)
  if (/protocol/.test(lower)) return round % 2 === 0 ? 'tcp' : 'udp'
  if (/action/.test(lower)) return 'deny'
  if (/host|system_name|domain/.test(lower)) return `host${1 + round}`
  return round === 0 ? 'value' : `value${round}`
}

/** One text with the conditions on it. */
class Tested {
  readonly #subject: Subject
  readonly #name: string
  readonly #samples: (readonly string[])[] = []
  readonly #tests: ((text: string) => boolean)[] = []

  constructor(subject: Subject, name: string) {
    this.#subject = subject
    this.#name = name
  }

  /** @param addresses that the rule names */
  add({ test }: Condition, addresses: readonly string[]): void {
    switch (test.kind) {
      case 'pattern': {
        const { expression, negate } = test
        this.#tests.push((text) => expression.test(text, foldCase(text), 0) !== negate)
        if (!negate) this.#samples.push(spelled(expression, samplesOf(expression)).map(({ text }) => text))
        break
      }
      case 'exact':
        this.#tests.push((text) => (text === test.text) !== test.negate)
        if (!test.negate) this.#samples.push([test.text])
        break
      case 'text':
        this.#tests.push((text) => test.passes(text) !== test.negate)
        if (!test.negate) this.#samples.push([...ADDRESSES, ...addresses, ...networksOf(test)])
        break
    }
  }

  addList({ lookup, check }: CompiledListCondition, list: CdbList | undefined): void {
    if (list === undefined) return
    this.#tests.push((text) => lookUp(list, lookup, text, check))
    const keys: string[] = []
    for (const [key, value] of list.entries) {
      if (check !== null && !check.test(value, foldCase(value), 0)) continue
      keys.push(
        key.endsWith('.') && lookup.includes('address')
          ? `${key}${'1.1.1'
              .split('.')
              .slice(0, 4 - key.split('.').length + 1)
              .join('.')}`
          : key,
      )
      if (keys.length === KEYS_LIMIT) break
    }
    if (!lookup.startsWith('not')) this.#samples.push(keys)
  }

  wanted(): WantedText {
    const passes = (text: string): boolean => this.#tests.every((test) => test(text))
    const values: string[] = []
    for (const text of this.#candidates()) {
      if (values.length >= VALUES_LIMIT) break
      if (!values.includes(text) && passes(text)) values.push(text)
    }
    return { subject: this.#subject, name: this.#name, values, passes }
  }

  *#candidates(): Generator<string> {
    const isLog = this.#name === ''
    // The value that looks real, and values around a sample, which a decoder takes more easily than the bare sample.
    if (!isLog) yield usualValue(this.#name)
    const flat = this.#samples.flat()
    if (!isLog && flat.length <= VALUES_LIMIT) for (const text of flat) if (/^\w*$/.test(text) && text.length < 3) for (const tail of TAILS.slice(1)) yield text + tail
    yield* flat
    const firsts = this.#samples.map(([first]) => first ?? '')
    if (firsts.length > 1) {
      yield firsts.join('')
      yield firsts.join(' ')
      yield [...firsts].reverse().join(' ')
    }
    for (const text of flat) for (const tail of TAILS) yield text + tail
    for (const text of flat) yield `${usualValue(this.#name)} ${text}`
    for (const text of flat) for (const char of 'bz29') yield text.replaceAll(/[a1]/g, char)
    for (let round = 1; round < 6; round++) yield usualValue(this.#name, round)
    yield* ['a', '1', '0', '-', 'value 1', 'x'.repeat(40), '']
  }
}

/** OSMatch keeps its literals folded; the pattern has them as they are written in logs. */
export function spelled(expression: Expression, samples: readonly Sample[]): Sample[] {
  const folded = foldCase(expression.pattern)
  return samples.map((sample) => {
    const at = sample.text === '' ? -1 : folded.indexOf(sample.text)
    return at < 0 || expression.dialect !== 'osmatch' ? sample : { ...sample, text: expression.pattern.slice(at, at + sample.text.length) }
  })
}

/** The addresses in a rule, and one in each of its networks, which the compiled condition no longer has as text. */
function addressesIn({ places }: RuleDefinition): string[] {
  const texts = [...places.values()].map(({ content }) => content).join(' ')
  return (texts.match(/\d{1,3}(?:\.\d{1,3}){3}/g) ?? []).slice(0, ADDRESSES_LIMIT).flatMap((address) => [address, address.replace(/\d+$/, '7')])
}

/** Addresses in the first networks of which some are in a condition. */
function networksOf({ passes }: { passes(text: string): boolean }): string[] {
  const found: string[] = []
  for (let first = 1; first < 255 && found.length < 2; first++) if (passes(`${first}.1.2.3`)) found.push(`${first}.1.2.3`)
  return found
}

/** Subjects of the fields that two events of a composite compare. */
export function comparedFields({ same, different, sameKeys, differentKeys, definition }: CompiledRule): {
  readonly same: Map<Subject, string>
  readonly different: Map<Subject, string>
} {
  const named = (subjects: readonly Subject[]): [Subject, string][] => subjects.filter((subject) => fieldName(subject) !== '').map((subject) => [subject, fieldName(subject)])
  const dynamic = (keys: readonly number[], names: readonly string[]): [Subject, string][] => keys.map((key, at) => [SUBJECT_DYNAMIC + key, names[at] ?? ''])
  return {
    same: new Map([...named(same), ...dynamic(sameKeys, definition.sameFields)]),
    different: new Map([...named(different), ...dynamic(differentKeys, definition.differentFields)]),
  }
}

/** Both users, since a rule on the user accepts either. */
export const USERS: readonly Subject[] = [staticSubject('dstuser'), staticSubject('srcuser')]
