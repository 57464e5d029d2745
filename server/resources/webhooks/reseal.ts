/**
 * Seals secrets of webhooks that are sealed with the previous key again with the current key, so that operators can remove the previous one. It runs at
 * every start with a previous secret key, so that an interrupted run continues. Two instances may run it concurrently.
 */
import type { Identities } from '../../auth/identities.js'
import { seal, UnsealError, unseal } from '../../auth/sealing.js'
import { sealedFor } from './attempt.js'
import { WEBHOOKS, type WebhookDocument } from './store.js'

/** @param signal ends the run between two organizations @returns the number of webhooks that were resealed */
export async function resealWebhooks({ secrets, organizations, tenancy }: Pick<Identities, 'secrets' | 'organizations' | 'tenancy'>, signal: AbortSignal): Promise<number> {
  const { previous, webhookSecret } = secrets
  if (previous === null) return 0
  const keys = { from: previous.webhookSecret, to: webhookSecret }
  let count = 0
  for await (const organizationId of organizations.ids()) {
    if (signal.aborted) break
    const webhooks = tenancy.of(organizationId).collection(WEBHOOKS)
    for (const webhook of await webhooks.find({})) {
      const resealed = resealedOf(webhook, keys)
      if (resealed === null) continue
      // A webhook whose secret was rotated meanwhile does not match.
      if ((await webhooks.update({ _id: webhook._id, secret: webhook.secret }, { set: resealed })) !== null) count++
    }
  }
  return count
}

interface KeyChange {
  readonly from: Buffer
  readonly to: Buffer
}

/** Returns the resealed secrets; null: none is sealed with the previous key. */
function resealedOf({ _id, secret, previous_secret }: WebhookDocument, keys: KeyChange): Pick<WebhookDocument, 'secret' | 'previous_secret'> | null {
  const place = sealedFor(_id)
  const newest = resealed(secret, place, keys)
  const older = previous_secret === null ? null : resealed(previous_secret, place, keys)
  return newest === null && older === null ? null : { secret: newest ?? secret, previous_secret: older ?? previous_secret }
}

function resealed(sealed: string, place: string, { from, to }: KeyChange): string | null {
  try {
    return seal(to, unseal(from, sealed, place), place)
  } catch (error) {
    if (error instanceof UnsealError) return null
    throw error
  }
}
