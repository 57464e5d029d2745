/**
 * What version 0.1 may have left: it also ran on standalones, where a commit under way had the fields `_pending` and `_applied` in its documents, an index
 * of every collection to find them, and a collection for the rest. Removed once; refused where a crash has left a commit that only version 0.1 can finish.
 */
import type { Db, MongoServerError } from 'mongodb'
import { UnfinishedCommitError } from '../errors.js'

export const PENDING_INDEX = 'dc_pending'
const COMMITS = '_commits'
const NAMESPACE_NOT_FOUND = 26

/** @throws UnfinishedCommitError */
export async function removeMarks(database: Db, collection: string): Promise<void> {
  const native = database.collection(collection)
  if ((await native.findOne({ '_pending.id': { $exists: true } })) !== null) throw new UnfinishedCommitError(collection)
  await native.updateMany({ _applied: { $exists: true } }, { $unset: { _applied: true } })
}

/** @throws UnfinishedCommitError */
export async function removeCommits(database: Db): Promise<void> {
  if ((await database.collection(COMMITS).findOne({})) !== null) throw new UnfinishedCommitError(COMMITS)
  await database.dropCollection(COMMITS).catch((error: MongoServerError) => {
    if (error.code !== NAMESPACE_NOT_FOUND) throw error
  })
}
