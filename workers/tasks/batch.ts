/**
 * Many events, answered as lines of JSON. A batch task ends early, with what it has, when its turn is over: other callers' tasks then come
 * between its parts, its first lines leave early, and an abort is soon seen.
 */
import { now } from '../clock.js'
import type { BatchLine, BatchPart, BatchTask, LogtestAnswer } from '../protocol.js'
import { entryOf, ownBytes, SESSION_MISSING, type TaskContext, type TaskResult, TURN_MS } from './context.js'
import { answerEvent, takeSession } from './logtest.js'

const NO_COMPILE = { cacheHit: true, sourceMs: 0, compileMs: 0 } as const

export function batch(context: TaskContext, task: BatchTask): TaskResult | typeof SESSION_MISSING {
  const session = takeSession(context, task, task.session)
  if (session === SESSION_MISSING) return SESSION_MISSING
  const { inputs } = task
  const ends = new Uint32Array(inputs.length)
  const lines: string[] = []
  let matched = 0
  let failed = 0
  let bytes = 0
  const ofRuleset = entryOf(context).findings(task.locale, task.includeBaseline).diagnosticCount
  const later = { found: { ...context.found, ...NO_COMPILE } }
  const laterTask = { ...task, prepareMs: 0 }
  const turnEnds = now() + TURN_MS
  let count = 0
  while (count < inputs.length && (count === 0 || now() < turnEnds)) {
    context.progress?.unit(count)
    // Times of the compilation belong to the first line of all.
    const isFirst = task.withFindings && count === 0
    const answer = answerEvent(isFirst ? context : { ...context, ...later, startedAt: now() }, isFirst ? task : laterTask, inputs[count], session)
    if (answer.rule !== null) matched++
    if (!answer.ok) failed++
    const line = `${JSON.stringify(isFirst ? answer : withoutRuleset(answer, ofRuleset))}\n`
    lines.push(line)
    bytes += Buffer.byteLength(line)
    ends[count++] = bytes
  }
  const snapshot = session === null || task.session === null ? null : context.sessions.put(task.session, session, inputs.slice(0, count))
  const json = ownBytes(lines.join(''))
  const part: BatchPart = { json, ends: ends.slice(0, count), count, matched, failed, compiledHash: entryOf(context).ruleset.hash }
  return { value: part, snapshot, transfer: [json.buffer] }
}

/** @param ofRuleset how many of the findings, the last ones, are the ruleset's */
function withoutRuleset(answer: LogtestAnswer, ofRuleset: number): BatchLine {
  const { summary, ...line } = answer
  return ofRuleset === 0 ? line : { ...line, diagnostics: answer.diagnostics.slice(0, answer.diagnostics.length - ofRuleset) }
}
