/**
 * The module of a worker thread. Invariants:
 *  1. nothing is thrown out of `run`: whatever happens in a task becomes a reply
 *  2. the default rulesets are compiled before the first task is taken
 *  3. a thread keeps only what the main thread can give it again; it may be ended at any instruction
 */
import { type MessagePort, threadId, workerData } from 'node:worker_threads'
import { AnswerSheets } from './answer-sheets.js'
import { LiveSessions } from './live-sessions.js'
import { Progress } from './progress.js'
import type { DiskContent, Task, ThreadHello, Turn, TurnReply } from './protocol.js'
import { RulesetCache } from './ruleset-cache.js'
import { runTurn, type ThreadState } from './run-task.js'

/** What a thread is started with. */
export interface ThreadData {
  /** The module that gives `run`. */
  readonly moduleUrl: string
  readonly disk: DiskContent
  readonly cacheBytes: number
}

const { disk, cacheBytes } = workerData as ThreadData
const state: ThreadState = { cache: new RulesetCache(cacheBytes), sessions: new LiveSessions(), sheets: null }
try {
  state.cache.warm(disk)
} catch {
  // The first task compiles it again, and its reply says what is wrong.
}

let progress: Progress | null = null

/** Takes turns from the port, as long as the thread lives: the one task that Piscina has for it. */
export function run({ port }: { readonly port: MessagePort }): Promise<never> {
  port.on('message', (turn: Turn) => {
    if (turn.shared !== null) {
      progress = new Progress(turn.shared.progress)
      state.sheets = new AnswerSheets(turn.shared.answers)
    }
    answer(port, turn)
  })
  port.postMessage({ threadId } satisfies ThreadHello)
  return new Promise(() => {})
}

/** Large buffers are handed over. */
function answer(port: MessagePort, { tasks }: Turn): void {
  const replies = runTurn(state, typeof tasks === 'string' ? (JSON.parse(tasks) as Task[]) : tasks, progress)
  const told = replies.map(({ reply }) => reply)
  const isPlain = told.every((reply) => reply.outcome === 'ok' && reply.place !== null && reply.snapshot === null)
  port.postMessage(
    { replies: isPlain ? JSON.stringify(told) : told } satisfies TurnReply,
    replies.flatMap(({ transfer }) => transfer),
  )
}
