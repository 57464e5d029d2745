/**
 * The assistant: status, questions, streamed answers, test cases. Invariants:
 *  1. it answers only while a platform admin has enabled it, for organizations whose plan includes it, and within the rate of the user over all instances
 *  2. a configured provider that fails, its embedding model included, is an error, never another kind of answer. Without a provider questions are answered with
 *     the records themselves
 *  3. what a caller asks and what a model answers is in no log, no error and no stored document
 *  4. a caller who leaves ends the provider's stream. Vectors of the records are computed for all: no caller ends that
 *  5. what the provider was asked is counted, also if nobody waited for the answer
 *  6. a stream ends with the session of its caller, without the mark of the end
 */
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { AnalysisPool } from '#workers'
import type { OpenSessions } from '../../core/auth/open-sessions.js'
import type { UserPrincipal } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import type { Throttles } from '../../core/auth/throttles.js'
import { ApiError } from '../../core/errors.js'
import { AiProviderError } from './gateways/ai-provider-error.js'
import type { AiGateway, CompletionPart } from './gateways/gateway.js'
import type { Locale } from '../../core/i18n/locale.js'
import { errorTexts } from '../../core/i18n/translate.js'
import { type Embed, EmbeddingStoppedError, type FoundRecord, type KnowledgeBase, UnusableVectorsError } from './knowledge/knowledge.js'
import type { Log } from '../../core/observability/log.js'
import type { Connections } from '../../core/sse/connections.js'
import { eventText } from '../../core/sse/stream.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import type { Scope, Tenancy } from '../../core/tenancy/scope.js'
import { auditing, platformContext } from '../../core/audit/service.js'
import { type AiConfigDocument, maskAddress, type PlatformAiService } from './platform-ai/service.js'
import { type AnswerFinding, checkAnswer } from './check-answer.js'
import { complete, counted } from './complete.js'
import { CaseGenerator, type GeneratedCases } from './generate.js'
import { ANSWER_TOKENS, type Prompt, questionPrompt } from './prompt.js'
import { type AiAskRequest, type AiGenerateCasesRequest, CASES_DEFAULT } from './schema.js'
import { type CountedUsage, countUsage, NO_USAGE, Spending, usageOfMonth } from './usage.js'

/** Route key of the streams of a user. */
const STREAM_ROUTE = 'ai.stream'
/** The end of every complete stream. */
const DONE = 'data: [DONE]\n\n'
/** Characters of a record in an answer without a provider. */
const EXCERPT_CHARACTERS = 1500

export interface AssistantParts {
  readonly ai: Pick<PlatformAiService, 'open'>
  readonly knowledge: KnowledgeBase
  /** Folder of the operator; null: none. */
  readonly knowledgePath: string | null
  readonly quotas: Pick<Quotas, 'requireFeature'>
  readonly throttles: Pick<Throttles, 'assistant' | 'assistantPerMinute'>
  readonly pool: Pick<AnalysisPool, 'validate' | 'cases' | 'generate'>
  readonly connections: Pick<Connections, 'acquire'>
  readonly sessions: Pick<OpenSessions, 'add'>
  readonly tenancy: Pick<Tenancy, 'instance'>
  readonly log: Pick<Log, 'warn'>
  readonly clock: () => number
}

/** A request whose answer has the headers of the limit of the user. */
interface LimitedCaller extends Actor<UserPrincipal> {
  setHeaders(headers: Readonly<Record<string, string>>): void
}

export interface AssistantCaller extends LimitedCaller {
  readonly scope: Scope
  readonly signal: AbortSignal
}

export interface AssistantAnswer {
  readonly answer: string
  readonly sources: readonly FoundRecord[]
  readonly findings: readonly AnswerFinding[]
  readonly usage: CountedUsage
}

/** What is needed to answer. */
interface Prepared {
  readonly gateway: AiGateway | null
  readonly prompt: Prompt
  readonly currentXml: string
  /** When the provider was first called for this answer. */
  readonly since: number
}

