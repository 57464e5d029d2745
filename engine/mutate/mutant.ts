/** A mutant: one small change of one rule or decoder, as an edit of its text. */
import type { DecoderDefinition } from '../event/decoder.js'
import type { CompiledRule } from '../rules/compiled-rule.js'

/** What a mutant changes, in the order in which they are tried. */
export const OPERATORS = [
  'delete',
  'drop_overwrite',
  'parent',
  'level',
  'frequency',
  'timeframe',
  'drop',
  'negate',
  'loosen',
  'swap_field',
  'drop_alternative',
  'drop_anchor',
  'widen_class',
  'case',
  'drop_order',
  'drop_offset',
] as const
export type MutationOperator = (typeof OPERATORS)[number]

/** Bytes of the file that are replaced. */
export interface ByteEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Mutant {
  readonly operator: MutationOperator
  /** Line of the changed element or attribute. */
  readonly line: number
  /** In ascending order; empty: the rule is taken out. */
  readonly edits: readonly ByteEdit[]
  /** The changed text before and after, for people. */
  readonly before: string
  readonly after: string
  /** The rule below which it goes; only of the operator `parent`. */
  readonly parent?: number
}

/** A rule or decoder with its mutants. */
export type MutatedItem = { readonly mutants: readonly Mutant[]; readonly name: string } & (
  | { readonly kind: 'rule'; readonly rule: CompiledRule }
  | { readonly kind: 'decoder'; readonly definition: DecoderDefinition }
)
