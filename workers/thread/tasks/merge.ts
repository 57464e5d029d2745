/** Merges the files of a repository with an edited content of them. */
import { mergeFiles, type MergeRequest } from '#engine'
import type { TaskHead } from '../../shared/protocol.js'
import { plain, type TaskDefinition } from './context.js'

/** Its answer is a `MergeAnswer`. */
export interface MergeTask extends TaskHead {
  readonly kind: 'merge'
  readonly request: MergeRequest
}

export const merge: TaskDefinition<MergeTask> = {
  run: (_context, { request }) => plain(mergeFiles(request)),
}
