/**
 * The declaration of a rule option. Each file beside this one declares one option, or one family of options that differ by a name: how it is parsed, checked,
 * compared, compiled, described and explained, and examples that run as tests (`test/engine/rules/options.test.ts`). `index.ts` is the table of all options.
 */
import type { Localized } from '../../diagnostics/text.js'
import type { XmlElement } from '../../xml/node.js'
import type { TagOption } from '../../xml/tag-option.js'
import type { RuleCompiler } from '../compile.js'
import type { RuleReader } from '../parse.js'
import type { RuleReporter } from '../reporter.js'
import type { RuleDefinition } from '../rule.js'

/** What a tag determines: whether the rule matches, its place in the tree, which events it counts, or the content of its alert. */
export type OptionPart = 'condition' | 'placement' | 'correlation' | 'metadata'

/** An event of an example, or several of one session, of which the last one is tested. Members of JSON events are fields. */
export type ExampleEvents = string | readonly string[]

/** A rule with the option and events, which run as a test. */
export interface RuleExample {
  /** The option. */
  readonly xml: string
  /** Other tags of the rule. */
  readonly around?: string
  /** Attributes of the rule beside its id and level. */
  readonly attributes?: string
  /** Rules that load before it. */
  readonly before?: string
  /** Decoders that load with it. */
  readonly decoders?: string
  /** Lists, by name. */
  readonly lists?: Readonly<Record<string, string>>
  /** Local time at which the events are received; a Monday at noon when absent. */
  readonly time?: { readonly timeOfDay: string; readonly weekday: number }
  /** Events for which the rule is final. */
  readonly matches: readonly ExampleEvents[]
  /** Events for which another rule, or none, is final. */
  readonly misses?: readonly ExampleEvents[]
  /** Members of the final rule's record for each of `matches`. */
  readonly answer?: Readonly<Record<string, unknown>>
}

interface PlainOption extends TagOption {
  readonly part: OptionPart
  /** Names of child tags. */
  readonly children?: readonly string[]
  /** `deprecated` still works, `removed` is parsed and ignored. */
  readonly deprecated?: 'deprecated' | 'removed'
  /** The tag that replaces a deprecated one. */
  readonly instead?: string
  /** The first one is short and shows the usual form. */
  readonly examples: readonly [RuleExample, ...RuleExample[]]
  /** Parses one tag into `reader.draft`. */
  read(reader: RuleReader, element: XmlElement): void
  /** Checks this option alone, on a rule that has the tag. */
  check?(reporter: RuleReporter, fields: KnownFields): void
  /** Returns the meaning of the option in the rule, as JSON: equal for two rules if Wazuh treats them alike. Undefined: as if the tag were absent. */
  meaning(definition: RuleDefinition): unknown
}

/** Dynamic fields that some decoder sets, in lower case. */
export interface KnownFields {
  readonly allDynamic: ReadonlySet<string>
}

/** A field that a condition needs: a static one by its index, a dynamic one by its name in lower case, or either user. */
export interface NeededField {
  readonly name: string
  readonly field: { readonly static: number } | { readonly dynamic: string } | 'user'
  readonly element: XmlElement
}

/** Why a condition failed. Texts are Unicode. */
export interface FailedTest {
  readonly tag: string
  /** Name of the dynamic field, for `<field>`. */
  readonly field: string | null
  readonly pattern: string
  readonly negate: boolean
  /** The text of the event; null if it has none. */
  readonly text: string | null
  /** Where the pattern stopped matching, `at` in characters of the text; null if unknown. */
  readonly stopped: { readonly matched: string; readonly expected: string; readonly at: number } | null
}

/** A condition that depends on the event alone: the part of an option that becomes a test. `V` is the value that `read` stores in the definition. */
export interface ConditionKind<V = unknown> {
  readonly name: string
  /** Conditions of a rule are tested in ascending order of cost; those of equal cost in document order. */
  readonly cost: number
  /** Adds conditions to the compiler. */
  compile(value: V, compiler: RuleCompiler): void
  /** Returns a sentence that explains why a rule did not match. */
  readonly explain: Localized<(failed: FailedTest) => string>
  /** The pattern, for kinds that compare a text with one. */
  patternText?(value: V): string
  /** Fields without which the condition fails. */
  neededFields?(value: V): readonly NeededField[]
}

export interface ConditionOption<V = unknown> extends PlainOption, ConditionKind<V> {
  readonly part: 'condition'
}

/** An option that `match/` runs itself, because it reads or changes the session, or because the decoder decides. `F` is the data about a failure. */
export interface MatcherOption<F = never> extends PlainOption {
  readonly explain: Localized<(failed: F) => string>
}

/** An option for the place of a rule, the events that it counts, or the content of its alert. */
export interface OtherOption extends PlainOption {
  readonly part: Exclude<OptionPart, 'condition'>
}

export type RuleOption = ConditionOption | MatcherOption | OtherOption
