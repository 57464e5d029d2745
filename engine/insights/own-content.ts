/**
 * The caller's own rules and decoders. Hints name them unasked: who writes content wants to know why an event did not get it, and nobody wants to read that about
 * thousands of rules of the base.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'
import { pathTo } from '../rules/placement-path.js'

/**
 * Who reads the hints. It decides which words they use, and which content is the reader's own: on the command line all of `--custom`, in the playground all but the
 * base; of a request its own files only, because a caller cannot correct the operator's content. JSON lines of the command line have the words of requests.
 */
export type Caller = 'service' | 'json-lines' | 'command-line' | 'playground'

/**
 * Maximum number of own rules that are compared with an event: testing this many takes about a tenth of the time of a traced event. Content with more rules gets
 * hints about the first ones.
 */
const RULES_LIMIT = 256
/** The same for root decoders; their patterns take longer, because they are tested on whole lines. */
const ROOTS_LIMIT = 64

/** Maximum number of examined placements of an own rule: one below `if_group` may have hundreds, which differ little. */
const PLACEMENTS_LIMIT = 16

/** An own rule that depends on the event alone. What a rule with frequency, `check_diff` or `if_fts` would result in is not known if it was not tried. */
export interface OwnRule {
  readonly rule: CompiledRule
  readonly paths: readonly (readonly RuleNode[])[]
  /** Whether each of its placements is for events of the same decoder: events of others have other fields. */
  readonly isOfOneDecoder: boolean
}

export interface OwnContent {
  readonly rules: readonly OwnRule[]
  readonly roots: readonly CompiledDecoder[]
  /** Roots with own children, which may be roots of the base. */
  readonly parents: ReadonlySet<CompiledDecoder>
  /** Whether it has decoders, or rules that require one. */
  readonly usesDecoders: boolean
  /** The rules that require a decoder, by its number. */
  readonly ofDecoder: ReadonlyMap<number, readonly CompiledRule[]>
  /** 1 for the index of each own rule: an event tries 600 rules, whose definitions are in no cache of the processor. */
  readonly flags: Uint8Array
  isOwn(item: { readonly definition: { readonly source: { readonly scope: FileScope } } }): boolean
}

const isOfRequest: OwnContent['isOwn'] = ({ definition }) => definition.source.scope === 'adhoc'
const isOfCommand: OwnContent['isOwn'] = ({ definition }) => definition.source.scope !== 'default'

/** Found once for each ruleset: a stock tree has thousands of rules. Null: there is none. */
const OF_REQUESTS = new WeakMap<CompiledRuleset, OwnContent | null>()
const OF_COMMANDS = new WeakMap<CompiledRuleset, OwnContent | null>()

/** Returns null if nothing in the ruleset is the caller's own. */
export function ownContentOf(ruleset: CompiledRuleset, caller: Caller): OwnContent | null {
  const known = caller === 'service' ? OF_REQUESTS : OF_COMMANDS
  let own = known.get(ruleset)
  if (own === undefined) {
    own = findOwn(ruleset, caller === 'service' ? isOfRequest : isOfCommand)
    known.set(ruleset, own)
  }
  return own
}

/** Whether a test of the rule reads or changes the session. */
export function dependsOnSession({ search, definition }: CompiledRule): boolean {
  return search !== null || definition.checkDiff || definition.ifFts
}

function findOwn({ files, rules, decoders }: CompiledRuleset, isOwn: OwnContent['isOwn']): OwnContent | null {
  if (!files.some((source) => source.kind !== 'lists' && isOwn({ definition: { source } }))) return null
  const all = rules.inOrder()
  const roots = [...decoders.programRoots, ...decoders.plainRoots]
  const ownRules = all.filter(isOwn)
  const ofDecoder = new Map<number, CompiledRule[]>()
  for (const rule of ownRules) if (rule.identity >= 0) ofDecoder.set(rule.identity, [...(ofDecoder.get(rule.identity) ?? []), rule])
  return {
    rules: ownRules
      .filter((rule) => !dependsOnSession(rule))
      .slice(0, RULES_LIMIT)
      .map((rule) => {
        const placements = rules.placements(rule.id)
        const paths = placements.slice(0, PLACEMENTS_LIMIT).map((placement) => pathTo(rules, placement))
        const decoders = new Set(paths.map(decoderOf))
        const isOfOneDecoder = placements.length === 1 || (placements.length === paths.length && decoders.size === 1 && !decoders.has(undefined))
        return { rule, paths, isOfOneDecoder }
      }),
    usesDecoders: ofDecoder.size > 0 || decoders.definitions.some((definition) => isOwn({ definition })),
    roots: roots.filter(isOwn).slice(0, ROOTS_LIMIT),
    parents: new Set(roots.filter(({ children }) => children.some(isOwn))),
    ofDecoder,
    flags: Uint8Array.from(all, (rule) => (isOwn(rule) ? 1 : 0)),
    isOwn,
  }
}

/** The decoder that the last rule of a path requires. */
function decoderOf(path: readonly RuleNode[]): number | undefined {
  return path.findLast(({ rule }) => rule.identity >= 0)?.rule.identity
}
