/**
 * Compiles mutants. Nearly all are layers on the ruleset: the changed rule overwrites the one that it was made of, and is put where Wazuh would put it had it been
 * read in its place (`RuleTree.resettle`). Where that is not the same, the file is compiled with the change, with those behind it, on a layer of those before it.
 */
import { canLayerOn } from '../compiler/can-layer.js'
import { compileLayer, compileRuleset } from '../compiler/compile.js'
import { replaceDecoder } from '../compiler/replace-decoder.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { readInt32 } from '../conditions/number.js'
import { isGeoip } from '../rules/kept-geoip.js'
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { baseName } from '../source/load-order.js'
import type { SourceFile } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import type { ByteEdit, MutatedItem, Mutant } from './mutant.js'
import { applyEdits } from './text-edits.js'

const VARIABLE = /<var\b[^>]*>[^<]*<\/var\s*>/gi
/** A pattern that matches no text, so the rule matches nothing. */
const NEVER = '<match type="pcre2">(?!)</match><description>x</description>'
const RANK_OF_LEVEL = 100

export interface CompiledMutant {
  readonly ruleset: CompiledRuleset
  /** The part that is compiled again: one rule with the numbers of the original, so that its decoded events can be used; the decoders; or everything. */
  readonly kind: 'rules' | 'decoders' | 'all'
}

export class MutantCompiler {
  readonly #original: CompiledRuleset
  readonly #layerName: string
  /** Variables of each file. */
  readonly #variables = new Map<SourceText, string>()
  /** Rules that an overwrite has given another rank. */
  readonly #reranked: ReadonlySet<number>
  readonly #overwritten: ReadonlySet<number>
  readonly #lost: ReadonlySet<number>
  readonly #levelsSought: readonly number[]
  /** The files before the one that was compiled last. */
  #before: { readonly source: SourceText; readonly ruleset: CompiledRuleset } | null = null

  constructor(original: CompiledRuleset) {
    this.#original = original
    const { rules } = original
    const last = original.files.filter(({ kind }) => kind === 'rules').at(-1)
    this.#layerName = `${last === undefined ? '' : baseName(last.filename)}~`
    const originals = rules.originals()
    const all = rules.inOrder()
    this.#overwritten = new Set(all.filter(({ index, definition }) => originals[index]?.element !== definition.element).map(({ id }) => id))
    this.#reranked = new Set(all.filter(({ id, index, definition }) => this.#overwritten.has(id) && originals[index]?.level !== definition.level).map(({ id }) => id))
    this.#lost = new Set(original.lost.map(({ id }) => id))
    this.#levelsSought = all.flatMap(({ definition: { ifLevel } }) => (ifLevel === null ? [] : [readInt32(ifLevel)]))
  }

  /** Null: Wazuh does not load it, or leaves the rule out. */
  compile(item: MutatedItem, mutant: Mutant): CompiledMutant | null {
    if (item.kind === 'decoder') return this.#decoder(item, mutant)
    return this.#layer(item.rule, mutant) ?? this.#whole(item.rule, mutant)
  }

  #decoder({ definition }: MutatedItem & { readonly kind: 'decoder' }, { edits }: Mutant): CompiledMutant | null {
    const { source, element } = definition
    const content = `${this.#variablesOf(source)}\n${fromByteString(applyEdits(source.bytes, edits, element.start, element.end))}`
    const ruleset = replaceDecoder(this.#original, definition, { ...source.file, content })
    return ruleset === null ? null : { ruleset, kind: 'decoders' }
  }

