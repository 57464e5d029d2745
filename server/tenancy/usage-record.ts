/** How usage is shown (CONTRACT.md#plans): schema and type, for every answer that tells of it. */
import Type, { type Static } from 'typebox'
import { nullable } from '../nullable.js'

const moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const BillingUsageMetric = Type.Object(
  {
    metric: Type.String({ examples: ['analysis_runs'], description: '`analysis_runs`, `projects`, `api_requests`, `webhooks`, `members`; more may follow.' }),
    period_start: moment('When counting began; missing where what is there is counted.'),
    period_end: moment('When counting begins anew; missing where what is there is counted.'),
    consumed: Type.Integer({ minimum: 0, description: 'How much is used, to about a second.' }),
    limit: nullable(Type.Integer({ minimum: 0 }), "The plan's limit; null: none."),
  },
  { $id: 'BillingUsageMetric', description: 'How much of a limit of the plan is used.' },
)
export type BillingUsageMetric = Static<typeof BillingUsageMetric>
