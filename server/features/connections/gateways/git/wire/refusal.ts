/** Answers of a forge or Git server that are no success, as errors of the API. */
import type { OutboundResponse } from '../../../../../core/egress/client.js'
import { providerMessage, retryTime, withoutSecrets } from '../../../../../core/egress/answers.js'
import { ProviderError } from '../../../../../core/egress/provider-error.js'

export interface RefusalContext {
  readonly provider: string
  readonly now: number
  /** What does not exist if the answer is 404. */
  readonly what: string
  /** Credentials, which a message must not repeat. */
  readonly secrets: readonly string[]
}

/** Maps an answer whose status is not 2xx. @param message what its body says */
export function refusalOf({ status, headers }: Pick<OutboundResponse, 'status' | 'headers'>, message: unknown, { provider, now, what, secrets }: RefusalContext): ProviderError {
  const header = (name: string): string | null => [headers[name] ?? []].flat()[0] ?? null
  if (status >= 300 && status < 400) return new ProviderError('redirect_refused', { provider, details: { status } })
  if (status === 401) return new ProviderError('credentials_refused', { provider })
  if (status === 429) {
    const retryAt = retryTime(header('retry-after'), header('x-ratelimit-reset'), now)
    return new ProviderError('rate_limited', { provider, now, ...(retryAt === undefined ? {} : { retryAt }) })
  }
  if (status >= 500) return new ProviderError('unavailable', { provider, details: { failure: 'server_error', status } })
  if (status === 403) return new ProviderError('scope_missing', { provider, details: { scopes: scopesOf(message, secrets) } })
  if (status === 404 || status === 410) return new ProviderError('not_found', { provider, details: { what } })
  return new ProviderError('refused', { provider, details: { status, provider_message: providerMessage(message, secrets) } })
}

/** Gitea names the scopes that it requires: `required=[write:repository], token scope=read:user`. */
function scopesOf(message: unknown, secrets: readonly string[]): readonly string[] {
  const required = typeof message === 'string' ? /required=\[([\w:,\- ]{1,200})\]/.exec(withoutSecrets(message, secrets))?.[1] : undefined
  return required?.split(/[, ]+/).filter((scope) => scope !== '') ?? []
}
