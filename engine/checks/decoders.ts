/** Decoders: what loads and does nothing, or something else than it looks like (BEHAVIOUR.md#decoder-tags, #silent-decoder-mistakes). */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import { splitWords } from '../decoders/options.js'
import type { Expression } from '../expressions/expression.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { MARK } from '../expressions/osregex/parse.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { isSure } from '../xml/unsure.js'
import type { CheckContext } from './context.js'
import { mayHavePrematch } from './decoder-facts.js'
import { Families } from './decoder-families.js'
import { checkRoots } from './decoder-roots.js'
import { DecoderReporter, elementsOf } from './reporters.js'

/** Tags of which the last one wins without a word. */
const SINGLE_TAGS = ['order', 'type', 'plugin_decoder', 'json_null_field', 'json_array_structure'] as const
/** Tags that only the reported decoder can have an effect with. */
const REPORTED_TAGS = ['type', 'use_own_name', 'fts', 'accumulate', 'json_null_field', 'json_array_structure'] as const

export function checkDecoders(context: CheckContext): void {
  if (context.decoders.length === 0) return
  const linked = linkedDecoders(context)
  for (const definition of context.decoders) {
    const reporter = new DecoderReporter(definition, context.collector)
    checkTags(reporter)
    checkOrder(reporter)
    checkGroups(reporter, context)
    const decoders = linked.get(definition) ?? []
    if (definition.parent === null) checkRootUse(reporter, decoders)
    else checkChild(reporter, decoders, context)
  }
  new Families(context).check()
  checkRoots(context)
}

/** Where each definition stands: a child stands under every root of its parent's name. */
function linkedDecoders({ ruleset: { decoders } }: CheckContext): Map<DecoderDefinition, CompiledDecoder[]> {
  const linked = new Map<DecoderDefinition, CompiledDecoder[]>()
  const add = (key: DecoderDefinition, decoder: CompiledDecoder): void => {
    const known = linked.get(key)
    if (known === undefined) linked.set(key, [decoder])
    else known.push(decoder)
  }
  for (const list of [decoders.programRoots, decoders.plainRoots]) {
    for (const root of list) {
      add(root.definition, root)
      // For a child: the roots above it.
      for (const child of root.children) add(child.definition, root)
    }
  }
  return linked
}

function checkTags(reporter: DecoderReporter): void {
  const seen = new Set<string>()
  for (const child of reporter.owner.children) {
    const name = child.name.toLowerCase()
    if (!SINGLE_TAGS.some((tag) => tag === name)) continue
    if (seen.has(name)) reporter.report('decoder_element_duplicate', child, { name })
    seen.add(name)
  }
}

function checkOrder(reporter: DecoderReporter): void {
  const { order } = reporter.definition
  if (order === null) return
  const element = elementsOf(reporter.owner, 'order').at(-1) ?? reporter.owner
  const seen = new Set<string>()
  let repeated: string | null = null
  for (const { name, staticIndex } of order) {
    const key = staticIndex < 0 ? name.toLowerCase() : `${staticIndex}`
    if (seen.has(key)) repeated ??= name
    seen.add(key)
  }
  // Alternatives of one pattern may well fill one field.
  if (repeated !== null && !(reporter.definition.regex?.text ?? '').includes('|')) reporter.report('decoder_order_duplicate_field', element, { field: repeated })
  if (order.some(({ name }) => /[\t\n\r]/.test(name))) {
    reporter.report('decoder_order_whitespace', element, {})
    return
  }
  const cut = cutWord(element.content)
  if (cut !== null) reporter.report('decoder_field_name_style', element, { field: cut, reason: 'it is cut at its first blank' })
  const odd = order.find(({ name }) => !/^[A-Za-z0-9_.@-]+$/.test(name))
  if (odd !== undefined) reporter.report('decoder_field_name_style', element, { field: odd.name, reason: 'it has unusual characters' })
}

/** A word of which only the beginning counts. */
function cutWord(content: string): string | null {
  const words = content.split(',').map((word) => word.trim())
  const read = splitWords(content)
  return words.length === read.length ? (words.find((word, index) => word.includes(' ') && word !== read[index]) ?? null) : null
}

/** How many groups a match can report, as the dialect counts them. */
function groupsOf(expression: Expression): number {
  if (expression instanceof Pcre2Expression) return expression.groupCount
  if (!(expression instanceof OsRegexExpression)) return 0
  return Math.max(...expression.alternatives.map(({ kinds }) => kinds.filter((kind) => kind === MARK).length >> 1))
}

function checkGroups(reporter: DecoderReporter, { ruleset }: CheckContext): void {
  const { regex, prematch, order } = reporter.definition
  if (regex === null || order === null) return
  const outcome = ruleset.expressions.compile(regex.dialect, regex.text, true)
  if (!outcome.ok) return
  const groups = groupsOf(outcome.expression)
  const element = regex.elements[0]
  if (groups > 0) {
    if (groups !== order.length) reporter.report('decoder_group_count_mismatch', element, { groups, fields: order.length })
    return
  }
  const before = prematch?.dialect === 'pcre2' && regex.dialect === 'pcre2' ? ruleset.expressions.compile('pcre2', prematch.text) : null
  if (before?.ok === true && groupsOf(before.expression) > 0) reporter.report('regex_captures_reused', element, {})
  else reporter.report('decoder_regex_no_group', element, {})
}

/** Of a root with children only the children extract. */
function checkRootUse(reporter: DecoderReporter, roots: readonly CompiledDecoder[]): void {
  const { regex, plugin } = reporter.definition
  if (!roots.some((root) => root.children.length > 0)) return
  if (plugin !== null) reporter.at('decoder_plugin_ignored', 'plugin_decoder', {})
  else if (regex !== null) reporter.report('decoder_regex_ignored', regex.elements[0], {})
}

function checkChild(reporter: DecoderReporter, roots: readonly CompiledDecoder[], { ruleset }: CheckContext): void {
  const { programName, type } = reporter.definition
  if (programName !== null) reporter.report('decoder_program_name_in_child', programName.elements[0], {})
  if (mayHavePrematch(reporter.definition) || roots.length === 0 || !ruleset.decoders.isComplete) return
  for (const tag of REPORTED_TAGS) {
    const [element] = elementsOf(reporter.owner, tag)
    if (element === undefined) continue
    // Repeating what the root says is no mistake.
    if (tag === 'type' && roots.every(({ definition }) => definition.type === type || !isSure(definition.unsure, 'type'))) continue
    reporter.report('decoder_option_ineffective', element, { name: tag })
  }
}
