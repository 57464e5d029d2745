/** The syntax tree of a filter. Names are resolved and values have the type of their attribute, so that evaluation and translation never refuse. */
import type { AttributePath } from '../attribute-path.js'

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | Comparison
  /** The attribute has a value. */
  | { readonly kind: 'present'; readonly path: AttributePath }
  /** One value of the attribute satisfies the filter, whose paths are those of the attribute's sub-attributes. */
  | { readonly kind: 'element'; readonly path: AttributePath; readonly filter: Filter }

export interface Comparison {
  readonly kind: 'compare'
  readonly path: AttributePath
  readonly operator: Operator
  readonly value: FilterValue
  /** The value as the filter has it; PATCH creates elements with it. */
  readonly literal: FilterValue
}

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Operator = (typeof OPERATORS)[number]

/** A text in the letter case of its attribute's comparison (`foldCase`), a date as milliseconds. Null: the attribute has no value. */
export type FilterValue = string | number | boolean | null
