/**
 * Test cases for rules and decoders of a request. Invariants:
 *  1. every case was run on the given XML, on top of the reference ruleset where the XML refers to what it does not have; `expected_*` are what the engine says
 *  2. a case that no rule of the content answers (or, without rules, no decoder) is asked for again once, then dropped; the answer has the number
 *  3. without a provider the cases come from the engine; a provider that fails is an error
 */
import type { AnalysisPool, CaseAnswer, RequestOptions, RulesetSelection, TestCase, ValidationAnswer } from '#workers'
import { ApiError } from '../../core/errors.js'
import type { AiGateway } from './gateways/gateway.js'
import type { Locale } from '../../core/i18n/locale.js'
import { okOf, stopOf } from '../../core/pool-outcome.js'
import { DECODERS_FILENAME, RULES_FILENAME, rulesetOf } from '../../content/shared/content.js'
import { complete } from './complete.js'
import { CASES_TOKENS, casesPrompt } from './prompt.js'
import { type ProposedCase, readProposedCases } from './proposed-cases.js'
import type { Spending } from './usage.js'

/** Fields of an event that are expected. */
const FIELDS_SHOWN = 20
/** Diagnostics of XML that does not load. */
const DIAGNOSTICS_SHOWN = 20

export interface GenerateRequest {
  readonly rulesXml: string
  readonly decodersXml: string
  readonly maxCases: number
}

export interface CheckedCase {
  readonly name: string
  readonly description: string
  readonly event_text: string
  readonly events: readonly { readonly event_text: string; readonly at: number }[]
  readonly log_format: ProposedCase['log_format']
  readonly now: string | null
  readonly expected_decoder: string | null
  readonly expected_rule: string | null
  readonly expected_fields: Readonly<Record<string, string>>
  readonly expected_rule_ids: readonly string[]
}

export interface GeneratedCases {
  readonly cases: readonly CheckedCase[]
  /** Cases that were dropped, because no rule of the content answered them. */
  readonly dropped: number
  /** Rules of the content for which the engine found no event. Empty where a provider wrote the cases. */
  readonly withoutCase: readonly string[]
  readonly by: 'engine' | 'provider'
}

export interface GenerateCaller {
  readonly organizationId: string
  readonly locale: Locale
  readonly signal: AbortSignal
}

export class CaseGenerator {
  readonly #pool: Pick<AnalysisPool, 'validate' | 'cases' | 'generate'>

  constructor(pool: Pick<AnalysisPool, 'validate' | 'cases' | 'generate'>) {
    this.#pool = pool
  }

  /** @param gateway null: there is no provider @param spent what the answers of the provider cost @throws ApiError ruleset_unreadable, ruleset_stopped, ai_provider_failed, overloaded, shutting_down */
  async run(request: GenerateRequest, gateway: AiGateway | null, caller: GenerateCaller, spent: Spending): Promise<GeneratedCases> {
    const { organizationId: organization, locale, signal } = caller
    const options: RequestOptions = { organization, locale, signal }
    const ruleset = await this.#rulesetFor(request, options)
    return gateway === null ? this.#byEngine(request, ruleset, options) : this.#byProvider(request, ruleset, gateway, { caller, options, spent })
  }

