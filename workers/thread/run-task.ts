/** Runs a task in its thread: reads its request if it is a body, finds the data that it needs, runs it, replies. */
import { threadId } from 'node:worker_threads'
import type { SourceFile } from '#engine'
import type { RulesetFiles } from '../requests/analysis-request.js'
import { readRequest } from '../requests/read-request.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { SharedBuffers } from '../shared/buffers.js'
import { now } from '../shared/clock.js'
import { flattenError } from '../shared/failure.js'
import type { Progress } from '../shared/progress.js'
import {
  type BodyValue,
  type FileSource,
  type KeyedRuleset,
  PROTOCOL_VERSION,
  type ReadableTaskHead,
  type Reply,
  type ReplyStats,
  type RulesetReference,
} from '../shared/protocol.js'
import { withNotice } from './content-notice.js'
import type { FoundRuleset, RulesetCache } from './ruleset-cache.js'
import { plain, SESSION_MISSING, type TaskContext, type TaskDefinition, type TaskResult } from './tasks/context.js'
import { type RulesetTask, type Task, TASKS } from './tasks/index.js'
import { type ReadTask, read } from './tasks/read.js'

/** State that a thread keeps between tasks. */
export interface ThreadState {
  readonly cache: RulesetCache
  readonly sessions: LiveSessions
  /** Shared memory for answers; null: answers are sent in messages. */
  readonly buffers: SharedBuffers | null
  /** Measures the slices of long tasks. Default: the clock of the process. */
  readonly clock?: () => number
}

/**
 * Time limit of a batch of several tasks. Their replies are sent together, so the first waits for the last: long compared with what a batch saves (about 0.1 ms
 * for each task), short for a person who waits.
 */
export const BATCH_MS = 2
/** Characters of files that are sent back with the key of their ruleset, so that the main thread need not keep the whole body for them. */
const SMALL_FILES_CHARACTERS = 64 * 1024

type Missing = 'disk' | 'ruleset' | 'session'
type Definition = TaskDefinition<RulesetTask>

/** Runs the tasks of a batch one after the other, until its time is over. Never throws. */
export function runBatch(state: ThreadState, tasks: readonly Task[], progress: Progress | null): Reply[] {
  const { clock = now } = state
  const replies: Reply[] = []
  const batchEnds = tasks.length > 1 ? clock() + BATCH_MS : 0
  do replies.push(runTask(state, tasks[replies.length], progress, replies.length))
  while (replies.length < tasks.length && clock() < batchEnds)
  return replies
}

/** Never throws. @param index of the task in its batch */
export function runTask(state: ThreadState, task: Task, progress: Progress | null = null, index = 0): Reply {
  let found: FoundRuleset | null = null
  const stats = (): ReplyStats => ({
    threadId,
    cacheHit: found?.cacheHit ?? false,
    compiledHash: found?.entry.ruleset.hash ?? null,
    cachedBytes: state.cache.bytes,
    cachedRulesets: state.cache.size,
    evicted: state.cache.takeEvicted(),
  })
  try {
    if (task.version !== PROTOCOL_VERSION) throw new TypeError('protocol version')
    const { cache, sessions, buffers, clock = now } = state
    const startedAt = now()
    progress?.begin(index)
    const use = (ruleset: FoundRuleset): void => {
      found = ruleset
    }
    const run = (ruleset: FoundRuleset, ready: RulesetTask, { notice }: RulesetReference): TaskResult | Missing => {
      const context: TaskContext = {
        cache,
        sessions,
        buffers,
        progress,
        startedAt,
        clock,
        found: notice === undefined ? ruleset : { ...ruleset, entry: withNotice(ruleset.entry, notice) },
      }
      const result = (TASKS[ready.kind] as Definition).run(context, ready)
      return result === SESSION_MISSING ? 'session' : result
    }
    const runTask = (one: RulesetTask): TaskResult | Missing =>
      'body' in one && one.body !== null ? runUnread(cache, one, one.body, startedAt, use, run) : runRead(cache, one, use, run)
    const result = task.kind === 'read' ? runAlone(cache, task) : runTask(task)
    if (typeof result === 'string') return { outcome: 'missing', what: result, stats: stats() }
    return { outcome: 'ok', ...result, stats: stats() }
  } catch (error) {
    const { unit = -1 } = progress?.read() ?? {}
    return { outcome: 'failed', error: flattenError(error), unit: unit < 0 ? null : unit, stats: stats() }
  }
}

