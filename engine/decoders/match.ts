/**
 * Runs the decoders over one event (BEHAVIOUR.md#choice-of-decoders): choose a root, choose the entry child, run its family.
 *
 * What depends only on the program name is computed once per name and cached. Other roots are tried only if they can match a text with the
 * first byte of the log. Both shortcuts omit only decoders that cannot match.
 */
import type { DecoderType, Event } from '../event/event.js'
import type { Expression, Matcher, MatchResult } from '../expressions/expression.js'
import { createMatchResult } from '../expressions/expression.js'
import type { PrefilterScanner } from '../expressions/prefilter-table.js'
import { byteAt, canBeginWith, LEADING_BYTES } from '../expressions/leading-byte.js'
import { FlatFields } from '../json/flat-fields.js'
import type { JsonPath } from '../json/paths.js'
import { searchedLog } from '../kernel/searched-text.js'
import { copyOf, foldCase } from '../source/byte-string.js'
import type { DecodeRecorder } from './recorder.js'
import type { CompiledDecoder, Offset } from '../event/decoder.js'
import type { DecoderList } from './entry-index.js'
import { MIN_INDEXED_CHILDREN, nextEntry } from './entry-index.js'
import type { DecoderTree } from './link.js'
import { ORDER_LIMIT } from '../event/decoder.js'
import { PLUGIN_TABLE } from './plugins/index.js'
import type { PluginContext } from './plugins/plugin.js'
import { type TriedDecoder, triedOf } from './tried-decoder.js'

/** Maximum number of cached program names. The cache is cleared when it is full. */
const PROGRAM_NAMES_REMEMBERED = 4096

const NO_GROUPS: readonly string[] = []

/** What the events of a session leave in Wazuh's list of captures (BEHAVIOUR.md#captures-kept-between-searches). */
export interface KeptCaptures {
  /** Groups that nothing has taken yet. */
  captures: readonly string[]
  /** Whether any expression captured something: before that Wazuh has no list, and crashes where it passes the list on. */
  hasCaptured: boolean
}

/** Roots to try. */
interface RootList extends DecoderList {
  /** What an attempt of each reads; null: it was not tried yet, or none was. */
  tried: (TriedDecoder | null)[] | null
  /** Whether matching a name leaves groups that matter later. If not, the list is already restricted to roots whose name matches. */
  readonly namesLeaveGroups: boolean
}

/** Roots for one program name, or for logs without one, with their subset for each first byte of the log, computed on first use. */
class Roots {
  /** The name as first seen. */
  readonly programName: string | undefined
  readonly #roots: readonly CompiledDecoder[]
  readonly #lists: (RootList | null)[] = new Array(LEADING_BYTES).fill(null)

  constructor(programName: string | undefined, roots: readonly CompiledDecoder[]) {
    this.programName = programName
    this.#roots = roots
  }

  listFor(log: string, scanner: PrefilterScanner): RootList {
    const first = byteAt(log, 0)
    let list = this.#lists[first]
    if (list === null) {
      // A rejected root clears the groups left by a name before it, so every root must then be tried.
      const namesLeaveGroups = this.programName !== undefined && this.#roots.some(({ programName }) => programName !== null && keepsGroups(programName))
      const roots = namesLeaveGroups ? this.#roots : this.#roots.filter(({ prematch }) => canBeginWith(prematch, first))
      list = {
        decoders: roots,
        tried: null,
        ...scanner.listOf(roots.map(({ prematchPrefilter }) => (namesLeaveGroups ? -1 : prematchPrefilter))),
        namesLeaveGroups,
      }
      this.#lists[first] = list
    }
    return list
  }
}

/** Matches events against the decoders of a ruleset. One per compiled ruleset and thread; not reentrant. */
export class DecoderMatcher implements PluginContext {
  event!: Event
  reported!: CompiledDecoder
  #type: DecoderType = 'syslog'
  afterParent = -1
  afterPrematch = -1
  readonly jsonRoot: JsonPath
  readonly flatFields = new FlatFields()

