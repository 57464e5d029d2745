/** Makes one attempt to deliver an event: signs it, sends it, returns the result. The body of the answer is not stored. */
import { UnsealError, unsealWithAny } from '../../core/auth/sealing.js'
import { retryTime } from '../../core/egress/answers.js'
import { type HttpClient, OutboundError } from '../../core/egress/client.js'
import { signatureHeaders } from './sign.js'
import type { AttemptError, DeliveryAttempt, DeliveryDocument, DeliveryStatus, WebhookDocument } from './store.js'

/** Timeout of a request with its answer. The Standard Webhooks specification recommends 15 to 30 seconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000
/** Bytes of the answer that are read; the rest is cut off. Reading a short answer completely lets the receiver end its response normally. */
const ANSWER_BYTES = 4 * 1024
const USER_AGENT = 'detection-content-webhooks/1'
const GONE = 410

export interface AttemptParts {
  readonly http: Pick<HttpClient, 'send'>
  /** Keys of `Secrets` with which the secrets of webhooks may be sealed. */
  readonly keys: readonly Buffer[]
  /** Counts attempts and deliveries, for metrics. */
  readonly counts?: DeliveryCounts
  readonly clock: () => number
}

/** Counts the attempts and deliveries of this instance. */
export interface DeliveryCounts {
  /** Called after each attempt. @param error null: the receiver accepted the event */
  attempted(error: AttemptError | null): void
  /** Called when a delivery has ended. */
  ended(status: Exclude<DeliveryStatus, 'pending'>): void
}

/** Returns the place to which the secrets of a webhook are bound when they are sealed. */
export function sealedFor(webhookId: string): string {
  return `webhook:${webhookId}`
}

/** Sends an event. Failures of the receiver are results, not errors. @throws OutboundError `aborted` if the signal ends the attempt, whose result is unknown then */
export async function attemptDelivery(
  parts: AttemptParts,
  webhook: WebhookDocument,
  { event_id: id, body }: Pick<DeliveryDocument, 'event_id' | 'body'>,
  signal?: AbortSignal,
): Promise<SentAttempt> {
  const { keys } = parts
  const sign = (at: Date) => signatureHeaders({ id, timestamp: Math.floor(at.getTime() / 1000), body }, secretsOf(webhook, keys, at))
  return attemptRequest(parts, (at) => ({ url: webhook.url, headers: sign(at), body }), signal)
}

/** An attempt with what is not stored of it. */
export interface SentAttempt extends DeliveryAttempt {
  /** When the receiver wants the next attempt at the earliest, by `Retry-After`; null: it did not say. */
  readonly retryAt: Date | null
}

/** What an attempt sends. */
export interface AttemptRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/**
 * Sends a request once. Failures of the receiver are results, not errors. @param requestAt may throw an `UnsealError`, which is the result `secret_unreadable`
 * @param isAccepted whether an answer with a status 2xx accepts the event @throws OutboundError `aborted` if the signal ends the attempt
 */
export async function attemptRequest(
  { http, counts, clock }: Pick<AttemptParts, 'http' | 'counts' | 'clock'>,
  requestAt: (at: Date) => AttemptRequest,
  signal?: AbortSignal,
  isAccepted: (body: string) => boolean = () => true,
): Promise<SentAttempt> {
  const at = new Date(clock())
  const started = performance.now()
  const ended = (status_code: number | null, error: DeliveryAttempt['error'], retryAt: Date | null = null): SentAttempt => {
    counts?.attempted(error)
    return { at, duration_ms: Math.round(performance.now() - started), status_code, error, retryAt }
  }
  try {
    const request = requestAt(at)
    const { status, headers, body } = await http.send({
      method: 'POST',
      url: new URL(request.url),
      headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT, ...request.headers },
      body: request.body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
      bodyLimit: ANSWER_BYTES,
      beyondLimit: 'cut',
    })
    const error = errorOf(status)
    const after = [headers['retry-after'] ?? null].flat()[0]
    return ended(status, error === null && !isAccepted(body.toString('utf8')) ? 'status_refused' : error, retryTime(after, null, clock()) ?? null)
  } catch (error) {
    if (error instanceof UnsealError) return ended(null, 'secret_unreadable')
    if (!(error instanceof OutboundError) || error.failure === 'aborted') throw error
    return ended(null, error.failure)
  }
}

/** Whether the receiver answered 410: it accepts no further events. */
export function saysGone({ status_code }: DeliveryAttempt): boolean {
  return status_code === GONE
}

function errorOf(status: number): DeliveryAttempt['error'] {
  if (status >= 200 && status < 300) return null
  // The target of a redirect is not checked. The owner has to change the URL of the webhook.
  return status >= 300 && status < 400 ? 'redirect_refused' : 'status_refused'
}

function secretsOf({ _id, secret, previous_secret, previous_secret_expires_at }: WebhookDocument, keys: readonly Buffer[], now: Date): string[] {
  const sealed = previous_secret !== null && previous_secret_expires_at !== null && previous_secret_expires_at > now ? [secret, previous_secret] : [secret]
  return sealed.map((text) => unsealWithAny(keys, text, sealedFor(_id)))
}
