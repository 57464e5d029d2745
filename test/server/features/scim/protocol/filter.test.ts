/** Filters: the examples of RFC 7644, 3.4.2.2, what clients send, and hostile texts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ScimError } from '../../../../../server/features/scim/protocol/errors.js'
import { ComparisonBudget, matches } from '../../../../../server/features/scim/protocol/filter/evaluate.js'
import { FILTER_CHARACTERS, FILTER_DEPTH, FILTER_TERMS, parseFilter } from '../../../../../server/features/scim/protocol/filter/parse.js'
import { GROUP_TYPE, USER_TYPE } from '../../../../../server/features/scim/protocol/resource-types.js'
import { ENTERPRISE_USER, refuses, TOUR_GUIDES } from '../../../../support/scim.js'
import { ENTERPRISE_URN as ENTERPRISE, USER_URN as USER } from '../../../../support/scim-messages.js'

const JENSEN = {
  ...ENTERPRISE_USER,
  name: { ...ENTERPRISE_USER.name, familyName: "O'Malley" },
  userName: 'bjensen',
  ims: [{ type: 'xmpp', value: 'babs@foo.com' }],
}
const INTERN = { schemas: [USER], id: '2', userName: 'Johnson', userType: 'Intern', active: false, emails: [{ value: 'j@example.org', type: 'home' }] }

const isMatch = (text: string, resource: object = JENSEN, type = USER_TYPE): boolean => matches(parseFilter(type, text), resource as never, new ComparisonBudget())

/** The filter, and whether the user, then the intern, satisfies it. */
const EXAMPLES: readonly (readonly [filter: string, user: boolean, intern: boolean])[] = [
  ['userName Eq "john"', false, false],
  ['Username eq "bjensen"', true, false],
  ['userName eq "bjensen"', true, false],
  ['name.familyName co "O\'Malley"', true, false],
  ['userName sw "J"', false, true],
  [`${USER}:userName sw "J"`, false, true],
  ['title pr', true, false],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', false, false],
  ['meta.lastModified ge "2011-05-13T04:42:34Z"', true, false],
  ['meta.lastModified lt "2011-05-13T04:42:34Z"', false, false],
  ['meta.lastModified le "2011-05-13T04:42:34Z"', true, false],
  ['title pr and userType eq "Employee"', true, false],
  ['title pr or userType eq "Intern"', true, true],
  [`schemas eq "${ENTERPRISE}"`, true, false],
  ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', true, false],
  ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', false, false],
  ['userType eq "Employee" and (emails.type eq "work")', true, false],
  ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', true, false],
  ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', true, false],
]

for (const [filter, user, intern] of EXAMPLES) {
  test(`example of RFC 7644, 3.4.2.2: ${filter}`, () => assert.deepEqual([isMatch(filter), isMatch(filter, INTERN)], [user, intern]))
}

const FURTHER: readonly (readonly [filter: string, user: boolean, intern: boolean])[] = [
  // Letter case of names, operators and values.
  ['USERNAME EQ "BJENSEN" AND NOT (TITLE PR AND ACTIVE EQ FALSE)', true, false],
  ['id eq "2819C223-7f76-453a-919d-413861904646"', false, false],
  ['externalId eq "701984"', true, false],
  ['userName ew "SEN"', true, false],
  // Each operator; a value is compared by code point.
  ['userName gt "bj"', true, true],
  ['userName ge "bjensen"', true, true],
  ['userName lt "bk"', true, false],
  ['userName le "bjensen"', true, false],
  ['userName ne "bjensen"', false, true],
  ['userName ne "\u{1f600}" and userName lt "\uffff"', true, true],
  // An attribute without a value.
  ['title ne "Guide"', true, true],
  ['title eq null', false, true],
  ['title ne null', true, false],
  ['not (title pr)', false, true],
  ['title lt "z" or title ge ""', true, false],
  ['not (title gt "a")', false, true],
  ['emails.type ne "home"', true, false],
  ['ims pr', true, false],
  ['name pr', true, false],
  ['meta pr and meta.created lt "2010-01-23T06:56:22.001+02:00"', true, false],
  ['meta.created eq "2010-01-23T04:56:22.000Z"', true, false],
  ['meta.created eq "2010-01-23T04:56:22"', true, false],
  // Precedence: not, and, or.
  ['userName eq "x" and title pr or userType eq "Intern"', false, true],
  ['userType eq "Intern" or userName eq "x" and title pr', false, true],
  ['(userType eq "Intern" or userName eq "bjensen") and active eq true', true, false],
  ['not(active eq true)and(userType eq "Intern")', false, true],
  // As Entra ID and Okta send filters.
  ['active eq "True"', true, false],
  ['active eq "false"', false, true],
  ['emails[type eq "work"].value eq "BJENSEN@example.com"', true, false],
  ['emails[type eq "home"].value eq "bjensen@example.com"', false, false],
  ['emails[primary eq "True"]', true, false],
  [`${ENTERPRISE}:employeeNumber eq "701984"`, true, false],
  [`${ENTERPRISE.toUpperCase()}:MANAGER.value eq "26118915-6090-4610-87e4-49d8ca9f808d"`, true, false],
  [`${ENTERPRISE}:manager co "26118915"`, true, false],
  ['id eq "2819c223-7f76-453a-919d-413861904646" and manager eq "26118915-6090-4610-87e4-49d8ca9f808d"', true, false],
  ['emails[not (type eq "work")]', true, true],
  ['emails[type eq "home" and value eq "bjensen@example.com"]', false, false],
  ['groups.$ref ew "71ddacd2-a8e7-49b8-a5db-ae50d0a5bfd7"', true, false],
  ['groups[$ref pr]', true, false],
  // Texts are JSON.
  ['userName eq "bj\\u0065nsen"', true, false],
  ['title eq "Tour\\tGuide" or title eq "Tour Guide"', true, false],
  ['addresses.formatted co "Plaza\\nHolly"', true, false],
  ['  userName   eq\t"bjensen"  ', true, false],
]

