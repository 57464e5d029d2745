/**
 * Links definitions to decoders: the two lists of roots, children under every root with the name of their parent, sibling families
 * (BEHAVIOUR.md#decoder-linking). A layer starts from the linked decoders of its base and copies only what it changes.
 */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector, Extra } from '../diagnostics/collector.js'
import type { Diagnostic, RelatedPlace } from '../diagnostics/diagnostic.js'
import type { LayeredNames } from '../event/layered-names.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { Expression } from '../expressions/expression.js'
import type { PrefilterTable } from '../expressions/prefilter-table.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import { reportWrongPattern } from '../xml/pattern-reporter.js'
import { isSure } from '../xml/unsure.js'
import type { CompiledDecoder, DecoderDefinition, PatternSource } from '../event/decoder.js'
import { useOwnName } from './options/use-own-name.js'

/** All decoders of a ruleset, linked. */
export interface DecoderTree {
  /** Roots with a `program_name` and roots without. An event is tried against one of the lists. */
  readonly programRoots: readonly CompiledDecoder[]
  readonly plainRoots: readonly CompiledDecoder[]
  /** Every definition in load order, including those that could not be linked. */
  readonly definitions: readonly DecoderDefinition[]
  /** Names of the children themselves, for suggestions. */
  readonly childNames: ReadonlySet<string>
  /** Whether every declared decoder is in the tree. Only a survey may lack some. */
  readonly isComplete: boolean
}

export const EMPTY_TREE: DecoderTree = { programRoots: [], plainRoots: [], definitions: [], childNames: new Set(), isComplete: true }

/** In a survey: decoders that could not be read, by name, and the first fault that hides one whose name is unknown. */
export interface UnreadDecoders {
  readonly names: ReadonlyMap<string, Diagnostic>
  readonly hiding: Diagnostic | null
}

/** Shared tables that linking fills. */
export interface LinkTables {
  readonly expressions: ExpressionPool
  readonly identities: LayeredNames
  readonly fieldNames: LayeredNames
  readonly prefilters: PrefilterTable
}

type Params = Readonly<Record<string, string | number>>
type Draft = { -readonly [K in keyof CompiledDecoder]: CompiledDecoder[K] }

export class DecoderLinker {
  readonly #tables: LinkTables
  readonly #collector: Collector
  readonly #programRoots: Draft[]
  readonly #plainRoots: Draft[]
  readonly #rootsByName = new Map<string, Draft[]>()
  readonly #definitions: DecoderDefinition[]
  readonly #childNames: Set<string>
  /** Decoders that this layer created and may therefore change. */
  readonly #own = new Set<Draft>()
  readonly #ownChildren = new Set<Draft>()
  /** Children of the roots that this layer changes, by their own name. An index, because one root may have thousands. */
  readonly #families = new Map<Draft, Map<string, CompiledDecoder[]>>()
  /** Wazuh would refuse to load. */
  refused = false
  /** Names of parents with several roots that are already reported, by the file of the children. */
  readonly #ambiguous = new Map<SourceText, Set<string>>()
  /** Null outside of a survey; linking then stops at the first fault of a decoder. */
  readonly #unread: UnreadDecoders | null
  #isComplete: boolean

