/**
 * Computes what events can contain when they reach a rule: the fields that decoders fill and the categories that they report, by the
 * name that `decoded_as` compares. In doubt the answer is "can contain", so that no diagnostic is wrong.
 */
import type { CompiledDecoder, DecoderDefinition, PluginName } from '../event/decoder.js'
import type { LayeredNames } from '../event/layered-names.js'
import { accumulate } from '../decoders/options/accumulate.js'
import { BUILT_IN_DECODERS } from '../decoders/identities.js'
import type { DecoderTree } from '../decoders/link.js'
import { DECODER_TYPES } from '../event/event.js'
import { STATIC_FIELDS, STATIC_INDEX } from '../event/static-fields.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { RuleTree } from '../rules/tree.js'
import { foldCase } from '../source/byte-string.js'
import { isSure } from '../xml/unsure.js'

/** What events of one or more decoder names contain. */
export interface EventFacts {
  /** Static fields by position. */
  readonly statics: ReadonlySet<number>
  /** Dynamic fields, folded. */
  readonly dynamic: ReadonlySet<string>
  /** Any field may be present: JSON, or a built-in decoder. */
  readonly open: boolean
  /** A decoder declares `fts`, which `if_fts` needs. */
  readonly fts: boolean
  readonly types: ReadonlySet<string>
}

type Draft = { statics: Set<number>; dynamic: Set<string>; open: boolean; fts: boolean; types: Set<string> }

/** Maximum number of placements of a rule that are examined. Above it the answer is "can contain". */
export const PLACEMENT_LIMIT = 64

/** Maximum number of examined ancestors of a placement. Stock rules have at most 12, and every check of a rule visits them again. */
const ANCESTOR_LIMIT = 100

/** The ancestors of a placement, nearest first. */
export function* placesAbove(tree: RuleTree, node: RuleNode): Generator<RuleNode> {
  let count = 0
  for (let at = tree.parentOf(node); at !== null && count < ANCESTOR_LIMIT; at = tree.parentOf(at), count++) yield at
}

const ALL_STATICS: ReadonlySet<number> = new Set(STATIC_FIELDS.map((_, index) => index))
const ANYTHING: EventFacts = { statics: ALL_STATICS, dynamic: new Set(), open: true, fts: true, types: new Set() }

/** Static fields that the plugin decoders may set. */
const PLUGIN_STATICS: Record<PluginName, readonly number[]> = {
  PF_Decoder: [STATIC_INDEX.action, STATIC_INDEX.srcip, STATIC_INDEX.srcport, STATIC_INDEX.dstip, STATIC_INDEX.dstport, STATIC_INDEX.protocol],
  SonicWall_Decoder: [...ALL_STATICS],
  SymantecWS_Decoder: [STATIC_INDEX.dstuser, STATIC_INDEX.srcip, STATIC_INDEX.url, STATIC_INDEX.id],
  OSSECAlert_Decoder: [...ALL_STATICS],
  JSON_Decoder: [...ALL_STATICS],
}

/** Categories whose events may also come from built-in decoders. */
const BUILT_IN_TYPES: ReadonlySet<string> = new Set(['ossec', 'windows'])

/** Fields that `accumulate` restores from earlier events. */
const ACCUMULATED: readonly number[] = [
  STATIC_INDEX.dstuser,
  STATIC_INDEX.srcuser,
  STATIC_INDEX.dstip,
  STATIC_INDEX.srcip,
  STATIC_INDEX.dstport,
  STATIC_INDEX.srcport,
  STATIC_INDEX.data,
]

/** The types that SonicWall_Decoder gives to an event; it ignores the `<type>` of the decoder. */
const SONICWALL_TYPES: readonly string[] = ['syslog', 'ids', 'firewall', 'squid']

const KNOWN = new WeakMap<DecoderTree, DecoderFacts>()

/** The facts of a decoder tree, cached: layers without decoders share the tree of their base. */
export function decoderFacts(tree: DecoderTree, identities: LayeredNames): DecoderFacts {
  let facts = KNOWN.get(tree)
  if (facts === undefined) KNOWN.set(tree, (facts = new DecoderFacts(tree, identities)))
  return facts
}

export class DecoderFacts {
  /** Every dynamic field in an `order`, folded. */
  readonly allDynamic = new Set<string>()
  readonly #byIdentity = new Map<number, Draft>()
  readonly #byType = new Map<string, EventFacts>()
  readonly #builtIn = new Set<number>()
  readonly #isComplete: boolean

  constructor(tree: DecoderTree, identities: LayeredNames) {
    this.#isComplete = tree.isComplete
    for (const name of BUILT_IN_DECODERS) this.#builtIn.add(identities.find(name))
    for (const list of [tree.programRoots, tree.plainRoots]) for (const root of list) this.#addRoot(root)
  }

  /** Whether an event can be reported under the name. */
  isReported(identity: number): boolean {
    return this.#byIdentity.has(identity) || this.#builtIn.has(identity) || !this.#isComplete
  }

  isBuiltIn(identity: number): boolean {
    return this.#builtIn.has(identity)
  }

  of(identity: number): EventFacts {
    return this.#builtIn.has(identity) ? ANYTHING : (this.#byIdentity.get(identity) ?? ANYTHING)
  }

