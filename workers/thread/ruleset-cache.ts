/**
 * Compiled rulesets of one thread, by key. Invariants:
 *  1. the base (default files) and the content of the two folders alone are pinned: they are compiled once for each disk content and never evicted
 *  2. all other entries are evicted, as in `SharedCache`, as soon as the estimated size of all entries exceeds the limit. A single entry above the limit stays
 *     until the next one is added: otherwise a person who edits a large ruleset would wait for its compilation with every event
 *  3. the key of an entry covers everything that decides the result of compilation, so an entry is never stale
 *
 * Size of an entry. Heap measurements are too imprecise for a single entry (a collection may happen in between), so the size is an estimate, calibrated on
 * `--expose-gc` heap deltas: a layer of five rules takes 105 KB on the reference ruleset and 130 KB on the stock one (4,511 rules): 30 KB compiled, 40 KB that
 * its runner learns from events, 10 KB for traces, the rest diagnostics. 1,000 simple rules of 220 KB take 1.1 MB (4 x source). Shipped content, which is dense
 * with patterns, takes 23 x source: 52 MB for 2.24 MB. The estimate assumes dense content: a cache that holds less than it could is slower, one that holds too
 * much may end the thread. The text of hostile sources may say little about their compiled size, so three things are counted separately: files, places in the
 * rule tree, and diagnostics, whose texts are counted when they are created.
 */
import type { CompiledRuleset, DiagnosticRecord, EventRunner as Runner, IsOwn, Locale, SourceFile, ValidationReport } from '#engine'
import { adoptChecks, compileLayer, compileRuleset, countOf, describeDiagnostics, diagnosticsWithProofs, EventRunner, isContentOk, knownChecks, presentDiagnostic } from '#engine'
import { baseFiles, composeRuleset, planRuleset, type RulesetPlan, usedFolders, withoutBase } from '../content/compose.js'
import { DISK_GENERATIONS, rulesetKey } from '../content/content.js'
import { now } from '../shared/clock.js'
import type { BaseChecks, DiskContent, FileSource, RulesetReference } from '../shared/protocol.js'
import { SharedCache } from '../shared/shared-cache.js'
import { findUnreadable, nameOf } from './unreadable.js'

/** Fixed size of an entry. */
export const ENTRY_BYTES = 160 * 1024
/** Heap per byte of source. */
export const BYTES_PER_SOURCE_BYTE = 24
/** Size of a file without its text. */
const FILE_BYTES = 512
/** Size of a rule's place in the tree: a rule under `if_group` may have a hundred thousand places. */
const PLACEMENT_BYTES = 200
/** Size of a diagnostic without its texts. */
const DIAGNOSTIC_BYTES = 512
/** A compiled ruleset with its diagnostics. */
export interface CachedRuleset {
  readonly ruleset: CompiledRuleset
  readonly runner: Runner
  /** Equals `ok` of its diagnostics, without creating their texts: no error is in files of the request. */
  readonly isContentOk: boolean
  /** Returns its diagnostics with texts. @param withProofs with those that need a proof, which takes up to half a second. Default: false */
  report(locale: Locale, includeBaseline: boolean, withProofs?: boolean): ContentReport
  /** Returns diagnostics in the request's own files that cannot be parsed; empty: all can be parsed. */
  unreadable(locale: Locale): readonly DiagnosticRecord[]
}

/** Diagnostics as JSON: they are the same in every answer, and often most of it. As objects they would take five times the memory. */
export interface ContentReport extends ValidationReport {
  /** Parsed from the JSON at each read. */
  readonly diagnostics: ValidationReport['diagnostics']
  /** With those that are only counted. */
  readonly diagnosticCount: number
  /** The diagnostics without the brackets of the array. */
  readonly diagnosticsJson: string
  readonly summaryJson: string
}

export interface FoundRuleset {
  readonly entry: CachedRuleset
  readonly cacheHit: boolean
  readonly sourceMs: number
  readonly compileMs: number
}

export type RulesetLookup = FoundRuleset | 'disk' | 'ruleset'

/** Compiled parts of one disk content. */
interface Disk {
  readonly content: DiskContent
  base: CompiledRuleset | null
  /** By the folders that are used. */
  readonly pinned: Map<string, CachedRuleset>
}

/** Returns the files in a body; null: the body is not available. */
export type ReadFiles = (source: FileSource) => readonly SourceFile[] | null

const NONE: readonly string[] = []
const NO_BODIES: ReadFiles = (source) => ('files' in source ? source.files : null)

export class RulesetCache {
  readonly #disks = new Map<string, Disk>()
  readonly #entries: SharedCache<CachedRuleset>
  #evicted: string[] = []