  constructor(base: DecoderTree, tables: LinkTables, collector: Collector, unread: UnreadDecoders | null) {
    this.#unread = unread
    this.#isComplete = base.isComplete && (unread === null || unread.hiding === null)
    this.#tables = tables
    this.#collector = collector
    this.#programRoots = [...base.programRoots]
    this.#plainRoots = [...base.plainRoots]
    // In load order, as when everything is compiled at once.
    const roots = new Map([...this.#programRoots, ...this.#plainRoots].map((root) => [root.definition, root]))
    for (const definition of base.definitions) {
      const root = roots.get(definition)
      if (root !== undefined) this.#index(root)
    }
    this.#definitions = [...base.definitions]
    this.#childNames = new Set(base.childNames)
  }

  /** Adds one definition. @param laterNames names of roots that load after it, for suggestions */
  add(definition: DecoderDefinition, laterNames: ReadonlyMap<string, string>): void {
    this.#definitions.push(definition)
    const decoder = this.#compile(definition)
    if (definition.parent === null) {
      const list = definition.programName === null ? this.#plainRoots : this.#programRoots
      list.push(decoder)
      this.#own.add(decoder)
      this.#index(decoder)
    } else {
      this.#childNames.add(definition.name)
      this.#attach(decoder, definition.parent, laterNames)
    }
  }

  /** Returns the tree after all definitions were added. An empty list of roots is refused. */
  finish(): DecoderTree {
    this.#refuseEmptyList(this.#programRoots, 'program_name')
    this.#refuseEmptyList(this.#plainRoots, 'prematch')
    return { programRoots: this.#programRoots, plainRoots: this.#plainRoots, definitions: this.#definitions, childNames: this.#childNames, isComplete: this.#isComplete }
  }

  /** The engine requires a root in each list, and reports an empty one after all files are read. @param kind of the missing root */
  #refuseEmptyList(roots: readonly Draft[], kind: string): void {
    if (roots.length > 0) return
    this.refused = true
    const file = this.#definitions.at(-1)?.source ?? { filename: '', kind: 'decoders', scope: 'adhoc' }
    const unsure = this.#definitions.find((definition) => !isSure(definition.unsure, 'program_name', 'prematch', 'parent'))
    this.#collector.add('decoder_list_empty', { file, span: null }, { kind }, { cause: unsure?.fault ?? this.#unread?.hiding ?? null })
  }

  #index(root: Draft): void {
    const same = this.#rootsByName.get(root.definition.name)
    if (same === undefined) this.#rootsByName.set(root.definition.name, [root])
    else same.push(root)
  }

  #compile(definition: DecoderDefinition): Draft {
    const { identities, fieldNames } = this.#tables
    identities.intern(definition.name)
    const name = definition.parent === null || definition.valueOf(useOwnName) ? definition.name : definition.parent
    // Wazuh compiles them in this order and stops at the first that fails.
    const prematch = this.#expression(definition, 'prematch', definition.prematch, false)
    const programName = this.#expression(definition, 'program_name', definition.programName, false)
    const regex = this.#expression(definition, 'regex', definition.regex, true)
    return {
      definition,
      name,
      identity: identities.intern(name),
      programName,
      prematch,
      regex,
      prematchPrefilter: this.#tables.prefilters.intern(prematch?.prefilter ?? null),
      regexPrefilter: this.#tables.prefilters.intern(regex?.prefilter ?? null),
      regexOffset: definition.regex?.offset ?? 'none',
      plugin: definition.plugin?.name ?? null,
      order: definition.order?.map(({ name, staticIndex }) => ({ name, staticIndex, key: staticIndex >= 0 ? -1 : fieldNames.intern(foldCase(name)) })) ?? null,
      ftsKeys: (definition.fts?.dynamic ?? []).map((word) => fieldNames.intern(foldCase(word))),
      continues: false,
      children: [],
      tried: null,
    }
  }

  #expression(definition: DecoderDefinition, tag: string, pattern: PatternSource | null, capturing: boolean): Expression | null {
    if (pattern === null) return null
    const outcome = this.#tables.expressions.compile(pattern.dialect, pattern.text, capturing)
    if (outcome.ok) return outcome.expression
    this.refused = true
    const diagnostic = reportWrongPattern(this.#collector, definition, { tag, ...pattern }, outcome.error)
    definition.fault ??= diagnostic
    return null
  }

  #attach(child: Draft, parent: string, laterNames: ReadonlyMap<string, string>): void {
    const roots = this.#rootsByName.get(parent)
    if (roots === undefined || roots.every(({ definition }) => definition.isUnread)) {
      this.#reportMissingParent(child.definition, parent, laterNames, roots?.[0].definition.fault ?? this.#unread?.names.get(parent) ?? null)
      if (roots === undefined) {
        this.#isComplete = false
        return
      }
    }
    this.#ownChildren.add(child)
    if (roots.length > 1) this.#reportAmbiguous(child.definition, parent, roots.length)
    let isWhole = true
    for (let i = 0; i < roots.length; i++) {
      const root = this.#ownRoot(roots[i])
      const families = this.#familiesOf(root)
      const family = families.get(child.definition.name) ?? []
      isWhole = isWhole && this.#checkFamily(child, family)
      if (!isWhole && this.#unread === null) return
      ;(root.children as CompiledDecoder[]).push(child)
      // The flags of earlier members were set when the next one was added.
      const last = family.at(-1)
      if (last !== undefined && !last.continues) this.#setContinues(last, parent)
      if (family.length === 0) families.set(child.definition.name, family)
      family.push(child)
    }
  }

