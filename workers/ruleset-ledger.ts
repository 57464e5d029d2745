/**
 * Which rulesets callers have compiled, with their files, on the main side: a request by `compiled_hash` finds its files here, whatever became of
 * the thread that compiled them. A caller finds only what it has compiled itself.
 */
import { LRUCache } from 'lru-cache'
import type { SourceFile } from '#engine'

/** Callers of one ruleset that are remembered; content shared by more is content that everyone has, and they may send it again. */
const CALLERS_LIMIT = 1000
const ENTRY_BYTES = 1024

export interface LedgerEntry {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly diskId: string
  readonly files: readonly SourceFile[]
  readonly callers: Set<string>
}

export class RulesetLedger {
  readonly #entries: LRUCache<string, LedgerEntry>

  /** @param maxBytes of source text */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  /** A caller has compiled this. */
  note(compiledHash: string, caller: string, entry: Omit<LedgerEntry, 'callers'>): void {
    const known = this.#entries.get(compiledHash)
    const callers = known?.callers ?? new Set<string>()
    if (callers.size < CALLERS_LIMIT) callers.add(caller)
    if (known !== undefined && known.diskId === entry.diskId) return
    // The same content on newer disk content: that stays longer.
    let size = ENTRY_BYTES
    for (const { content } of entry.files) size += content.length
    this.#entries.set(compiledHash, { ...entry, callers }, { size })
  }

  find(compiledHash: string, caller: string): LedgerEntry | null {
    const entry = this.#entries.get(compiledHash)
    return entry?.callers.has(caller) ? entry : null
  }
}