export class AssistantService {
  readonly #parts: AssistantParts
  readonly #generator: CaseGenerator

  constructor(parts: AssistantParts) {
    this.#parts = parts
    this.#generator = new CaseGenerator(parts.pool)
  }

  /** @throws ApiError rate_limited, credentials_unreadable */
  async status(caller: AssistantCaller) {
    const { ai, knowledge, knowledgePath, throttles, clock } = this.#parts
    const { scope, principal, locale, signal } = caller
    await this.#limit(caller)
    const { config, gateway } = await ai.open()
    const error = await this.#refusalOf(scope, config)
    const failure = error === null && gateway !== null ? await failureOf(gateway, signal) : null
    const isShown = error === null
    const model = embeddingModelOf(config)
    return {
      enabled: isShown,
      vector_store_count: isShown ? knowledge.size : 0,
      provider_reachable: isShown && gateway !== null && failure === null,
      error: error ?? failure,
      model: isShown ? (config.model ?? '') : '',
      base_url_display: isShown ? maskAddress(config.base_url) : '',
      search: isShown && model !== null && knowledge.hasVectors(locale, model) ? ('words_and_meaning' as const) : ('words' as const),
      max_context_docs: isShown ? config.max_context_docs : 0,
      rate_limit_per_minute: throttles.assistantPerMinute,
      knowledge_base_path: !isShown || knowledgePath === null ? '' : principal.isPlatformAdmin ? knowledgePath : basename(knowledgePath),
      usage: await usageOfMonth(scope, clock()),
    }
  }

