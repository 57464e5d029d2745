/**
 * Replaces names and addresses, each by the same one everywhere, so that rules still match and sequences still count. Content changes with the events, or a list of
 * addresses would no longer match them. It finds what has a form or stands in a field for names: it is a help, and the page says so.
 */
import { suiteCaseInputs } from '#engine'
import { STAND_INS } from './stand-ins.js'
import type { EditedEvent, Work } from './state.js'

export interface Replacement {
  readonly from: string
  readonly to: string
}

/** Fields whose values are names of people, hosts or accounts. */
const NAME_FIELD = /(?:^|[._])(?:src|dst|target|subject)?_?(?:user|username|user_name|account|hostname|host|computer|domain)$/i
/** Names that say nothing about anybody, and that rules test. */
const COMMON_NAMES: ReadonlySet<string> = new Set(['root', 'admin', 'administrator', 'guest', 'system', 'nobody', 'localhost', 'daemon', '-', '(none)'])
/** Shorter names are parts of other words. */
const NAME_CHARACTERS = 3
const EMAIL = /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b/g
const IPV4 = /\b(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}\b/g
/** Groups of hexadecimal digits between colons: an address if `isIpv6` says so, otherwise a time or something else. */
const COLONS = /(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:])/gi
const IPV6_GROUPS = 8
const MAC = /\b[\da-f]{2}(?:[:-][\da-f]{2}){5}\b/gi
/** Addresses for documentation, of this machine and of no machine. */
const HARMLESS_ADDRESS = /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|127\.|0\.|255\.|2001:db8:)/i

/** @param fieldsOf the fields of an event, where they are known */
export function findReplacements(work: Work, fieldsOf: (event: EditedEvent) => Readonly<Record<string, string>>): Replacement[] {
  const texts = [...work.events.map(({ text }) => text), ...work.cases.flatMap(({ testCase }) => suiteCaseInputs(testCase).map(({ input }) => input.event))]
  const all = texts.join('\n')
  const found = new Map<string, string>()
  const add = (values: Iterable<string>, standIn: (index: number) => string): void => {
    let index = 0
    for (const value of values) if (!found.has(value)) found.set(value, standIn(++index))
  }
  const matches = (pattern: RegExp): Set<string> => new Set(all.match(pattern) ?? [])
  add(matches(EMAIL), STAND_INS.mail)
  add(matches(MAC), STAND_INS.mac)
  add(
    [...matches(IPV4)].filter((address) => !HARMLESS_ADDRESS.test(address)),
    STAND_INS.ipv4,
  )
  add(
    [...matches(COLONS)].filter((text) => isIpv6(text) && !HARMLESS_ADDRESS.test(text)),
    STAND_INS.ipv6,
  )
  const names = new Set<string>()
  for (const event of work.events) {
    for (const [field, value] of Object.entries(fieldsOf(event))) {
      if (NAME_FIELD.test(field) && value.length >= NAME_CHARACTERS && !COMMON_NAMES.has(value.toLowerCase()) && !/^[\d.:]+$/.test(value)) names.add(value)
    }
  }
  add(names, STAND_INS.name)
  // A longer value first: it may contain a shorter one.
  return [...found].map(([from, to]) => ({ from, to })).sort((a, b) => b.from.length - a.from.length)
}

/** Eight groups, or fewer with one gap. */
function isIpv6(text: string): boolean {
  const gaps = text.split('::').length - 1
  const groups = text.split(':').filter((group) => group !== '').length
  return gaps === 0 ? groups === IPV6_GROUPS && !text.startsWith(':') && !text.endsWith(':') : gaps === 1 && groups > 0 && groups < IPV6_GROUPS
}

export function replaceAll(work: Work, replacements: readonly Replacement[]): Work {
  if (replacements.length === 0) return work
  const byValue = new Map(replacements.map(({ from, to }) => [from, to]))
  const pattern = new RegExp(`(?<![\\w])(?:${replacements.map(({ from }) => from.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})(?![\\w])`, 'g')
  const replace = (text: string): string => text.replace(pattern, (value) => byValue.get(value) ?? value)
  const { files, events, cases } = work
  return {
    ...work,
    files: files.map((file) => ({ ...file, content: replace(file.content) })),
    events: events.map((event) => ({ ...event, text: replace(event.text), location: replace(event.location) })),
    cases: cases.map((one) => ({ ...one, testCase: JSON.parse(replaceTexts(one.testCase, replace)) })),
  }
}

function replaceTexts(value: object, replace: (text: string) => string): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? replace(member) : member))
}
