/**
 * What happens to rules in Wazuh 5, which has no XML rules and detects by Sigma rules over normalized events: a verdict for each rule, the Sigma text, and events that prove
 * it. Only public documentation was used: Sigma's specification 2, and Wazuh's pages about rules of version 5. What they leave open is an assumption (`normalized-event.ts`).
 */
import { sha256 } from '#platform'
import type { Locale } from '../diagnostics/text.js'
import { type BehaviourEvent, Side } from '../diff/side.js'
import { PatternCache } from '../generate/text-tests.js'
import { USUAL_ADVANCE, WITNESS_EPOCH, WitnessFinder } from '../generate/witnesses.js'
import { runStages } from '../logtest/logtest.js'
import { utcMoment } from '../logtest/virtual-clock.js'
import { neededEvents } from '../match/history.js'
import type { SigmaVerdict } from '../records/sigma.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_DYNAMIC } from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { type Construct, fieldOf } from './detection.js'
import { type Detection, flatten, type UsedConstruct } from './flatten.js'
import { AGENT_FIELD, type NormalizedEvent, normalizedEvent } from './normalized-event.js'
import { CONSTRUCT_TEXTS, NOTE_TEXTS, type NoteCode, sayPair } from './sigma-texts.js'
import { writeYaml, type YamlValue } from './yaml.js'

/** Events of other rules that prove one rule. */
const PROOF_LIMIT = 12
/** Rules that a note names. */
const NAMES_SHOWN = 12
const TITLE_LIMIT = 256
const DESCRIPTION_LIMIT = 65_535

export interface SigmaProof {
  /** The rule of Wazuh 4 that is final for the last event. */
  readonly rule_id: string
  readonly events: readonly BehaviourEvent[]
  /** The last event as a normalized one. */
  readonly normalized: NormalizedEvent
  /** Whether the Sigma rule has to match it. */
  readonly expected: boolean
}

export interface SigmaRecord {
  readonly rule_id: string
  readonly file: string
  readonly line: number
  readonly verdict: SigmaVerdict
  /** Why it is impossible, or what a correlation cannot say. */
  readonly constructs: readonly { readonly code: Construct; readonly rule_id: string; readonly text: string }[]
  readonly notes: readonly { readonly code: NoteCode; readonly text: string }[]
  /** Documents of Sigma as YAML: one for each log source, or those that are counted and the correlation last; null: there are none. */
  readonly sigma: string | null
  readonly proof: readonly SigmaProof[]
}

export interface ConvertOptions {
  readonly locale: Locale
  /** Whether there is time for another search of an event. */
  readonly mayGoOn: () => boolean
}

type Noted = { readonly code: NoteCode; readonly params: Readonly<Record<string, string | number>> }

/** Converts the rules of one ruleset to Sigma rules for Wazuh 5. */
export class SigmaConverter {
  readonly #ruleset: CompiledRuleset
  readonly #options: ConvertOptions
  readonly #side: Side
  readonly #finder: WitnessFinder
  readonly #witnesses = new Map<CompiledRule, readonly BehaviourEvent[]>()

  constructor(ruleset: CompiledRuleset, options: ConvertOptions) {
    this.#ruleset = ruleset
    this.#options = options
    this.#side = new Side(ruleset, new PatternCache())
    this.#finder = new WitnessFinder(ruleset, { locale: options.locale, near: false, mayGoOn: options.mayGoOn })
  }

