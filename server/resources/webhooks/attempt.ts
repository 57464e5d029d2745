/** One attempt to deliver: signs, sends, and says what came of it. Of an answer only its status counts; its body is neither kept nor waited for. */
import { UnsealError, unsealWithAny } from '../../auth/sealing.js'
import { type HttpClient, OutboundError } from '../../gateways/http/client.js'
import { signatureHeaders } from './sign.js'
import type { AttemptError, DeliveryAttempt, DeliveryDocument, DeliveryStatus, WebhookDocument } from './store.js'

/** For the whole exchange; the Standard Webhooks specification asks for 15 to 30 seconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000
/** A short answer is read to its end, so that a receiver sees its answer taken. */
const ANSWER_BYTES = 4 * 1024
const USER_AGENT = 'detection-content-webhooks/1'
const GONE = 410

export interface AttemptParts {
  readonly http: Pick<HttpClient, 'send'>
  /** Of `Secrets`, with which secrets of webhooks may be sealed. */
  readonly keys: readonly Buffer[]
  /** Told of what is delivered, for metrics. */
  readonly counts?: DeliveryCounts
  readonly clock: () => number
}

/** Counts what this instance delivers. */
export interface DeliveryCounts {
  /** @param error null: the receiver took it */
  attempted(error: AttemptError | null): void
  /** A delivery came to its end. */
  ended(status: Exclude<DeliveryStatus, 'pending'>): void
}

/** Where the secrets of a webhook are sealed for. */
export function sealedFor(webhookId: string): string {
  return `webhook:${webhookId}`
}

/** Never throws for what the receiver does. @throws OutboundError `aborted` when the signal ends it: nobody knows then what became of it */
export async function attemptDelivery(
  { http, keys, counts, clock }: AttemptParts,
  webhook: WebhookDocument,
  { event_id: id, body }: Pick<DeliveryDocument, 'event_id' | 'body'>,
  signal?: AbortSignal,
): Promise<DeliveryAttempt> {
  const at = new Date(clock())
  const started = performance.now()
  const ended = (status_code: number | null, error: DeliveryAttempt['error']): DeliveryAttempt => {
    counts?.attempted(error)
    return { at, duration_ms: Math.round(performance.now() - started), status_code, error }
  }
  try {
    const signed = signatureHeaders({ id, timestamp: Math.floor(at.getTime() / 1000), body }, secretsOf(webhook, keys, at))
    const { status } = await http.send({
      method: 'POST',
      url: new URL(webhook.url),
      headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT, ...signed },
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
      bodyLimit: ANSWER_BYTES,
      beyondLimit: 'cut',
    })
    return ended(status, errorOf(status))
  } catch (error) {
    if (error instanceof UnsealError) return ended(null, 'secret_unreadable')
    if (!(error instanceof OutboundError) || error.failure === 'aborted') throw error
    return ended(null, error.failure)
  }
}

/** The receiver wants nothing more, ever. */
export function saysGone({ status_code }: DeliveryAttempt): boolean {
  return status_code === GONE
}

function errorOf(status: number): DeliveryAttempt['error'] {
  if (status >= 200 && status < 300) return null
  // Where it leads was checked by nobody; the webhook's address has to be changed by its owner.
  return status >= 300 && status < 400 ? 'redirect_refused' : 'status_refused'
}

function secretsOf({ _id, secret, previous_secret, previous_secret_expires_at }: WebhookDocument, keys: readonly Buffer[], now: Date): string[] {
  const sealed = previous_secret !== null && previous_secret_expires_at !== null && previous_secret_expires_at > now ? [secret, previous_secret] : [secret]
  return sealed.map((text) => unsealWithAny(keys, text, sealedFor(_id)))
}
