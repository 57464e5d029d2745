/**
 * Removes data of version 0.1. That version also ran on standalones, where a running commit used the fields `_pending` and `_applied` in its documents, an index
 * in every collection, and a collection of commits. An unfinished commit is an error, because only version 0.1 can finish it.
 */
import type { Db, MongoServerError } from 'mongodb'
import { UnfinishedCommitError } from '../errors.js'

export const PENDING_INDEX = 'dc_pending'
const COMMITS = '_commits'
const NAMESPACE_NOT_FOUND = 26

/** Removes the fields of finished commits from a collection. @throws UnfinishedCommitError */
export async function removeMarks(database: Db, collection: string): Promise<void> {
  const native = database.collection(collection)
  if ((await native.findOne({ '_pending.id': { $exists: true } })) !== null) throw new UnfinishedCommitError(collection)
  await native.updateMany({ _applied: { $exists: true } }, { $unset: { _applied: true } })
}

/** Drops the collection of commits. @throws UnfinishedCommitError */
export async function removeCommits(database: Db): Promise<void> {
  if ((await database.collection(COMMITS).findOne({})) !== null) throw new UnfinishedCommitError(COMMITS)
  await database.dropCollection(COMMITS).catch((error: MongoServerError) => {
    if (error.code !== NAMESPACE_NOT_FOUND) throw error
  })
}
