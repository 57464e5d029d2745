/**
 * The configuration of the assistant, which platform admins set for the whole instance. Invariants:
 *  1. the key is stored sealed, and leaves this folder only inside a gateway
 *  2. a stored key is not sent to another address than the one for which it was given: a new `base_url` needs a new key, or none
 *  3. an instance follows a change of another one within a second
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { seal, UnsealError, unsealWithAny } from '../../../core/auth/sealing.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { ApiError } from '../../../core/errors.js'
import { refuseStale, isConflict } from '../../../core/tenancy/retry-stale.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import type { AiGateway, OpenAi } from '../gateways/gateway.js'
import { type EgressGuard, TargetRefusedError } from '../../../core/egress/egress-guard.js'
import { type FieldIssue, issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Forget, Forgetting } from '../../../core/tenancy/forgetting.js'
import type { Collection, Storage } from '../../../core/storage/contract.js'
import { OrganizationCache } from '../../../core/tenancy/organization-cache.js'
import { auditing, diffOf, platformContext } from '../../../core/audit/service.js'
import { AI_CONFIG_RESOURCE } from './present.js'
import type { AiConfigRequest } from './schema.js'
import { AI_CONFIG, AI_CONFIG_ID, AI_KEY_PLACE, type AiConfigDocument, NO_AI_CONFIG } from './store.js'

export { maskAddress } from './present.js'
export type { AiConfigDocument }

type Admin = Actor<UserPrincipal>

/** A word or two, and what a model thinks before it says them. */
const TEST_TOKENS = 512
const AUDITED = ['enabled', 'base_url', 'api_key_set_at', 'model', 'embedding_model', 'max_context_docs'] as const

/** The configuration with its provider; null: cases come from the engine alone, and questions are answered with the records. */
export interface OpenedAi {
  readonly config: AiConfigDocument
  readonly gateway: AiGateway | null
}

export interface AiTestOutcome {
  readonly ok: true
  readonly checked: 'provider' | 'engine'
  readonly model: string | null
  readonly answer_ms: number | null
  readonly embedding_dimensions: number | null
}

export interface PlatformAiParts {
  readonly storage: Pick<Storage, 'open'>
  readonly identities: Pick<Identities, 'secrets' | 'clock' | 'tenancy'>
  readonly guard: Pick<EgressGuard, 'check'>
  readonly openAi: OpenAi
  readonly forgetting: Pick<Forgetting, 'topic'>
}

export class PlatformAiService {
  readonly #parts: PlatformAiParts
  readonly #configs: Collection<AiConfigDocument>
  /** The settings of the instance, which has a scope like an organization. */
  readonly #cache = new OrganizationCache<AiConfigDocument>(() => this.get())
  readonly #forget: Forget<string>

  constructor(parts: PlatformAiParts) {
    this.#parts = parts
    this.#forget = parts.forgetting.topic<string>('ai_config', (id) => this.#cache.forget(id))
    this.#configs = parts.storage.open(AI_CONFIG)
  }