  /** Facts of all events of a category, including those without a decoder. */
  ofType(type: string): EventFacts {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const all = emptyDraft()
    all.open = BUILT_IN_TYPES.has(type)
    for (const facts of this.#byIdentity.values()) if (facts.types.has(type)) merge(all, facts)
    this.#byType.set(type, all)
    return all
  }

  /** Facts of the events for which a rule is tried; one entry for each path to it. */
  reaching(tree: RuleTree, nodes: readonly RuleNode[]): readonly EventFacts[] {
    if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT) return [ANYTHING]
    const found = new Set<EventFacts>()
    for (const node of nodes) found.add(this.#reachingNode(tree, node))
    return [...found]
  }

  #reachingNode(tree: RuleTree, node: RuleNode): EventFacts {
    let at: RuleNode = node
    let identity = node.rule.identity
    let isSureOfDecoder = node.rule.definition.isSure('decoded_as', 'category')
    for (const above of placesAbove(tree, node)) {
      at = above
      if (identity >= 0) continue
      identity = at.rule.identity
      isSureOfDecoder &&= at.rule.definition.isSure('decoded_as', 'category')
    }
    if (!isSureOfDecoder) return ANYTHING
    if (identity < 0 && tree.parentOf(at) !== null) return ANYTHING
    return identity >= 0 ? this.of(identity) : this.ofType(at.rule.category)
  }

  #addRoot(root: CompiledDecoder): void {
    const byIdentity = rootFacts(root)
    // The root is reported with the fields of all its children.
    for (const name of byIdentity.get(root.identity)?.dynamic ?? []) this.allDynamic.add(name)
    for (const [identity, facts] of byIdentity) {
      const known = this.#byIdentity.get(identity) ?? emptyDraft()
      this.#byIdentity.set(identity, known)
      merge(known, facts)
      for (const type of facts.types) known.types.add(type)
    }
  }
}

/** Facts of the events that a root and its children take, by the name under which they are reported. */
type RootFacts = ReadonlyMap<number, EventFacts>

const KNOWN_ROOTS = new WeakMap<CompiledDecoder, RootFacts>()

/** Cached: a layer with decoders has nearly all roots of its base. */
function rootFacts(root: CompiledDecoder): RootFacts {
  let facts = KNOWN_ROOTS.get(root)
  if (facts === undefined) KNOWN_ROOTS.set(root, (facts = findRootFacts(root)))
  return facts
}

function findRootFacts(root: CompiledDecoder): RootFacts {
  const all = [root, ...root.children]
  const fields = emptyDraft()
  for (const decoder of all) addFields(fields, decoder)
  const retyped = all.some(({ definition }) => definition.plugin?.name === 'SonicWall_Decoder') ? SONICWALL_TYPES : []
  const byIdentity = new Map<number, Draft>()
  for (const reported of all) {
    if (reported !== root && !mayHavePrematch(reported.definition)) continue
    const known = byIdentity.get(reported.identity) ?? { ...fields, types: new Set<string>() }
    byIdentity.set(reported.identity, known)
    const { fts, type, unsure } = reported.definition
    for (const possible of isSure(unsure, 'type') ? [type, ...retyped] : DECODER_TYPES) known.types.add(possible)
    known.fts ||= !isSure(unsure, 'fts')
    known.fts ||= fts !== null && (fts.name || fts.location || fts.statics.length > 0 || fts.dynamic.length > 0)
  }
  return byIdentity
}

/** Whether each path to a rule leads through a rule for events of this decoder. */
export function isOfDecoder(tree: RuleTree, nodes: readonly RuleNode[], decoder: string): boolean {
  if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT) return false
  return nodes.every((node) => [node, ...placesAbove(tree, node)].some(({ rule: { definition } }) => definition.decodedAs?.name === decoder))
}

/** Whether any of the events can contain the field. */
export function canHold(facts: readonly EventFacts[], field: { readonly static: number } | { readonly dynamic: string }): boolean {
  return facts.some((one) => one.open || ('static' in field ? one.statics.has(field.static) : one.dynamic.has(field.dynamic)))
}

/** Names of dynamic fields that can be present, for suggestions. */
export function dynamicNames(facts: readonly EventFacts[]): string[] {
  return facts.flatMap((one) => [...one.dynamic])
}

/** Whether the rule has no condition and therefore matches every event that reaches it. */
export function alwaysMatches({ conditions, identity, lists, search, definition }: CompiledRule): boolean {
  return conditions.length === 0 && identity < 0 && lists.length === 0 && search === null && !definition.ifFts && !definition.checkDiff
}

/** Whether the decoder can be the reported one. */
export function mayHavePrematch({ prematch, unsure }: DecoderDefinition): boolean {
  return prematch !== null || !isSure(unsure, 'prematch')
}

function emptyDraft(): Draft {
  return { statics: new Set(), dynamic: new Set(), open: false, fts: false, types: new Set() }
}

function merge(into: Draft, from: EventFacts): void {
  for (const index of from.statics) into.statics.add(index)
  for (const name of from.dynamic) into.dynamic.add(name)
  into.open ||= from.open
  into.fts ||= from.fts
}

function addFields(into: Draft, { definition }: CompiledDecoder): void {
  for (const { name, staticIndex } of definition.order ?? []) {
    if (staticIndex >= 0) into.statics.add(staticIndex)
    else into.dynamic.add(foldCase(name))
  }
  if (!isSure(definition.unsure, 'order', 'plugin_decoder', 'accumulate')) into.open = true
  if (definition.valueOf(accumulate)) for (const index of ACCUMULATED) into.statics.add(index)
  if (definition.plugin === null) return
  for (const index of PLUGIN_STATICS[definition.plugin.name]) into.statics.add(index)
  if (definition.plugin.name === 'JSON_Decoder' || definition.plugin.name === 'OSSECAlert_Decoder') into.open = true
}