for (const [filter, user, intern] of FURTHER) {
  test(`a filter matches: ${filter}`, () => assert.deepEqual([isMatch(filter), isMatch(filter, INTERN)], [user, intern]))
}

test('members of a group are found by their ids', () => {
  assert.equal(isMatch('members eq "902c246b-6245-4190-8e05-00816be7344a"', TOUR_GUIDES, GROUP_TYPE), true)
  assert.equal(isMatch('id eq "e9e30dba-f08f-4109-8486-d5c6a331660a" and members[value eq "902C246B-6245-4190-8e05-00816be7344a"]', TOUR_GUIDES, GROUP_TYPE), false)
})

const SYNTAX = ['', ' ', 'userName', 'userName eq', 'userName xx "a"', '(userName eq "a"', 'userName eq "a")', 'userName eq "a" junk', 'userName eq "a" and']
const MORE_SYNTAX = [
  'not title pr',
  'not',
  'userName eq bjensen',
  "userName eq 'a'",
  'userName eq "a',
  'userName eq "\\x"',
  'userName eq "a\nb"',
  'userName eq 1.',
  'userName eq 1x',
  'userName eq {}',
]
const BRACKETS = [
  'emails[type eq "work"',
  'emails[]',
  'emails type eq "work"]',
  'userName[value eq "a"]',
  'emails[type eq "work"]]',
  'schemas[value pr]',
  '()',
  'emails.type[value pr]',
]
for (const filter of [...SYNTAX, ...MORE_SYNTAX, ...BRACKETS]) {
  test(`a malformed filter is refused: ${JSON.stringify(filter)}`, () => refuses(() => parseFilter(USER_TYPE, filter), 'filter_syntax', 'invalidFilter'))
}

test('an error names the character, counted from 1', () => {
  assert.throws(
    () => parseFilter(USER_TYPE, 'userName zz "a"'),
    (error) => error instanceof ScimError && error.localize('en-US') === 'The filter cannot be read at character 12.',
  )
})

const UNKNOWN = [
  'shoeSize pr',
  'password eq "a"',
  '__proto__ pr',
  'constructor pr',
  'toString pr',
  'name.__proto__ pr',
  'name.constructor eq "a"',
  'a.b.c eq 1',
  'and title pr',
  'eq "a"',
]
const MORE_UNKNOWN = [
  'emails[__proto__ pr]',
  'emails[type eq "a"].__proto__ pr',
  'emails[emails[type eq "a"]]',
  `${USER}:__proto__ pr`,
  `${ENTERPRISE}: pr`,
  'urn:x:userName pr',
  `${'a'.repeat(300)} pr`,
  'name..familyName pr',
]
for (const filter of [...UNKNOWN, ...MORE_UNKNOWN]) {
  test(`a filter on an unknown attribute is refused: ${filter.slice(0, 60)}`, () => refuses(() => parseFilter(USER_TYPE, filter), 'filter_attribute_unknown', 'invalidFilter'))
}