  /** Undefined: a layer does not have the same result. */
  #layer(rule: CompiledRule, mutant: Mutant): CompiledMutant | null | undefined {
    const { operator, parent } = mutant
    const original = this.#original
    const { rules } = original
    // An overwrite would keep the GeoIP conditions.
    if (rule.definition.original === null && rule.definition.conditions.some(isGeoip)) return undefined
    if (rule.id < TOP_LEVEL_IDS || operator === 'drop_overwrite' || (operator === 'delete' && this.#lost.has(rule.id)) || (operator === 'parent' && parent === undefined))
      return undefined
    const target = parent === undefined ? null : (rules.placements(parent)[0] ?? null)
    const file: SourceFile = { kind: 'rules', scope: rule.definition.source.scope, filename: this.#layerName, content: this.#textOf(rule, mutant) }
    if (!canLayerOn(original, [file])) return undefined
    if (operator === 'parent' && (target === null || !this.#isOrdered(target.children) || target.rule.category !== rule.category)) return undefined
    // An overwrite keeps the place that the level of the first definition gave it.
    const isMoved = operator === 'level' && !this.#overwritten.has(rule.id)
    if (isMoved && !this.#mayMove(rule, mutant)) return undefined
    const ruleset = compileLayer(original, [file])
    if (!ruleset.loads || ruleset.rules.find(rule.id)?.definition.source.filename !== this.#layerName) return null
    if (isMoved || target !== null) ruleset.rules.resettle(rule.id, target)
    return { ruleset, kind: 'rules' }
  }

  #mayMove(rule: CompiledRule, { edits: [edit] }: Mutant): boolean {
    const { rules } = this.#original
    const level = Number(edit.text)
    const [low, high] = [rule.rank / RANK_OF_LEVEL, level].sort((a, b) => a - b)
    if (this.#levelsSought.some((sought) => sought > low && sought <= high)) return false
    return rules.placements(rule.id).every((node) => this.#isOrdered(rules.parentOf(node)?.children ?? rules.top))
  }

  #isOrdered(siblings: readonly RuleNode[]): boolean {
    return this.#reranked.size === 0 || !siblings.some(({ rule }) => this.#reranked.has(rule.id))
  }

  /** The rule as a file that overwrites it. */
  #textOf(rule: CompiledRule, { operator, edits }: Mutant): string {
    const { source, element, groupElement } = rule.definition
    const [group] = groupElement.attributes
    const quote = group.value.includes('"') ? "'" : '"'
    const open = `<group name=${quote}${fromByteString(group.value)}${quote}>`
    if (operator === 'delete') return `${open}<rule id="${rule.id}" level="${rule.definition.level}" overwrite="yes">${NEVER}</rule></group>`
    const written = rule.definition.attribute('overwrite')
    const overwrite: ByteEdit =
      written === undefined ? { start: element.nameEnd, end: element.nameEnd, text: ' overwrite="yes"' } : { start: written.valueStart, end: written.valueEnd, text: 'yes' }
    // A rule that is moved reads as before: an overwrite keeps the parents of the first definition.
    const all = operator === 'parent' ? [overwrite] : [...edits, overwrite].sort((a, b) => a.start - b.start)
    return `${this.#variablesOf(source)}${open}${fromByteString(applyEdits(source.bytes, all, element.start, element.end))}</group>`
  }

  #variablesOf(source: SourceText): string {
    let text = this.#variables.get(source)
    if (text === undefined) this.#variables.set(source, (text = (source.file.content.match(VARIABLE) ?? []).join('')))
    return text
  }

  #whole(rule: CompiledRule, mutant: Mutant): CompiledMutant | null {
    const { source, element, groupElement } = rule.definition
    const removed = groupElement.children.length === 1 ? groupElement : element
    const edits = mutant.operator === 'delete' ? [{ start: removed.start, end: removed.end, text: '' }] : mutant.edits
    const file: SourceFile = { ...source.file, content: fromByteString(applyEdits(source.bytes, edits)) }
    const { files } = this.#original
    const later = files.slice(files.indexOf(source) + 1).filter(({ kind }) => kind === 'rules')
    if (this.#before?.source !== source) {
      const earlier = files.filter((other) => other !== source && !later.includes(other))
      this.#before = { source, ruleset: compileRuleset(earlier.map((each) => each.file)) }
    }
    const ruleset = compileLayer(this.#before.ruleset, [file, ...later.map((each) => each.file)])
    if (!ruleset.loads || (mutant.operator !== 'delete' && ruleset.rules.find(rule.id) === undefined)) return null
    return { ruleset, kind: 'all' }
  }
}
