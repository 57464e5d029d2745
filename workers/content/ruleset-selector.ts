/** Finds the ruleset that a request names: its key, its files, and the disk content that it is compiled on. */
import { LRUCache } from 'lru-cache'
import type { SourceFile } from '#engine'
import type { RulesetSelection } from '../requests/analysis-request.js'
import { now } from '../shared/clock.js'
import type { Stopped } from '../shared/failure.js'
import type { ContentNotice, DiskContent, FileSource, RulesetReference } from '../shared/protocol.js'
import { DISK_GENERATIONS, rulesetKey } from './content.js'
import { type PortableRuleset, portableSource, sharedSource } from './portable-ruleset.js'
import { RulesetLedger } from './ruleset-ledger.js'

/** Keys of small file sets are cached by their text, because hashing takes longer than the look-up. */
const KEYS_BYTES = 16 * 1024 * 1024
/** Characters of files up to which their key is cached. */
const KEY_FILES_CHARACTERS = 16 * 1024

/** How the custom content in use relates to its folder. */
export interface CustomContentState {
  /** `stale`: the folder does not load, and an older version of its content is used; `left_out`: it does not load, and no custom content is used. */
  readonly state: 'current' | ContentNotice['state']
  /** When the folder was first found not to load; null: it is current. */
  readonly since: Date | null
}

/** The ruleset of a request: the reference that its tasks carry, and the data for a thread that lacks it. */
export interface SelectedRuleset {
  readonly reference: RulesetReference
  readonly source: FileSource
  readonly disk: DiskContent
  readonly prepareMs: number
}

const CURRENT: CustomContentState = { state: 'current', since: null }
export const NO_FILES: FileSource = { files: [] }

export type MissingRuleset = Extract<Stopped, { outcome: 'ruleset_missing' }>

export class RulesetSelector {
  readonly #ledger: RulesetLedger
  readonly #keys = new LRUCache<string, string>({ maxSize: KEYS_BYTES })
  #disk: DiskContent
  #disks: readonly DiskContent[]
  /** Since when the folders have content that cannot be used, milliseconds since the epoch; null: their content can be used. */
  staleSince: number | null = null

  /** @param ledgerBytes limit of the source text of rulesets that are found by hash */
  constructor(disk: DiskContent, ledgerBytes: number) {
    this.#disk = disk
    this.#disks = [disk]
    this.#ledger = new RulesetLedger(ledgerBytes)
  }

  get disk(): DiskContent {
    return this.#disk
  }

  /** Uses this content for new requests. The previous one is kept for requests that have begun, and for rulesets by hash. */
  use(disk: DiskContent): void {
    this.#disk = disk
    this.#keep(disk)
  }

  /** Returns content of the disk that is in use or was, or that another process uses. */
  diskOf(id: string): DiskContent | null {
    return this.#disks.find((disk) => disk.id === id) ?? null
  }

  /** Returns a ruleset of the organization for another process; null: it has compiled none of that hash here. */
  portableOf(compiledHash: string, organization: string): PortableRuleset | null {
    const entry = this.#ledger.find(compiledHash, organization)
    return entry === null ? null : { ...entry, source: portableSource(entry.source) }
  }

  /** Returns a ruleset that another process has sent. @param disk of its id, which may not be in use here */
  adopt({ key, includeDefaults, includeCustom, diskId, notice, source }: PortableRuleset, disk: DiskContent, organization: string): SelectedRuleset {
    if (this.diskOf(diskId) === null) this.#keep(disk)
    const reference: RulesetReference = { key, organization, diskId, includeDefaults, includeCustom, source: null, disk: null, ...(notice && { notice }) }
    return { reference, source: sharedSource(source), disk, prepareMs: 0 }
  }

  /** Returns how the custom content in use relates to its folder. */
  get customContent(): CustomContentState {
    if (this.staleSince === null) return CURRENT
    return { state: this.#disk.custom.length === 0 ? 'left_out' : 'stale', since: new Date(this.staleSince) }
  }

  select(selection: RulesetSelection | SelectedRuleset, organization: string): SelectedRuleset | MissingRuleset {
    if ('reference' in selection) return selection
    const started = now()
    if ('compiledHash' in selection) {
      const { compiledHash } = selection
      const entry = this.#ledger.find(compiledHash, organization)
      const disk = entry === null ? null : this.diskOf(entry.diskId)
      if (entry === null || disk === null) return { outcome: 'ruleset_missing', compiledHash }
      const { key, includeDefaults, includeCustom, source } = entry
      return { reference: { key, organization, diskId: disk.id, includeDefaults, includeCustom, source: null, disk: null }, source, disk, prepareMs: now() - started }
    }
    const { includeDefaults = true, includeCustom = true, files = [] } = selection
    const key = this.#keyOf(organization, includeDefaults, includeCustom, files)
    return { ...this.selectUnder(key, organization, includeDefaults, includeCustom, { files }), prepareMs: now() - started }
  }

  /** Returns a ruleset under its key, on the content in use. */
  selectUnder(key: string, organization: string, includeDefaults: boolean, includeCustom: boolean, source: FileSource): SelectedRuleset {
    const disk = this.#disk
    const reference: RulesetReference = { key, organization, diskId: disk.id, includeDefaults, includeCustom, source: null, disk: null }
    const { state, since } = this.customContent
    const isNoticed = includeCustom && state !== 'current' && since !== null
    return { reference: isNoticed ? { ...reference, notice: { state, since: since.toISOString() } } : reference, source, disk, prepareMs: 0 }
  }

  /** Returns the content of the two folders, which may not be in use yet. */
  folders(disk: DiskContent): SelectedRuleset {
    const reference = { key: disk.id, organization: '', diskId: disk.id, includeDefaults: true, includeCustom: true, source: null, disk: null }
    return { reference, source: NO_FILES, disk, prepareMs: 0 }
  }

  /** Records that a thread has compiled a ruleset: its organization can find it by hash from now on. */
  note(compiledHash: string, { reference: { key, organization, includeDefaults, includeCustom, diskId }, source }: SelectedRuleset): void {
    this.#ledger.note(compiledHash, organization, { key, includeDefaults, includeCustom, diskId, source })
  }

  /** The content in use is the first, however new the other is. */
  #keep(disk: DiskContent): void {
    this.#disks = [...new Map([this.#disk, disk, ...this.#disks].map((each) => [each.id, each])).values()].slice(0, DISK_GENERATIONS)
  }

  #keyOf(organization: string, includeDefaults: boolean, includeCustom: boolean, files: readonly SourceFile[]): string {
    const disk = this.#disk
    let text = `${organization} ${includeDefaults ? disk.defaultsId : '-'} ${includeCustom ? disk.customId : '-'}`
    for (const { kind, scope, filename, content } of files) {
      if (text.length + filename.length + content.length > KEY_FILES_CHARACTERS) return rulesetKey(organization, disk, includeDefaults, includeCustom, files)
      // The lengths distinguish two sets whose texts are split at different places.
      text += `\n${kind} ${scope} ${filename.length} ${content.length} ${filename}${content}`
    }
    let key = this.#keys.get(text)
    if (key === undefined) {
      key = rulesetKey(organization, disk, includeDefaults, includeCustom, files)
      this.#keys.set(text, key, { size: 2 * text.length + key.length })
    }
    return key
  }
}
