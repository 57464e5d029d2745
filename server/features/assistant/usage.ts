/** Counts the tokens of an organization by month. What a provider reports is believed only where it is plausible. */
import type { TokenUsage } from './gateways/gateway.js'
import { DuplicateKeyError } from '../../core/storage/errors.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { AI_USAGE, type AiUsageDocument } from './store.js'

/** A token has three to four bytes of English, and fewer of XML and Portuguese. */
const BYTES_PER_TOKEN = 3
/** A reported number may be this many times the estimate, and more by `SLACK`, before it counts as wrong: a token may be a single byte. */
const FACTOR = 4
/** Tokens around messages, and what a model thinks before it answers. */
const SLACK = 20_000

/** Tokens as they are counted. */
export interface CountedUsage extends TokenUsage {
  /** The provider reported none, or a number that cannot be: a part or all of it is an estimate. */
  readonly isEstimate: boolean
}

export const NO_USAGE: CountedUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, isEstimate: false }

export interface TokensRecord {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cached_tokens: number
}

/** What one request has used of the provider, with calls that failed and answers that nobody waited for. */
export class Spending {
  #total = NO_USAGE
  #calls = 0

  get total(): CountedUsage {
    return this.#total
  }

  /** Number of calls; 0: nothing is to be counted. */
  get calls(): number {
    return this.#calls
  }

  add({ promptTokens, completionTokens, cachedTokens, isEstimate }: CountedUsage): void {
    const { promptTokens: prompt, completionTokens: completion, cachedTokens: cached, isEstimate: was } = this.#total
    this.#calls += 1
    this.#total = { promptTokens: prompt + promptTokens, completionTokens: completion + completionTokens, cachedTokens: cached + cachedTokens, isEstimate: was || isEstimate }
  }
}

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** Returns the reported usage, or the estimate if there is none or it cannot be. */
export function plausibleUsage(reported: TokenUsage | null, prompt: string, answer: string): CountedUsage {
  const estimate = { promptTokens: estimateTokens(prompt), completionTokens: estimateTokens(answer), cachedTokens: 0, isEstimate: true }
  if (reported === null) return estimate
  const isPlausible = reported.promptTokens <= FACTOR * estimate.promptTokens + SLACK && reported.completionTokens <= FACTOR * estimate.completionTokens + SLACK
  return isPlausible ? { ...reported, isEstimate: false } : estimate
}

export function presentUsage({ isEstimate, ...tokens }: CountedUsage) {
  return { ...presentTokens(tokens), estimated: isEstimate }
}

function presentTokens({ promptTokens, completionTokens, cachedTokens }: TokenUsage): TokensRecord {
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, cached_tokens: cachedTokens }
}

/** Adds a request and its tokens to the month. */
export async function countUsage(scope: Scope, { isEstimate, ...used }: CountedUsage, now: number): Promise<void> {
  const month = monthOf(now)
  const _id = `${scope.organizationId}:${month}`
  const usage = scope.collection(AI_USAGE)
  const one = { requests: 1, estimated_requests: isEstimate ? 1 : 0, ...presentTokens(used) }
  const add = (): Promise<AiUsageDocument | null> => usage.update({ _id }, { increment: one })
  if ((await add()) !== null) return
  try {
    await usage.insert({ _id, month, ...one })
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
    // Another request began the month.
    await add()
  }
}

export async function usageOfMonth(scope: Scope, now: number): Promise<TokensRecord & { readonly requests: number; readonly estimated_requests: number }> {
  const found = await scope.collection(AI_USAGE).findOne({ _id: `${scope.organizationId}:${monthOf(now)}` })
  const { requests = 0, estimated_requests = 0, prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0 } = found ?? {}
  return { requests, estimated_requests, prompt_tokens, completion_tokens, cached_tokens }
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}
