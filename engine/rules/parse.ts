/**
 * Reads a rules file, one rule at a time. Whether a rule is a duplicate, which is not read at all, depends on the rules placed before it
 * (BEHAVIOUR.md#groups-of-rules, #order-of-rule-checks).
 */
import type { LayeredNames } from '../event/layered-names.js'
import type { ExpressionPool } from '../expressions/compile.js'
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector } from '../diagnostics/collector.js'
import { CRASHES } from '../diagnostics/crashes.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { CdbList } from '../lists/list.js'
import type { SourceText } from '../source/source-text.js'
import { suggest, suggestMeant } from '../diagnostics/suggest.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { Known, Params } from '../xml/element-reporter.js'
import { isNamed, wraps, type XmlAttribute, type XmlElement } from '../xml/node.js'
import { reportWrongPattern } from '../xml/pattern-reporter.js'
import { ANY_TAG, type BrokenElements, NOTHING_BROKEN } from '../xml/unsure.js'
import { findRuleAttribute, ID_DIGITS, refuseLevelText, RULE_ATTRIBUTES } from './attributes.js'
import { field } from './options/field.js'
import { findRuleOption, RULE_OPTIONS } from './options/index.js'
import { INVENTED_OPTIONS } from './options/invented.js'
import { definedIn, type VariableIndex } from '../xml/variable-index.js'
import { isComposite, RuleDefinition } from './rule.js'
import { wrongNumberOf } from './wrong-number.js'

/** The data about the ruleset that parsing a rule needs. */
export interface RuleContext {
  readonly decoders: LayeredNames
  readonly lists: ReadonlyMap<string, CdbList>
  readonly expressions: ExpressionPool
  /** Continue after a fault to report everything that can be known. The rule does not load in any case. */
  readonly survey: boolean
  /** Names of missing lists that rules refer to; reading adds to it. */
  readonly awaitedLists: Set<string>
  /** The rule of the id that is in the tree now, if any. */
  placed(id: number): RuleDefinition | undefined
  /** The diagnostic with which an earlier rule of the id was left out. */
  lost(id: number): Diagnostic | undefined
  /** Why the decoder of the name is missing, if a file declares it. */
  lostDecoder(name: string): Diagnostic | undefined
  readonly variables: VariableIndex
}

/** A value that is nothing but the name of a variable: none was replaced. */
const VARIABLE = /^\$([A-Za-z_]\w*)$/

/** Maximum length of the joined text of a tag. A longer text drops the tag from the rule (BEHAVIOUR.md#rule-tags). */
const RULE_TEXT_LIMIT = 2047

/** One `<rule>` element with the group around it. */
export interface RuleElement {
  readonly element: XmlElement
  readonly group: XmlElement
  /** The fault of its opening tag. Only a survey reads such a rule. */
  readonly fault: Diagnostic | null
}

const OPTION_NAMES = RULE_OPTIONS.map(({ name }) => name)

/** Lists the rules of a file in document order. `refused`: the engine would not start with this file. @param survey include rules that the engine does not reach */
export function listRuleElements(
  source: SourceText,
  roots: readonly XmlElement[],
  collector: Collector,
  survey: boolean,
  broken: BrokenElements = NOTHING_BROKEN,
): { rules: RuleElement[]; refused: boolean } {
  const rules: RuleElement[] = []
  let refused = false
  const list = (parent: XmlElement, group = parent): void => {
    for (const element of parent.children) {
      if (isNamed(element, 'rule')) {
        rules.push({ element, group, fault: null })
        continue
      }
      refused = true
      const reporter = new ElementReporter(source, collector, group)
      reporter.refuse('group_child_invalid', element, { name: element.name }, { known: ['rule'] })
      if (!survey) continue
      if (wraps(element, 'rule')) list(element, isNamed(element, 'group') ? element : group)
      else if (suggest(element.name, ['rule']) !== null) rules.push({ element, group, fault: reporter.fault })
    }
  }
  for (const root of roots) {
    const reporter = new ElementReporter(source, collector, root)
    if (!isNamed(root, 'group')) {
      reporter.refuse('rules_root_invalid', root, { name: root.name }, { known: ['group'] })
      if (survey && isNamed(root, 'rule')) rules.push({ element: root, group: { ...root, attributes: [] }, fault: reporter.fault })
      else if (survey && wraps(root, 'group')) for (const group of root.children.filter((child) => isNamed(child, 'group'))) list(group)
      else if (survey && suggest(root.name, ['group']) !== null) list(root)
    } else if ((root.attributes.length !== 1 || root.attributes[0].name.toLowerCase() !== 'name') && !broken.has(root)) {
      reporter.refuse('group_name_missing', root, {})
      if (survey) list(root)
    } else {
      if (root.children.length === 0 && !broken.has(root)) {
        reporter.refuse('group_empty', root, { name: root.attributes[0].value })
        // Wazuh stops at the first fault of a file.
        if (root !== roots[0] && !refused) reporter.report('wazuh_crash', root, CRASHES.group_empty)
      }
      list(root)
    }
    refused ||= reporter.refused
  }
  return { rules, refused }
}