  convert(rule: CompiledRule): SigmaRecord {
    const { definition, level } = rule
    if (level === 0 || definition.noalert) return this.#record(rule, 'not_needed', {})
    if (rule.search !== null && !definition.checkDiff) return this.#correlation(rule)
    const flattened = flatten(rule, this.#side)
    if (!flattened.ok) return this.#record(rule, 'impossible', { constructs: flattened.constructs })
    const { detections } = flattened
    const isAsIs = detections.length === 1 && detections.every(({ parents, excluded }) => parents.length === 0 && excluded.length === 0)
    return this.#record(rule, isAsIs ? 'as_is' : 'flattened', {
      sigma: detections.map((detection, index) => writeYaml(ruleDocument(rule, detection, index, null))).join('---\n'),
      notes: [...notesOf(rule), ...notExcludedNotes(detections)],
      proof: this.#proof(rule, detections),
    })
  }

  #record(
    { id, definition }: CompiledRule,
    verdict: SigmaVerdict,
    {
      constructs = [],
      notes = [],
      sigma = null,
      proof = [],
    }: { constructs?: readonly UsedConstruct[]; notes?: readonly Noted[]; sigma?: string | null; proof?: readonly SigmaProof[] },
  ): SigmaRecord {
    const { locale } = this.#options
    return {
      rule_id: String(id),
      file: definition.source.filename,
      line: definition.span.line,
      verdict,
      constructs: constructs.map(({ construct, rule }) => ({ code: construct, rule_id: String(rule.id), text: sayPair(CONSTRUCT_TEXTS[construct], {}, locale) })),
      notes: notes.map(({ code, params }) => ({ code, text: sayPair(NOTE_TEXTS[code], params, locale) })),
      sigma,
      proof,
    }
  }

  /** A rule that counts the events of another one: that rule, and a correlation that counts it. */
  #correlation(rule: CompiledRule): SigmaRecord {
    const { search, definition, conditions, lists } = rule
    const source = search?.kind === 'rule' ? this.#ruleset.rules.inOrder().find(({ index }) => index === search.target) : undefined
    const counted = source === undefined || source.search !== null ? null : flatten(source, this.#side)
    const isCompared = rule.different.length + rule.differentKeys.length > 0
    const constructs: UsedConstruct[] = [
      ...(source === undefined || counted === null ? [{ construct: 'counts' as const, rule }] : counted.ok ? [] : counted.constructs),
      ...(isCompared ? [{ construct: 'compares' as const, rule }] : []),
    ]
    if (source === undefined || counted?.ok !== true || isCompared) return this.#record(rule, 'needs_correlation', { constructs })
    const names = counted.detections.map((_, index) => `wazuh_${source.id}${index === 0 ? '' : `_${index + 1}`}`)
    const same = [...rule.same, ...rule.sameKeys.map((key) => SUBJECT_DYNAMIC + key)].map((subject) => fieldOf(subject, this.#ruleset))
    const correlation = {
      ...headOf(rule, 0),
      correlation: {
        type: 'event_count',
        rules: names,
        'group-by': [...new Set([...(definition.globalFrequency ? [] : [AGENT_FIELD]), ...same])],
        timespan: `${definition.timeframe}s`,
        condition: { gte: neededEvents(rule) + 2 },
      },
      level: sigmaLevel(rule.level),
      ...tagsOf(rule),
      ...blocksOf(rule),
    }
    const notes: Noted[] = [{ code: 'correlation_not_read', params: {} }, ...notesOf(rule), ...notExcludedNotes(counted.detections, rule)]
    if (conditions.length + lists.length > 0) notes.push({ code: 'last_event', params: { rule: rule.id } })
    const documents = [...counted.detections.map((detection, index) => ruleDocument(source, detection, index, names[index])), correlation]
    return this.#record(rule, 'needs_correlation', { notes, sigma: documents.map(writeYaml).join('---\n') })
  }

  /** The witness of the rule, and those of the rules above it and of those that are excluded. */
  #proof(rule: CompiledRule, detections: readonly Detection[]): SigmaProof[] {
    const proof: SigmaProof[] = []
    const others = new Set([rule, ...detections.flatMap(({ excluded }) => excluded), ...detections.flatMap(({ parents }) => parents)])
    for (const other of [...others].slice(0, PROOF_LIMIT)) {
      const events = this.#witnessOf(other)
      const seen = this.#normalized(events)
      if (seen !== null) proof.push({ rule_id: String(seen.rule), events, normalized: seen.event, expected: seen.rule === rule.id })
    }
    return proof
  }

  #witnessOf(rule: CompiledRule): readonly BehaviourEvent[] {
    let events = this.#witnesses.get(rule)
    if (events === undefined) this.#witnesses.set(rule, (events = this.#options.mayGoOn() ? this.#finder.find(rule).events : []))
    return events
  }

  /** An event of its own, run. A sequence proves nothing about one event. */
  #normalized(events: readonly BehaviourEvent[]): { readonly rule: number; readonly event: NormalizedEvent } | null {
    const [only] = events
    if (events.length !== 1) return null
    const { event, log_format, location, advance = USUAL_ADVANCE } = only
    const stages = runStages(this.#side.runner, location === undefined ? { event, log_format } : { event, log_format, location }, utcMoment(WITNESS_EPOCH + advance), null, null, {
      locale: 'en-US',
    })
    if (stages.kind !== 'run' || stages.outcome.rule === null) return null
    return { rule: stages.outcome.rule.id, event: normalizedEvent(stages.outcome.event) }
  }
}

