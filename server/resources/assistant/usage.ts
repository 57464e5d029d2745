/** Counts the tokens of an organization by month. What a provider reports is believed only where it is plausible. */
import type { TokenUsage } from '../../gateways/ai/gateway.js'
import { DuplicateKeyError } from '../../storage/errors.js'
import type { Scope } from '../../tenancy/scope.js'
import { AI_USAGE, type AiUsageDocument } from './store.js'

/** A token has three to four bytes of English, and fewer of XML and Portuguese. */
const BYTES_PER_TOKEN = 3
/** A reported number may be this many times the estimate, and more by `SLACK`, before it counts as wrong: a token may be a single byte. */
const FACTOR = 4
/** Tokens around messages, and what a model thinks before it answers. */
const SLACK = 20_000

export const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }

export interface TokenUsageRecord {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cached_tokens: number
}

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** Returns the reported usage, or the estimate if there is none or it cannot be. */
export function plausibleUsage(reported: TokenUsage | null, prompt: string, answer: string): TokenUsage {
  const estimate = { promptTokens: estimateTokens(prompt), completionTokens: estimateTokens(answer), cachedTokens: 0 }
  if (reported === null) return estimate
  const isPlausible = reported.promptTokens <= FACTOR * estimate.promptTokens + SLACK && reported.completionTokens <= FACTOR * estimate.completionTokens + SLACK
  return isPlausible ? reported : estimate
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { promptTokens: a.promptTokens + b.promptTokens, completionTokens: a.completionTokens + b.completionTokens, cachedTokens: a.cachedTokens + b.cachedTokens }
}

export function presentUsage({ promptTokens, completionTokens, cachedTokens }: TokenUsage): TokenUsageRecord {
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, cached_tokens: cachedTokens }
}

/** Adds a request and its tokens to the month. */
export async function countUsage(scope: Scope, used: TokenUsage, now: number): Promise<void> {
  const month = monthOf(now)
  const _id = `${scope.organizationId}:${month}`
  const usage = scope.collection(AI_USAGE)
  const tokens = presentUsage(used)
  const add = (): Promise<AiUsageDocument | null> => usage.update({ _id }, { increment: { requests: 1, ...tokens } })
  if ((await add()) !== null) return
  try {
    await usage.insert({ _id, month, requests: 1, ...tokens })
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
    // Another request began the month.
    await add()
  }
}

export async function usageOfMonth(scope: Scope, now: number): Promise<TokenUsageRecord & { readonly requests: number }> {
  const found = await scope.collection(AI_USAGE).findOne({ _id: `${scope.organizationId}:${monthOf(now)}` })
  const { requests = 0, prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0 } = found ?? {}
  return { requests, prompt_tokens, completion_tokens, cached_tokens }
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}