  /** @throws ApiError assistant_disabled, assistant_not_in_plan, rate_limited, ai_provider_failed */
  async ask(request: AiAskRequest, caller: AssistantCaller): Promise<AssistantAnswer> {
    const { gateway, prompt, currentXml, since } = await this.#prepare(request, caller)
    if (gateway === null) return { answer: excerpts(prompt.given, caller.locale), sources: prompt.given, findings: [], usage: NO_USAGE }
    const { scope, signal } = caller
    const text = await this.#counting(scope, (spent) => complete(gateway, { prompt, maxTokens: ANSWER_TOKENS, signal, since }, spent))
    return { answer: text.result, sources: prompt.given, findings: await this.#check(text.result, currentXml, caller), usage: text.usage }
  }

  /** The same as events: the text as it arrives, the sources, what the engine says about XML in it, and the mark of the end. @throws ApiError before the first part */
  async stream(request: AiAskRequest, caller: AssistantCaller): Promise<Readable> {
    const { gateway, prompt, currentXml, since } = await this.#prepare(request, caller)
    const { scope, locale, principal } = caller
    const ending = new AbortController()
    const slot = await this.#parts.connections.acquire(principal.userId, STREAM_ROUTE, () => ending.abort())
    const signal = AbortSignal.any([caller.signal, ending.signal])
    const spent = new Spending()
    const parts = gateway === null ? withoutProvider(prompt, locale) : counted(gateway, { prompt, maxTokens: ANSWER_TOKENS, signal, since }, spent)
    let isCounted = false
    const finish = async (): Promise<void> => {
      await parts.return()
      if (isCounted) return
      isCounted = true
      await this.#count(scope, spent)
    }
    let first: IteratorResult<CompletionPart, void>
    try {
      first = await parts.next()
    } catch (error) {
      await finish()
      await slot.release()
      throw error
    }
    const check = (text: string): Promise<AnswerFinding[]> => (gateway === null ? Promise.resolve([]) : this.#check(text, currentXml, { scope, locale, signal }))
    const body = Readable.from(streamEvents({ first, parts, given: prompt.given, check, locale, signal, finish }), { objectMode: false, highWaterMark: 4096 })
    const { userId, sessionId, expiresAt } = principal
    const leaveSession = this.#parts.sessions.add({ userId, sessionId, expiresAt, organizationId: scope.organizationId }, () => ending.abort())
    // A body that is closed before it was read has not run what ends it.
    body.once('close', () => {
      leaveSession()
      ending.abort()
      void finish().finally(() => slot.release())
    })
    return body
  }

  /** @throws ApiError as `ask`, and assistant_xml_empty, ruleset_unreadable, ruleset_stopped */
  async generateCases(
    { rules_xml, decoders_xml, max_cases = CASES_DEFAULT }: AiGenerateCasesRequest,
    caller: AssistantCaller,
  ): Promise<GeneratedCases & { readonly usage: CountedUsage }> {
    const { gateway } = await this.#open(caller)
    const { scope, locale, signal } = caller
    const request = { rulesXml: rules_xml ?? '', decodersXml: decoders_xml ?? '', maxCases: max_cases }
    const { result, usage } = await this.#counting(scope, (spent) => this.#generator.run(request, gateway, { organizationId: scope.organizationId, locale, signal }, spent))
    return { ...result, usage }
  }

  /** Builds the knowledge base again. @throws ApiError assistant_disabled, rate_limited */
  async reindex(actor: LimitedCaller): Promise<{ readonly status: 'ok'; readonly indexed_records: number } | { readonly status: 'error'; readonly error: string }> {
    const { ai, knowledge, tenancy, log, clock } = this.#parts
    if (!(await ai.open()).config.enabled) throw new ApiError('assistant_disabled')
    await this.#limit(actor)
    const entry = { action: 'ai_knowledge.reindexed', resource: { type: 'ai_knowledge', id: 'ai_knowledge', name: 'knowledge base' } } as const
    const { instance } = tenancy
    await instance.commit([auditing(instance, platformContext(actor), entry, new Date(clock()))])
    try {
      return { status: 'ok', indexed_records: await knowledge.reindex() }
    } catch (error) {
      log.warn({ err: error }, 'the knowledge base could not be built')
      return { status: 'error', error: 'The knowledge base could not be built; the log has the reason.' }
    }
  }

  async #prepare({ query, context_type, current_xml }: AiAskRequest, caller: AssistantCaller): Promise<Prepared> {
    const { config, gateway } = await this.#open(caller)
    const { locale, signal } = caller
    const since = performance.now()
    const embeddingModel = embeddingModelOf(config)
    const embed = embeddingModel === null ? {} : { embed: this.#embedOf(embeddingModel), embeddingModel, signal }
    const limit = config.max_context_docs
    const found = await this.#parts.knowledge
      .search(query, { limit, locale, ...(context_type == null ? {} : { contextType: context_type }), ...embed })
      .catch((error: unknown) => Promise.reject(providerErrorOf(error)))
    const currentXml = current_xml ?? ''
    return { gateway, currentXml, since, prompt: questionPrompt({ query, currentXml, found, locale }) }
  }

  /** Vectors of that model as long as it is configured, with the key that is stored then. */
  #embedOf(model: string): Embed {
    return async (texts, signal) => {
      const { config, gateway } = await this.#parts.ai.open()
      if (gateway === null || !config.enabled || embeddingModelOf(config) !== model) throw new EmbeddingStoppedError()
      return gateway.embed(texts, signal)
    }
  }

  async #open(caller: AssistantCaller) {
    const { ai, quotas } = this.#parts
    const opened = await ai.open()
    if (!opened.config.enabled) throw new ApiError('assistant_disabled')
    await quotas.requireFeature(caller.scope, 'ai_assistant')
    await this.#limit(caller)
    return opened
  }

  /** @throws ApiError rate_limited */
  async #limit(caller: LimitedCaller): Promise<void> {
    caller.setHeaders(await this.#parts.throttles.assistant(caller.principal.userId))
  }

