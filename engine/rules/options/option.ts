/**
 * What an option is. Each file beside this one declares one option, or one family of options that differ by a name: how it is read, checked, compiled,
 * described and explained, and examples that run as tests (`test/engine/rules/options.test.ts`). `index.ts` is the table of all of them.
 */
import type { Localized } from '../../diagnostics/text.js'
import type { XmlElement } from '../../xml/node.js'
import type { RuleCompiler } from '../compile.js'
import type { RuleReader } from '../parse.js'
import type { RuleReporter } from '../reporter.js'
import type { RuleDefinition } from '../rule.js'

/** An attribute of a tag. */
export interface OptionAttribute {
  readonly name: string
  readonly required: boolean
  /** Accepted values; empty = any. */
  readonly values: readonly string[]
  readonly help: Localized
}

/** What a tag decides: whether the rule matches, its place in the tree, what it counts, or what its alert says. */
export type OptionPart = 'condition' | 'placement' | 'correlation' | 'metadata'

/** An event of an example, or several of one session of which the last one counts. JSON events have their members as fields. */
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
  /** Events for which the rule answers. */
  readonly matches: readonly ExampleEvents[]
  /** Events for which another rule, or none, answers. */
  readonly misses?: readonly ExampleEvents[]
  /** Members of the answer's rule record for each of `matches`. */
  readonly answer?: Readonly<Record<string, unknown>>
}

interface PlainOption {
  readonly name: string
  readonly part: OptionPart
  /** The tag must be lower case; all others ignore case. */
  readonly exactCase?: boolean
  /** What a repeated tag does. */
  readonly repeat: 'joined' | 'last' | 'each' | 'once'
  readonly help: Localized
  readonly attributes: readonly OptionAttribute[]
  /** Accepted contents; empty = any. */
  readonly values: readonly string[]
  /** Names of child tags. */
  readonly children?: readonly string[]
  /** `deprecated` still works, `removed` is read and does nothing. */
  readonly deprecated?: 'deprecated' | 'removed'
  /** The tag to write in place of a deprecated one. */
  readonly instead?: string
  /** The first one is short and shows the usual form. */
  readonly examples: readonly [RuleExample, ...RuleExample[]]
  /** Reads one tag into `reader.draft`. */
  read(reader: RuleReader, element: XmlElement): void
  /** Advice on a rule that has the tag, about this option alone. */
  check?(reporter: RuleReporter, fields: KnownFields): void
  /** What the rule means by the option, as JSON: equal for two rules when Wazuh treats them alike. Undefined = as if it were not written. */
  meaning(definition: RuleDefinition): unknown
}

/** Dynamic fields that some decoder fills, in lower case. */
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
  /** The text of the event; null when it has none. */
  readonly text: string | null
  /** Where the pattern stopped matching, where that is known. */
  readonly stopped: { readonly matched: string; readonly expected: string } | null
}

/** A condition that depends on the event alone: the part of an option that becomes a test. `V` is what `read` keeps of it in the definition. */
export interface ConditionKind<V = unknown> {
  readonly name: string
  /** Conditions of a rule are tried by ascending cost, those of equal cost as they are written. */
  readonly cost: number
  /** Adds conditions to the compiler. */
  compile(value: V, compiler: RuleCompiler): void
  /** Why a rule did not match, in a sentence. */
  readonly explain: Localized<(failed: FailedTest) => string>
  /** The pattern, for kinds that compare a text with one. */
  patternText?(value: V): string
  /** Fields without which it fails. */
  neededFields?(value: V): readonly NeededField[]
}

export interface ConditionOption<V = unknown> extends PlainOption, ConditionKind<V> {
  readonly part: 'condition'
}

/** An option that `match/` runs itself, because it reads or changes the session, or the decoder decides. `F` is what it tells of a failure. */
export interface MatcherOption<F = never> extends PlainOption {
  readonly explain: Localized<(failed: F) => string>
}

/** Says where a rule stands, which events it counts, or what its alert says. */
export interface OtherOption extends PlainOption {
  readonly part: Exclude<OptionPart, 'condition'>
}

export type RuleOption = ConditionOption | MatcherOption | OtherOption
