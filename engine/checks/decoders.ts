/** Decoders that load but have no effect, or another effect than they seem to have (BEHAVIOUR.md#decoder-tags, #silent-decoder-mistakes). */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import { DECODER_OPTIONS, findDecoderOption } from '../decoders/options/index.js'
import type { DecoderOption } from '../decoders/options/option.js'
import type { Expression } from '../expressions/expression.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { MARK } from '../expressions/osregex/parse.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { isSure } from '../xml/unsure.js'
import type { CheckContext } from './context.js'
import { mayHavePrematch } from './decoder-facts.js'
import { Families } from './decoder-families.js'
import { checkRoots } from './decoder-roots.js'
import { mayBeginWith } from './pattern-heads.js'
import { DecoderReporter } from '../decoders/reporter.js'
import { elementsOf } from '../xml/definition-reporter.js'

/** Tags that only affect the decoder that is reported. */
const REPORTED_TAGS = DECODER_OPTIONS.filter(({ onlyReported }) => onlyReported).map(({ name }) => name)

export function checkDecoders(context: CheckContext): void {
  if (context.decoders.length === 0) return
  const linked = linkedDecoders(context)
  for (const definition of context.decoders) {
    const reporter = new DecoderReporter(definition, context.collector)
    checkOptions(reporter)
    checkGroups(reporter, context)
    const decoders = linked.get(definition) ?? []
    checkPlugin(reporter, decoders)
    if (definition.parent === null) checkRootUse(reporter, decoders)
    else checkChild(reporter, decoders, context)
  }
  new Families(context).check()
  checkRoots(context)
}

/** The roots of each definition: a child belongs to every root with the name of its parent. */
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
      // For a child: its roots.
      for (const child of root.children) add(child.definition, root)
    }
  }
  return linked
}

/** Runs the checks of the options, and reports repeated tags of which only the last one counts. */
function checkOptions(reporter: DecoderReporter): void {
  const seen = new Set<DecoderOption>()
  for (const child of reporter.owner.children) {
    const option = findDecoderOption(child.name)
    if (option === undefined) continue
    if (!seen.has(option)) option.check?.(reporter)
    else if (option.repeat === 'last' && option.repeatCounts?.(child) !== false) reporter.report('decoder_element_duplicate', child, { name: option.name })
    seen.add(option)
  }
}

/** Maximum number of groups in a match, as the dialect counts them. */
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
  else {
    const effect = regex.dialect === 'pcre2' ? '<order> receives what was captured last, also of an earlier event' : 'it extracts nothing'
    reporter.report('decoder_regex_no_group', element, { effect })
  }
}

/** Beginnings of logs that are objects: JSON_Decoder skips white space, and a byte order mark. */
const OBJECT_HEADS = ['{', ' ', '\t', '\n', '\r', '\u00ef']

/**
 * Reports a JSON_Decoder that reads the log from its beginning, where the prematch of the root requires other text. The offset of the decoder that is reported
 * decides (BEHAVIOUR.md#plugin-decoders): of the child whose prematch selected it, or else of the root.
 */
function checkPlugin(reporter: DecoderReporter, roots: readonly CompiledDecoder[]): void {
  const { definition } = reporter
  if (definition.plugin?.name !== 'JSON_Decoder' || definition.pluginElement === null || roots.length === 0) return
  if (!roots.every((root) => readsWholeLog(root, definition) && !OBJECT_HEADS.some((head) => mayBeginWith(root.prematch, head)))) return
  const isRoot = definition.parent === null
  const needsPrematch = !isRoot && definition.prematch === null
  const reason = needsPrematch && definition.plugin.offset === 'after_parent' ? 'offset="after_parent" has no effect without a <prematch> beside it' : 'it has no offset'
  const fix = isRoot ? 'offset="after_prematch"' : needsPrematch ? '<prematch offset="after_parent">{</prematch> and offset="after_parent"' : 'offset="after_parent"'
  reporter.report('decoder_plugin_whole_log', definition.pluginElement, { reason, fix })
}

/** Whether the plugin of a decoder, if it runs below this root, gets the log from its beginning. */
function readsWholeLog(root: CompiledDecoder, definition: DecoderDefinition): boolean {
  if (definition === root.definition) return root.children.length === 0 && definition.plugin?.offset === 'none'
  const at = root.children.findIndex((child) => child.definition === definition)
  let entry = at
  while (entry > 0 && root.children[entry - 1].continues) entry--
  const reported = root.children[entry].prematch === null ? root.definition : root.children[entry].definition
  return isSure(reported.unsure, 'prematch', 'plugin_decoder') && (reported.plugin?.offset ?? 'none') === 'none'
}

/** Reports extracting tags of a root with children, because only the children extract. */
function checkRootUse(reporter: DecoderReporter, roots: readonly CompiledDecoder[]): void {
  const { regex, plugin } = reporter.definition
  if (!roots.some((root) => root.children.length > 0)) return
  if (plugin !== null) reporter.at('decoder_plugin_ignored', 'plugin_decoder', {})
  else if (regex !== null) reporter.report('decoder_regex_ignored', regex.elements[0], {})
}

function checkChild(reporter: DecoderReporter, roots: readonly CompiledDecoder[], { ruleset }: CheckContext): void {
  const { type } = reporter.definition
  if (mayHavePrematch(reporter.definition) || roots.length === 0 || !ruleset.decoders.isComplete) return
  for (const tag of REPORTED_TAGS) {
    const [element] = elementsOf(reporter.owner, tag)
    if (element === undefined) continue
    // Repeating the type of the root is no mistake.
    if (tag === 'type' && roots.every(({ definition }) => definition.type === type || !isSure(definition.unsure, 'type'))) continue
    reporter.report('decoder_option_ineffective', element, { name: tag })
  }
}
