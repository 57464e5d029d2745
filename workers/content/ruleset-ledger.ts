/**
 * The rulesets that organizations have compiled, with their files, on the main thread: a request by `compiled_hash` finds its files here, even if the thread
 * that compiled them has ended. An organization finds only rulesets that it has compiled itself.
 */
import type { FileSource } from '../shared/protocol.js'
import { SharedCache } from '../shared/shared-cache.js'

const ENTRY_BYTES = 1024

export interface LedgerEntry {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly diskId: string
  readonly source: FileSource
}

export class RulesetLedger {
  readonly #entries: SharedCache<LedgerEntry>

  /** @param maxBytes limit of the source text */
  constructor(maxBytes: number) {
    this.#entries = new SharedCache({ maxSize: maxBytes })
  }

  /** Records that an organization has compiled a ruleset. */
  note(compiledHash: string, organization: string, entry: LedgerEntry): void {
    // The same content on newer disk content replaces the entry, because newer content is kept longer.
    if (this.#entries.get(organization, compiledHash)?.diskId !== entry.diskId) this.#entries.set(organization, compiledHash, entry, ENTRY_BYTES + sizeOf(entry.source))
  }

  find(compiledHash: string, organization: string): LedgerEntry | null {
    return this.#entries.get(organization, compiledHash) ?? null
  }
}

function sizeOf(source: FileSource): number {
  return 'body' in source ? source.body.byteLength : source.files.reduce((size, { filename, content }) => size + filename.length + content.length, 0)
}
