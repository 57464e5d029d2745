/** Which members of a group a request names, and that its effect depends on no others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComparisonBudget, matches } from '../../../../../server/features/scim/protocol/filter/evaluate.js'
import { parseFilter } from '../../../../../server/features/scim/protocol/filter/parse.js'
import { membersOfFilter, membersOfPatch, type NamedMembers, requiredMembers } from '../../../../../server/features/scim/protocol/members.js'
import { applyPatch, PATCH_SCHEMA, readPatch } from '../../../../../server/features/scim/protocol/patch.js'
import { GROUP_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import { refuses } from '../../../../support/scim.js'
import { GROUP_URN as GROUP } from '../../../../support/scim-messages.js'

const ALL = ['a', 'b', 'c']
const groupOf = (ids: readonly string[]): ScimObject => ({
  schemas: [GROUP],
  id: 'g',
  displayName: 'Guides',
  ...(ids.length === 0 ? {} : { members: ids.map((value) => ({ value, type: 'User' })) }),
})
const idsOf = (group: ScimObject): string[] => ((group.members ?? []) as ScimObject[]).map(({ value }) => String(value))
const shown = (named: NamedMembers): string | null => (named === null ? null : [...named].sort().join(''))

/** The operation, and the members that it names; null: any. */
const OPERATIONS: readonly (readonly [operation: object, named: string | null])[] = [
  [{ op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'x' }] }, 'ax'],
  [{ op: 'Add', path: `${GROUP}:MEMBERS`, value: { value: 'x' } }, 'x'],
  [{ op: 'add', value: { members: [{ value: 'x' }], displayName: 'G' } }, 'x'],
  [{ op: 'remove', path: 'members[value eq "a"]' }, 'a'],
  [{ op: 'remove', path: 'members[value eq"a"]' }, 'a'],
  [{ op: 'remove', path: 'members[type eq "User" and value eq "a"]' }, 'a'],
  [{ op: 'remove', path: 'members[value eq "a" or value eq "x"]' }, 'ax'],
  [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'b' }] }, 'b'],
  [{ op: 'remove', path: 'members', value: 'b' }, 'b'],
  [{ op: 'replace', path: 'displayName', value: 'G' }, ''],
  [{ op: 'replace', value: { id: 'x', displayName: 'G', unknown: { value: 'a' } } }, ''],
  [{ op: 'add', path: 'members[value eq "a"].type', value: 'User' }, 'a'],
  [{ op: 'remove', path: 'members' }, null],
  [{ op: 'remove', path: 'members', value: null }, null],
  [{ op: 'replace', path: 'members', value: [{ value: 'x' }] }, null],
  [{ op: 'replace', value: { members: [] } }, null],
  [{ op: 'remove', path: 'members[value pr]' }, null],
  [{ op: 'remove', path: 'members[not (value eq "a")]' }, null],
  [{ op: 'remove', path: 'members[value ne "a"]' }, null],
  [{ op: 'remove', path: 'members[value eq "a" or type eq "User"]' }, null],
  [{ op: 'remove', path: 'members.type' }, null],
]

for (const [operation, named] of OPERATIONS) {
  test(`a PATCH names ${named ?? 'any member'}: ${JSON.stringify(operation)}`, () => {
    const operations = readPatch({ schemas: [PATCH_SCHEMA], Operations: [operation] })
    const found = membersOfPatch(operations)
    assert.equal(shown(found), named === null ? null : [...named].sort().join(''))
    // The effect on the named members is the same, whether the others are there or not; and there is none on the others.
    const whole = idsOf(applyPatch(GROUP_TYPE, groupOf(ALL), operations).resource)
    const narrowed = idsOf(applyPatch(GROUP_TYPE, groupOf(ALL.filter((id) => found === null || found.has(id))), operations).resource)
    const others = ALL.filter((id) => found !== null && !found.has(id))
    assert.deepEqual([...narrowed, ...others].sort(), whole.sort())
  })
}

test('several operations name the members of all of them', () => {
  const named = (...Operations: object[]): string | null => shown(membersOfPatch(readPatch({ schemas: [PATCH_SCHEMA], Operations })))
  assert.equal(named({ op: 'remove', path: 'members[value eq "a"]' }, { op: 'add', path: 'members', value: [{ value: 'x' }] }), 'ax')
  assert.equal(named({ op: 'remove', path: 'members[value eq "a"]' }, { op: 'remove', path: 'members' }), null)
})

test('a PATCH that cannot be applied is refused in the same way', () => {
  const read = (operation: object) => () => membersOfPatch(readPatch({ schemas: [PATCH_SCHEMA], Operations: [operation] }))
  refuses(read({ op: 'add', path: 'members', value: [{ type: 'User' }] }), 'value_missing', 'invalidValue')
  refuses(read({ op: 'add', path: 'owners', value: [{ value: 'a' }] }), 'path_unknown', 'invalidPath')
  refuses(read({ op: 'remove', path: 'members[value eq]' }), 'filter_syntax', 'invalidFilter')
})

/** The filter, the members that it names, and those of which a matching group has one; null: any. */
const FILTERS: readonly (readonly [filter: string, named: string | null, required: string | null])[] = [
  ['displayName eq "Guides"', '', null],
  ['members eq "a"', 'a', 'a'],
  ['members.value eq "a"', 'a', 'a'],
  ['members[value eq "a"]', 'a', 'a'],
  ['members[value eq "a" and type eq "User"]', 'a', 'a'],
  ['id eq "g" and members eq "a"', 'a', 'a'],
  ['members eq "a" or members eq "x"', 'ax', 'ax'],
  ['members eq "a" and members eq "b"', 'ab', 'a'],
  ['members eq "a" or displayName eq "G"', 'a', null],
  ['not (members eq "a")', 'a', null],
  ['members pr', null, null],
  ['members ne "a"', null, null],
  ['members co "a"', null, null],
  ['members.type eq "User"', null, null],
  ['members[not (value eq "a")]', null, null],
  ['members[value eq "a" or type eq "User"]', null, null],
]

for (const [text, named, required] of FILTERS) {
  test(`a filter names ${named ?? 'any member'}: ${text}`, () => {
    const filter = parseFilter(GROUP_TYPE, text)
    const found = membersOfFilter(filter)
    assert.deepEqual([shown(found), shown(requiredMembers(filter))], [named, required])
    const isMatch = (ids: readonly string[]): boolean => matches(filter, groupOf(ids), new ComparisonBudget())
    for (const ids of [[], ['a'], ['b'], ['a', 'b'], ['b', 'c'], ALL]) {
      assert.equal(isMatch(ids), isMatch(ids.filter((id) => found === null || found.has(id))), ids.join())
      if (required !== null && isMatch(ids)) assert.ok(ids.some((id) => required.includes(id)))
    }
  })
}
