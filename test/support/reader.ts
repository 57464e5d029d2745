/** Reads in the thread of a test what a service has read by its pool. */
import type { AnalysisPool } from '#workers'
import { answerReader } from '../../server/core/egress/reader.js'
import { Limits } from '../../server/core/limits/limits.js'
import { limitTable } from '../../server/core/limits/table.js'
import { read } from '../../workers/reading/read.js'

export const IN_PLACE: Pick<AnalysisPool, 'read'> = { read: async (reading) => ({ outcome: 'ok', value: read(reading) }) }

/** For gateways that are opened without a service. */
export const READER = answerReader(IN_PLACE, new Limits(limitTable({ workers: 1, maxRequestBytes: 8 * 1024 * 1024 })), 'organization')