/** Reads one rule. The options of `options/` and the attributes of `attributes.ts` call its methods. */
export class RuleReader extends ElementReporter {
  readonly draft: RuleDefinition
  readonly context: RuleContext
  /** A `level` that is not a number. */
  levelText: XmlAttribute | null = null
  /** The rule is silently left out. Reading stops at once, so later mistakes in it do not refuse the ruleset. */
  skipped = false
  /** The diagnostic that says why the rule was left out. */
  skipDiagnostic: Diagnostic | null = null
  /** ATT&CK references of the blocks so far; a set, because hostile content has tens of thousands. */
  readonly mitreSeen = new Set<string>()
  #idSeen = false
  #levelSeen = false
  #longDescription: Diagnostic | null = null
  readonly #broken: BrokenElements

  constructor(source: SourceText, { element, group, fault }: RuleElement, context: RuleContext, collector: Collector, broken: BrokenElements = NOTHING_BROKEN) {
    super(source, collector, element)
    this.context = context
    this.draft = new RuleDefinition(source, element, group)
    this.fault = fault
    this.#broken = broken
  }

  setId(id: number): void {
    this.draft.id = id
    this.#idSeen = true
    this.subject = { id }
  }

  setLevel(level: number): void {
    this.draft.level = level
    this.#levelSeen = true
  }

  /** Like that of all elements, but a variable that was not replaced is the cause of what is wrong with a value. */
  override refuse(code: DiagnosticCode, element: XmlElement, params: Params, extra: Known = {}): void {
    const variable = params.value === element.content ? this.#unreplaced(element.content) : null
    if (variable === null) super.refuse(code, element, params, extra)
    else super.refuse('xml_variable_undefined', element, ...variable)
  }

  override refuseAttribute(code: DiagnosticCode, attribute: XmlAttribute, params: Params, extra: Known = {}): void {
    const variable = this.#unreplaced(attribute.value)
    if (variable === null) super.refuseAttribute(code, attribute, params, extra)
    else super.refuseAttribute('xml_variable_undefined', attribute, ...variable)
  }

