/**
 * Decoder names as numbers: what `decoded_as` compares (engine-decoding.md 4.5). A layer continues the numbers of its base. The built-in
 * names of 4.12 are always known.
 */
export const BUILT_IN_DECODERS = [
  'rootcheck',
  'syscheck_integrity_changed',
  'syscheck_new_entry',
  'syscheck_deleted',
  'syscheck_registry_key_modified',
  'syscheck_registry_key_added',
  'syscheck_registry_key_deleted',
  'syscheck_registry_value_modified',
  'syscheck_registry_value_added',
  'syscheck_registry_value_deleted',
  'hostinfo_new',
  'hostinfo_modified',
  'syscollector',
  'ciscat',
  'windows_eventchannel',
  'sca',
] as const

export class DecoderIdentities {
  readonly #base: DecoderIdentities | null
  readonly #own = new Map<string, number>()
  readonly #first: number

  constructor(base: DecoderIdentities | null = null) {
    this.#base = base
    this.#first = base?.size ?? 0
    if (base === null) for (const name of BUILT_IN_DECODERS) this.intern(name)
  }

  get size(): number {
    return this.#first + this.#own.size
  }

  /** The number of a name (exact, a byte string), or -1. */
  find(name: string): number {
    return this.#own.get(name) ?? this.#base?.find(name) ?? -1
  }

  intern(name: string): number {
    const known = this.find(name)
    if (known >= 0) return known
    const identity = this.size
    this.#own.set(name, identity)
    return identity
  }

  /** All names, base first. */
  names(): string[] {
    return [...(this.#base?.names() ?? []), ...this.#own.keys()]
  }
}
