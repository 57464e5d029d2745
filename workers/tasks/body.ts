/**
 * A request as its body came: large ones never become objects of the main thread. What needs the main thread's knowledge goes back to it as it was read,
 * once the ruleset is compiled.
 */
import type { SourceFile } from '#engine'
import { now } from '../clock.js'
import { withNotice } from '../content-notice.js'
import type { BodyReply, BodyTask, FiledRuleset, FileSource, JsonAnswer, LogtestDigest, RulesetReference, ValidationDigest } from '../protocol.js'
import type { RulesetCache } from '../ruleset-cache.js'
import type { ReadRequest } from '../requests/analysis-request.js'
import { readBody } from '../requests/read-body.js'
import { crossing, plain, type TaskContext, type TaskResult } from './context.js'
import { locateInput } from './locate.js'
import { logtestJson } from './logtest.js'
import { validationJson } from './validate.js'

/** Characters of files that are worth sending back, so that the main thread need not keep a whole body for them. */
const SMALL_FILES = 64 * 1024

/** The files of a source; those of a body are read from it. Null: the body holds none. */
export function filesOf(source: FileSource): readonly SourceFile[] | null {
  if ('files' in source) return source.files
  const reading = readBody(source.of, new Uint8Array(source.body))
  return 'request' in reading && 'files' in reading.request.ruleset ? reading.request.ruleset.files : null
}

export function body(context: Omit<TaskContext, 'found'>, task: BodyTask): { result: TaskResult; cacheHit: boolean; compiledHash: string | null } | 'disk' {
  const { of, body: bytes, ruleset: reference } = task
  const reading = readBody(of, new Uint8Array(bytes))
  if ('refusal' in reading) return reply({ outcome: 'refused', refusal: reading.refusal })
  const { ruleset, ...request } = reading.request
  if ('compiledHash' in ruleset) return reply({ outcome: 'read', ruleset, request })
  const filed = file(context.cache, reference, ruleset)
  if (filed === null) return 'disk'
  const { key, includeDefaults, includeCustom } = filed
  const read = now()
  const found = context.cache.find({ ...reference, key, includeDefaults, includeCustom, disk: null, source: { files: ruleset.files } })
  if (typeof found === 'string') return 'disk'
  const known = { cacheHit: found.cacheHit, compiledHash: found.entry.ruleset.hash }
  const entry = withNotice(found.entry, includeCustom ? reference.notice : undefined)
  const whole: TaskContext = { ...context, found: { ...found, entry, sourceMs: found.sourceMs + read - context.startedAt } }
  if (task.locates && request.input !== null) {
    locateInput(whole, request.input, task.seconds)
    return { ...reply({ outcome: 'read', ruleset: filed, request }), ...known }
  }
  if (of === 'head' || request.sessionId !== null) return { ...reply({ outcome: 'read', ruleset: filed, request }), ...known }
  const made = request.input === null ? validationJson(whole, task) : logtestJson(whole, { ...task, trace: request.trace }, request.input, null)
  const { json, transfer } = crossing(made.json)
  const answer = { json, digest: made.digest } as JsonAnswer<ValidationDigest> | JsonAnswer<LogtestDigest>
  return { ...reply({ outcome: 'answered', answer, ruleset: filed }, transfer), ...known }
}

function reply(value: BodyReply, transfer: readonly ArrayBuffer[] = []) {
  return { result: { ...plain(value), transfer }, cacheHit: false, compiledHash: null }
}

function file(
  cache: RulesetCache,
  { organization, diskId }: RulesetReference,
  { includeDefaults, includeCustom, files }: Exclude<ReadRequest['ruleset'], { compiledHash: string }>,
): FiledRuleset | null {
  const key = cache.keyOf(organization, diskId, includeDefaults, includeCustom, files)
  return key === null ? null : { key, includeDefaults, includeCustom, files: isSmall(files) ? files : null }
}

function isSmall(files: readonly SourceFile[]): boolean {
  let characters = 0
  for (const { filename, content } of files) characters += filename.length + content.length
  return characters <= SMALL_FILES
}
