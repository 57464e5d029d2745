/**
 * PATCH (RFC 7644, 3.5.2): reads the message and applies its operations to a resource, all or none. What clients send beyond the RFC:
 *  - the operation in any letter case (`Add`), a value of a boolean as text, one value where a list is expected (Entra ID)
 *  - without a path, keys that are paths: `name.familyName`, `emails[type eq "work"].value` (Entra ID); read-only keys, such as `id` (Okta), are left out
 *  - a value of `remove`, which selects the values to remove (Entra ID); otherwise all members of a group would be removed
 *  - `add` to a selection without a match, which creates the value that satisfies the filter (Entra ID)
 */
import type { ResourceType } from './attribute.js'
import { findExtension, pathText, resolvePath } from './attribute-path.js'
import { ScimError } from './errors.js'
import { ComparisonBudget } from './filter/evaluate.js'
import { parsePatchPath, type PatchPath } from './filter/parse.js'
import { PatchTarget } from './patch-target.js'
import { type ChangedResource, changedResource, requireSchema, requireUnchanged } from './read-resource.js'
import { isObject, type ScimObject, type ScimValue } from './resource.js'

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Operations of one request. Okta sends one for each member of a group that it removes. */
export const OPERATIONS_LIMIT = 1000
/** Comparisons of one request: removing nearly 200 members, one by one, from a group of ten thousand. Takes about 0.3 seconds on the main thread. */
const PATCH_COMPARISONS = 4_000_000

const OPERATIONS = ['add', 'remove', 'replace'] as const
export type OperationKind = (typeof OPERATIONS)[number]

export interface PatchOperation {
  readonly kind: OperationKind
  /** Null: the resource itself. */
  readonly path: string | null
  /** Undefined: `remove` without a value. */
  readonly value: unknown
}

/** Reads the message of a PATCH. Paths and values are read when the operations are applied. @throws ScimError invalidSyntax, invalidValue, noTarget */
export function readPatch(body: unknown): readonly PatchOperation[] {
  if (!isObject(body)) throw new ScimError('body_wrong', {})
  requireSchema(body, PATCH_SCHEMA)
  const operations = member(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0) throw new ScimError('operations_missing', {})
  if (operations.length > OPERATIONS_LIMIT) throw new ScimError('operations_too_many', { limit: OPERATIONS_LIMIT })
  return operations.map(readOperation)
}

/** @param resource as `readResource` and this function return it, with `id` and `meta` @throws ScimError invalidPath, invalidFilter, invalidValue, mutability, noTarget, tooMany */
export function applyPatch(type: ResourceType, resource: ScimObject, operations: readonly PatchOperation[]): ChangedResource {
  const patch = new Patch(type, resource)
  for (const operation of operations) patch.apply(operation)
  return changedResource(type, resource, patch.resource)
}

function readOperation(operation: unknown, index: number): PatchOperation {
  const op = isObject(operation) ? member(operation, 'op') : undefined
  const kind = typeof op === 'string' ? OPERATIONS.find((one) => one === op.toLowerCase()) : undefined
  const path = isObject(operation) ? (member(operation, 'path') ?? null) : null
  if (!isObject(operation) || kind === undefined || (path !== null && typeof path !== 'string')) throw new ScimError('operation_wrong', { index })
  const value = member(operation, 'value')
  const target = path === null || path.trim() === '' ? null : path
  if (kind === 'remove') {
    if (target === null) throw new ScimError('path_required', {})
  } else if (value === undefined || (target === null && !isObject(value))) {
    throw new ScimError('operation_value_missing', { index })
  }
  return { kind, path: target, value }
}

/** A member of the message, whose names ignore letter case as all names of SCIM. */
function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1]
}

class Patch {
  readonly #type: ResourceType
  readonly #budget = new ComparisonBudget(PATCH_COMPARISONS)
  #resource: ScimObject

  constructor(type: ResourceType, resource: ScimObject) {
    this.#type = type
    this.#resource = resource
  }

  get resource(): ScimObject {
    return this.#resource
  }

  apply({ kind, path, value }: PatchOperation): void {
    const extension = path === null ? null : findExtension(this.#type, path.trim())
    if (extension !== null) this.#applyToExtension(kind, extension.id, value)
    else if (path !== null) this.#applyTo(kind, parsePatchPath(this.#type, path), value, path)
    else this.#applyEach(kind, value as Readonly<Record<string, unknown>>)
  }

  /** An operation without a path: each key of the value is a name or a path. Names that no schema declares are left out, as in bodies of POST. */
  #applyEach(kind: OperationKind, value: Readonly<Record<string, unknown>>): void {
    for (const [key, one] of Object.entries(value)) {
      const extension = findExtension(this.#type, key)
      if (extension !== null) this.#applyToExtension(kind, extension.id, one)
      else this.#applyKey(kind, key, one)
    }
  }

  #applyKey(kind: OperationKind, key: string, value: unknown): void {
    if (!key.includes('[') && resolvePath(this.#type, key) === null) return
    const target = parsePatchPath(this.#type, key)
    const isReadOnly = target.path.attribute.mutability === 'readOnly' || target.path.sub?.mutability === 'readOnly'
    if (!isReadOnly) this.#applyTo(kind, target, value, key)
  }

  #applyToExtension(kind: OperationKind, urn: string, value: unknown): void {
    if (kind === 'remove' || value === null) {
      this.#resource = { ...this.#resource, [urn]: undefined }
      return
    }
    if (!isObject(value)) throw new ScimError('value_wrong', { attribute: urn, type: 'complex' })
    for (const [key, one] of Object.entries(value)) this.#applyKey(kind, `${urn}:${key}`, one)
  }

  #applyTo(kind: OperationKind, { path, filter }: PatchPath, value: unknown, text: string): void {
    const { extension, attribute, sub } = path
    const name = pathText(path)
    if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') throw new ScimError('attribute_read_only', { attribute: name })
    const holder = (extension === null ? this.#resource : (this.#resource[extension] ?? {})) as ScimObject
    const before = holder[attribute.name]
    const after = new PatchTarget(path, filter, text, this.#budget).apply(kind, before, value)
    if (attribute.required && after === undefined) throw new ScimError('attribute_required', { attribute: name })
    requireUnchanged(attribute, before, after, name)
    this.#assign(extension, attribute.name, after)
  }

  #assign(extension: string | null, name: string, value: ScimValue | undefined): void {
    this.#resource =
      extension === null ? { ...this.#resource, [name]: value } : { ...this.#resource, [extension]: { ...(this.#resource[extension] as ScimObject | undefined), [name]: value } }
  }
}