  /** Reported once per file and parent: a root written in several parts is common, and it may have many children. */
  #reportAmbiguous(definition: DecoderDefinition, parent: string, count: number): void {
    const reported = this.#ambiguous.get(definition.source) ?? new Set<string>()
    this.#ambiguous.set(definition.source, reported)
    if (reported.size === reported.add(`${count} ${parent}`).size) return
    this.#report(definition, 'decoder_parent_ambiguous', 'parent', { parent: fromByteString(parent), count })
  }

  #familiesOf(root: Draft): Map<string, CompiledDecoder[]> {
    let families = this.#families.get(root)
    if (families === undefined) {
      families = new Map()
      for (const child of root.children) {
        const family = families.get(child.definition.name)
        if (family === undefined) families.set(child.definition.name, [child])
        else family.push(child)
      }
      this.#families.set(root, families)
    }
    return families
  }

  /** The root itself when this layer created it; else a copy that replaces it. */
  #ownRoot(root: Draft): Draft {
    if (this.#own.has(root)) return root
    const copy: Draft = { ...root, children: [...root.children], tried: null }
    this.#own.add(copy)
    for (const list of [this.#programRoots, this.#plainRoots, this.#rootsByName.get(root.definition.name) as Draft[]]) {
      const index = list.indexOf(root)
      if (index >= 0) list[index] = copy
    }
    return copy
  }

  /** The flag belongs to the child, so it applies in every list that contains the child. */
  #setContinues(child: CompiledDecoder, parent: string): void {
    if (this.#ownChildren.has(child)) {
      ;(child as Draft).continues = true
      return
    }
    const copy: Draft = { ...child, continues: true, tried: null }
    this.#ownChildren.add(copy)
    const roots = this.#rootsByName.get(parent) as Draft[]
    for (let i = 0; i < roots.length; i++) {
      const index = roots[i].children.indexOf(child)
      if (index < 0) continue
      const root = this.#ownRoot(roots[i])
      ;(root.children as CompiledDecoder[])[index] = copy
      const family = this.#families.get(root)?.get(child.definition.name)
      if (family !== undefined) family[family.indexOf(child)] = copy
    }
  }

  /** Reports the first fault of a child in its family; a survey reports all. */
  #checkFamily(child: Draft, family: readonly CompiledDecoder[]): boolean {
    const { definition } = child
    const wrong: [code: DiagnosticCode, tag: string | null][] = []
    if (family.length > 0) {
      if (definition.prematch !== null) wrong.push(['decoder_sibling_prematch', 'prematch'])
      if (definition.fts !== null && hasFtsFlags(definition)) wrong.push(['decoder_sibling_fts', 'fts'])
      // Members of a family of two or more were checked when the second one was added.
      if ((family.length === 1 ? [family[0], child] : [child]).some(lacksRegex)) wrong.push(['decoder_sibling_duplicate', null])
    }
    const related = family.slice(0, 1).map((earlier) => ({ filename: earlier.definition.source.filename, span: earlier.definition.span }))
    for (const [code, tag] of this.#unread === null ? wrong.slice(0, 1) : wrong) {
      this.#refuse(definition, code, tag, { name: fromByteString(definition.name) }, related)
    }
    if (wrong.length > 0 && this.#unread === null) return false
    if (definition.regex?.offset === 'after_regex' && !family.some((earlier) => earlier.definition.prematch !== null || earlier.definition.regex !== null)) {
      if (family.every(({ definition: { unsure } }) => isSure(unsure, 'prematch', 'regex'))) {
        this.#refuse(definition, 'decoder_offset_anchor_missing', 'regex', { name: 'regex', value: 'after_regex' })
      }
      return false
    }
    return wrong.length === 0
  }

  /** @param cause the diagnostic of a declared parent that was not read; null when none was declared */
  #reportMissingParent(definition: DecoderDefinition, parent: string, laterNames: ReadonlyMap<string, string>, cause: Diagnostic | null): void {
    this.refused = true
    const params = { parent: fromByteString(parent) }
    let code: DiagnosticCode = 'decoder_missing_parent'
    let extra: Extra = { cause }
    const later = laterNames.get(parent)
    if (cause === null) {
      if (parent === definition.name) code = 'decoder_parent_self'
      else if (this.#childNames.has(parent)) code = 'decoder_parent_is_child'
      else if (later !== undefined) code = 'decoder_parent_loaded_later'
      else extra = { suggestion: this.#collector.suggest(fromByteString(parent), () => [...this.#rootsByName.keys(), ...laterNames.keys()].map(fromByteString)) }
    }
    const diagnostic = this.#report(definition, code, 'parent', { ...params, file: later ?? '' }, extra)
    definition.fault ??= diagnostic
  }

  #refuse(definition: DecoderDefinition, code: DiagnosticCode, tag: string | null, params: Params, related: readonly RelatedPlace[] = []): void {
    this.refused = true
    const diagnostic = this.#report(definition, code, tag, params, { related })
    definition.fault ??= diagnostic
  }

  /** Reports a diagnostic at a tag of the decoder, or at its opening tag. */
  #report(definition: DecoderDefinition, code: DiagnosticCode, tag: string | null, params: Params, extra: Extra = {}): Diagnostic {
    const { source, element } = definition
    const at = element.children.find((child) => child.name.toLowerCase() === tag)
    const span = at === undefined ? source.span(element.start, Math.min(element.end, element.contentStart)) : source.span(at.start, at.end)
    return this.#collector.add(
      code,
      { file: source, span, evidence: () => fromByteString(source.bytes.slice(span.start, span.end)), owner: element },
      { decoder: fromByteString(definition.name), ...params },
      extra,
    )
  }
}

function lacksRegex({ definition: { regex, plugin, unsure } }: CompiledDecoder): boolean {
  return regex === null && plugin === null && isSure(unsure, 'regex', 'plugin_decoder')
}

function hasFtsFlags({ fts }: DecoderDefinition): boolean {
  return fts !== null && (fts.name || fts.location || fts.statics.length > 0 || fts.dynamic.length > 0)
}
