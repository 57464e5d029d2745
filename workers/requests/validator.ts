/**
 * Checks values against the schemas of routes. It knows no HTTP, and is cheap to import, so that a worker thread may use it as well. Invariants:
 *  1. a value that is right is looked at once, and stops at nothing; the slow reading of what is wrong begins only when something is
 *  2. time and memory are bounded by the value's size, however hostile: a value of more than `NODES_LIMIT` parts is answered with its first fault only
 *  3. one issue per fault: the alternatives of a union don't each complain
 *  4. a value that passes holds no name through which a copy would change its own type: where a schema names its fields they are unknown ones, and where
 *     it takes any name they are looked for
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { forbiddenNames } from './forbidden-names.js'
import { FORMATS } from './formats.js'
import { type FieldIssue, ISSUES_LIMIT } from './issue.js'
import { issuesOf } from './issues-of.js'
import { type DeprecatedField, deprecatedFields, prepareSchema, takesAnyName, usesField } from './prepare.js'

/** Parts of a value above which only its first fault is told: each may be wrong in several ways, and each of these is an object. */
const NODES_LIMIT = 10_000

export interface Validator {
  /**
   * What is wrong; empty: nothing. Defaults of the schema are put into the value.
   * @param anyName where the schema takes any name it takes `__proto__` too: names are data, and whoever reads them knows it
   */
  check(value: unknown, anyName?: boolean): FieldIssue[]
  /** The deprecated fields that the value uses. */
  deprecated(value: unknown): DeprecatedField[]
}

const OPTIONS = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  strictTuples: false,
  useDefaults: true,
  formats: FORMATS,
  ownProperties: true,
  messages: false,
  addUsedSchema: false,
} as const

let quick: Ajv2020 | undefined
let thorough: Ajv2020 | undefined
const compiled = new WeakMap<object, Validator>()

/** The validator of a schema; made at its first use, and once per schema. */
export function validatorFor(schema: object): Validator {
  let validator = compiled.get(schema)
  if (validator === undefined) {
    validator = compile(schema)
    compiled.set(schema, validator)
  }
  return validator
}

function compile(schema: object): Validator {
  const prepared = prepareSchema(schema)
  const hasFreeNames = takesAnyName(prepared)
  const deprecated = deprecatedFields(schema)
  let first: ValidateFunction | undefined
  let all: ValidateFunction | undefined
  return {
    check(value, anyName = false) {
      first ??= (quick ??= new Ajv2020({ ...OPTIONS })).compile(prepared)
      const forbidden = hasFreeNames && !anyName ? forbiddenNames(value) : []
      if (first(value)) return forbidden
      let errors = first.errors as ErrorObject[]
      if (!hasMoreNodes(value, NODES_LIMIT)) {
        all ??= (thorough ??= new Ajv2020({ ...OPTIONS, allErrors: true })).compile(prepared)
        all(value)
        errors = all.errors ?? errors
      }
      const found = issuesOf(errors, prepared, value)
      // Some of them stand where the schema names its fields, and are told already.
      const issues = [...forbidden.filter(({ path }) => !found.some((other) => other.path === path)), ...found]
      return issues.length > ISSUES_LIMIT ? worst(issues) : issues
    },
    deprecated: (value) => (deprecated.length === 0 ? [] : deprecated.filter(({ path }) => usesField(value, path))),
  }
}

/** The unknown fields come first, as the code of the answer stands on them. */
function worst(issues: readonly FieldIssue[]): FieldIssue[] {
  return [...issues.filter(({ message }) => message === 'unknown'), ...issues.filter(({ message }) => message !== 'unknown')].slice(0, ISSUES_LIMIT)
}

function hasMoreNodes(value: unknown, limit: number): boolean {
  const waiting = [value]
  let count = 0
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    // Not `Object.values`: that would make a list of a million before they are counted.
    for (const name in node) {
      if (++count > limit) return true
      waiting.push((node as Readonly<Record<string, unknown>>)[name])
    }
  }
  return false
}