  readonly #tree: DecoderTree
  readonly #prefilters: PrefilterScanner
  readonly #knowsRule: (id: number) => boolean
  readonly #result: MatchResult = createMatchResult()
  readonly #rootsByProgram = new Map<string, Roots>()
  #observe: ((decoder: CompiledDecoder) => void) | null = null
  readonly #plainRoots: Roots
  /** Groups left by a PCRE2 prematch or an earlier event. A PCRE2 regex without groups extracts them (BEHAVIOUR.md#captures-kept-between-searches). */
  #leftover: readonly string[] = NO_GROUPS
  /** The groups with which the event began. */
  #inherited: readonly string[] = NO_GROUPS
  /** Whether any expression captured something in this session. */
  #hasCaptured = false
  /** Whether the last event had nothing captured before where a decoder assigns that: an earlier event could have left something. */
  lacksCaptures = false

  constructor(tree: DecoderTree, jsonRoot: JsonPath, knowsRule: (id: number) => boolean, prefilters: PrefilterScanner) {
    this.#prefilters = prefilters
    this.#tree = tree
    this.jsonRoot = jsonRoot
    this.#knowsRule = knowsRule
    this.#plainRoots = new Roots(undefined, tree.plainRoots)
  }

  knowsRule(id: number): boolean {
    return this.#knowsRule(id)
  }

  /**
   * Sets the event's decoder, type and fields.
   * @param session null: nothing was captured before
   * @param recorder receives each decision, or null
   */
  run(event: Event, session: KeptCaptures | null, recorder: DecodeRecorder | null): void {
    this.event = event
    const inherited = session === null || session.captures.length === 0 ? NO_GROUPS : session.captures
    this.#inherited = inherited
    this.#leftover = inherited
    this.lacksCaptures = false
    this.#hasCaptured = session?.hasCaptured === true
    this.#prefilters.begin(event)
    // Rejected roots clear left-over groups, so they can be omitted only when there are none.
    if (recorder !== null || inherited !== NO_GROUPS) this.#tryAll(event, recorder)
    else this.#tryList(this.#rootsOf(event).listFor(event.log, this.#prefilters))
    if (session === null) return
    session.hasCaptured = this.#hasCaptured
    if (this.#leftover !== inherited) session.captures = this.#leftover.map(copyOf)
  }

  /** The index, from `from` on, of the first decoder whose prematch may match; the length when there is none. */
  next(list: DecoderList, from: number): number {
    return this.#prefilters.next(list, from)
  }

  #tryList(list: RootList): void {
    const { programName } = this.event
    const { decoders, namesLeaveGroups } = list
    for (let i = this.next(list, 0); i < decoders.length; i = this.next(list, i + 1)) {
      if (namesLeaveGroups && programName !== undefined && !this.#test(decoders[i].programName as Expression, programName, foldCase(programName))) continue
      const tried = (list.tried ??= new Array<TriedDecoder | null>(list.size).fill(null))
      if (this.#tryRoot((tried[i] ??= triedOf(decoders[i])), null)) return
    }
  }

  /** Calls a function before each attempt of a pattern of a decoder. */
  observe(tried: (decoder: CompiledDecoder) => void): void {
    this.#observe = tried
  }

  /** Tries every root in order, as Wazuh does, and reports each decision to the recorder. */
  #tryAll({ programName }: Event, recorder: DecodeRecorder | null): void {
    for (const root of programName === undefined ? this.#tree.plainRoots : this.#tree.programRoots) {
      if (programName !== undefined && !this.#test(root.programName as Expression, programName, foldCase(programName))) recorder?.rootRejected(root, 'program_name', programName)
      else if (this.#tryRoot(triedOf(root), recorder)) return
    }
  }

  setStatic(index: number, value: string): void {
    this.event.statics[index] = value
  }

  addFields(fields: FlatFields): void {
    this.event.addFields(fields, ORDER_LIMIT)
  }

  /** Also replaces the event's program name by the cached string, for which later lookups are faster. */
  #rootsOf(event: Event): Roots {
    const { programName } = event
    if (programName === undefined) return this.#plainRoots
    let known = this.#rootsByProgram.get(programName)
    if (known === undefined) {
      const lower = foldCase(programName)
      const { programRoots } = this.#tree
      const mayLeaveGroups = programRoots.some(({ programName: expression }) => expression !== null && keepsGroups(expression))
      const roots = programRoots.filter(({ programName: expression }) => {
        if (expression === null) return false
        // These must be tried in order even if they cannot match, because they change the left-over groups.
        if (keepsGroups(expression) || (mayLeaveGroups && expression.dialect === 'osregex')) return true
        return expression.test(programName, lower, 0)
      })
      const kept = copyOf(programName)
      known = new Roots(kept, roots)
      if (this.#rootsByProgram.size >= PROGRAM_NAMES_REMEMBERED) this.#rootsByProgram.clear()
      this.#rootsByProgram.set(kept, known)
    }
    event.programName = known.programName
    return known
  }

  /** Tests a pattern that reports no groups itself, but whose groups Wazuh may keep. */
  #test(expression: Expression, text: string, lower: string): boolean {
    if (!keepsGroups(expression)) {
      if (expression.dialect === 'osregex') this.#leftover = NO_GROUPS
      return expression.test(text, lower, 0)
    }
    const result = this.#result
    if (!expression.search(text, lower, 0, result)) return false
    this.#keepGroups(text, result)
    return true
  }

  /** Searches the log from an offset and updates the left-over groups. */
  #search(expression: Matcher, from: number, prefilter: number): boolean {
    if (!this.#prefilters.mayMatch(prefilter)) {
      if (expression.dialect === 'osregex') this.#leftover = NO_GROUPS
      return false
    }
    const { event } = this
    const result = this.#result
    const matched = expression.find(searchedLog(event), from, result)
    if (expression.dialect === 'osregex') this.#leftover = NO_GROUPS
    else if (matched) this.#keepGroups(event.log, result)
    return matched
  }

  #keepGroups(text: string, result: MatchResult): void {
    if (result.count === 0) return
    this.#hasCaptured = true
    const groups: string[] = []
    const count = Math.min(result.count, ORDER_LIMIT)
    for (let i = 0; i < count; i++) groups.push(text.slice(result.bounds[2 * i], result.bounds[2 * i + 1]))
    this.#leftover = groups
  }

