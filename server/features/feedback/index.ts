/** Feedback reports of users, with attachments, for the admins of the organization and of the instance. */
import type { OpenWing, Wing } from '../../core/wing.js'
import { instanceFeedbackRoutes } from './instance-routes.js'
import { InstanceFeedback } from './instance-wide.js'
import { feedbackRoutes } from './routes.js'
import { FeedbackService } from './service.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS } from './store.js'

export const feedback: Wing = {
  collections: [FEEDBACK_REPORTS, FEEDBACK_ATTACHMENTS],
  open({ identities, outbox, notices, quotas, clock }): OpenWing {
    const service = new FeedbackService({ outbox, notices, quotas, clock })
    return { routes: [...feedbackRoutes(service), ...instanceFeedbackRoutes(new InstanceFeedback(identities, service))] }
  },
}