  /** Why the organization has no assistant; null: it has it. */
  async #refusalOf(scope: Scope, { enabled }: AiConfigDocument): Promise<string | null> {
    if (!enabled) return 'disabled'
    try {
      await this.#parts.quotas.requireFeature(scope, 'ai_assistant')
      return null
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'assistant_not_in_plan') return 'not_in_plan'
      throw error
    }
  }

  #check(answer: string, currentXml: string, { scope, locale, signal }: Pick<AssistantCaller, 'scope' | 'locale' | 'signal'>): Promise<AnswerFinding[]> {
    return checkAnswer(this.#parts.pool, answer, currentXml, { organization: scope.organizationId, locale, signal })
  }

  /** Counts what the work uses, also if it fails. */
  async #counting<T>(scope: Scope, work: (spent: Spending) => Promise<T>): Promise<{ readonly result: T; readonly usage: CountedUsage }> {
    const spent = new Spending()
    try {
      const result = await work(spent)
      return { result, usage: spent.total }
    } finally {
      await this.#count(scope, spent)
    }
  }

  /** An answer that was given is not taken back because it could not be counted. */
  async #count(scope: Scope, { calls, total }: Spending): Promise<void> {
    if (calls === 0) return
    const { log, clock } = this.#parts
    await countUsage(scope, total, clock()).catch((error: unknown) => log.warn({ err: error }, 'the tokens of an answer could not be counted'))
  }
}

interface Streaming {
  readonly first: IteratorResult<CompletionPart, void>
  readonly parts: AsyncGenerator<CompletionPart, void, undefined>
  readonly given: readonly FoundRecord[]
  readonly check: (text: string) => Promise<AnswerFinding[]>
  readonly locale: Locale
  readonly signal: AbortSignal
  /** Called at the end of the answer, also after a failure. */
  readonly finish: () => Promise<void>
}

async function* streamEvents({ first, parts, given, check, locale, signal, finish }: Streaming): AsyncGenerator<string, void, undefined> {
  let text = ''
  try {
    for (let next = first; next.done !== true; next = await parts.next()) {
      if (next.value.kind === 'end') continue
      text += next.value.text
      yield eventText(null, { type: 'content', text: next.value.text })
    }
    yield eventText(null, { type: 'sources', sources: given.map(presentSource).map(({ source_trust: _, ...source }) => source) })
    const findings = await check(text)
    if (findings.length > 0) yield eventText(null, { type: 'findings', findings })
    yield DONE
  } catch (error) {
    // The headers are sent: the error is an event, and the mark of the end is missing.
    if (!(error instanceof AiProviderError)) throw error
    if (!signal.aborted) yield eventText(null, { type: 'error', code: error.code, message: errorTexts(error.reason, locale, error.params).message, details: error.details })
  } finally {
    await finish()
  }
}

function providerErrorOf(error: unknown): unknown {
  if (error instanceof UnusableVectorsError) return new AiProviderError('answer_malformed')
  return error instanceof EmbeddingStoppedError ? new AiProviderError('aborted') : error
}

/** Names the model with its server; null: there is none. */
function embeddingModelOf({ base_url, embedding_model }: AiConfigDocument): string | null {
  return base_url === null || embedding_model === null ? null : `${base_url} ${embedding_model}`
}

export function presentSource({ record: { uid, title, trust }, score }: FoundRecord) {
  return { record_uid: uid, title, relevance_score: Math.round(score * 1000) / 1000, source_trust: trust }
}

/** Null: the provider answers. */
async function failureOf(gateway: AiGateway, signal: AbortSignal): Promise<string | null> {
  try {
    await gateway.ping(signal)
    return null
  } catch (error) {
    if (error instanceof AiProviderError) return error.failure
    throw error
  }
}

async function* withoutProvider({ given }: Prompt, locale: Locale): AsyncGenerator<CompletionPart, void, undefined> {
  yield { kind: 'text', text: excerpts(given, locale) }
  yield { kind: 'end', usage: NO_USAGE, isCut: false }
}

/** The answer where there is no model: the records that fit, as they are. */
function excerpts(given: readonly FoundRecord[], locale: Locale): string {
  const nothing = { 'en-US': 'The knowledge base has nothing about this question.', 'pt-BR': 'A base de conhecimento não tem nada sobre esta pergunta.' }
  if (given.length === 0) return nothing[locale]
  return given.map(({ record: { title, text } }) => `## ${title}\n\n${text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text}`).join('\n\n')
}
