/** Lists the decoders of a ruleset with the rules that refer to them. */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import { useOwnName } from '../decoders/options/use-own-name.js'
import { STATIC_FIELDS } from '../event/static-fields.js'
import type { DecoderCatalogItem } from '../records/records.js'
import type { RuleNode } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'

/**
 * Lists every decoder in load order, under its name as written.
 *
 * - `child_count`: decoders that are tried after it was chosen; 0 for children.
 * - `referenced_rule_count`: rules whose `decoded_as` names the name under which its events are reported. A child with a `prematch` reports them
 *   itself, under its parent's name unless it has `use_own_name`. A child without one leaves that to the first member of its family, or to its parent.
 * - `reachable_from_rule`: whether one of these rules is also in the tree of the type that is reported. Rules of other trees never see the events.
 * - `chain_depth`: steps from the root: 0 for roots, 1 for children.
 *
 * @param scopes list only decoders of these scopes; the counts still cover the whole ruleset
 */
export function decoderCatalog(ruleset: CompiledRuleset, scopes: ReadonlySet<FileScope> | null = null): DecoderCatalogItem[] {
  const { decoders, rules, identities } = ruleset
  const linked = linkedDecoders([...decoders.programRoots, ...decoders.plainRoots])
  const references = new Map<number, number>()
  for (const { identity } of rules.inOrder()) if (identity >= 0) references.set(identity, (references.get(identity) ?? 0) + 1)
  const reachable = identitiesByCategory(rules.top)
  return decoders.definitions.flatMap((definition): DecoderCatalogItem[] => {
    const { name, parent, source, span, order, regex, fts } = definition
    if (scopes !== null && !scopes.has(source.scope)) return []
    const found = linked.get(definition)
    const identity = found?.reporter.identity ?? identities.find(parent === null || definition.valueOf(useOwnName) ? name : parent)
    return [
      {
        name: fromByteString(name),
        parent: parent === null ? null : fromByteString(parent),
        source_file: source.filename,
        source_line: span.line,
        source_scope: source.scope,
        order: (order ?? []).map((word) => fromByteString(word.name)),
        child_count: parent === null ? (found?.decoder.children.length ?? 0) : 0,
        referenced_rule_count: references.get(identity) ?? 0,
        reachable_from_rule: found !== undefined && (reachable.get(found.reporter.definition.type)?.has(identity) ?? false),
        has_regex: regex !== null,
        chain_depth: parent === null ? 0 : 1,
        fts_fields: fts === null ? [] : ftsFields(fts),
      },
    ]
  })
}

/** A decoder with its position in the tree. */
interface Linked {
  readonly decoder: CompiledDecoder
  /** The decoder whose name and type its events have. */
  readonly reporter: CompiledDecoder
}

function linkedDecoders(roots: readonly CompiledDecoder[]): ReadonlyMap<DecoderDefinition, Linked> {
  const linked = new Map<DecoderDefinition, Linked>()
  for (const root of roots) {
    linked.set(root.definition, { decoder: root, reporter: root })
    let first: CompiledDecoder | null = null
    for (const [at, child] of root.children.entries()) {
      if (at === 0 || !root.children[at - 1].continues) first = child
      linked.set(child.definition, { decoder: child, reporter: child.prematch !== null ? child : first !== null && first.prematch !== null ? first : root })
    }
  }
  return linked
}

function ftsFields({ statics, location, name, dynamic }: NonNullable<DecoderDefinition['fts']>): string[] {
  return [...statics.map((index) => STATIC_FIELDS[index]), ...(location ? ['location'] : []), ...(name ? ['name'] : []), ...dynamic.map(fromByteString)]
}

/** For each category: the decoder numbers that rules in its tree refer to. */
function identitiesByCategory(top: readonly RuleNode[]): Map<string, Set<number>> {
  const byCategory = new Map<string, Set<number>>()
  for (const node of top) {
    const found = byCategory.get(node.rule.category) ?? new Set<number>()
    byCategory.set(node.rule.category, found)
    const open: RuleNode[] = [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.rule.identity >= 0) found.add(next.rule.identity)
      for (const child of next.children) open.push(child)
    }
  }
  return byCategory
}
