/**
 * Where the processes of all instances can be reached: each writes its address to the store every two seconds. Only those that understand one another find one
 * another: same secret, same release, same V8 (its form of values is what they send).
 */
import { createHmac } from 'node:crypto'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../core/storage/contract.js'
import { put } from '../core/storage/put.js'
import { readVersion } from '../core/version.js'

/** Seconds after which the store removes an address that nobody writes any more. */
const KEPT_SECONDS = 300
/** More processes than a service has. */
const LISTED = 1000
/** Characters of the id of a group. */
const GROUP_CHARACTERS = 32

interface PeerDocument extends StoredDocument {
  /** The processes that understand one another. */
  readonly group: string
  readonly seen_at: Date
}

/** Volatile: an address is seconds old. */
export const PEERS = platformCollection<PeerDocument>('peers', [{ keys: { group: 1 } }, { keys: { seen_at: 1 }, expireAfterSeconds: KEPT_SECONDS }], { volatile: true })

export interface DirectoryOptions {
  readonly storage: Pick<Storage, 'open'>
  /** `host:port` of this process. */
  readonly address: string
  /** The secret of the service for this purpose. */
  readonly key: Buffer
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export class Directory {
  readonly #documents: Collection<PeerDocument>
  readonly #address: string
  readonly #group: string
  readonly #clock: () => number

  constructor({ storage, address, key, clock }: DirectoryOptions) {
    this.#documents = storage.open(PEERS)
    this.#address = address
    this.#clock = clock
    this.#group = createHmac('sha256', key)
      .update(JSON.stringify([readVersion(), process.versions.v8]))
      .digest('hex')
      .slice(0, GROUP_CHARACTERS)
  }

  /** Writes the address of this process. Rejects when the store fails. */
  async report(): Promise<void> {
    await put(this.#documents, { _id: this.#address, group: this.#group, seen_at: new Date(this.#clock()) })
  }

  /** The addresses of the peers, with a value that changes with each of their reports. Rejects when the store fails. */
  async peers(): Promise<ReadonlyMap<string, number>> {
    const documents = await this.#documents.find({ _id: { not: this.#address }, group: this.#group }, { limit: LISTED })
    return new Map(documents.map(({ _id, seen_at }) => [_id, seen_at.getTime()]))
  }

  /** Removes the address of this process. Rejects when the store fails. */
  async remove(): Promise<void> {
    await this.#documents.delete({ _id: this.#address })
  }
}
