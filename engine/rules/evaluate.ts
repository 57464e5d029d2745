/**
 * Answers the conditions of one event: texts of subjects, and results of conditions, are found once per event and remembered by number.
 * Nothing is allocated per condition.
 */
import type { Event } from '../event/event.js'
import { STATIC_INDEX } from '../event/static-fields.js'
import type { PrefilterList, PrefilterScanner } from '../expressions/prefilter-table.js'
import { type CdbList, lookUp } from '../lists/list.js'
import { foldCase } from '../source/byte-string.js'
import type { CompiledListCondition } from './compiled-rule.js'
import type { Condition, LocalClock, Subject } from './condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_HOSTNAME, SUBJECT_LIST_USER, SUBJECT_LOCATION, SUBJECT_LOG, SUBJECT_PROGRAM_NAME, SUBJECT_STATIC, SUBJECT_USER } from './condition.js'

/** Event numbers start again above this, so that `number * 2 + 1` stays a small integer. */
const EPOCH_LIMIT = 0x1fffffff

/**
 * Work space of all evaluators of a thread: of a stock ruleset it is 140 KB, and a thread holds thousands of rulesets, of which it runs one at a time.
 * Everything in it is marked by the number of the event that it is of, and numbers are given to the events of all evaluators in turn, so that what
 * another one left is never taken for one's own.
 */
class WorkSpace {
  epoch = 0
  /** Per condition: event number × 2 + result. */
  results = new Int32Array(0)
  /** Per subject: the event number for which a dynamic field is there, and for which `lowers` holds. */
  textEpochs = new Int32Array(0)
  lowerEpochs = new Int32Array(0)
  /** Per field name: its first place among the event's dynamic fields. */
  fieldIndexes = new Int32Array(0)
  lowers: string[] = []

  /** Makes room, a little more than is asked for: the next ruleset is a few rules larger. */
  reserve(conditions: number, subjects: number): void {
    if (this.results.length < conditions) this.results = new Int32Array(roomFor(conditions))
    if (this.textEpochs.length >= subjects) return
    const room = roomFor(subjects)
    this.textEpochs = new Int32Array(room)
    this.lowerEpochs = new Int32Array(room)
    this.fieldIndexes = new Int32Array(room)
    this.lowers = new Array<string>(room).fill('')
  }

  /** The number of the next event. */
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

/** Stands on an event until any evaluator of the thread turns to another one. */
export class ConditionEvaluator {
  #event!: Event
  #clock!: LocalClock
  #hostname = ''
  #epoch = 0
  readonly #prefilters: PrefilterScanner
  readonly #lists: ReadonlyMap<string, CdbList>
  readonly #conditions: number
  readonly #subjects: number
  /** Of the work space, as it is while this evaluator stands on its event. */
  #results = WORK_SPACE.results
  #textEpochs = WORK_SPACE.textEpochs
  #lowerEpochs = WORK_SPACE.lowerEpochs
  #fieldIndexes = WORK_SPACE.fieldIndexes
  #lowers = WORK_SPACE.lowers

  /** @param conditionCount conditions of the ruleset; @param fieldCount interned field names; @param prefilters of the log text; @param lists of the ruleset */
  constructor(conditionCount: number, fieldCount: number, prefilters: PrefilterScanner, lists: ReadonlyMap<string, CdbList>) {
    this.#prefilters = prefilters
    this.#lists = lists
    this.#conditions = conditionCount
    this.#subjects = SUBJECT_DYNAMIC + fieldCount
  }

  /** Turns to another event, whose fields are complete. @param hostname its host, or the manager's */
  begin(event: Event, hostname: string, clock: LocalClock): void {
    const space = WORK_SPACE
    space.reserve(this.#conditions, this.#subjects)
    this.#epoch = space.nextEpoch()
    this.#results = space.results
    this.#textEpochs = space.textEpochs
    this.#lowerEpochs = space.lowerEpochs
    this.#fieldIndexes = space.fieldIndexes
    this.#lowers = space.lowers
    this.#event = event
    this.#hostname = hostname
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

  /** The text of a subject, undefined when the event has none. */
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
        return this.#hostname
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

  /** A subject's text in lower case. */
  lower(subject: Subject, text: string): string {
    if (subject === SUBJECT_LOG) return this.#event.logLower
    if (this.#lowerEpochs[subject] !== this.#epoch) {
      this.#lowerEpochs[subject] = this.#epoch
      this.#lowers[subject] = foldCase(text)
    }
    return this.#lowers[subject]
  }

  /** Prepares the prefilters of a list of rules for `next`. */
  prefilterListOf(prefilters: Int32Array): PrefilterList {
    return this.#prefilters.listOf(prefilters)
  }

  /**
   * A cheap look at a list of rules: the first place from `from` on of one that may match; the length when there is none.
   * @param list of each rule one prefilter on the log
   * @param fields of each rule the subject of a dynamic field that it needs, -1 = none; null = no rule needs one
   */
  next(list: PrefilterList, fields: Int32Array | null, from: number): number {
    const scanner = this.#prefilters
    if (fields === null) return scanner.next(list, from)
    const epochs = this.#textEpochs
    const epoch = this.#epoch
    let at = from
    while (at < fields.length) {
      if (fields[at] >= 0 && epochs[fields[at]] !== epoch) {
        at++
        continue
      }
      const next = scanner.next(list, at)
      if (next === at) break
      at = next
    }
    return at
  }

  passes(condition: Condition): boolean {
    const known = this.#results[condition.index]
    if (known >> 1 === this.#epoch) return (known & 1) === 1
    const result = this.#evaluate(condition)
    this.#results[condition.index] = this.#epoch * 2 + (result ? 1 : 0)
    return result
  }

  #evaluate({ test, subject, logPrefilter, prefilter }: Condition): boolean {
    if (!this.#prefilters.mayMatch(logPrefilter)) return false
    if (test.kind === 'pattern') {
      const text = this.text(subject)
      if (prefilter !== null && prefilter.kind === 'exact' && text !== undefined && !hasLengthOf(text, prefilter.values)) return false
      return text !== undefined && test.expression.test(text, this.lower(subject, text), 0) !== test.negate
    }
    if (test.kind === 'event') return test.passes(this.#event, this.#clock)
    const text = this.text(subject)
    return text !== undefined && (test.kind === 'exact' ? text === test.text : test.passes(text)) !== test.negate
  }

  /** Lists are asked after everything else, and not remembered. */
  passesList({ path, subject, lookup, check }: CompiledListCondition): boolean {
    const text = this.text(subject)
    // A rule whose list is not there is left out.
    return text !== undefined && lookUp(this.#lists.get(path) as CdbList, lookup, text, check)
  }
}

/** Spares folding a text that is as long as none of the values it could equal. */
function hasLengthOf(text: string, values: readonly string[]): boolean {
  for (let i = 0; i < values.length; i++) if (values[i].length === text.length) return true
  return false
}