function notesOf({ definition }: CompiledRule): Noted[] {
  return [
    ...(definition.ignore > 0 ? [{ code: 'ignore' as const, params: { seconds: definition.ignore } }] : []),
    ...(/\$\(/.test(definition.description ?? '') ? [{ code: 'placeholders' as const, params: {} }] : []),
  ]
}

/** @param counting the rule that counts the events, and therefore takes the last of them; null: none does */
function notExcludedNotes(detections: readonly Detection[], counting: CompiledRule | null = null): Noted[] {
  const rules = new Set(detections.flatMap(({ notExcluded }) => notExcluded.map(({ rule }) => rule)))
  const ids = [...rules].filter((rule) => rule !== counting).map(({ id }) => id)
  const shown = ids.slice(0, NAMES_SHOWN).join(', ')
  return ids.length === 0 ? [] : [{ code: 'not_excluded', params: { rules: ids.length > NAMES_SHOWN ? `${shown}, …` : shown } }]
}

/** @param index of the log source among those of the rule @param name by which correlations refer to it; null: none does */
function ruleDocument(rule: CompiledRule, { logsource, selections, condition }: Detection, index: number, name: string | null): { [key: string]: YamlValue } {
  const named = [...selections].map(([key, maps]): [string, YamlValue] => [key, maps.length === 1 ? maps[0] : [...maps]])
  return {
    ...headOf(rule, index),
    ...(name === null ? {} : { name }),
    logsource: { ...logsource },
    detection: { ...Object.fromEntries(named), condition },
    level: sigmaLevel(rule.level),
    ...tagsOf(rule),
    ...blocksOf(rule),
  }
}

function headOf(rule: CompiledRule, index: number): { [key: string]: YamlValue } {
  return {
    title: textOf(rule).slice(0, TITLE_LIMIT),
    id: uuidOf(rule.id, index),
    status: 'experimental',
    description: `${textOf(rule)} (Wazuh 4: rule ${rule.id}, level ${rule.level})`.slice(0, DESCRIPTION_LIMIT),
  }
}

/** Returns the members that Wazuh 5 adds to those of Sigma. */
function blocksOf(rule: CompiledRule): { [key: string]: YamlValue } {
  const techniques = rule.mitreIds.map(fromByteString)
  const subtechniques = techniques.filter((id) => id.includes('.'))
  return {
    metadata: { title: textOf(rule).slice(0, TITLE_LIMIT) },
    ...(techniques.length === 0 ? {} : { mitre: { technique: techniques.filter((id) => !id.includes('.')), subtechnique: subtechniques } }),
  }
}

function tagsOf({ mitreIds }: CompiledRule): { [key: string]: YamlValue } {
  const tags = mitreIds.map(fromByteString).filter((id) => /^T\d{4}(?:\.\d{3})?$/.test(id))
  return tags.length === 0 ? {} : { tags: [...new Set(tags.map((id) => `attack.${id.toLowerCase()}`))] }
}

/** The description with the names of its fields. */
function textOf({ definition, id }: CompiledRule): string {
  const text = fromByteString(definition.description ?? '')
    .replace(/\$\(([^)]*)\)/g, '<$1>')
    .trim()
  return text === '' ? `Wazuh 4 rule ${id}` : text
}

/** The same for the same rule and log source, in the form of a UUID (version 8: made from what it names). */
function uuidOf(id: number, index: number): string {
  const hex = sha256(`wazuh rule ${id} ${index}`, 'hex').slice(0, 32)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** The severities of Wazuh's dashboard: to 3 hardly ever looked at, to 6 low, to 11 medium, to 14 high, then critical. */
function sigmaLevel(level: number): string {
  if (level <= 3) return 'informational'
  if (level <= 6) return 'low'
  if (level <= 11) return 'medium'
  return level <= 14 ? 'high' : 'critical'
}
