/**
 * What a template of the catalog is: rules and decoders to begin with, and events that prove them. Identifiers and XML are the same in every
 * language; texts are not, and a template that lacks a language does not compile. Invariants, which the test of the catalog holds:
 *  1. it compiles on top of the reference ruleset without a single finding
 *  2. each of its samples gives what it says, and none of its lookalikes does
 *  3. its rule ids lie in 100000-119999, and no other template has them
 */
import type { Locale } from '../../../i18n/locale.js'

/** In the order in which the catalog shows them. */
export const CATEGORIES = ['authentication', 'network', 'malware', 'compliance', 'ids', 'cloud', 'endpoint', 'generic'] as const
export type Category = (typeof CATEGORIES)[number]

/** Rules, decoders, or both. */
export const KINDS = ['rule', 'decoder', 'mixed'] as const
export type Kind = (typeof KINDS)[number]

/** Where the events come from. `any`: from wherever the reference ruleset reads such events. */
export const PLATFORMS = ['any', 'linux', 'windows', 'network', 'aws', 'azure', 'gcp', 'kubernetes', 'docker', 'github', 'okta', 'office365', 'application'] as const
export type Platform = (typeof PLATFORMS)[number]

/** What of a template people read. */
export interface TemplateText {
  readonly title: string
  /** What it finds, and why that matters. */
  readonly description: string
  /** What to change before use, and what to look out for. */
  readonly tips: readonly [string, ...string[]]
}

/** An event of a sequence. */
export interface TimedEvent {
  readonly text: string
  /** Seconds after Wednesday, 12:00 local time. Default: those of the event before. */
  readonly at: number
}

/** Events of one session, in order. What is expected holds for the last. */
export type Events = string | readonly (string | TimedEvent)[]

/** What an event gives. */
export interface Expected {
  /** The final rule. */
  readonly rule?: number
  readonly level?: number
  readonly decoder?: string
  readonly fields?: Readonly<Record<string, string>>
}

export interface Sample {
  /** In a few words: what happens. */
  readonly shows: string
  readonly events: Events
  readonly gives: Expected
}

/** What looks the same and is not. */
export interface Lookalike {
  readonly shows: string
  readonly events: Events
  /** The rule, or the decoder, that must stay silent. */
  readonly not: number | string
  /** What answers in its place. */
  readonly gives?: Expected
}

export interface Template {
  /** Stays for ever: links and imports hold it. */
  readonly id: string
  readonly category: Category
  readonly kind: Kind
  readonly platform: readonly [Platform, ...Platform[]]
  /** Techniques of MITRE ATT&CK that it finds; of a decoder or a silencing rule none. */
  readonly attackIds: readonly string[]
  readonly tags: readonly string[]
  readonly texts: Readonly<Record<Locale, TemplateText>>
  /** Elements `decoder` and `group`; `splitXml` makes a file of decoders and one of rules of them. */
  readonly xml: string
  readonly samples: readonly [Sample, ...Sample[]]
  readonly lookalikes: readonly [Lookalike, ...Lookalike[]]
}

/** XML as it is written, backslashes included, without the indentation of the code around it. */
export function xml(parts: TemplateStringsArray): string {
  const lines = String.raw(parts).split('\n').slice(1, -1)
  const margin = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return `${lines.map((line) => line.slice(margin)).join('\n')}\n`
}
