/** What was measured of the cases of a project in the background (`case-strength/service.ts`), by the content with which they ran. */
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'

/** Days that a measurement is kept. A later reader has it measured again. */
const KEPT_DAYS = 30
const DAY_SECONDS = 24 * 60 * 60

export interface CaseStrengthDocument extends TenantDocument {
  readonly project_id: string
  /** The measurement, as JSON. */
  readonly result_json: string
  readonly created_at: Date
}

/** Its ids are hashes of everything that a measurement depends on. */
export const CASE_STRENGTHS = tenantCollection<CaseStrengthDocument>('case_strengths', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: KEPT_DAYS * DAY_SECONDS },
])
