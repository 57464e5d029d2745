/**
 * The module of a worker thread. Invariants:
 *  1. nothing is thrown out of `run`: whatever happens in a task becomes a reply
 *  2. the default rulesets are compiled before the first task is taken
 *  3. a thread keeps only what the main thread can give it again; it may be ended at any instruction
 */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { LiveSessions } from './live-sessions.js'
import { Progress } from './progress.js'
import type { DiskContent, Task, Turn, TurnReply } from './protocol.js'
import type { RequestReader } from './request-reader.js'
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
const state: ThreadState = { cache: new RulesetCache(cacheBytes), sessions: new LiveSessions() }
try {
  state.cache.warm(disk)
} catch {
  // The first task compiles it again, and its reply says what is wrong.
}

let progress: Progress | null = null

/** @returns a `TurnReply`; its large buffers are handed over */
export function run(turn: Turn): TurnReply | Promise<TurnReply> {
  if (turn.progress !== null) progress = new Progress(turn.progress)
  if (state.reader === undefined && turn.readerUrl !== null) return importReader(turn.readerUrl).then(() => answer(turn))
  return answer(turn)
}

function answer(turn: Turn): TurnReply {
  const tasks = typeof turn.tasks === 'string' ? (JSON.parse(turn.tasks) as Task[]) : turn.tasks
  const replies = runTurn(state, tasks, progress)
  const transfer = replies.flatMap((reply) => reply.transfer)
  const reply: TurnReply = { replies: replies.map(({ reply }) => reply) }
  if (transfer.length === 0) return reply
  return move({ [transferableSymbol]: transfer, [valueSymbol]: reply }) as unknown as TurnReply
}

/** A module that can't be imported is told as a fault by the task that needs it. */
async function importReader(url: string): Promise<void> {
  try {
    state.reader = (await import(url)) as RequestReader
  } catch {
    // `runTask` finds no reader.
  }
}