  /** @param maxBytes limit of all entries that are not pinned */
  constructor(maxBytes: number) {
    this.#entries = new SharedCache({ maxSize: maxBytes, onEvict: (_entry, key) => void this.#evicted.push(key) })
  }

  /** Returns the keys that were evicted since the last call. */
  takeEvicted(): readonly string[] {
    if (this.#evicted.length === 0) return NONE
    const evicted = this.#evicted
    this.#evicted = []
    return evicted
  }

  get bytes(): number {
    return this.#entries.bytes
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds disk content and removes the oldest. Compiles nothing yet. */
  addDisk(content: DiskContent): void {
    if (this.#disks.has(content.id)) return
    const sameDefaults = [...this.#disks.values()].find(({ content: { defaultsId } }) => defaultsId === content.defaultsId)
    this.#disks.set(content.id, { content, base: sameDefaults?.base ?? null, pinned: new Map() })
    const oldest = this.#disks.keys().next().value
    if (this.#disks.size > DISK_GENERATIONS && oldest !== undefined) this.#disks.delete(oldest)
  }

  /** Removes content that is not to be used after all. */
  removeDisk(id: string): void {
    this.#disks.delete(id)
  }

  /** Compiles the content that every task needs. */
  warm(content: DiskContent): void {
    this.addDisk(content)
    this.#pinned(content.id, true, true)
  }

  /** What the checks have found in the base of a disk content; null: there is no base, or they have not run. */
  checksOf(diskId: string): BaseChecks | null {
    const base = this.#disks.get(diskId)?.base ?? null
    const diagnostics = base === null ? null : knownChecks(base)
    return base === null || diagnostics === null ? null : { hash: base.hash, diagnostics }
  }

  /** Takes over what another thread has found, if the base of the disk content is the same. */
  adoptChecks(diskId: string, { hash, diagnostics }: BaseChecks): void {
    const base = this.#disks.get(diskId)?.base ?? null
    if (base?.hash === hash) adoptChecks(base, diagnostics)
  }

  /** Returns the key of files on known disk content; null: the content is not known. */
  keyOf(organization: string, diskId: string, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): string | null {
    const disk = this.#disks.get(diskId)
    return disk === undefined ? null : rulesetKey(organization, disk.content, includeDefaults, includeCustom, files)
  }

  /** Returns the ruleset of a reference, and compiles it if it is not cached; or what the thread lacks. */
  find(reference: RulesetReference, readFiles: ReadFiles = NO_BODIES): RulesetLookup {
    if (reference.disk !== null) this.addDisk(reference.disk)
    const { key, organization, diskId, includeDefaults, includeCustom, source } = reference
    if ((includeDefaults || includeCustom) && !this.#disks.has(diskId)) return 'disk'
    const started = now()
    if (source !== null && 'files' in source && source.files.length === 0) {
      const { entry, cacheHit } = this.#pinned(diskId, includeDefaults, includeCustom)
      return { entry, cacheHit, sourceMs: 0, compileMs: cacheHit ? 0 : now() - started }
    }
    const cached = this.#entries.get(organization, key)
    if (cached !== undefined) return { entry: cached, cacheHit: true, sourceMs: 0, compileMs: 0 }
    const files = source === null ? null : readFiles(source)
    if (files === null) return 'ruleset'
    const plan = this.#plan(diskId, includeDefaults, includeCustom, files)
    const composed = now()
    const disk = this.#disks.get(diskId)
    const loadedFromDisk = disk !== undefined && fromDisk(disk.content, includeDefaults, includeCustom, files)
    const ruleset = plan.base === null ? compileRuleset(plan.files) : compileLayer(plan.base, plan.files)
    // A ruleset that was compiled without a base shares nothing with it, so all of it counts.
    const [compiled, shared] = plan.isLayer ? [plan.files, plan.base?.rules.nodeCount ?? 0] : [ruleset.files.map(({ file }) => file), 0]
    let bytes = estimateBytes(compiled) + (ruleset.rules.nodeCount - shared) * PLACEMENT_BYTES + ruleset.loadDiagnostics.length * DIAGNOSTIC_BYTES
    const entry = createEntry(ruleset, loadedFromDisk, files, (more) => {
      bytes += more
      if (this.#entries.peek(organization, key) === entry) this.#entries.set(organization, key, entry, bytes)
    })
    const compileMs = now() - composed
    this.#entries.set(organization, key, entry, bytes)
    return { entry, cacheHit: false, sourceMs: composed - started, compileMs }
  }

  /** Returns the content of the folders without a request's files. */
  #pinned(diskId: string, includeDefaults: boolean, includeCustom: boolean): { entry: CachedRuleset; cacheHit: boolean } {
    const disk = this.#disks.get(diskId)
    if (disk === undefined) return { entry: createEntry(compileRuleset([]), false), cacheHit: false }
    const { content } = disk
    // As in `rulesetKey`: an empty folder is treated as absent.
    const name = `${includeDefaults && content.defaults.length > 0} ${includeCustom && content.custom.length > 0}`
    const known = disk.pinned.get(name)
    if (known !== undefined) return { entry: known, cacheHit: true }
    const custom = includeCustom ? content.custom : []
    const entry = createEntry(
      includeDefaults ? compileLayer(baseOf(disk), withoutBase(composeRuleset(content.defaults, custom, []), content.defaults)) : compileRuleset(custom),
      fromDisk(content, includeDefaults, includeCustom, []),
    )
    disk.pinned.set(name, entry)
    return { entry, cacheHit: false }
  }

  /** Returns the base on which the files are compiled, and the files that remain. */
  #plan(diskId: string, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): RulesetPlan {
    const disk = this.#disks.get(diskId)
    if (disk === undefined || (!includeDefaults && !includeCustom)) return { base: null, files, isLayer: false }
    const { defaults, custom } = disk.content
    return planRuleset(includeDefaults ? defaults : [], includeCustom ? custom : [], files, {
      folders: () => this.#pinned(diskId, includeDefaults, includeCustom).entry.ruleset,
      base: () => (includeDefaults ? baseOf(disk) : null),
    })
  }
}

/** Estimates the heap that compiled files take, rather too high. */
export function estimateBytes(files: readonly SourceFile[]): number {
  let source = 0
  for (const { content } of files) source += content.length
  return ENTRY_BYTES + files.length * FILE_BYTES + source * BYTES_PER_SOURCE_BYTE
}

function baseOf(disk: Disk): CompiledRuleset {
  disk.base ??= compileRuleset(baseFiles(disk.content.defaults))
  return disk.base
}

function fromDisk(content: DiskContent, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): boolean {
  const { fromDefaults, fromCustom } = usedFolders(content, includeDefaults, includeCustom, files)
  return fromDefaults || fromCustom
}

/** @param onGrown called with the number of additional bytes that the entry takes */
function createEntry(ruleset: CompiledRuleset, loadedFromDisk: boolean, own: readonly SourceFile[] = [], onGrown: (bytes: number) => void = () => {}): CachedRuleset {
  const cached = new Map<string, ContentReport>()
  const runner = new EventRunner(ruleset)
  const unreadable = findUnreadable(ruleset.loadDiagnostics, own)
  const isOwn = isOwnOf(own)
  let contentOk: boolean | null = null
  return {
    ruleset,
    runner,
    get isContentOk() {
      contentOk ??= isContentOk(ruleset, isOwn)
      return contentOk
    },
    report: (locale, includeBaseline, withProofs = false) => {
      const key = `${locale} ${includeBaseline} ${withProofs}`
      let report = cached.get(key)
      if (report === undefined) {
        report = toContentReport(describeDiagnostics(ruleset, { locale, includeBaseline, loadedFromDisk, isOwn, ...(withProofs ? { diagnosticsOf: diagnosticsWithProofs } : {}) }))
        cached.set(key, report)
        onGrown(report.diagnosticsJson.length + ruleset.diagnosticsWithoutAttacks.length * DIAGNOSTIC_BYTES)
      }
      return report
    },
    unreadable: (locale) => (unreadable.length === 0 ? unreadable : unreadable.map((diagnostic) => presentDiagnostic(diagnostic, locale))) as readonly DiagnosticRecord[],
  }
}

/**
 * Returns a predicate for files whose errors make `ok` false: those of the request that are not reference content. Errors in the operator's custom folder are
 * reported, but no client can correct them. A file of the folder with the name and scope of one of the request's files counts as that file.
 */
function isOwnOf(files: readonly SourceFile[]): IsOwn {
  const names = new Set(files.filter(({ scope }) => scope !== 'default').map(nameOf))
  return (file) => names.has(nameOf(file))
}

function toContentReport({ ok, loads, summary, diagnostics, baseline_issue_count }: ValidationReport): ContentReport {
  const json = JSON.stringify(diagnostics)
  return {
    ok,
    loads,
    summary,
    baseline_issue_count,
    get diagnostics() {
      return JSON.parse(json) as ValidationReport['diagnostics']
    },
    diagnosticCount: countOf(diagnostics),
    diagnosticsJson: json.slice(1, -1),
    summaryJson: JSON.stringify(summary),
  }
}
