/**
 * Which rulesets organizations have compiled, with their files, on the main side: a request by `compiled_hash` finds its files here, whatever became of
 * the thread that compiled them. An organization finds only what it has compiled itself.
 */
import { LRUCache } from 'lru-cache'
import type { FileSource } from './protocol.js'

/** Organizations of one ruleset that are remembered; content shared by more is content that everyone has, and they may send it again. */
const ORGANIZATIONS_LIMIT = 1000
const ENTRY_BYTES = 1024

export interface LedgerEntry {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly diskId: string
  readonly source: FileSource
  readonly organizations: Set<string>
}

export class RulesetLedger {
  readonly #entries: LRUCache<string, LedgerEntry>

  /** @param maxBytes of source text */
  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  /** An organization has compiled this. */
  note(compiledHash: string, organization: string, entry: Omit<LedgerEntry, 'organizations'>): void {
    const known = this.#entries.get(compiledHash)
    const organizations = known?.organizations ?? new Set<string>()
    if (organizations.size < ORGANIZATIONS_LIMIT) organizations.add(organization)
    if (known !== undefined && known.diskId === entry.diskId) return
    // The same content on newer disk content: that stays longer.
    this.#entries.set(compiledHash, { ...entry, organizations }, { size: ENTRY_BYTES + sizeOf(entry.source) })
  }

  find(compiledHash: string, organization: string): LedgerEntry | null {
    const entry = this.#entries.get(compiledHash)
    return entry?.organizations.has(organization) ? entry : null
  }
}

function sizeOf(source: FileSource): number {
  return 'body' in source ? source.body.byteLength : source.files.reduce((size, { filename, content }) => size + filename.length + content.length, 0)
}