for (const filter of [
  'active gt true',
  'active co "t"',
  'name eq "a"',
  'meta sw "a"',
  'meta.created co "2010"',
  'userName gt null',
  'x509Certificates.value gt "a"',
  'addresses eq "a"',
]) {
  test(`an operator that the type does not have is refused: ${filter}`, () => refuses(() => parseFilter(USER_TYPE, filter), 'filter_comparison_unsupported', 'invalidFilter'))
}

for (const filter of [
  'active eq "yes"',
  'active eq 1',
  'userName eq 1',
  'userName eq true',
  'meta.created gt "yesterday"',
  'meta.created gt 5',
  'meta.created gt "2010-13-45T99:00:00Z"',
]) {
  test(`a value of another type is refused: ${filter}`, () => refuses(() => parseFilter(USER_TYPE, filter), 'filter_value_wrong', 'invalidFilter'))
}

test('depth, length and number of comparisons have limits, which valid filters may reach', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`
  const chain = (terms: number, word: string): string => Array<string>(terms).fill('title pr').join(` ${word} `)
  assert.equal(isMatch(nested(FILTER_DEPTH)), true)
  assert.equal(isMatch(chain(FILTER_TERMS, 'and')), true)
  assert.equal(isMatch(`title pr${' '.repeat(FILTER_CHARACTERS - 8)}`), true)
  refuses(() => parseFilter(USER_TYPE, nested(FILTER_DEPTH + 1)), 'filter_too_deep', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, `emails[${nested(FILTER_DEPTH).replaceAll('title', 'type')}]`), 'filter_too_deep', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, 'not ('.repeat(500)), 'filter_too_deep', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, chain(FILTER_TERMS + 1, 'and')), 'filter_too_many_terms', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, chain(FILTER_TERMS + 1, 'or')), 'filter_too_many_terms', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, `title pr${' '.repeat(FILTER_CHARACTERS - 7)}`), 'filter_too_long', 'invalidFilter')
  refuses(() => parseFilter(USER_TYPE, 'title pr '.repeat(100_000)), 'filter_too_long', 'invalidFilter')
})

test('texts that make some parsers backtrack are refused', () => {
  for (const hostile of [
    `title eq "${'\\a'.repeat(1500)}`,
    `title eq "${'\\\\'.repeat(1500)}`,
    `${'a'.repeat(4000)}`,
    `title ${'-'.repeat(4000)}`,
    `title eq ${'1'.repeat(4000)}x`,
  ]) {
    assert.throws(() => parseFilter(USER_TYPE, hostile), ScimError)
  }
})

test('a date without an offset is UTC, wherever the service runs', () => {
  const zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  try {
    assert.equal(isMatch('meta.created eq "2010-01-23T04:56:22"'), true)
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

test('comparisons of one request have a limit, and long texts count more', () => {
  const filter = parseFilter(USER_TYPE, 'title co "x" or nickName co "y"')
  assert.doesNotThrow(() => matches(filter, { title: 'a', nickName: 'b' }, new ComparisonBudget(2)))
  refuses(() => matches(filter, { title: 'a', nickName: 'b' }, new ComparisonBudget(1)), 'too_many_comparisons', 'tooMany')
  refuses(() => matches(filter, { title: 'a'.repeat(64), nickName: 'b' }, new ComparisonBudget(2)), 'too_many_comparisons', 'tooMany')
})

test('any text is a filter or is refused', () => {
  const piece = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('not (', ')', '[', '].value', ' and ', ' or ', '__proto__', '"\\u12"', 'title pr', ' eq ', 'true', '\ud800'))
  const example = fc.constantFrom(...EXAMPLES.map(([filter]) => filter))
  const counts = { read: 0, refused: 0 }
  fc.assert(
    fc.property(example, fc.nat(100), fc.nat(8), piece, (filter, at, cut, insertion) => {
      try {
        isMatch(filter.slice(0, at) + insertion + filter.slice(at + cut))
        counts.read++
      } catch (error) {
        assert.ok(error instanceof ScimError, String(error))
        counts.refused++
      }
    }),
    { numRuns: 2000, seed: 17 },
  )
  assert.ok(counts.read > 100 && counts.refused > 100, JSON.stringify(counts))
})

test('the details of an error exist in both languages', () => {
  const error = new ScimError('filter_too_long', { limit: 5 })
  assert.equal(error.localize('en-US'), 'The filter has more than 5 characters.')
  assert.equal(error.localize('pt-BR'), 'O filtro tem mais de 5 caracteres.')
})
