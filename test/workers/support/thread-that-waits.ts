/** A thread entry for tests: runs nothing, and answers whether its slice was asked to end. A run of cases waits for that, for as long as a chain may take. */
import { parentPort, threadId } from 'node:worker_threads'
import { Progress } from '../../../workers/shared/progress.js'
import type { Replies, Reply, ThreadMemory } from '../../../workers/shared/protocol.js'
import { SharedBuffers } from '../../../workers/shared/buffers.js'
import type { Task, Tasks } from '../../../workers/thread/tasks/index.js'

const progress = new Progress()
const stats = { threadId, cacheHit: true, compiledHash: null, cachedBytes: 0, cachedRulesets: 0, evicted: [] }

export function runBatch({ tasks }: { readonly tasks: Tasks }): Replies {
  return (typeof tasks === 'string' ? (JSON.parse(tasks) as Task[]) : tasks).map((task): Reply => {
    progress.begin()
    const ends = performance.now() + (task.kind === 'cases' ? task.chainMs : 0)
    while (performance.now() < ends && !progress.isAsked);
    return { outcome: 'ok', value: progress.isAsked, snapshot: null, place: null, bytes: null, stats }
  })
}
parentPort?.postMessage({ progress: progress.buffer, answers: new SharedBuffers().buffer } satisfies ThreadMemory)
