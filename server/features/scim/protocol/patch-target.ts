/** The effect of one operation of PATCH on the value of one attribute (RFC 7644, 3.5.2.1 to 3.5.2.3). Values are never changed in place. */
import type { Attribute } from './attribute.js'
import { type AttributePath, pathText } from './attribute-path.js'
import { ScimError } from './errors.js'
import { type ComparisonBudget, matchesElement } from './filter/evaluate.js'
import type { Filter, FilterValue } from './filter/filter.js'
import type { OperationKind } from './patch.js'
import { complexValue, isPrimary, keyOf, mergeValues, readOne, readSubValues, readValue, requireOnePrimary } from './read-value.js'
import { requireUnchanged } from './read-resource.js'
import { isObject, type ScimObject, type ScimValue, valuesOf } from './resource.js'

/** What an operation costs, in comparisons: by itself, for each value that it copies or compares by key, and for each complex value that it builds. Measured. */
const OPERATION_COST = 64
const COPY_COST = 1
const KEY_COST = 4
const CHANGE_COST = 24

export class PatchTarget {
  readonly #attribute: Attribute
  readonly #sub: Attribute | null
  readonly #filter: Filter | null
  readonly #text: string
  readonly #budget: ComparisonBudget
  /** Names of the attribute and of the whole path, for errors. */
  readonly #name: string
  readonly #fullName: string

  /** @param text the path as the client sent it */
  constructor(path: AttributePath, filter: Filter | null, text: string, budget: ComparisonBudget) {
    this.#attribute = path.attribute
    this.#sub = path.sub
    this.#filter = filter
    this.#text = text
    this.#budget = budget
    this.#name = pathText({ ...path, sub: null })
    this.#fullName = pathText(path)
  }

