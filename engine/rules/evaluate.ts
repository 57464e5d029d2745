/**
 * Evaluates the conditions of one event. Texts of subjects and results of conditions are computed once per event and stored by number.
 * No memory is allocated per condition.
 */
import type { Event } from '../event/event.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import { byteAt } from '../expressions/leading-byte.js'
import { indexOfLiteral } from '../kernel/kernel.js'
import { LOG_ROOM } from '../kernel/layout.js'
import { WORDS } from '../kernel/memory.js'
import { type SearchedText, searchedLog, searchedText } from '../kernel/searched-text.js'
import type { Literal } from '../expressions/literal.js'
import { extrasOf, type PrefilterList, type PrefilterScanner } from '../expressions/prefilter-table.js'
import { type CdbList, lookUp } from '../lists/list.js'
import { foldCase } from '../source/byte-string.js'
import type { CompiledListCondition } from './compiled-rule.js'
import type { Condition, LocalClock, Subject } from './condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_HOSTNAME, SUBJECT_LIST_USER, SUBJECT_LOCATION, SUBJECT_LOG, SUBJECT_PROGRAM_NAME, SUBJECT_STATIC, SUBJECT_USER } from './condition.js'

/** Event numbers restart above this, so that `number * 4 + 3` stays a small integer. */
const EPOCH_LIMIT = 0x0fffffff

/** The first byte of a log that is not printed yet: a JSON object. */
const UNREAD_BYTE = byteAt('{', 0)

/** Results of conditions. `MAY_PASS`: the text contains a literal that the pattern requires, and the pattern has not run. */
const FAILED = 0
const PASSED = 1
const MAY_PASS = 2

/**
 * Buffers shared by all evaluators of a thread. For a stock ruleset they take 140 KB, and a thread keeps thousands of rulesets, of which it runs one
 * at a time. Every entry is marked with the number of its event. The numbers are unique across evaluators, so an evaluator never reads a stale entry
 * of another one.
 */
class WorkSpace {
  epoch = 0
  /** Per condition: event number × 4 + result. */
  results = new Int32Array(0)
  /** Per subject: the number of the event that has the dynamic field, and for which `lowers` is valid. */
  textEpochs = new Int32Array(0)
  lowerEpochs = new Int32Array(0)
  /** Per field name: its first index in the event's dynamic fields. */
  fieldIndexes = new Int32Array(0)
  lowers: string[] = []

  /** Grows the buffers, with some reserve for a slightly larger ruleset. */
  reserve(conditions: number, subjects: number): void {
    if (this.results.length < conditions) this.results = new Int32Array(roomFor(conditions))
    if (this.textEpochs.length >= subjects) return
    const room = roomFor(subjects)
    this.textEpochs = new Int32Array(room)
    this.lowerEpochs = new Int32Array(room)
    this.fieldIndexes = new Int32Array(room)
    this.lowers = new Array<string>(room).fill('')
  }

  /** Returns the number of the next event. */
  nextEpoch(): number {
    if (this.epoch >= EPOCH_LIMIT) {
      this.results.fill(0)
      this.textEpochs.fill(0)
      this.lowerEpochs.fill(0)
      this.epoch = 0
    }
    return ++this.epoch
  }
}

function roomFor(count: number): number {
  return count + (count >> 3) + 16
}

const WORK_SPACE = new WorkSpace()

/** A list of rules, with a prefilter on the log for each. */
export interface RuleList extends PrefilterList {
  /** The first test of a dynamic field of each rule; null = no rule has one. With them the extra numbers of the list are their subjects, -1 = none. */
  readonly tests: readonly (Condition | null)[] | null
}

/** Evaluates conditions of the event passed to `begin`, until another evaluator of the thread begins an event. */
export class ConditionEvaluator {
  #event!: Event
  #clock!: LocalClock
  #epoch = 0
  readonly #prefilters: PrefilterScanner
  readonly #lists: ReadonlyMap<string, CdbList>
  readonly #conditions: number
  readonly #subjects: number
  readonly #managerName: string
  /** Copied from the work space by `begin`. */
  #results = WORK_SPACE.results
  #textEpochs = WORK_SPACE.textEpochs
  #lowerEpochs = WORK_SPACE.lowerEpochs
  #fieldIndexes = WORK_SPACE.fieldIndexes
  #lowers = WORK_SPACE.lowers