/** Returns the memory of a reply that is moved to the main thread, not copied. */
export function movedMemory(reply: Reply): ArrayBuffer[] {
  if (reply.outcome !== 'ok') return []
  return [reply.bytes, reply.snapshot].flatMap((memory) => (memory === null ? [] : (memory.buffer as ArrayBuffer)))
}

/** Records the ruleset for the reply. */
type Use = (ruleset: FoundRuleset) => void
type Run = (ruleset: FoundRuleset, task: RulesetTask, reference: RulesetReference) => TaskResult | Missing

/** Runs a task that uses no ruleset. The content of the disk may come with it, as with every task. */
function runAlone(cache: RulesetCache, task: ReadTask): TaskResult {
  if (task.ruleset.disk !== null) cache.addDisk(task.ruleset.disk)
  return read(task)
}

function runRead(cache: RulesetCache, task: RulesetTask, use: Use, run: Run): TaskResult | Missing {
  const found = cache.find(task.ruleset, filesOf)
  if (typeof found === 'string') return found
  use(found)
  return run(found, task, task.ruleset)
}

/** Returns a `BodyValue`. */
function runUnread(cache: RulesetCache, task: RulesetTask & ReadableTaskHead, body: SharedArrayBuffer, startedAt: number, use: Use, run: Run): TaskResult | Missing {
  const definition = TASKS[task.kind] as Definition
  if (definition.body === undefined) throw new TypeError(`${task.kind} takes no body`)
  if (task.ruleset.disk !== null) cache.addDisk(task.ruleset.disk)
  const reading = readRequest(definition.body, new Uint8Array(body))
  if ('refusal' in reading) return bodyValue({ outcome: 'refused', refusal: reading.refusal })
  const { ruleset, ...request } = reading.request
  if ('compiledHash' in ruleset) return bodyValue({ outcome: 'read', ruleset, request })
  const keyed = keyFiles(cache, task.ruleset, ruleset)
  if (keyed === null) return 'disk'
  const { key, includeDefaults, includeCustom } = keyed
  const { notice, ...reference } = task.ruleset
  const named: RulesetReference = { ...reference, key, includeDefaults, includeCustom, disk: null, source: { files: ruleset.files }, ...(includeCustom && notice && { notice }) }
  const readAt = now()
  const found = cache.find(named)
  if (typeof found === 'string') return found
  const ready = (definition.withRequest?.(task, reading.request) ?? task) as RulesetTask
  const needsMainThread = task.kind !== 'locate' && (definition.body === 'head' || request.sessionId != null)
  const whole = { ...found, sourceMs: found.sourceMs + readAt - startedAt }
  use(whole)
  if (needsMainThread) return bodyValue({ outcome: 'read', ruleset: keyed, request })
  const result = run(whole, ready, named)
  if (typeof result === 'string') return result
  return { ...result, value: { outcome: 'answered', value: result.value, ruleset: keyed } satisfies BodyValue }
}

function bodyValue(value: BodyValue): TaskResult {
  return plain(value)
}

/** Returns the files of a source; those of a body are read from it. Null: the body has none. */
function filesOf(source: FileSource): readonly SourceFile[] | null {
  if ('files' in source) return source.files
  const reading = readRequest(source.of, new Uint8Array(source.body))
  return 'request' in reading && 'files' in reading.request.ruleset ? reading.request.ruleset.files : null
}

/** The key of the files of a request. Null: the thread lacks the disk content. */
function keyFiles(cache: RulesetCache, { organization, diskId }: RulesetReference, { includeDefaults, includeCustom, files }: RulesetFiles) {
  const key = cache.keyOf(organization, diskId, includeDefaults, includeCustom, files)
  return key === null ? null : ({ key, includeDefaults, includeCustom, files: isSmall(files) ? files : null } satisfies KeyedRuleset)
}

function isSmall(files: readonly SourceFile[]): boolean {
  let characters = 0
  for (const { filename, content } of files) characters += filename.length + content.length
  return characters <= SMALL_FILES_CHARACTERS
}