  #unreplaced(value: string): [Params, Known] | null {
    const name = VARIABLE.exec(value)?.[1]
    if (name === undefined || this.context.variables.isShortText(value, this.source)) return null
    const place = this.context.variables.definedElsewhere(name, this.source)
    return [
      { detail: name, elsewhere: definedIn(place) },
      { within: [0, value.length], related: place === null ? [] : [place] },
    ]
  }

  /** Reports a diagnostic that makes the engine leave the rule out. */
  skip(code: DiagnosticCode, element: XmlElement, params: Params, extra: Known = {}): void {
    if (!this.skipped) this.#refuseWrongFields()
    this.skipped = true
    this.skipDiagnostic = this.report(code, element, params, extra)
    this.noteFault(this.skipDiagnostic)
    // After a refusal nothing is left out any more.
    this.unread ||= !this.refused
  }

  /** Wazuh compiles a `<field>` when it reads it, and all other patterns when the rule is complete: a wrong one before the reason to leave the rule out refuses everything. */
  #refuseWrongFields(): void {
    const { draft, source, owner: element, collector } = this
    const fields = draft.valueOf(field)
    if (fields === undefined) return
    const accepted = fields.accepted.filter((pattern) => {
      const outcome = pattern.dialect === 'exact' ? null : this.context.expressions.compile(pattern.dialect, pattern.text)
      if (outcome === null || outcome.ok) return true
      this.refuseFor(reportWrongPattern(collector, { source, element }, { tag: field.name, ...pattern }, outcome.error))
      draft.addUnsure(field.name)
      return false
    })
    draft.setCondition(field, { ...fields, accepted })
  }

  /**
   * Returns the definition, or null when there is none; then `refused` or `skipped` says what follows. In a survey a definition may have a
   * `fault`, and lists the tags that are unsure.
   */
  read(): RuleDefinition | null {
    const { draft, owner, context } = this
    if (this.#broken.has(owner)) this.#noteBroken(owner, ANY_TAG)
    if (!this.#readAttributes() && !context.survey) return null
    const existing = context.placed(draft.id)
    if (existing !== undefined && !draft.overwrite) {
      const related = [{ filename: existing.source.filename, span: existing.span }]
      this.skip('rule_duplicate_id', owner, { file: existing.source.filename, line: existing.span.line }, { related })
      if (!context.survey) return null
    }
    if (existing === undefined && draft.overwrite && draft.id >= 0) this.report('rule_overwrite_target_missing', owner, {}, { cause: context.lost(draft.id) ?? null })
    const { attributes } = draft.groupElement
    if (attributes.length === 0) draft.addUnsure('group')
    draft.groups = (attributes[0]?.value ?? '').replaceAll('\n', '')
    if (owner.children.length === 0 && draft.isSure()) {
      this.refuse('rule_no_options', owner, {})
      return null
    }
    if (!this.#readTags() && !context.survey) return null
    const isWhole = this.#checkWhole()
    draft.fault = this.fault
    return isWhole || context.survey ? draft : null
  }

  #noteBroken(element: XmlElement, tag: string): void {
    this.fault ??= this.#broken.get(element) ?? null
    this.draft.addUnsure(tag)
  }

  /** Returns false at the first attribute that stops the engine. */
  #readAttributes(): boolean {
    const { owner, draft } = this
    const { survey } = this.context
    for (const attribute of owner.attributes) {
      const known = findRuleAttribute(attribute.name)
      if (known === undefined) {
        const extra = { known: RULE_ATTRIBUTES.map(({ name }) => name) }
        this.refuseAttribute('rule_attribute_unknown', attribute, { name: attribute.name }, extra)
        if (!survey) return false
        const meant = suggest(attribute.name, extra.known) ?? ''
        draft.addUnsure(meant)
        if (meant === 'id' && !this.#idSeen && /^[0-9]{1,6}$/.test(attribute.value)) this.setId(Number(attribute.value))
      } else if (!known.read(this, attribute)) {
        if (!survey) return false
        draft.addUnsure(known.name)
      }
    }
    if (!this.#idSeen && draft.isSure('id')) {
      this.refuse('rule_id_missing', owner, {})
      if (!survey) return false
    }
    if (!this.#levelSeen && draft.isSure('level')) {
      if (this.levelText === null) this.refuse('rule_level_missing', owner, {})
      else refuseLevelText(this, this.levelText)
      draft.addUnsure('level')
      return false
    }
    return true
  }

  /** Returns false when the rule was left out or refused. */
  #readTags(): boolean {
    const { owner, draft } = this
    // A separate map: using the definition's `places` would create and keep one for every rule.
    const seen = new Map<string, XmlElement>()
    for (const child of owner.children) {
      const option = findRuleOption(child.name)
      if (option === undefined) {
        const suggestion = (): string | null => suggestMeant(child.name, OPTION_NAMES, INVENTED_OPTIONS)
        this.refuse('rule_element_unknown', child, { name: child.name }, { suggestion })
        if (this.context.survey) draft.addUnsure(suggestion() ?? '')
        continue
      }
      if (this.#broken.size > 0 && [child, ...child.children].some((part) => this.#broken.has(part))) {
        this.#noteBroken([child, ...child.children].find((part) => this.#broken.has(part)) ?? child, option.name)
        continue
      }
      if (option.deprecated === 'removed') this.report('rule_element_removed', child, { name: option.name })
      else if (option.deprecated === 'deprecated') this.report('rule_element_deprecated', child, { name: option.name, instead: option.instead ?? '' })
      if (child.attributes.length > 0) {
        this.#checkAttributes(
          child,
          option.name,
          option.attributes.map(({ name }) => name),
        )
      }
      const before = seen.get(option.name)
      if (before === undefined) seen.set(option.name, child)
      else if (option.repeat === 'last') {
        // Joined texts have their own diagnostics for results that make no sense (checks/).
        this.report(
          'rule_element_duplicate',
          child,
          { name: option.name, effect: option.repeat },
          { related: [{ filename: this.source.filename, span: this.source.span(before.start, before.end) }] },
        )
      }
      const faults = this.faultCount
      option.read(this, child)
      if (this.faultCount === faults) continue
      if (!this.context.survey && this.skipped) return false
      draft.addUnsure(option.name)
    }
    return !this.refused
  }

  /** Reports unknown attributes of tags. The engine ignores them, except on list and info, which check their own. */
  #checkAttributes(element: XmlElement, tag: string, allowed: readonly string[]): void {
    if (tag === 'list' || tag === 'info') return
    for (const attribute of element.attributes) {
      if (!allowed.includes(attribute.name)) this.reportAttribute('rule_attribute_ignored', attribute, { name: attribute.name, tag }, { known: allowed })
    }
  }

  /** Checks that need the whole rule, in the engine's order (BEHAVIOUR.md#order-of-rule-checks). */
  #checkWhole(): boolean {
    const { draft, owner } = this
    const { ifSid } = draft
    if (ifSid !== null && !/^[0-9, ]+\n?$/.test(ifSid)) {
      const place = draft.places.get('if_sid') ?? owner
      this.skip(ifSid === '' ? 'rule_if_sid_empty' : 'rule_if_sid_invalid', place, { value: ifSid }, place.content === ifSid ? wrongNumberOf(ifSid, ID_DIGITS) : {})
      if (!this.context.survey) return false
      draft.ifSid = null
      draft.addUnsure('if_sid')
    }
    // The description was dropped because of its length, and the diagnostic should say so.
    if (draft.description === null && this.#longDescription !== null) this.refuseFor(this.#longDescription)
    else if (draft.description === null && draft.isSure('description')) this.refuse('rule_description_missing', owner, {})
    if (draft.isSure('if_matched_sid', 'if_matched_group', 'if_matched_regex', 'check_diff')) this.#checkContext()
    return !this.refused
  }

  #checkContext(): void {
    const { draft, owner } = this
    if (isComposite(draft) || draft.checkDiff) return
    if ((draft.frequency ?? 0) > 2) {
      const attribute = draft.attribute('frequency')
      if (attribute !== undefined) this.refuseAttribute('rule_frequency_without_matched', attribute, { value: attribute.value })
      return
    }
    const isCorrelating = ({ name }: XmlElement): boolean => /^(?:same|different|not_same)_/i.test(name) && !/_agent$/i.test(name)
    const correlating = owner.children.find(isCorrelating) ?? owner.children.find(({ name }) => name.toLowerCase() === 'global_frequency')
    if (correlating !== undefined) this.refuse('rule_correlation_without_matched', correlating, { name: correlating.name.toLowerCase() })
  }

  /** Appends a tag's text to the earlier ones (BEHAVIOUR.md#rule-tags). When too long, an error is reported and the tag is dropped, but the rule loads. */
  joinText(before: string | null, element: XmlElement, tag: string): string | null {
    const { content } = element
    if (before === null ? content.length > RULE_TEXT_LIMIT : before.length > RULE_TEXT_LIMIT + 1 || content.length > RULE_TEXT_LIMIT + 1) {
      const diagnostic = this.report(tag === 'description' ? 'rule_description_too_long' : 'rule_text_too_long', element, {
        tag,
        length: content.length + (before?.length ?? 0),
        limit: RULE_TEXT_LIMIT,
      })
      if (tag === 'description') this.#longDescription = diagnostic
      return null
    }
    return (before ?? '') + content
  }
}
