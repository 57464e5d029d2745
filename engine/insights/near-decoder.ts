/**
 * Finds the own decoder that an event came nearest to without getting it. Like `near-rule.ts`, it returns only one that is really near: it would match too, it
 * matches a text that the header removed, or it names the event's program.
 */
import { suggest } from '../diagnostics/suggest.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Event } from '../event/event.js'
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { afterPrematch } from './after-prematch.js'
import { type HeaderTexts, programTag } from './header-text.js'
import type { OwnContent } from './own-content.js'
import { findStop, type StoppedAt } from './stopped-at.js'
import type { TracedRun } from './tip.js'

/** Maximum number of patterns whose stop is searched: each search compiles several parts of the pattern. */
const STOPS_LIMIT = 2
/** A shorter match at the start of a decoder without `program_name` is accidental, unless it is most of the pattern. */
const MIN_STOP = 8
const MIN_MOST = 4
const MOST = 0.6
/** A prematch with fewer letters may match the logs of any program. */
const MIN_LETTERS = 6
/** No program has this name, so what matches it matches any. */
const NO_PROGRAM = '\x01'
/** `sshd[42]: ` or `sshd: ` near the start is most likely a program. */
const PROGRAM_LIKE = /^.{0,80}?(?:^|\s)([A-Za-z][\w./-]{1,40})(?:\[\d+\])?:\s/

export type NearDecoder =
  /** It would match, but another one is tried before it. */
  | { readonly kind: 'overtaken'; readonly decoder: CompiledDecoder; readonly winner: CompiledDecoder }
  /** Its prematch matches the line as received, though not the log without the header. */
  | { readonly kind: 'header'; readonly decoder: CompiledDecoder }
  /** It has no `program_name`, and the event has a program. */
  | { readonly kind: 'unnamed'; readonly decoder: CompiledDecoder; readonly isOfHeader: boolean }
  /** It has a `program_name`, and the event has no program; this one is in its text. */
  | { readonly kind: 'no-program'; readonly decoder: CompiledDecoder; readonly program: string }
  /** Its `program_name` does not match that of the event, though the rest fits, or it nearly does. `isOfTag`: it matches the name with what follows it in the header. */
  | { readonly kind: 'program'; readonly decoder: CompiledDecoder; readonly isOfTag: boolean }
  | { readonly kind: 'stopped'; readonly decoder: CompiledDecoder; readonly from: number; readonly stop: StoppedAt | null }

/** The name in a text without a recognised header that looks like a program; undefined: there is none. */
export function programLike(log: string): string | undefined {
  return PROGRAM_LIKE.exec(log)?.[1]
}

/** Whether the decoder's `program_name` matches the program, and not just any. */
export function namesProgram({ programName }: CompiledDecoder, program: string): boolean {
  return programName !== null && matches(programName, program) && !matches(programName, NO_PROGRAM)
}

/**
 * @param own not empty
 * @param isMissed whether the decoder would set a field that an own rule lacks
 */
export function findNearDecoder(run: TracedRun, own: OwnContent, header: HeaderTexts, isMissed: (decoder: CompiledDecoder) => boolean): NearDecoder | null {
  const { outcome, event, recorder } = run
  const chosen = recorder.decoderSteps.find(({ step }) => step === 'root')?.decoder ?? null
  // A built-in decoder took the event before the others.
  if (chosen === null && event.decoder !== null) return null
  const child = chosen === null || !own.parents.has(chosen) ? null : nearChild(run, own, header, chosen, isMissed)
  if (child !== null || isAnswered(run, own)) return child
  // An own decoder got the event. Another one may be wanted instead only if no rule is for the one that got it.
  const isTaken = event.decoder !== null && own.isOwn(event.decoder)
  return isTaken && (outcome.rule !== null || chosen === null || !own.isOwn(chosen)) ? null : nearRoot(run, own, header, chosen)
}

function isAnswered({ outcome: { rule } }: TracedRun, own: OwnContent): boolean {
  return rule !== null && own.isOwn(rule)
}

function nearRoot(run: TracedRun, own: OwnContent, header: HeaderTexts, chosen: CompiledDecoder | null): NearDecoder | null {
  const { event, outcome } = run
  const { programName: program, log } = event
  const isUnanswered = outcome.rule === null && chosen === null
  let unnamed: NearDecoder | null = null
  const stopped: CompiledDecoder[] = []
  for (const root of own.roots) {
    const { prematch, programName } = root
    if (root === chosen) continue
    if (program === undefined && programName !== null) {
      const like = isUnanswered ? programLike(log) : undefined
      if (like !== undefined && namesProgram(root, like)) unnamed ??= { kind: 'no-program', decoder: root, program: like }
      continue
    }
    if (program !== undefined && programName === null) {
      if (chosen !== null || prematch === null) continue
      if (matches(prematch, log, event.logLower)) unnamed ??= { kind: 'unnamed', decoder: root, isOfHeader: false }
      else if (header.match(prematch)) unnamed ??= { kind: 'unnamed', decoder: root, isOfHeader: true }
      continue
    }
    if (program !== undefined && programName !== null && !matches(programName, program)) {
      if (isUnanswered) unnamed ??= nearProgram(root, programName, program, event)
      continue
    }
    if (prematch === null || matches(prematch, log, event.logLower)) {
      if (chosen !== null && (!own.isOwn(chosen) || isWantedInstead(own, root, chosen))) return { kind: 'overtaken', decoder: root, winner: chosen }
    } else if (header.match(prematch)) {
      if (chosen === null || !own.isOwn(chosen)) return { kind: 'header', decoder: root }
    } else if (isUnanswered) stopped.push(root)
  }
  return unnamed ?? nearStopped(run, stopped)
}