  /** @param conditionCount conditions of the ruleset; @param fieldCount interned field names; @param prefilters of the log text; @param lists of the ruleset @param managerName the host of events that name none */
  constructor(conditionCount: number, fieldCount: number, prefilters: PrefilterScanner, lists: ReadonlyMap<string, CdbList>, managerName: string) {
    this.#prefilters = prefilters
    this.#lists = lists
    this.#conditions = conditionCount
    this.#subjects = SUBJECT_DYNAMIC + fieldCount
    this.#managerName = managerName
  }

  /** Starts the evaluation of an event whose fields are complete. */
  begin(event: Event, clock: LocalClock): void {
    const space = WORK_SPACE
    space.reserve(this.#conditions, this.#subjects)
    this.#epoch = space.nextEpoch()
    this.#results = space.results
    this.#textEpochs = space.textEpochs
    this.#lowerEpochs = space.lowerEpochs
    this.#fieldIndexes = space.fieldIndexes
    this.#lowers = space.lowers
    this.#event = event
    this.#clock = clock
    const { keys } = event
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]
      if (key < 0) continue
      const subject = SUBJECT_DYNAMIC + key
      if (this.#textEpochs[subject] === this.#epoch) continue
      this.#textEpochs[subject] = this.#epoch
      this.#fieldIndexes[subject - SUBJECT_DYNAMIC] = i
    }
  }

  /** The text of a subject, or undefined when the event has none. */
  text(subject: Subject): string | undefined {
    if (subject >= SUBJECT_DYNAMIC) return this.#textEpochs[subject] === this.#epoch ? this.#event.valueAt(this.#fieldIndexes[subject - SUBJECT_DYNAMIC]) : undefined
    const event = this.#event
    if (subject >= SUBJECT_STATIC) return event.statics[subject - SUBJECT_STATIC]
    switch (subject) {
      case SUBJECT_LOG:
        return event.log
      case SUBJECT_PROGRAM_NAME:
        return event.programName
      case SUBJECT_HOSTNAME:
        return this.hostnameOf(event)
      case SUBJECT_LOCATION:
        return event.location
      case SUBJECT_USER:
        return event.statics[STATIC_INDEX.dstuser] ?? event.statics[STATIC_INDEX.srcuser]
      case SUBJECT_LIST_USER:
        return event.statics[STATIC_INDEX.srcuser] ?? event.statics[STATIC_INDEX.dstuser]
      default:
        return undefined
    }
  }

  /** The host of an event; that of the manager if it names none. */
  hostnameOf({ hostname }: Event): string {
    return hostname ?? this.#managerName
  }

  /** The first byte of the log, as `byteAt` returns it. */
  logByte(): number {
    const event = this.#event
    return event.hasUnreadLog ? UNREAD_BYTE : byteAt(event.log, 0)
  }

  /** The text of a subject that the event has, for patterns. */
  #searched(subject: Subject, text: string): SearchedText {
    return subject === SUBJECT_LOG ? searchedLog(this.#event) : searchedText(text, this.lower(subject))
  }

  /** The lower-case text of a subject that the event has. */
  lower(subject: Subject): string {
    if (subject === SUBJECT_LOG) return this.#event.logLower
    if (this.#lowerEpochs[subject] !== this.#epoch) {
      this.#lowerEpochs[subject] = this.#epoch
      this.#lowers[subject] = subject >= SUBJECT_DYNAMIC ? this.#event.lowerAt(this.#fieldIndexes[subject - SUBJECT_DYNAMIC]) : foldCase(this.text(subject) as string)
    }
    return this.#lowers[subject]
  }

  /** Prepares the prefilters of a list of rules for `next`. @param subjects those of the tests of dynamic fields, if there are such */
  prefilterListOf(prefilters: readonly number[], subjects: readonly Subject[]): PrefilterList {
    return this.#prefilters.listOf(prefilters, subjects)
  }

