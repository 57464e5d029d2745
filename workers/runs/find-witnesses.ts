/** Finds the witnesses of many rules, or audits them, in threads. Which thread a rule is given to changes nothing: each search depends on the ruleset and the rule only. */
import type { AuditRecord, WitnessRecord } from '#engine'
import { sharedNow } from '../shared/clock.js'
import { type OnRecords, shareAmongThreads } from './share-among-threads.js'
import type { WitnessThreadData } from './witness-thread.js'

/** Rules that a thread is given at once: few, so that all threads end at about the same time. */
const CHUNK = 16
const MS = 1000

/** @param ids of rules of the ruleset @throws when a thread ends */
export function findWitnesses(data: Pick<WitnessThreadData, 'files' | 'locale' | 'near'>, ids: readonly number[], onRecords: OnRecords<WitnessRecord>): Promise<void> {
  return inThreads({ ...data, of: 'witness', ends: Number.POSITIVE_INFINITY }, ids, onRecords)
}

/** @param seconds after which rules are not tried any more; null: no limit @throws when a thread ends */
export function auditRules(data: Pick<WitnessThreadData, 'files' | 'locale'>, ids: readonly number[], seconds: number | null, onRecords: OnRecords<AuditRecord>): Promise<void> {
  const ends = seconds === null ? Number.POSITIVE_INFINITY : sharedNow() + seconds * MS
  return inThreads({ ...data, of: 'audit', near: false, ends }, ids, onRecords)
}

function inThreads<R>(data: WitnessThreadData, ids: readonly number[], onRecords: OnRecords<R>): Promise<void> {
  return shareAmongThreads(new URL('./witness-thread.js', import.meta.url), data, ids, CHUNK, onRecords)
}