  /** Returns the new value of the attribute; undefined: unassigned. @throws ScimError */
  apply(kind: OperationKind, before: ScimValue | undefined, value: unknown): ScimValue | undefined {
    this.#budget.take(OPERATION_COST + (kind === 'remove' ? COPY_COST : COPY_COST + KEY_COST) * valuesOf(before).length)
    if (kind === 'remove') return this.#attribute.multiValued ? listOrNone(this.#removeFrom(valuesOf(before), value)) : this.#removeOne(before)
    if (!this.#attribute.multiValued) return this.#writeOne(before, value)
    const values = this.#write(kind, valuesOf(before), value)
    const limit = this.#attribute.maxValues
    if (values.length > limit) throw new ScimError('values_too_many', { attribute: this.#name, limit })
    return listOrNone(this.#withOnePrimary(valuesOf(before), values))
  }

  #removeOne(before: ScimValue | undefined): ScimValue | undefined {
    return this.#sub === null || before === undefined ? undefined : this.#withSub(before as ScimObject, this.#sub, undefined)
  }

  #removeFrom(values: readonly ScimValue[], value: unknown): readonly ScimValue[] {
    const sub = this.#sub
    if (this.#filter === null && sub === null) {
      if (value === undefined || value === null) return []
      return this.#withoutValues(values, value)
    }
    const kept: ScimValue[] = []
    for (const one of values) {
      const rest = !this.#selects(one) ? one : sub === null ? undefined : this.#withSub(one as ScimObject, sub, undefined)
      if (rest !== undefined) kept.push(rest)
    }
    return kept
  }

  /** The values without those that a client names. A complex value is named by its `value`. */
  #withoutValues(values: readonly ScimValue[], named: unknown): readonly ScimValue[] {
    const keys = new Set(valuesOf(readValue(this.#attribute, named, this.#name)).map((one) => this.#nameOf(one)))
    this.#budget.take(KEY_COST * values.length)
    return values.filter((one) => !keys.has(this.#nameOf(one)))
  }

  #nameOf(value: ScimValue): string {
    const own = isObject(value) ? (value as ScimObject).value : undefined
    return keyOf(this.#attribute, own === undefined ? value : { value: own })
  }

  #writeOne(before: ScimValue | undefined, value: unknown): ScimValue | undefined {
    if (this.#sub !== null) return this.#withSub((before ?? {}) as ScimObject, this.#sub, readValue(this.#sub, value, this.#fullName))
    if (this.#attribute.type !== 'complex' || value === null || value === '') return readOne(this.#attribute, value, this.#name)
    // Sub-attributes that the value does not name stay.
    return this.#merge((before ?? {}) as ScimObject, single(value))
  }

  #write(kind: 'add' | 'replace', values: readonly ScimValue[], value: unknown): readonly ScimValue[] {
    if (this.#filter === null && this.#sub === null) {
      const read = valuesOf(readValue(this.#attribute, value, this.#name))
      if (kind === 'replace') return read
      return mergeValues(this.#attribute, values, read)
    }
    const selected = values.map((one) => this.#selects(one))
    if (!selected.includes(true)) return [...values, ...this.#created(kind, value)]
    const changed = values.map((one, place) => (selected[place] ? this.#changed(kind, one as ScimObject, value) : one))
    return mergeValues(
      this.#attribute,
      [],
      changed.filter((one) => one !== undefined),
    )
  }

  /** Undefined: the operation unassigns the value. */
  #changed(kind: 'add' | 'replace', before: ScimObject, value: unknown): ScimObject | undefined {
    this.#budget.take(CHANGE_COST)
    const after = this.#changedValue(kind, before, value)
    for (const sub of this.#attribute.subAttributes) if (after !== undefined) requireUnchanged(sub, before[sub.name], after[sub.name], `${this.#name}.${sub.name}`)
    return after
  }

  #changedValue(kind: 'add' | 'replace', before: ScimObject, value: unknown): ScimObject | undefined {
    if (this.#sub !== null) return this.#withSub(before, this.#sub, readValue(this.#sub, value, this.#fullName))
    const one = single(value)
    return kind === 'add' ? this.#merge(before, one) : (readOne(this.#attribute, one, this.#name) as ScimObject | undefined)
  }

  /** The value that an operation creates when its selection has no match. @throws ScimError noTarget */
  #created(kind: 'add' | 'replace', value: unknown): readonly ScimValue[] {
    const start = this.#filter === null ? new Map<string, FilterValue>() : kind === 'add' ? equalities(this.#filter) : null
    if (start === null) throw new ScimError('target_missing', { path: this.#text })
    const given = readSubValues(this.#attribute, Object.fromEntries(start), this.#name)
    const own = this.#sub === null ? readSubValues(this.#attribute, single(value), this.#name) : new Map([[this.#sub.name, readValue(this.#sub, value, this.#fullName)]])
    const created = complexValue(this.#attribute, new Map([...given, ...own]), this.#name)
    return created === undefined ? [] : [created]
  }

  #selects(value: ScimValue): boolean {
    return this.#filter === null || matchesElement(this.#filter, value, this.#budget)
  }

  #merge(before: ScimObject, value: unknown): ScimObject | undefined {
    return complexValue(this.#attribute, Object.entries({ ...before, ...Object.fromEntries(readSubValues(this.#attribute, value, this.#name)) }), this.#name)
  }

  #withSub(before: ScimObject, sub: Attribute, value: ScimValue | undefined): ScimObject | undefined {
    this.#budget.take(CHANGE_COST)
    if (sub.required && value === undefined) throw new ScimError('attribute_required', { attribute: `${this.#name}.${sub.name}` })
    return complexValue(this.#attribute, Object.entries({ ...before, [sub.name]: value }), this.#name)
  }

  /** A value that became primary takes this from the others (RFC 7644, 3.5.2). @throws ScimError when several became primary */
  #withOnePrimary(before: readonly ScimValue[], after: readonly ScimValue[]): readonly ScimValue[] {
    if (after.filter(isPrimary).length < 2) return after
    const former = new Set(before.filter(isPrimary).map((one) => keyOf(this.#attribute, one)))
    const isFormer = (one: ScimValue): boolean => former.has(keyOf(this.#attribute, one))
    const values = after.map((one) => (isPrimary(one) && isFormer(one) ? { ...(one as ScimObject), primary: false } : one))
    requireOnePrimary(values, this.#name)
    return values
  }
}

const listOrNone = (values: readonly ScimValue[]): readonly ScimValue[] | undefined => (values.length === 0 ? undefined : values)

/** The value of a list of one. */
const single = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** The sub-attributes of a value that satisfies a filter of equalities joined by `and`; null: the filter has anything else. */
function equalities(filter: Filter): ReadonlyMap<string, FilterValue> | null {
  if (filter.kind === 'compare') return filter.operator === 'eq' && filter.path.sub !== null ? new Map([[filter.path.sub.name, filter.literal]]) : null
  if (filter.kind !== 'and') return null
  const parts = filter.filters.map(equalities)
  return parts.includes(null) ? null : new Map(parts.flatMap((part) => [...part!]))
}