  /** Returns the index, from `from` on, of the first rule that may match according to its prefilter and its test; the size of the list when there is none. */
  next(list: RuleList, from: number): number {
    const scanner = this.#prefilters
    const { tests } = list
    if (tests === null) return scanner.next(list, from)
    const { size } = list
    const words = WORDS
    const subjects = extrasOf(list)
    const epochs = this.#textEpochs
    const epoch = this.#epoch
    let at = from
    while (at < size) {
      const subject = words[subjects + at]
      if (subject >= 0 && (epochs[subject] !== epoch || this.#lacksLiteral(tests[at] as Condition))) {
        at++
        continue
      }
      const next = scanner.next(list, at)
      if (next === at) break
      at = next
    }
    return at
  }

  /** Whether the text of a dynamic field, which the event has, contains no literal that the test requires. */
  #lacksLiteral(condition: Condition): boolean {
    const { literal, literals, index } = condition
    if (literal === null && literals.length === 0) return false
    const known = this.#results[index]
    if (known >> 2 === this.#epoch) return (known & 3) === FAILED
    const event = this.#event
    const field = this.#fieldIndexes[condition.subject - SUBJECT_DYNAMIC]
    const start = event.startInLog(field)
    const lacks =
      start >= 0 && event.log.length <= LOG_ROOM
        ? lacksLiterals(condition, searchedLog(event).address + start, event.lengthInLog(field))
        : literal === null
          ? lacksAll(literals, this.lower(condition.subject))
          : !literal.isInString(this.lower(condition.subject))
    this.#results[index] = this.#epoch * 4 + (lacks ? FAILED : MAY_PASS)
    return lacks
  }

  passes(condition: Condition): boolean {
    const known = this.#results[condition.index]
    if (known >> 2 === this.#epoch && (known & 3) !== MAY_PASS) return (known & 3) === PASSED
    const result = this.#evaluate(condition)
    this.#results[condition.index] = this.#epoch * 4 + (result ? PASSED : FAILED)
    return result
  }

  #evaluate(condition: Condition): boolean {
    const { logPrefilter, subject, matcher } = condition
    if (!this.#prefilters.mayMatch(logPrefilter)) return false
    if (matcher !== null) {
      const text = this.text(subject)
      if (text === undefined) return false
      const { exactValues } = condition
      if (exactValues !== null && !hasLengthOf(text, exactValues)) return false
      return matcher.matches(this.#searched(subject, text), 0) !== condition.negate
    }
    const { test } = condition
    if (test.kind === 'event') return test.passes(this.#event, this.#clock)
    const text = this.text(subject)
    return text !== undefined && (test.kind === 'exact' ? text === test.text : test.kind === 'text' && test.passes(text)) !== condition.negate
  }

  /** Evaluates a list condition. Lists are evaluated last, and their results are not stored. */
  passesList({ path, subject, lookup, check }: CompiledListCondition): boolean {
    const text = this.text(subject)
    // Loading leaves out rules whose list is missing, so the list exists.
    return text !== undefined && lookUp(this.#lists.get(path) as CdbList, lookup, text, check)
  }
}

function lacksAll(literals: readonly Literal[], lower: string): boolean {
  for (let i = 0; i < literals.length; i++) if (literals[i].isInString(lower)) return false
  return true
}

/** The same for a text in the memory of the kernel. */
function lacksLiterals({ literal, literals }: Condition, address: number, length: number): boolean {
  if (literal !== null) return indexOfLiteral(literal.address, address, length, 0, 0) < 0
  for (let i = 0; i < literals.length; i++) if (indexOfLiteral(literals[i].address, address, length, 0, 0) >= 0) return false
  return true
}

/** Whether a value has the length of the text. Avoids folding a text that cannot equal any value. */
function hasLengthOf(text: string, values: readonly string[]): boolean {
  for (let i = 0; i < values.length; i++) if (values[i].length === text.length) return true
  return false
}