/** Whether own rules are for the events of the one decoder, and none for those of the other. */
function isWantedInstead({ rules }: OwnContent, wanted: CompiledDecoder, chosen: CompiledDecoder): boolean {
  return rules.some(({ rule }) => rule.identity === wanted.identity) && !rules.some(({ rule }) => rule.identity === chosen.identity)
}

/** An own root whose `program_name` does not match, although it seems to be meant for this program. */
function nearProgram(decoder: CompiledDecoder, programName: Expression, program: string, event: Event): NearDecoder | null {
  const tag = programTag(event)
  if (tag !== null && matches(programName, tag)) return { kind: 'program', decoder, isOfTag: true }
  const { prematch } = decoder
  const isMeant = prematch === null ? isMistypedProgram(programName, program) : matches(prematch, event.log, event.logLower) && hasLetters(prematch)
  return isMeant ? { kind: 'program', decoder, isOfTag: false } : null
}

const NO_DIGITS = /\D+/g

/** Whether the name differs by a typing error; one that differs in a digit is another one. */
function isMistypedProgram(programName: Expression, program: string): boolean {
  if (!(programName instanceof OsMatchExpression) || programName.negated) return false
  const digits = program.replace(NO_DIGITS, '')
  const names = programName.alternatives.map(({ literal }) => fromByteString(literal)).filter((name) => name.replace(NO_DIGITS, '') === digits)
  return suggest(fromByteString(program), names) !== null
}

function hasLetters({ pattern }: Expression): boolean {
  return pattern.replace(/\\.|[^A-Za-z]/g, '').length >= MIN_LETTERS
}

/** Returns a root whose prematch failed: one that names the program, or else one whose prematch matches in part. */
function nearStopped({ event: { programName: program, log } }: TracedRun, roots: readonly CompiledDecoder[]): NearDecoder | null {
  const naming = program === undefined ? [] : roots.filter((root) => namesProgram(root, program))
  let best: NearDecoder | null = null
  let bestLength = -1
  for (const decoder of (naming.length > 0 ? naming : roots).slice(0, STOPS_LIMIT)) {
    const stop = stopOf(decoder, log, 0)
    const length = stop?.matched_part.length ?? 0
    if (length <= bestLength || (naming.length === 0 && !isLong(stop, decoder))) continue
    best = { kind: 'stopped', decoder, from: 0, stop }
    bestLength = length
  }
  return best
}

function isLong(stop: StoppedAt | null, { prematch }: CompiledDecoder): boolean {
  if (stop === null || prematch === null) return false
  const { length } = stop.matched_part
  return length >= MIN_STOP || (length >= MIN_MOST && stop.text_offset === length && stop.pattern_offset >= prematch.pattern.length * MOST)
}

/** An own child of the chosen root that was not entered. */
function nearChild(run: TracedRun, own: OwnContent, header: HeaderTexts, root: CompiledDecoder, isMissed: (decoder: CompiledDecoder) => boolean): NearDecoder | null {
  const { event, outcome, recorder } = run
  const { log } = event
  const rejected = new Map(recorder.decoderSteps.filter(({ step }) => step === 'prematch').map(({ decoder, from }) => [decoder, from]))
  const entered = recorder.decoderSteps.find(({ step }) => step === 'child' || step === 'entered')?.decoder ?? null
  // Where an own rule answers, or an own child was entered, the others may well be for other events.
  const isTaken = entered !== null && (own.isOwn(entered) || isAnswered(run, own))
  let stopped: { readonly decoder: CompiledDecoder; readonly from: number } | null = null
  let isAfter = false
  for (const [index, child] of root.children.entries()) {
    if (child === entered) isAfter = true
    // A later member of a family is never entered.
    if (child === entered || child.prematch === null || root.children[index - 1]?.continues === true || !own.isOwn(child)) continue
    const from = rejected.get(child)
    if (from !== undefined) {
      if (from === 0 && !isTaken && header.match(child.prematch)) return { kind: 'header', decoder: child }
      if (outcome.rule === null && !isTaken) stopped ??= { decoder: child, from }
    } else if (isAfter && entered !== null && (!isTaken || isMissed(child))) {
      const start = child.definition.prematch?.offset === 'after_parent' ? afterPrematch(root, log) : 0
      if (child.prematch.test(log, event.logLower, start)) return { kind: 'overtaken', decoder: child, winner: entered }
    }
  }
  if (stopped === null) return null
  const stop = stopOf(stopped.decoder, log, stopped.from)
  return stop === null ? null : { kind: 'stopped', ...stopped, stop }
}

function stopOf({ prematch }: CompiledDecoder, log: string, from: number): StoppedAt | null {
  return prematch === null ? null : findStop(prematch.dialect, prematch.pattern, log, from)
}

function matches(expression: Expression, text: string, lower = foldCase(text)): boolean {
  return expression.test(text, lower, 0)
}
