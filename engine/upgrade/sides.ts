/** The two rulesets of an upgrade, each alone and with the same own content on top, and what the findings ask of them. */
import { compareSemantics } from '../describe/compare-semantics.js'
import { describeSemantics, type SemanticItem } from '../describe/semantics.js'
import type { Locale } from '../diagnostics/text.js'
import type { Replacement } from '../diagnostics/fixes.js'
import type { DecoderDefinition } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { FileScope } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import type { XmlElement } from '../xml/node.js'
import { type FindingParams, makeFinding, type UpgradeCode, type UpgradeFinding } from './findings.js'

/** A ruleset alone, and with the own content on top of it. */
export interface UpgradeSide {
  readonly base: CompiledRuleset
  readonly own: CompiledRuleset
}

/** Options that no answer depends on, beside ids: two rules that differ only in them are the same under another id. */
const OTHERWISE_EQUAL: ReadonlySet<string> = new Set(['description', 'info', 'cve', 'mitre', 'options', 'group', 'level', 'overwrite'])

export class UpgradeSides {
  /** What the new ruleset has, even where Wazuh would not start with it. */
  readonly to: CompiledRuleset
  /** Rules and decoders of the own content, as they are on the old ruleset. */
  readonly rules: readonly CompiledRule[]
  readonly decoders: readonly DecoderDefinition[]
  /** New names of rules and decoders that only their id or name was changed of. */
  readonly newIds: ReadonlyMap<string, string>
  readonly newDecoders: ReadonlyMap<string, string>
  readonly #ownIds: ReadonlySet<number>
  readonly #ownDecoders: ReadonlySet<string>

  constructor(
    readonly old: UpgradeSide,
    readonly now: UpgradeSide,
    readonly locale: Locale,
    readonly ownScope: FileScope,
  ) {
    this.to = now.own.loads ? now.own : now.own.surveyed()
    this.rules = old.own.rules.inOrder().filter(({ definition }) => this.isOwn(definition))
    this.decoders = old.own.decoders.definitions.filter((decoder) => this.isOwn(decoder))
    this.#ownIds = new Set(this.rules.map(({ id }) => id))
    this.#ownDecoders = new Set(this.decoders.map(({ name }) => name))
    const { rules, decoders } = compareSemantics(describeSemantics(old.base, null), describeSemantics(now.base, null))
    this.newIds = renamed(rules.removed, rules.added)
    this.newDecoders = renamed(decoders.removed, decoders.added)
  }

  isOwn({ source }: { readonly source: Pick<SourceText, 'scope'> }): boolean {
    return source.scope === this.ownScope
  }

  isOwnRule(id: number): boolean {
    return this.#ownIds.has(id)
  }

  isOwnDecoder(name: string): boolean {
    return this.#ownDecoders.has(name)
  }

  /** Whether the upgrade takes a rule away that the own content does not have itself. */
  isRuleGone(id: number): boolean {
    return !this.#ownIds.has(id) && this.old.base.rules.find(id) !== undefined && this.now.base.rules.find(id) === undefined
  }

  /** @param name as a byte string */
  isDecoderGone(name: string): boolean {
    return !this.#ownDecoders.has(name) && hasDecoder(this.old.base, name) && !hasDecoder(this.now.base, name)
  }

  /** A finding at an element of an own rule. */
  atRule(
    code: UpgradeCode,
    { id, definition }: Pick<CompiledRule, 'id' | 'definition'>,
    element: XmlElement,
    params: FindingParams,
    parts: Parameters<typeof makeFinding>[4] = {},
  ): UpgradeFinding {
    const { source } = definition
    return makeFinding(code, { ...placeOf(source, element), item: { rule_id: String(id) } }, { rule: id, ...params }, this.locale, parts)
  }

  atDecoder(code: UpgradeCode, { source, name }: DecoderDefinition, element: XmlElement, params: FindingParams, edits: readonly Replacement[] = []): UpgradeFinding {
    return makeFinding(code, { ...placeOf(source, element), item: { decoder: fromByteString(name) } }, params, this.locale, { edits })
  }
}

/** @param name as a byte string */
export function hasDecoder({ decoders }: CompiledRuleset, name: string): boolean {
  return decoders.definitions.some((definition) => definition.name === name)
}

function placeOf(source: SourceText, element: XmlElement): Pick<UpgradeFinding, 'kind' | 'file' | 'line'> {
  return { kind: source.kind, file: source.filename, line: source.span(element.start, element.end).line }
}

/** Replaces a word in the content of an element. Empty: it is not written there as it is, for instance because a variable has it. */
export function replaceWord({ source }: { readonly source: SourceText }, element: XmlElement, word: string, text: string): Replacement[] {
  if (element.substituted) return []
  const written = source.bytes.slice(element.contentStart, element.contentEnd)
  const found = new RegExp(`(?<![\\w.-])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`).exec(written)
  if (found === null) return []
  const start = element.contentStart + found.index
  return [{ start, end: start + word.length, text }]
}

/** Old names with new ones, where exactly one removed and one added item mean the same. */
function renamed(removed: readonly SemanticItem[], added: readonly SemanticItem[]): ReadonlyMap<string, string> {
  const namesBy = (items: readonly SemanticItem[]): Map<string, string[]> => {
    const names = new Map<string, string[]>()
    for (const { name, options } of items) {
      const meaning = Object.entries(options).filter(([option]) => !OTHERWISE_EQUAL.has(option))
      // Without a condition of its own there is nothing to recognize it by.
      if (meaning.every(([option]) => option.startsWith('if_') || option === 'parent')) continue
      const key = JSON.stringify(meaning.sort(([a], [b]) => (a < b ? -1 : 1)))
      names.set(key, [...(names.get(key) ?? []), name])
    }
    return names
  }
  const [before, after] = [namesBy(removed), namesBy(added)]
  const found = new Map<string, string>()
  for (const [key, names] of before) {
    const others = after.get(key) ?? []
    if (names.length === 1 && others.length === 1) found.set(names[0], others[0])
  }
  return found
}
