/** Finds names over all files: what defines them, and where they are used. */
import { STATIC_FIELDS } from '#engine'
import type { ContentDocument } from './document.js'
import type { DefinedDecoder, DefinedRule, NameKind, NamePlace } from './names.js'

export interface Found<T> {
  readonly document: ContentDocument
  readonly item: T
}

/** Steps from a rule to its parents: a circle ends there. */
const PARENTS_LIMIT = 64

/** First id of own rules, and the last one that is proposed. */
const OWN_IDS = { first: 100_000, last: 120_000 } as const

export class NameIndex {
  readonly #documents: readonly ContentDocument[]
  readonly #below: NameIndex | null
  #rules: ReadonlyMap<string, readonly Found<DefinedRule>[]> | null = null
  #decoders: ReadonlyMap<string, readonly Found<DefinedDecoder>[]> | null = null
  #children: ReadonlyMap<string, readonly Found<DefinedDecoder>[]> | null = null
  #places: ReadonlyMap<string, readonly Found<NamePlace>[]> | null = null

  /** @param below what loads with them, and changes less often */
  constructor(documents: readonly ContentDocument[], below: NameIndex | null) {
    this.#documents = documents
    this.#below = below
  }

  /** Every definition of a rule id, the base first. */
  rules(id: string): readonly Found<DefinedRule>[] {
    this.#rules ??= groupBy(
      this.#documents,
      ({ names }) => names.rules,
      ({ id: own }) => own,
    )
    return both(this.#below?.rules(id), this.#rules.get(id))
  }

  /** The definition that counts: the last overwrite, or else the first one. */
  rule(id: string): Found<DefinedRule> | undefined {
    const found = this.rules(id)
    return found.findLast(({ item }) => item.isOverwrite) ?? found[0]
  }

  /** Decoders of a name, as written. */
  decoders(name: string): readonly Found<DefinedDecoder>[] {
    this.#decoders ??= groupBy(
      this.#documents,
      ({ names }) => names.decoders,
      (decoder) => decoder.name,
    )
    return both(this.#below?.decoders(name), this.#decoders.get(name))
  }

  /** Decoders with this parent. */
  childDecoders(name: string): readonly Found<DefinedDecoder>[] {
    this.#children ??= groupBy(
      this.#documents,
      ({ names }) => names.decoders,
      (decoder) => decoder.parent,
    )
    return both(this.#below?.childDecoders(name), this.#children.get(name))
  }

  /** Every place of a name, definitions included. */
  places(kind: NameKind, name: string): readonly Found<NamePlace>[] {
    this.#places ??= groupBy(
      this.#documents,
      ({ names }) => names.places,
      (place) => `${place.kind} ${place.name}`,
    )
    return both(this.#below?.places(kind, name), this.#places.get(`${kind} ${name}`))
  }

  /** Each defined rule once, own ones first. */
  *allRules(): Generator<Found<DefinedRule>> {
    const seen = new Set<string>()
    for (const found of this.#each(({ names }) => names.rules)) {
      if (seen.has(found.item.id)) continue
      seen.add(found.item.id)
      yield this.rule(found.item.id) ?? found
    }
  }

  /** Every decoder, own ones first. */
  *allDecoders(): Generator<Found<DefinedDecoder>> {
    yield* this.#each(({ names }) => names.decoders)
  }

  /** Names of a kind that are defined, own ones first. */
  definedNames(kind: NameKind): ReadonlySet<string> {
    const names = new Set<string>()
    for (const { item } of this.#each((document) => document.names.places)) if (item.kind === kind && item.isDefinition) names.add(item.name)
    return names
  }

  /** Names of lists, as rules write them. */
  listNames(): string[] {
    const own = this.#documents.filter(({ kind }) => kind === 'lists').map(({ file }) => file.filename)
    return [...own, ...(this.#below?.listNames() ?? [])]
  }

  list(name: string): ContentDocument | undefined {
    const plain = name.replace(/\.cdb$/, '')
    return this.#documents.findLast(({ kind, file }) => kind === 'lists' && file.filename === plain) ?? this.#below?.list(name)
  }

  /** The decoder that a rule or one of its parents names; null: none does. */
  decoderOfRule(rule: DefinedRule): string | null {
    const seen = new Set<string>()
    let open = [rule]
    for (let steps = 0; open.length > 0 && steps < PARENTS_LIMIT; steps++) {
      const named = open.find(({ decodedAs }) => decodedAs !== null)
      if (named !== undefined) return named.decodedAs
      const ids = open.flatMap(({ parents }) => parents).filter((id) => !seen.has(id))
      for (const id of ids) seen.add(id)
      open = ids.flatMap((id) => this.rule(id)?.item ?? [])
    }
    return null
  }

  /** Fields that an event of a decoder can have; of any decoder if `decoder` is null. Static ones come last. */
  fields(decoder: string | null): string[] {
    const decoders = decoder === null ? [...this.allDecoders()] : [...this.decoders(decoder), ...this.childDecoders(decoder)]
    const isOpen = decoder === null || decoders.length === 0
    const found = new Set(decoders.flatMap(({ item }) => item.fields))
    const statics = STATIC_FIELDS.filter((name) => isOpen || found.has(name) || decoders.some(({ item }) => item.isJson))
    return [...[...found].filter((name) => !(STATIC_FIELDS as readonly string[]).includes(name)), ...statics]
  }

  /** The first id for own rules that is free behind the ids of a document; null: none is. */
  freeRuleId(document: ContentDocument | null): number | null {
    const own = document?.names.rules.map(({ id }) => Number(id)).filter((id) => id >= OWN_IDS.first && id < OWN_IDS.last) ?? []
    const start = own.length > 0 ? Math.max(...own) + 1 : OWN_IDS.first + 1
    for (let id = start; id <= OWN_IDS.last; id++) if (this.rules(String(id)).length === 0) return id
    for (let id = OWN_IDS.first + 1; id < start; id++) if (this.rules(String(id)).length === 0) return id
    return null
  }

  *#each<T>(itemsOf: (document: ContentDocument) => readonly T[]): Generator<Found<T>> {
    for (const document of this.#documents) for (const item of itemsOf(document)) yield { document, item }
    if (this.#below !== null) yield* this.#below.#each(itemsOf)
  }
}

function both<T>(below: readonly T[] | undefined, own: readonly T[] | undefined): readonly T[] {
  return below === undefined || below.length === 0 ? (own ?? []) : own === undefined ? below : [...below, ...own]
}

function groupBy<T>(
  documents: readonly ContentDocument[],
  itemsOf: (document: ContentDocument) => readonly T[],
  keyOf: (item: T) => string | null,
): ReadonlyMap<string, readonly Found<T>[]> {
  const groups = new Map<string, Found<T>[]>()
  for (const document of documents) {
    for (const item of itemsOf(document)) {
      const key = keyOf(item)
      if (key === null) continue
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [{ document, item }])
      else group.push({ document, item })
    }
  }
  return groups
}