  /** The XML alone if it is a whole ruleset, else on top of the reference. @throws ApiError */
  async #rulesetFor({ rulesXml, decodersXml }: GenerateRequest, options: RequestOptions): Promise<RulesetSelection> {
    const content = { rules_xml: rulesXml, decoders_xml: decodersXml, lists: [], include_disk_custom: false }
    const alone = rulesetOf({ ...content, include_disk_defaults: false })
    if (alone.files.length === 0) throw new ApiError('assistant_xml_empty')
    const selfContained = await this.#validate(alone, options)
    if (selfContained.loads && !selfContained.diagnostics.some(({ severity }) => severity === 'error')) return alone
    const withReference = rulesetOf({ ...content, include_disk_defaults: true })
    const { loads, diagnostics } = await this.#validate(withReference, options)
    if (!loads) throw new ApiError('ruleset_unreadable', { details: { diagnostics: diagnostics.filter(({ severity }) => severity === 'error').slice(0, DIAGNOSTICS_SHOWN) } })
    return withReference
  }

  async #validate(ruleset: RulesetSelection, options: RequestOptions): Promise<Pick<ValidationAnswer, 'loads' | 'diagnostics'>> {
    const outcome = await this.#pool.validate({ ruleset }, options)
    if (stopOf(outcome) !== null) throw new ApiError('ruleset_stopped')
    if (outcome.outcome === 'refused') throw new ApiError('ruleset_unreadable', { details: { diagnostics: [] } })
    const { bytes, digest, release } = okOf(outcome, options.signal)
    const { loads, diagnostics } = JSON.parse(Buffer.from(bytes).toString()) as ValidationAnswer
    release()
    if (digest.unreadable.length > 0) throw new ApiError('ruleset_unreadable', { details: { diagnostics: digest.unreadable } })
    return { loads, diagnostics }
  }

  async #byEngine({ maxCases }: GenerateRequest, ruleset: RulesetSelection, options: RequestOptions): Promise<GeneratedCases> {
    const outcome = await this.#pool.generate(ruleset, maxCases, options)
    if (stopOf(outcome) !== null) throw new ApiError('ruleset_stopped')
    const { cases, withoutCase } = okOf(outcome, options.signal)
    return { cases: cases.map(withAll), dropped: 0, withoutCase: withoutCase.map(String), by: 'engine' }
  }

  async #byProvider(
    { rulesXml, decodersXml, maxCases }: GenerateRequest,
    ruleset: RulesetSelection,
    gateway: AiGateway,
    { caller: { locale, signal }, options, spent }: { readonly caller: GenerateCaller; readonly options: RequestOptions; readonly spent: Spending },
  ): Promise<GeneratedCases> {
    const checked = new Map<string, CheckedCase>()
    let missed: string[] = []
    let dropped = 0
    for (let attempt = 0; attempt < 2; attempt++) {
      const count = attempt === 0 ? maxCases : Math.min(missed.length, maxCases - checked.size)
      if (count === 0) break
      const prompt = casesPrompt({ rulesXml, decodersXml, count, locale, missed })
      const proposed = readProposedCases(await complete(gateway, { prompt, maxTokens: CASES_TOKENS, signal }, spent)).slice(0, count)
      const before = checked.size
      missed = []
      for (const [at, report] of (await this.#run(ruleset, proposed, options)).entries()) {
        const { event_text } = proposed[at]
        if (report === null || !isAnswered(report, rulesXml !== '')) missed.push(event_text)
        else if (checked.size < maxCases) checked.set(event_text, expectedOf(proposed[at], report))
      }
      // A second answer may have nothing new: what it does not replace is dropped.
      dropped = attempt === 0 ? missed.length : dropped - (checked.size - before)
    }
    return { cases: [...checked.values()], dropped, withoutCase: [], by: 'provider' }
  }

  /** Null: the run of the case was stopped. */
  async #run(ruleset: RulesetSelection, cases: readonly ProposedCase[], options: RequestOptions): Promise<(CaseAnswer | null)[]> {
    const reports: (CaseAnswer | null)[] = []
    if (cases.length === 0) return reports
    for await (const chunk of this.#pool.cases({ ruleset, cases, withDiagnostics: false }, options)) {
      const { results } = okOf(chunk, options.signal)
      for (const result of results) reports.push(result.outcome === 'ok' ? result.report : null)
    }
    return reports
  }
}

/** Whether the content of the request takes part in the outcome. */
function isAnswered({ analysis, covered }: CaseAnswer, hasRules: boolean): boolean {
  if (hasRules) return analysis.rule?.filename === RULES_FILENAME
  return covered.decoders.some((place) => place.startsWith(`${DECODERS_FILENAME}:`))
}

function expectedOf({ name, description, event_text, log_format }: ProposedCase, { analysis }: CaseAnswer): CheckedCase {
  return {
    name,
    description,
    event_text,
    events: [],
    log_format,
    now: null,
    expected_decoder: analysis.decoder?.name ?? null,
    expected_rule: analysis.rule?.id ?? null,
    expected_fields: Object.fromEntries(Object.entries(analysis.extracted_fields).slice(0, FIELDS_SHOWN)),
    expected_rule_ids: analysis.matched_rules.map(({ id }) => id),
  }
}

function withAll(made: TestCase): CheckedCase {
  const {
    name,
    description = '',
    event_text = '',
    events = [],
    log_format = 'auto',
    now = null,
    expected_decoder = null,
    expected_rule = null,
    expected_fields = {},
    expected_rule_ids = [],
  } = made
  return {
    name,
    description,
    event_text,
    events: events.map(({ event_text: text, at = 0 }) => ({ event_text: text, at })),
    log_format,
    now,
    expected_decoder,
    expected_rule,
    expected_fields,
    expected_rule_ids,
  }
}
