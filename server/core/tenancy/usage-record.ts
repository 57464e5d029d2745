/** Schema and type of usage (CONTRACT.md#plans), for every response that contains it. */
import Type, { type Static } from 'typebox'
import { nullable } from '../nullable.js'

const moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const BillingUsageMetric = Type.Object(
  {
    metric: Type.String({ examples: ['analysis_runs'], description: '`analysis_runs`, `projects`, `api_requests`, `webhooks`, `members`; more may follow.' }),
    period_start: moment('Start of the period; missing for metrics that count existing objects.'),
    period_end: moment('End of the period; missing for metrics that count existing objects.'),
    consumed: Type.Integer({ minimum: 0, description: 'Used amount, up to about a second old.' }),
    limit: nullable(Type.Integer({ minimum: 0 }), "The plan's limit; null: none."),
  },
  { $id: 'BillingUsageMetric', description: 'Usage of a metric, with the limit of the plan.' },
)
export type BillingUsageMetric = Static<typeof BillingUsageMetric>