  async get(): Promise<AiConfigDocument> {
    return (await this.#configs.findOne({ _id: AI_CONFIG_ID })) ?? NO_AI_CONFIG
  }

  /** The configuration, less than a second old. @throws ApiError credentials_unreadable */
  async open(): Promise<OpenedAi> {
    const config = await this.#cache.get(this.#parts.identities.tenancy.instance)
    return { config, gateway: this.#gatewayOf(config) }
  }

  /** Updates the fields that are sent. @throws ApiError request_validation_failed, target_refused, precondition_failed, edit_conflict */
  async update(request: AiConfigRequest, ifMatch: IfMatch, actor: Admin): Promise<AiConfigDocument> {
    const { identities, guard } = this.#parts
    const before = await this.get()
    requireMatch(etagOf(before), ifMatch)
    const { api_key, base_url: address, ...sent } = request
    const base_url = address === undefined ? before.base_url : address === null ? null : withoutSlash(address)
    const merged = { ...before, ...sent, base_url }
    const issues = issuesOf(before, merged, request)
    if (issues.length > 0) throw invalidRequest(issues, actor.locale)
    if (base_url !== null && address !== undefined) await requirePublic(guard, base_url)
    const now = new Date(identities.clock())
    const { instance } = identities.tenancy
    const changed: AiConfigDocument = { ...merged, ...this.#sealed(api_key, now), updated_by: actor.principal.email, updated_at: now, revision: before.revision + 1 }
    const diff = diffOf<AiConfigDocument>(before, changed, AUDITED)
    if (Object.keys(diff).length === 0) return before
    const { _id, ...fields } = changed
    const write = before.revision === 0 ? this.#configs.inserting(changed) : this.#configs.updating({ _id, revision: before.revision }, { set: fields })
    await refuseStale(
      'edit_conflict',
      () => instance.commit([write, auditing(instance, platformContext(actor), { action: 'ai_config.updated', resource: AI_CONFIG_RESOURCE, diff }, now)]),
      isConflict,
    )
    await this.#forget(instance.organizationId)
    return changed
  }

  /** Asks the provider for an answer, and for a vector if it has an embedding model. @throws ApiError ai_provider_failed, credentials_unreadable */
  async test(actor: Admin, signal: AbortSignal): Promise<AiTestOutcome> {
    const { identities } = this.#parts
    const config = await this.get()
    try {
      const gateway = this.#gatewayOf(config)
      if (gateway === null) return { ok: true, checked: 'engine', model: null, answer_ms: null, embedding_dimensions: null }
      const started = performance.now()
      const messages = [{ role: 'user', content: 'This is a test of the connection. Answer with the word: ok' }] as const
      for await (const part of gateway.stream({ messages, maxTokens: TEST_TOKENS, signal })) if (part.kind === 'end') break
      const answer_ms = Math.round(performance.now() - started)
      const vectors = config.embedding_model === null ? [] : await gateway.embed(['rule'], signal)
      return { ok: true, checked: 'provider', model: config.model, answer_ms, embedding_dimensions: vectors[0]?.length ?? null }
    } finally {
      const { instance } = identities.tenancy
      await instance.commit([auditing(instance, platformContext(actor), { action: 'ai_config.tested', resource: AI_CONFIG_RESOURCE }, new Date(identities.clock()))])
    }
  }

  #gatewayOf({ base_url, api_key, model, embedding_model }: AiConfigDocument): AiGateway | null {
    if (base_url === null || model === null) return null
    return this.#parts.openAi({ baseUrl: base_url, apiKey: api_key === null ? null : this.#unsealed(api_key), model, embeddingModel: embedding_model })
  }

  /** @param key undefined: it stays, null: it is removed */
  #sealed(key: string | null | undefined, now: Date): Partial<AiConfigDocument> {
    if (key === undefined) return {}
    if (key === null) return { api_key: null, api_key_set_at: null }
    return { api_key: seal(this.#parts.identities.secrets.aiProvider, key, AI_KEY_PLACE), api_key_set_at: now }
  }

  #unsealed(sealed: string): string {
    try {
      return unsealWithAny(readingKeys(this.#parts.identities.secrets, 'aiProvider'), sealed, AI_KEY_PLACE)
    } catch (error) {
      if (error instanceof UnsealError) throw new ApiError('credentials_unreadable')
      throw error
    }
  }
}

function issuesOf(before: AiConfigDocument, merged: AiConfigDocument, { base_url: sent, api_key }: AiConfigRequest): FieldIssue[] {
  const { base_url, model } = merged
  return [
    ...(typeof sent === 'string' && !isPlain(new URL(sent)) ? [issue('/base_url', 'invalid', { type: 'string', format: { words: 'plain_url' } })] : []),
    ...(base_url !== null && model === null ? [issue('/model', 'required', { words: 'value' })] : []),
    ...(before.api_key !== null && base_url !== before.base_url && base_url !== null && api_key === undefined ? [issue('/api_key', 'required', { words: 'value_or_null' })] : []),
  ]
}

function isPlain({ username, password, search, hash }: URL): boolean {
  return username === '' && password === '' && search === '' && hash === ''
}

function withoutSlash(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** @throws ApiError target_refused */
async function requirePublic(guard: Pick<EgressGuard, 'check'>, address: string): Promise<void> {
  try {
    await guard.check(new URL(address))
  } catch (error) {
    if (error instanceof TargetRefusedError) throw new ApiError('target_refused')
    throw error
  }
}
