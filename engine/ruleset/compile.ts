/**
 * Files to a compiled ruleset, in one pass over the load order: decoders, lists, rules.
 *
 * A layer: when all its files load after those of a compiled base, they are compiled on top of it, in time proportional to their own size,
 * and the result is that of compiling everything at once. When they don't (a custom file that sorts between base files, a list that
 * base rules were waiting for), everything is compiled at once.
 */
import { findingsOf } from '../checks/findings.js'
import { decoderIdentities } from '../decoders/identities.js'
import type { DecodersFile } from '../decoders/parse.js'
import { parseDecoders } from '../decoders/parse.js'
import { DecoderLinker, EMPTY_TREE } from '../decoders/link.js'
import { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { LayeredNames } from '../event/layered-names.js'
import { ExpressionPool } from '../expressions/compile.js'
import { GateTable } from '../expressions/gate-table.js'
import type { CdbList } from '../lists/list.js'
import { compileList } from '../lists/list.js'
import type { RuleTables } from '../rules/compile.js'
import { ConditionPool } from '../rules/condition.js'
import type { RuleElement } from '../rules/parse.js'
import { listRuleElements, RuleReader } from '../rules/parse.js'
import { placeRule } from '../rules/place.js'
import type { RuleDefinition } from '../rules/rule.js'
import { RuleTree } from '../rules/tree.js'
import { compareBytes, fromByteString } from '../source/byte-string.js'
import { baseName, inLoadOrder } from '../source/load-order.js'
import type { FileKind, SourceFile } from '../source/source-file.js'
import { SourceText } from '../source/source-text.js'
import type { XmlElement } from '../xml/node.js'
import { parseXml } from '../xml/parse.js'
import type { CompiledRuleset, LostRule } from './compiled-ruleset.js'
import { hashDigests } from './hash.js'

/** The one decoders file that may hold nothing (engine-decoding.md 5.1). */
const OPTIONAL_DECODERS_FILE = 'local_decoder.xml'

/** What every XML file may begin with, and what this reader always stops at: it takes it for an element. */
const PROLOG = /^(?:\u00ef\u00bb\u00bf)?\s*(<\?xml\b[^>]{0,200}>?)/

/** Compiles files from nothing. */
export function compileRuleset(files: readonly SourceFile[]): CompiledRuleset {
  return new RulesetCompiler(null).compile(files)
}

/** Compiles files on top of a compiled base; the result is that of compiling the base's files and these together. */
export function compileLayer(base: CompiledRuleset, files: readonly SourceFile[]): CompiledRuleset {
  if (files.length === 0) return base
  if (canStandOn(base, files)) return new RulesetCompiler(base).compile(files)
  // What is said of the base stays the same, so it need not be found again.
  return new RulesetCompiler(null).compile([...base.files.map(({ file }) => file), ...files], base)
}

/** Do all files load after those of the base, without touching what the base already decided? */
function canStandOn(base: CompiledRuleset, files: readonly SourceFile[]): boolean {
  if (!base.loads) return false
  for (const kind of ['decoders', 'rules'] as const) {
    const last = base.files.filter((file) => file.kind === kind).at(-1)?.filename
    if (last !== undefined && files.some((file) => file.kind === kind && compareBytes(baseName(file.filename), baseName(last)) < 0)) return false
  }
  // A new list may bring back a base rule that was left out for want of it, or replace one that base rules use.
  if (files.some(({ kind }) => kind === 'lists')) {
    // Not by what was dropped in the end: another rule may have taken the id.
    if (base.loadFindings.some(({ code }) => code === 'rule_list_not_loaded')) return false
    if (files.some(({ kind, filename }) => kind === 'lists' && base.lists.has(filename))) return false
  }
  // Base rules that miss a parent say otherwise when a later file brings it.
  return base.awaited.size === 0 || !files.some(({ kind, content }) => kind === 'rules' && mentionsAny(content, base.awaited))
}

/** Does the text have an `id` attribute of one of these values? It may be in a comment: then everything is compiled at once, for nothing. */
function mentionsAny(content: string, ids: ReadonlySet<number>): boolean {
  for (const [, digits] of content.matchAll(/\bid\s*=\s*["']([0-9]{1,6})["']/gi)) if (ids.has(Number(digits))) return true
  return false
}

class RulesetCompiler {
  readonly #base: CompiledRuleset | null
  #collector = new Collector()
  readonly #identities: LayeredNames
  readonly #fieldNames: LayeredNames
  readonly #expressions: ExpressionPool
  readonly #conditions: ConditionPool
  readonly #gates: GateTable
  #refused = false

  constructor(base: CompiledRuleset | null) {
    this.#base = base
    this.#identities = decoderIdentities(base?.identities ?? null)
    this.#fieldNames = new LayeredNames(base?.fieldNames)
    this.#expressions = new ExpressionPool(base?.expressions)
    this.#conditions = new ConditionPool(base?.conditions)
    this.#gates = new GateTable(base?.gates)
  }

  /** @param files the layer's own; @param judged a ruleset of some of them, for what was found there already */
  compile(files: readonly SourceFile[], judged: CompiledRuleset | null = this.#base): CompiledRuleset {
    const base = this.#base
    const sources = inLoadOrder(files).map((file) => new SourceText(file))
    this.#collector = new Collector(sources)
    const ofKind = (kind: FileKind): SourceText[] => sources.filter((source) => source.kind === kind)
    const decoders = this.#compileDecoders(ofKind('decoders'))
    const lists = new Map<string, CdbList>(base?.lists)
    for (const source of ofKind('lists')) lists.set(source.filename, compileList(source.filename, fromByteString(source.bytes)))
    const { rules, dropped, awaited, lost } = this.#compileRules(ofKind('rules'), lists)
    const together = inLoadOrder([...(base?.files ?? []), ...sources])
    let diagnostics: readonly Diagnostic[] | null = null
    const ruleset: CompiledRuleset = {
      hash: hashDigests(together.map(({ digest }) => digest)),
      loads: !this.#refused,
      loadFindings: [...(base?.loadFindings ?? []), ...this.#collector.list()],
      get diagnostics() {
        diagnostics ??= findingsOf(ruleset, judged, (below, files) => (below === null ? compileRuleset(files) : compileLayer(below, files)))
        return diagnostics
      },
      files: together,
      decoders,
      identities: this.#identities,
      lists,
      rules,
      expressions: this.#expressions,
      conditions: this.#conditions,
      gates: this.#gates,
      fieldNames: this.#fieldNames,
      counts: {
        ruleFiles: together.filter(({ kind }) => kind === 'rules').length,
        decoderFiles: together.filter(({ kind }) => kind === 'decoders').length,
        rules: rules.ruleCount,
        decoders: decoders.definitions.length,
      },
      dropped,
      awaited,
      lost,
    }
    return ruleset
  }

  #compileDecoders(sources: readonly SourceText[]): CompiledRuleset['decoders'] {
    const base = this.#base?.decoders ?? EMPTY_TREE
    if (sources.length === 0 && this.#base !== null) return base
    const linker = new DecoderLinker(base, { identities: this.#identities, fieldNames: this.#fieldNames, expressions: this.#expressions, gates: this.#gates }, this.#collector)
    const files: DecodersFile[] = []
    for (const source of sources) {
      const elements = this.#readXml(source)
      if (elements !== null) files.push(parseDecoders(source, elements, this.#collector))
    }
    this.#refused ||= files.some(({ refused }) => refused)
    const later = new Map<string, string>()
    const definitions = files.flatMap((file) => file.definitions)
    for (const { name, parent, source } of definitions) if (parent === null) later.set(name, source.filename)
    for (const definition of definitions) linker.add(definition, later)
    const tree = linker.finish()
    this.#refused ||= linker.refused
    return tree
  }

  #compileRules(sources: readonly SourceText[], lists: ReadonlyMap<string, CdbList>): Pick<CompiledRuleset, 'rules' | 'dropped' | 'awaited' | 'lost'> {
    const tree = new RuleTree(this.#base?.rules ?? null)
    const dropped = new Map<number, Diagnostic>(this.#base?.dropped)
    const awaited = new Set<number>(this.#base?.awaited)
    const lost: LostRule[] = []
    const lose = ({ id, source, span: { line } }: RuleDefinition): void => void lost.push({ id, source, line })
    const tables: RuleTables = {
      expressions: this.#expressions,
      conditions: this.#conditions,
      gates: this.#gates,
      fieldNames: this.#fieldNames,
      identities: this.#identities,
      lists,
    }
    const files = sources.flatMap((source) => {
      const elements = this.#readXml(source)
      if (elements === null) return []
      const listed = listRuleElements(source, elements, this.#collector)
      this.#refused ||= listed.refused
      return [{ source, rules: listed.rules }]
    })
    const later = laterIds(files)
    const context = { decoders: this.#identities, lists, placed: (id: number) => tree.find(id)?.definition }
    for (const { source, rules } of files) {
      for (const element of rules) {
        const reader = new RuleReader(source, element, context, this.#collector)
        const definition = reader.read()
        if (later.get(reader.draft.id)?.shift() !== undefined && later.get(reader.draft.id)?.length === 0) later.delete(reader.draft.id)
        if (definition === null) {
          this.#refused ||= reader.refused
          if (reader.skipped) lose(reader.draft)
          if (reader.skipped && reader.skipFinding !== null && tree.find(reader.draft.id) === undefined) dropped.set(reader.draft.id, reader.skipFinding)
          continue
        }
        const placement = placeRule(definition, tree, tables, { later, dropped, awaited }, this.#collector)
        if (placement === 'refused') this.#refused = true
        if (placement === 'placed') dropped.delete(definition.id)
        else if (placement === 'skipped') lose(definition)
      }
    }
    return { rules: tree, dropped, awaited, lost: [...(this.#base?.lost ?? []), ...lost] }
  }

  /** The file's elements; null when there are none to read. */
  #readXml(source: SourceText): XmlElement[] | null {
    const place = { file: source, span: null }
    if (source.bytes === '') {
      // Rules: harmless. Decoders: the engine refuses without a word, except for the one file that may be empty.
      const harmless = source.kind === 'rules' || baseName(source.filename) === OPTIONAL_DECODERS_FILE
      if (!harmless) this.#refused = true
      this.#collector.add('xml_empty_file', place, {}, harmless ? {} : { severity: 'error' })
      return null
    }
    const prolog = PROLOG.exec(source.bytes)
    if (prolog !== null) {
      this.#refused = true
      this.#collector.add('xml_prolog', { file: source, span: source.span(prolog[0].length - prolog[1].length, prolog[0].length), evidence: prolog[1] }, {})
      return null
    }
    const outcome = parseXml(source.bytes)
    if (!outcome.ok) {
      const { code, start, end, detail, origin } = outcome.error
      this.#refused = true
      const related = origin === null ? [] : [{ filename: source.filename, span: source.span(origin, origin + 1) }]
      const shown = origin !== null && start >= source.bytes.length ? origin : start
      const evidence = fromByteString(source.bytes.slice(shown, Math.max(end, shown + 1)).split('\n', 1)[0])
      this.#collector.add(
        code as 'xml_attribute_syntax',
        { file: source, span: source.span(start, end), evidence },
        { name: fromByteString(detail), detail: fromByteString(detail), reason: fromByteString(detail) } as never,
        { related },
      )
      return null
    }
    const { elements, variables } = outcome.document
    for (const variable of variables) {
      if (variable.used) continue
      this.#collector.add('xml_variable_unused', { file: source, span: source.span(variable.start, variable.end) }, { name: fromByteString(variable.name) })
    }
    if (elements.length > 0) return elements
    if (source.kind === 'decoders' && baseName(source.filename) === OPTIONAL_DECODERS_FILE) return null
    this.#refused = true
    this.#collector.add('xml_empty_file', place, {}, { severity: 'error' })
    return null
  }
}

/** Ids that the files define, with the files of all their definitions in load order. */
function laterIds(files: readonly { source: SourceText; rules: readonly RuleElement[] }[]): Map<number, string[]> {
  const ids = new Map<number, string[]>()
  for (const { source, rules } of files) {
    for (const { element } of rules) {
      const written = element.attributes.find(({ name }) => name.toLowerCase() === 'id')?.value
      if (written === undefined || !/^[0-9]{1,6}$/.test(written)) continue
      const known = ids.get(Number(written))
      if (known === undefined) ids.set(Number(written), [source.filename])
      else known.push(source.filename)
    }
  }
  return ids
}
