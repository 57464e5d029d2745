/**
 * Compiles files to a ruleset, in one pass over the load order: decoders, lists, rules.
 *
 * A layer: if all its files load after those of a compiled base, they are compiled on top of it in time proportional to their own size. The result is that of
 * compiling everything at once. Otherwise (a custom file that sorts between base files, a list that base rules lacked) everything is compiled at once.
 *
 * A survey: a second compilation of a faulty ruleset, run when its diagnostics are requested. The first compilation stops where Wazuh stops and decides what is
 * loaded. The survey continues after every fault, so that all diagnostics are reported.
 */
import { Findings } from '../checks/collect-diagnostics.js'
import { decoderIdentities } from '../decoders/identities.js'
import type { DecodersFile } from '../decoders/parse.js'
import { parseDecoders } from '../decoders/parse.js'
import { DecoderLinker, EMPTY_TREE } from '../decoders/link.js'
import { DECODER_OPTIONS } from '../decoders/options/index.js'
import { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { LayeredNames } from '../event/layered-names.js'
import { ExpressionPool } from '../expressions/compile.js'
import { PrefilterTable } from '../expressions/prefilter-table.js'
import type { CdbList } from '../lists/list.js'
import { compileList } from '../lists/list.js'
import type { RuleTables } from '../rules/compile.js'
import { ConditionPool } from '../rules/condition.js'
import { RULE_OPTIONS } from '../rules/options/index.js'
import type { RuleContext, RuleElement } from '../rules/parse.js'
import { listRuleElements, RuleReader } from '../rules/parse.js'
import { type PlacementSurvey, placeRule } from '../rules/place.js'
import { isLeftOut, type RuleDefinition } from '../rules/rule.js'
import { RuleTree } from '../rules/tree.js'
import { fromByteString, toByteString } from '../source/byte-string.js'
import { registeredName } from '../source/list-name.js'
import { baseName, inLoadOrder } from '../source/load-order.js'
import type { FileKind, SourceFile } from '../source/source-file.js'
import { SourceText } from '../source/source-text.js'
import type { XmlDocument, XmlElement, XmlError } from '../xml/node.js'
import { parseXml } from '../xml/parse.js'
import { type FileShape, recoverXml } from '../xml/recover.js'
import { type BrokenElements, NOTHING_BROKEN } from '../xml/unsure.js'
import { definedIn, VariableIndex } from '../xml/variable-index.js'
import type { CompiledRuleset, LostRule } from '../ruleset/compiled-ruleset.js'
import { hashDigests } from '../ruleset/hash.js'
import { canLayerOn } from './can-layer.js'
import { UnreadCollector } from './unread.js'

/** The one decoders file that may be empty (BEHAVIOUR.md#empty-files). */
const OPTIONAL_DECODERS_FILE = 'local_decoder.xml'

/** An XML declaration. The parser treats it as an element, so it always stops there. */
const PROLOG = /^(?:\u00ef\u00bb\u00bf)?\s*(<\?xml\b[^>]{0,200}>?)/

/**
 * Limit of rules whose groups a survey searches, counted once for each pattern. The stock ruleset needs 60,000. 35,000 dropped rules with a group each, and
 * 35,000 rules that name these groups, would take minutes.
 */
const SEARCHED_RULES_LIMIT = 20_000_000

/** Compiles files without a base. */
export function compileRuleset(files: readonly SourceFile[]): CompiledRuleset {
  return new RulesetCompiler(null).compile(files)
}

/** Compiles files on top of a compiled base. The result is the same as that of compiling the files of the base and these files together. */
export function compileLayer(base: CompiledRuleset, files: readonly SourceFile[]): CompiledRuleset {
  if (files.length === 0) return base
  if (canLayerOn(base, files)) return new RulesetCompiler(base).compile(files)
  // The diagnostics of the base stay the same and are reused.
  return new RulesetCompiler(null).compile([...base.files.map(({ file }) => file), ...files], base)
}

/** The result of compiling rules. */
type RuleStage = Pick<CompiledRuleset, 'rules' | 'dropped' | 'awaited' | 'awaitedLists' | 'lost'>

class RulesetCompiler {
  readonly #base: CompiledRuleset | null
  #collector = new Collector()
  readonly #identities: LayeredNames
  readonly #fieldNames: LayeredNames
  readonly #expressions: ExpressionPool
  readonly #conditions: ConditionPool
  readonly #prefilters: PrefilterTable
  /** The surveyed ruleset; null if this is not a survey. */
  readonly #surveyed: CompiledRuleset | null
  readonly #unread: UnreadCollector
  #variables = new VariableIndex([])
  #refused = false

  /** @param base a survey if this is one */
  constructor(base: CompiledRuleset | null, surveyed: CompiledRuleset | null = null) {
    this.#base = base
    this.#surveyed = surveyed
    this.#unread = new UnreadCollector(base?.survey ?? null)
    this.#identities = decoderIdentities(base?.identities ?? null)
    this.#fieldNames = new LayeredNames(base?.fieldNames)
    // The files of a survey were compiled before.
    this.#expressions = new ExpressionPool((surveyed ?? base)?.expressions)
    this.#conditions = new ConditionPool(base?.conditions)
    this.#prefilters = new PrefilterTable(base?.prefilters)
  }

  /** @param files files of the layer @param judged a ruleset of some of them, whose diagnostics are reused */
  compile(files: readonly SourceFile[], judged: CompiledRuleset | null = this.#base): CompiledRuleset {
    const base = this.#base
    const surveyed = this.#surveyed
    const sources = inLoadOrder(files).map((file) => new SourceText(file))
    const together = inLoadOrder([...(base?.files ?? []), ...sources])
    this.#collector = new Collector(sources)
    this.#variables = new VariableIndex(together)
    const ofKind = (kind: FileKind): SourceText[] => sources.filter((source) => source.kind === kind)
    const decoders = this.#compileDecoders(ofKind('decoders'))
    const lists = new Map<string, CdbList>(base?.lists)
    for (const { filename, bytes } of ofKind('lists')) {
      const name = toByteString(registeredName(filename))
      // Uses the string object of the key: a look-up then compares pointers, which takes a quarter of the time.
      const path = lists.get(name)?.path ?? name
      lists.set(path, compileList(path, bytes))
    }
    const { rules, dropped, awaited, awaitedLists, lost } = this.#compileRules(ofKind('rules'), lists)
    const found = this.#collector.list()
    // A survey also places rules that have no place, so it must not report their number.
    if (surveyed !== null) found.push(...surveyed.loadDiagnostics.filter(({ code }) => code === 'rule_too_many_placements'))
    let survey: CompiledRuleset | null = null
    const ruleset: CompiledRuleset = {
      hash: surveyed?.hash ?? hashDigests(together.map(({ digest }) => digest)),
      loads: surveyed?.loads ?? !this.#refused,
      loadDiagnostics: [...(base?.loadDiagnostics ?? []), ...found],
      get diagnostics() {
        return findings.all
      },
      get diagnosticsWithoutAttacks() {
        return findings.withoutAttacks
      },
      get lossReasons() {
        return findings.lossReasons
      },
      isFaulty: base?.isFaulty === true || this.#refused || found.some(({ severity }) => severity === 'error'),
      surveyed: () => {
        if (!ruleset.isFaulty || surveyed !== null) return ruleset
        if (base !== null && canLayerOn(base.surveyedBase(), files)) {
          const compiler = new RulesetCompiler(base.surveyedBase(), ruleset)
          const layered = compiler.compile(files)
          // What these files hide may be what rules of a faulty base lack.
          if (!base.isFaulty || !compiler.#unread.hasText) return layered
        }
        return new RulesetCompiler(null, ruleset).compile(together.map(({ file }) => file))
      },
      surveyedBase: () => {
        survey ??= ruleset.surveyed()
        return survey
      },
      survey: surveyed === null ? null : this.#unread.survey(rules.isFull),
      files: together,
      decoders,
      identities: this.#identities,
      lists,
      rules,
      expressions: this.#expressions,
      conditions: this.#conditions,
      prefilters: this.#prefilters,
      fieldNames: this.#fieldNames,
      counts: {
        ruleFiles: together.filter(({ kind }) => kind === 'rules').length,
        decoderFiles: together.filter(({ kind }) => kind === 'decoders').length,
        rules: rules.ruleCount,
        decoders: decoders.definitions.length,
        lists: lists.size,
      },
      dropped,
      awaited,
      awaitedLists,
      lost,
    }
    const findings = new Findings(ruleset, judged, (below, more) => (below === null ? compileRuleset(more) : compileLayer(below, more)))
    return ruleset
  }

  #compileDecoders(sources: readonly SourceText[]): CompiledRuleset['decoders'] {
    const base = this.#base?.decoders ?? EMPTY_TREE
    if (sources.length === 0 && this.#base !== null) return base
    const tables = { identities: this.#identities, fieldNames: this.#fieldNames, expressions: this.#expressions, prefilters: this.#prefilters }
    const isSurvey = this.#surveyed !== null
    const files: DecodersFile[] = []
    for (const source of sources) {
      const read = this.#readXml(source)
      if (read === null) continue
      const file = parseDecoders(source, read.elements, this.#collector, isSurvey, read.broken)
      files.push(file)
      if (file.unnamed !== null) this.#unread.hideDecoder(file.unnamed)
    }
    const linker = new DecoderLinker(base, tables, this.#collector, isSurvey ? this.#unread.decoders : null)
    this.#refused ||= files.some(({ refused }) => refused)
    const later = new Map<string, string>()
    const definitions = files.flatMap((file) => file.definitions)
    for (const { name, parent, source } of definitions) if (parent === null) later.set(name, source.filename)
    for (const definition of definitions) linker.add(definition, later)
    const tree = linker.finish()
    if (isSurvey) this.#unread.noteDecoders(tree.definitions)
    this.#refused ||= linker.refused
    return tree
  }

  #compileRules(sources: readonly SourceText[], lists: ReadonlyMap<string, CdbList>): RuleStage {
    const tree = new RuleTree(this.#base?.rules ?? null)
    const dropped = new Map<number, Diagnostic>(this.#base?.dropped)
    const awaited = new Set<number>(this.#base?.awaited)
    const awaitedLists = new Set<string>(this.#base?.awaitedLists)
    const lost: LostRule[] = []
    const lose = ({ id, source, span: { line }, level, description }: RuleDefinition, reason: Diagnostic | null): void =>
      void lost.push({ id, source, line, level, description: description ?? '', reason })
    const tables: RuleTables = {
      expressions: this.#expressions,
      conditions: this.#conditions,
      prefilters: this.#prefilters,
      fieldNames: this.#fieldNames,
      identities: this.#identities,
    }
    const isSurvey = this.#surveyed !== null
    const files = sources.flatMap((source) => {
      const read = this.#readXml(source)
      if (read === null) return []
      const listed = listRuleElements(source, read.elements, this.#collector, isSurvey, read.broken)
      this.#refused ||= listed.refused
      return [{ source, broken: read.broken, rules: listed.rules }]
    })
    const later = laterIds(files)
    const context: RuleContext = {
      decoders: this.#identities,
      lists,
      expressions: this.#expressions,
      awaitedLists,
      survey: isSurvey,
      placed: (id) => {
        const definition = tree.find(id)?.definition
        return definition === undefined || isLeftOut(definition) ? undefined : definition
      },
      lost: (id) => dropped.get(id),
      lostDecoder: (name) => this.#unread.decoders.names.get(name),
      variables: this.#variables,
    }
    const placementContext = { later, dropped, awaited, survey: this.#surveyed === null ? null : this.#surveyOf(this.#surveyed) }
    for (const { source, broken, rules } of files) {
      if (isSurvey) for (const [id, fault] of this.#unread.idsOf(source)) if (tree.find(id) === undefined && !dropped.has(id)) dropped.set(id, fault)
      for (const element of rules) {
        const reader = new RuleReader(source, element, context, this.#collector, broken)
        const definition = reader.read()
        if (later.get(reader.draft.id)?.shift() !== undefined && later.get(reader.draft.id)?.length === 0) later.delete(reader.draft.id)
        if (definition === null) {
          this.#refused ||= reader.refused
          if (reader.skipped) lose(reader.draft, reader.skipDiagnostic)
          const diagnostic = isSurvey ? reader.fault : reader.skipped ? reader.skipDiagnostic : null
          if (diagnostic !== null && tree.find(reader.draft.id) === undefined) dropped.set(reader.draft.id, diagnostic)
          continue
        }
        const placement = placeRule(definition, tree, tables, placementContext, this.#collector)
        if (placement === 'refused') this.#refused = true
        if (placement === 'skipped') lose(definition, dropped.get(definition.id) ?? null)
        if (placement === 'placed') dropped.delete(definition.id)
        else if (isSurvey && definition.fault !== null) {
          // The duplicate is dropped, but its id remains in use.
          if (tree.find(definition.id)?.definition === definition) dropped.set(definition.id, definition.fault)
          if (definition.unsure.size > 0) this.#unread.addRule(source, element, definition.fault)
        }
      }
    }
    return { rules: tree, dropped, awaited, awaitedLists, lost: [...(this.#base?.lost ?? []), ...lost] }
  }

  #surveyOf({ dropped }: CompiledRuleset): PlacementSurvey {
    let searched = 0
    const known = new Set<string>()
    return {
      findUnread: (word) => this.#unread.find(word),
      maySearch: (pattern, rules) => {
        if (known.has(pattern)) return true
        searched += rules
        if (searched > SEARCHED_RULES_LIMIT) return false
        known.add(pattern)
        return true
      },
      droppedByLoader: (id) => dropped.get(id),
    }
  }

  /** Returns the elements of the file; null if none can be parsed. */
  #readXml(source: SourceText): ReadFile | null {
    const place = { file: source, span: null }
    if (source.bytes === '') {
      // An empty rules file is harmless. For decoders the engine refuses without a message, except for the one file that may be empty.
      const harmless = source.kind === 'rules' || baseName(source.filename) === OPTIONAL_DECODERS_FILE
      if (!harmless) this.#refused = true
      this.#collector.add('xml_empty_file', place, {}, harmless ? {} : { severity: 'error' })
      return null
    }
    let { bytes } = source
    const prolog = PROLOG.exec(bytes)
    if (prolog !== null) {
      this.#refused = true
      this.#collector.add('xml_prolog', { file: source, span: source.span(prolog[0].length - prolog[1].length, prolog[0].length), evidence: prolog[1] }, {})
      if (this.#surveyed === null) return null
      bytes = ' '.repeat(prolog[0].length) + bytes.slice(prolog[0].length)
    }
    let document: XmlDocument
    let broken = NOTHING_BROKEN
    if (this.#surveyed === null) {
      const outcome = parseXml(bytes)
      if (!outcome.ok) {
        this.#reportXml(source, outcome.error)
        return null
      }
      document = outcome.document
    } else {
      const recovered = recoverXml(bytes, shapeOf(source.kind))
      const diagnostics = new Map(recovered.faults.map((error) => [error, this.#reportXml(source, error)]))
      document = recovered.document
      broken = new Map([...recovered.broken].map(([element, error]) => [element, diagnostics.get(error) as Diagnostic]))
      for (const { start, end, error } of recovered.hidden) this.#unread.addText(source, start, end, diagnostics.get(error) as Diagnostic)
      if (recovered.faults.length > 0 && document.elements.length === 0) return null
    }
    const { elements, variables } = document
    const names = new Set<string>()
    for (const variable of variables) {
      const name = variable.name.toLowerCase()
      // A second definition of a name is never used: the checks report it as a duplicate.
      const isDuplicate = names.has(name)
      names.add(name)
      // A variable that other places name in vain is not to be removed; these places are reported.
      if (variable.used || isDuplicate || this.#variables.isNamedInVain(name, source.scope)) continue
      this.#collector.add('xml_variable_unused', { file: source, span: source.span(variable.start, variable.end) }, { name: fromByteString(variable.name) })
    }
    if (elements.length > 0) return { elements, broken }
    if (source.kind === 'decoders' && baseName(source.filename) === OPTIONAL_DECODERS_FILE) return null
    this.#refused = true
    this.#collector.add('xml_empty_file', place, {}, { severity: 'error' })
    return null
  }

  #reportXml(source: SourceText, { code, start, end, detail, origin }: XmlError): Diagnostic {
    this.#refused = true
    const other = code === 'xml_variable_undefined' ? this.#variables.definedElsewhere(detail, source) : null
    const related = other !== null ? [other] : origin === null ? [] : [{ filename: source.filename, span: source.span(origin, origin + 1) }]
    const shown = origin !== null && start >= source.bytes.length ? origin : start
    const evidence = fromByteString(source.bytes.slice(shown, Math.max(end, shown + 1)).split('\n', 1)[0])
    return this.#collector.add(
      code as 'xml_attribute_syntax',
      { file: source, span: source.span(start, end), evidence },
      { name: fromByteString(detail), detail: fromByteString(detail), reason: fromByteString(detail), elsewhere: definedIn(other) } as never,
      { related },
    )
  }
}

/** The result of reading a file. */
interface ReadFile {
  readonly elements: readonly XmlElement[]
  readonly broken: BrokenElements
}

/** The wrapper, item and options of rules and decoders files. */
const RULES_SHAPE: FileShape = { wrapper: 'group', item: 'rule', options: new Map(RULE_OPTIONS.map(({ name, children }) => [name.toLowerCase(), lowerCase(children)])) }
const DECODERS_SHAPE: FileShape = { wrapper: null, item: 'decoder', options: new Map(DECODER_OPTIONS.map(({ name }) => [name, []])) }

function shapeOf(kind: FileKind): FileShape {
  return kind === 'decoders' ? DECODERS_SHAPE : RULES_SHAPE
}

function lowerCase(names: readonly string[] = []): string[] {
  return names.map((name) => name.toLowerCase())
}

/** Returns the ids that the files define, with the files of all their definitions in load order. */
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
