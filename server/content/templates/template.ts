/**
 * A template of the catalog: rules and decoders to start from, with events that prove them. `catalog/<category>/<id>.xml` holds the rules and decoders,
 * `<id>.json` beside it everything else. Invariants, which the test of the catalog holds:
 *  1. a template compiles on top of the reference ruleset without a diagnostic
 *  2. every sample gives what it says, and no lookalike does
 *  3. its rule ids lie in 100000-119999, and no other template has them
 */
import Type, { type Static } from 'typebox'
import { LOCALES, type Locale } from '../../core/i18n/locale.js'

/** In the order in which the catalog lists them. */
export const CATEGORIES = ['authentication', 'network', 'malware', 'compliance', 'ids', 'cloud', 'endpoint', 'generic'] as const
export type Category = (typeof CATEGORIES)[number]

/** What the XML holds: rules, decoders, or both. */
export const KINDS = ['rule', 'decoder', 'mixed'] as const
export type Kind = (typeof KINDS)[number]

/** Sources of the events. `any`: every source that the reference ruleset decodes. */
export const PLATFORMS = ['any', 'linux', 'windows', 'network', 'aws', 'azure', 'gcp', 'kubernetes', 'docker', 'github', 'okta', 'office365', 'application'] as const
export type Platform = (typeof PLATFORMS)[number]

const Text = Type.String({ minLength: 1 })

const TemplateText = Type.Object({
  title: Text,
  /** What it finds, and why that matters. */
  description: Text,
  /** What to change before use, and what to watch for. */
  tips: Type.Array(Text, { minItems: 1 }),
})

const event = {
  /** Seconds after Wednesday, 12:00 local time. Default: the second of the event before. */
  at: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Number of events, `every` so many seconds (default 0). `{n}` in the event counts them, from `first` (default 1). */
  repeat: Type.Optional(Type.Integer({ minimum: 2, maximum: 1000 })),
  every: Type.Optional(Type.Integer({ minimum: 1 })),
  first: Type.Optional(Type.Integer({ minimum: 0 })),
}

/** A line, or a line with its time, or an object that is the line as JSON. */
const Event = Type.Union([Text, Type.Object({ ...event, text: Text }), Type.Object({ ...event, json: Type.Object({}, { additionalProperties: true }) })])

/** What the last event of a session gives. */
const Expected = Type.Object({
  /** Id of the final rule. */
  rule: Type.Optional(Type.Integer()),
  level: Type.Optional(Type.Integer()),
  decoder: Type.Optional(Text),
  fields: Type.Optional(Type.Record(Type.String(), Type.String())),
})

const session = {
  /** What happens, in a few words. */
  shows: Text,
  events: Type.Array(Event, { minItems: 1 }),
}

const Sample = Type.Object({ ...session, gives: Expected })

/** Events that look like those of a sample and are harmless. */
const Lookalike = Type.Object({
  ...session,
  /** The rule, or the decoder, that must not match. */
  not: Type.Union([Type.Integer(), Text]),
  /** What matches instead. */
  gives: Type.Optional(Expected),
})

/** Content of `<id>.json`. */
export const TemplateFile = Type.Object({
  platform: Type.Array(Type.Enum([...PLATFORMS] as [Platform, ...Platform[]]), { minItems: 1 }),
  tags: Type.Array(Text),
  texts: Type.Object(Object.fromEntries(LOCALES.map((locale) => [locale, TemplateText])) as Record<Locale, typeof TemplateText>),
  samples: Type.Array(Sample, { minItems: 1 }),
  lookalikes: Type.Array(Lookalike, { minItems: 1 }),
})
export type TemplateFile = Static<typeof TemplateFile>

export interface Template extends TemplateFile {
  /** Never changes: links and imports hold it. */
  readonly id: string
  readonly category: Category
  readonly kind: Kind
  /** Techniques of MITRE ATT&CK that its rules name. */
  readonly attackIds: readonly string[]
  readonly xml: string
  /** The XML in a file of decoders and one of rules; null: it has none. */
  readonly decoders: string | null
  readonly rules: string | null
}