  /** Offset at which the text continues after the last search, which started at `from` (BEHAVIOUR.md#text-after-a-match). */
  #after(from: number): number {
    const { event } = this
    const { end } = this.#result
    if (end < from) return from === 0 && !event.logFollowsByte ? event.log.length : from
    return end >= event.log.length ? event.log.length : end + 1
  }

  /** Returns true when the root was chosen; then no other root is tried. */
  #tryRoot(root: TriedDecoder, recorder: DecodeRecorder | null): boolean {
    const { event } = this
    let afterParent = 0
    this.#observe?.(root.decoder)
    if (root.prematch !== null) {
      if (!this.#search(root.prematch, 0, root.prematchPrefilter)) {
        recorder?.rootRejected(root.decoder, 'prematch', event.log)
        return false
      }
      afterParent = this.#after(0)
    }
    recorder?.rootMatched(root.decoder)
    this.#report(root)
    this.afterParent = afterParent
    this.afterPrematch = afterParent
    const entry = root.size === 0 ? 0 : this.#chooseChild(root, recorder)
    event.decoder = this.reported
    // Set before the plugins run, because some of them set another type.
    event.type = this.#type
    if (entry >= 0) this.#execute(root, entry, recorder)
    return true
  }

  #report({ decoder, type }: TriedDecoder): void {
    this.reported = decoder
    this.#type = type
  }

  /** Index of the entry child in the root's list, or -1. */
  #chooseChild(root: TriedDecoder, recorder: DecodeRecorder | null): number {
    // Rejections also clear left-over groups, so they can be skipped only when there are none.
    if (recorder === null && root.size >= MIN_INDEXED_CHILDREN && this.#leftover.length === 0) {
      const entries = root.entries.find(this.event.log, this.afterParent, this.#prefilters)
      const { size, positions } = entries
      for (let i = this.next(entries, 0); i < size; i = this.next(entries, i + 1)) {
        if (this.#enters(root.child(positions[i]), null)) return positions[i]
      }
      return -1
    }
    const { children } = root.decoder
    for (let i = 0; i >= 0; i = nextEntry(children, i)) if (this.#enters(root.child(i), recorder)) return i
    return -1
  }

  #enters(child: TriedDecoder, recorder: DecodeRecorder | null): boolean {
    this.#observe?.(child.decoder)
    if (child.prematch === null) {
      recorder?.childEntered(child.decoder)
      return true
    }
    const from = child.isAfterParent ? this.afterParent : 0
    if (!this.#search(child.prematch, from, child.prematchPrefilter)) {
      recorder?.childRejected(child.decoder, from)
      return false
    }
    this.#report(child)
    this.afterPrematch = this.#after(from)
    recorder?.childMatched(child.decoder)
    return true
  }

  /** Runs the child at `entry` and the members that its family adds; a root without children runs itself. */
  #execute(root: TriedDecoder, entry: number, recorder: DecodeRecorder | null): void {
    const { event } = this
    let lastRegex = -1
    const size = Math.max(root.size, 1)
    for (let i = entry; i < size; i++) {
      const tried = root.size === 0 ? root : root.child(i)
      const { decoder, plugin, regex } = tried
      this.#observe?.(decoder)
      if (plugin !== null) {
        PLUGIN_TABLE[plugin](this)
        if (plugin === 'SonicWall_Decoder') this.#leftover = NO_GROUPS
        recorder?.pluginRun(decoder)
      } else if (regex !== null) {
        const from = this.#startOf(tried.regexOffset, lastRegex)
        const before = this.#leftover
        if (this.#search(regex, from, tried.regexPrefilter)) {
          if (event.names.length >= ORDER_LIMIT) {
            // Nothing takes the groups.
            this.#keepGroups(event.log, this.#result)
            return
          }
          lastRegex = this.#after(from)
          this.#assign(tried, before)
          recorder?.regexMatched(decoder, from, this.#result)
          if (!this.#hasCaptured && regex.dialect === 'pcre2') event.noteCrash('groups_unset', decoder.definition)
        } else {
          recorder?.regexFailed(decoder, from)
          if (this.#result.unsound) {
            this.#result.unsound = false
            event.noteCrash('group_ends_early', decoder.definition)
          }
        }
      } else return
      if (!tried.continues) return
    }
  }

  #startOf(offset: Offset, lastRegex: number): number {
    if (offset === 'none') return 0
    if (offset === 'after_parent') return this.afterParent
    if (offset === 'after_regex' && lastRegex >= 0) return lastRegex
    return this.afterPrematch
  }

  /** Assigns the groups of the last search, or the left-over ones, to the fields. */
  #assign({ decoder, regex, order }: TriedDecoder, before: readonly string[]): void {
    const { event } = this
    const { bounds, count } = this.#result
    if (count > 0) this.#hasCaptured = true
    if (order === null) return
    const inherited = count === 0 && regex?.dialect === 'pcre2' ? before : null
    if (inherited !== null && inherited.length === 0) this.lacksCaptures = true
    const total = Math.min(inherited === null ? count : inherited.length, order.length)
    if (inherited !== null && inherited === this.#inherited && total > 0) event.noteForeignCaptures(decoder, total)
    for (let i = 0; i < total; i++) {
      const value = inherited === null ? event.log.slice(bounds[2 * i], bounds[2 * i + 1]) : inherited[i]
      const { staticIndex, name, key } = order[i]
      if (staticIndex >= 0) event.statics[staticIndex] = value
      else if (event.names.length < ORDER_LIMIT) event.addField(name, key, value)
    }
    this.#leftover = NO_GROUPS
  }
}

/** Whether the pattern leaves its groups in the shared capture list, as PCRE2 patterns do. */
function keepsGroups(expression: Matcher): boolean {
  return expression.dialect === 'pcre2' && expression.pattern.includes('(')
}
