/** Where findings of checks are put: at an element or attribute of a rule or decoder, with its name in the words. */
import type { DecoderDefinition, PatternSource } from '../event/decoder.js'
import type { PatternTag } from '../decoders/parse.js'
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector, Extra } from '../diagnostics/collector.js'
import type { RelatedPlace } from '../diagnostics/diagnostic.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { RuleDefinition } from '../rules/rule.js'
import { type RuleTree, UNPLACED_ID } from '../rules/tree.js'
import { fromByteString } from '../source/byte-string.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { Known, Params } from '../xml/element-reporter.js'
import type { XmlElement } from '../xml/node.js'
import { contentOffset } from '../xml/node.js'

/** Children of an element with that name, in any case. @param tag lower case */
export function elementsOf(element: XmlElement, tag: string): XmlElement[] {
  return element.children.filter(({ name }) => name === tag || name.toLowerCase() === tag)
}

/** The place of another definition, to stand beside a finding. */
export function placeOf({ source, span }: RuleDefinition | DecoderDefinition): RelatedPlace {
  return { filename: source.filename, span }
}

/** A piece of a pattern that may be joined of several elements: the element it begins in, and its place in the file. */
function pieceOfPattern(elements: readonly XmlElement[], start: number, end: number): { element: XmlElement; start: number; end: number } {
  let offset = start
  let element = elements[0]
  for (const candidate of elements) {
    element = candidate
    if (offset < candidate.content.length) break
    offset -= candidate.content.length
  }
  if (element.substituted) return { element, start: element.contentStart, end: element.contentEnd }
  const from = contentOffset(element, Math.min(offset, element.content.length))
  const to = contentOffset(element, Math.min(offset + end - start, element.content.length))
  return { element, start: from, end: Math.max(from, Math.min(to, element.contentEnd)) }
}

class DefinitionReporter extends ElementReporter {
  /** At the first element of a tag, or at the opening tag when there is none. */
  at(code: DiagnosticCode, tag: string | null, params: Params, extra: Known = {}): void {
    this.report(code, (tag === null ? undefined : elementsOf(this.owner, tag)[0]) ?? this.owner, params, extra)
  }

  /** At a piece of a pattern. */
  inPattern(code: DiagnosticCode, elements: readonly XmlElement[], start: number, end: number, params: Params, extra: Extra = {}): void {
    const piece = pieceOfPattern(elements, start, end)
    this.reportSpan(code, this.source.span(piece.start, piece.end), params, extra)
  }
}

/** Does the rule stand there? In a survey one that is lost may have the same id. */
function isPlaceOf(node: RuleNode, { definition }: CompiledRule, unplaced: ReadonlySet<RuleNode>): boolean {
  return !unplaced.has(node) && (node.rule.definition.fault === null || node.rule.definition === definition)
}

/** Of a survey: the places that are none, below `UNPLACED_ID`. */
export function unplacedNodes(tree: RuleTree): ReadonlySet<RuleNode> {
  const found = new Set<RuleNode>(tree.placements(UNPLACED_ID))
  // A set is walked over what is added on the way, too.
  for (const { children } of found) for (const child of children) found.add(child)
  return found
}

/** Findings about one rule. */
export class RuleReporter extends DefinitionReporter {
  /** The rule's places in the tree. */
  readonly nodes: readonly RuleNode[]

  constructor(
    readonly rule: CompiledRule,
    readonly tree: RuleTree,
    collector: Collector,
    unplaced: ReadonlySet<RuleNode>,
  ) {
    const { definition } = rule
    super(definition.source, collector, definition.element)
    this.nodes = tree.placements(rule.id).filter((node) => isPlaceOf(node, rule, unplaced))
    if (definition.id >= 0) this.subject = { id: definition.id }
  }

  /** At an attribute, or at the opening tag when it is not written. */
  atAttribute(code: DiagnosticCode, name: string, params: Params, extra: Known = {}): void {
    const attribute = this.rule.definition.attribute(name)
    if (attribute === undefined) this.report(code, this.owner, params, extra)
    else this.reportAttribute(code, attribute, params, extra)
  }
}

/** Findings about one decoder. */
export class DecoderReporter extends DefinitionReporter {
  constructor(
    readonly definition: DecoderDefinition,
    collector: Collector,
  ) {
    super(definition.source, collector, definition.element)
    this.subject = { decoder: fromByteString(definition.name) }
  }
}

/** The pattern tags that a decoder has. */
export function patternsOf({ programName, prematch, regex }: DecoderDefinition): { tag: PatternTag; pattern: PatternSource }[] {
  const found: { tag: PatternTag; pattern: PatternSource }[] = []
  if (programName !== null) found.push({ tag: 'program_name', pattern: programName })
  if (prematch !== null) found.push({ tag: 'prematch', pattern: prematch })
  if (regex !== null) found.push({ tag: 'regex', pattern: regex })
  return found
}
