/**
 * Which members of a group a request names. A group has up to ten thousand members: a change or a comparison that names its members needs these members of
 * the group alone, since it says nothing about the others.
 */
import { resolvePath } from './attribute-path.js'
import type { Filter } from './filter/filter.js'
import { parsePatchPath } from './filter/parse.js'
import type { PatchOperation } from './patch.js'
import { readValue } from './read-value.js'
import { GROUP_TYPE } from './resource-types.js'
import { isObject, type ScimObject, type ScimValue, valuesOf } from './resource.js'

const MEMBERS = 'members'
/** The declaration of `members`. */
const ATTRIBUTE = GROUP_TYPE.schema.attributes.find(({ name }) => name === MEMBERS)!

/** Identifiers of members. Null: any member of the group. */
export type NamedMembers = ReadonlySet<string> | null

const NONE: NamedMembers = new Set()

/** The members on which the effect of a PATCH depends. @throws ScimError as `applyPatch` does */
export function membersOfPatch(operations: readonly PatchOperation[]): NamedMembers {
  return union(operations.map(membersOfOperation))
}

/** The members on which a filter of groups depends. */
export function membersOfFilter(filter: Filter | null): NamedMembers {
  if (filter === null) return NONE
  switch (filter.kind) {
    case 'not':
      return membersOfFilter(filter.filter)
    case 'and':
    case 'or':
      return union(filter.filters.map(membersOfFilter))
    case 'element':
      return filter.path.attribute.name === MEMBERS ? selectedBy(filter.filter) : NONE
    case 'present':
      return filter.path.attribute.name === MEMBERS ? null : NONE
    case 'compare':
      return filter.path.attribute.name === MEMBERS ? selectedBy(filter) : NONE
  }
}

/** The members of which a matching group has at least one; null: it may have none of those that the filter names. */
export function requiredMembers(filter: Filter | null): NamedMembers {
  if (filter === null || filter.kind === 'not' || filter.kind === 'present') return null
  if (filter.kind === 'element' || filter.kind === 'compare') return filter.path.attribute.name === MEMBERS ? selectedBy(filter.kind === 'compare' ? filter : filter.filter) : null
  const parts = filter.filters.map(requiredMembers)
  return filter.kind === 'and' ? (parts.find((part) => part !== null) ?? null) : union(parts)
}

function membersOfOperation({ kind, path, value }: PatchOperation): NamedMembers {
  if (path !== null) return membersOfPath(kind, path, value)
  return union(
    Object.entries(value as Readonly<Record<string, unknown>>).map(([key, one]) => {
      // `applyPatch` leaves out names that no schema declares.
      return !key.includes('[') && resolvePath(GROUP_TYPE, key) === null ? NONE : membersOfPath(kind, key, one)
    }),
  )
}

function membersOfPath(kind: PatchOperation['kind'], text: string, value: unknown): NamedMembers {
  const { path, filter } = parsePatchPath(GROUP_TYPE, text)
  if (path.attribute.name !== MEMBERS) return NONE
  if (filter !== null) return selectedBy(filter)
  if (path.sub !== null || kind === 'replace' || value === undefined || value === null) return null
  return new Set(valuesOf(readValue(ATTRIBUTE, value, MEMBERS)).flatMap(idOf))
}

/** The only members that can satisfy a filter in brackets; null: others can as well. */
function selectedBy(filter: Filter): NamedMembers {
  switch (filter.kind) {
    case 'compare':
      return filter.operator === 'eq' && filter.path.sub?.name === 'value' && typeof filter.value === 'string' ? new Set([filter.value]) : null
    case 'and':
      return filter.filters.map(selectedBy).find((part) => part !== null) ?? null
    case 'or':
      return union(filter.filters.map(selectedBy))
    default:
      return null
  }
}

function idOf(member: ScimValue): string[] {
  const id = isObject(member) ? (member as ScimObject).value : undefined
  return typeof id === 'string' ? [id] : []
}

function union(parts: readonly NamedMembers[]): NamedMembers {
  return parts.includes(null) ? null : new Set(parts.flatMap((part) => [...part!]))
}
