/** Webhooks of organizations: their settings, and the delivery of domain events to them and to the receivers of other wings. */
import { sealedField } from '../../core/auth/reseal.js'
import { readingKeys } from '../../core/auth/secrets.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { sealedFor } from './attempt.js'
import { clearJob } from './clear.js'
import { deliverJob } from './deliver.js'
import { dispatchJob } from './dispatch.js'
import { type HealthKind, type ReceiverDocument, ReceiverHealth, WEBHOOK_HEALTH } from './health.js'
import { DeliveryHistory } from './history.js'
import type { ReceiverKind } from './receivers.js'
import { webhookRoutes } from './routes.js'
import { WebhooksService } from './service.js'
import { DELIVERIES, WEBHOOKS } from './store.js'

export * from './service.js'
export { WEBHOOKS } from './store.js'

/** The part of the webhooks that other wings use. */
export interface Webhooks extends OpenWing {
  /** Kinds of receivers beside webhooks. */
  readonly receivers: ReceiverKind[]
  /** Watches whether the receivers of a kind accept what they get. */
  healthOf<T extends ReceiverDocument>(kind: HealthKind<T>): ReceiverHealth<T>
}

export const webhooks: Wing<Webhooks> = {
  collections: [DELIVERIES],
  sealed: [
    sealedField({ collection: WEBHOOKS, field: 'secret', purpose: 'webhookSecret', place: ({ _id }) => sealedFor(_id) }),
    sealedField({ collection: WEBHOOKS, field: 'previous_secret', purpose: 'webhookSecret', place: ({ _id }) => sealedFor(_id) }),
  ],
  open({ config, identities, quotas, outbox, notices, jobs, http, guard, mail, deliveryCounts, clock }) {
    const service = new WebhooksService({ identities, guard, outbox, quotas, jobs })
    const receivers: ReceiverKind[] = []
    const healthOf: Webhooks['healthOf'] = (kind) => new ReceiverHealth({ identities, outbox, notices, mail, defaultLocale: config.defaultLocale, clock }, kind)
    const sending = { http, keys: readingKeys(identities.secrets, 'webhookSecret'), clock, jobs, health: healthOf(WEBHOOK_HEALTH), others: receivers, counts: deliveryCounts }
    return {
      receivers,
      healthOf,
      routes: webhookRoutes(service, new DeliveryHistory({ ...sending, webhooks: service })),
      jobs: [dispatchJob(sending), deliverJob(sending), clearJob()],
    }
  },
}
