/**
 * Messages of RFC 7643 and RFC 7644 as the standards print them, and the characteristics of the attributes in RFC 7643, 8.7. Identifiers that the RFC
 * abbreviates (`2819c223...413861904646`) are as it prints them.
 */

import { PATCH_URN, SEARCH_URN, USER_URN } from './scim-messages.js'

const PATCH = [PATCH_URN]
const USER = [USER_URN]

/** RFC 7644, 3.3. */
export const POST_REQUEST = {
  schemas: USER,
  userName: 'bjensen',
  externalId: 'bjensen',
  name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
}

/** RFC 7644, 3.5.1. `roles` is empty, which unassigns it. */
export const PUT_REQUEST = {
  schemas: USER,
  id: '2819c223-7f76-453a-919d-413861904646',
  userName: 'bjensen',
  externalId: 'bjensen',
  name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara', middleName: 'Jane' },
  roles: [],
  emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }],
}

/** RFC 7644, 3.4.3. */
export const SEARCH_REQUEST = {
  schemas: [SEARCH_URN],
  attributes: ['displayName', 'userName'],
  filter: 'displayName sw "smith"',
  startIndex: 1,
  count: 10,
}

/** RFC 7644, 3.5.2.1: a member; attributes without a path. */
export const ADD_MEMBER = {
  schemas: PATCH,
  Operations: [
    {
      op: 'add',
      path: 'members',
      value: [{ display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819c223...413861904646', value: '2819c223-7f76-453a-919d-413861904646' }],
    },
  ],
}
export const ADD_ATTRIBUTES = { schemas: PATCH, Operations: [{ op: 'add', value: { emails: [{ value: 'babs@jensen.org', type: 'home' }], nickname: 'Babs' } }] }

/** RFC 7644, 3.5.2.2: a member, all members, an e-mail by two conditions, a member for another, and all members for two others. */
export const REMOVE_MEMBER = { schemas: PATCH, Operations: [{ op: 'remove', path: 'members[value eq "2819c223-7f76-...413861904646"]' }] }
export const REMOVE_MEMBERS = { schemas: PATCH, Operations: [{ op: 'remove', path: 'members' }] }
export const REMOVE_EMAIL = { schemas: PATCH, Operations: [{ op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' }] }
const SMITH = { display: 'James Smith', $ref: 'https://example.com/v2/Users/08e1d05d...473d93df9210', value: '08e1d05d...473d93df9210' }
export const EXCHANGE_MEMBER = {
  schemas: PATCH,
  Operations: [
    { op: 'remove', path: 'members[value eq"2819c223...919d-413861904646"]' },
    { op: 'add', path: 'members', value: [SMITH] },
  ],
}

/** RFC 7644, 3.5.2.3: all members, an address, a street, attributes without a path. */
export const REPLACE_MEMBERS = {
  schemas: PATCH,
  Operations: [
    {
      op: 'replace',
      path: 'members',
      value: [{ display: 'Babs Jensen', $ref: 'https://example.com/v2/Users/2819c223...413861904646', value: '2819c223...413861904646' }, SMITH],
    },
  ],
}
export const REPLACE_ADDRESS = {
  schemas: PATCH,
  Operations: [
    {
      op: 'replace',
      path: 'addresses[type eq "work"]',
      value: {
        type: 'work',
        streetAddress: '911 Universal City Plaza',
        locality: 'Hollywood',
        region: 'CA',
        postalCode: '91608',
        country: 'US',
        formatted: '911 Universal City Plaza\nHollywood, CA 91608 US',
        primary: true,
      },
    },
  ],
}
export const REPLACE_STREET = { schemas: PATCH, Operations: [{ op: 'replace', path: 'addresses[type eq "work"].streetAddress', value: '1010 Broadway Ave' }] }
export const REPLACE_ATTRIBUTES = {
  schemas: PATCH,
  Operations: [
    {
      op: 'replace',
      value: {
        emails: [
          { value: 'bjensen@example.com', type: 'work', primary: true },
          { value: 'babs@jensen.org', type: 'home' },
        ],
        nickname: 'Babs',
      },
    },
  ],
}

/** Characteristics of an attribute that differ from those that RFC 7643, 2.2 assumes; `sub`: sub-attributes. */
export interface Characteristics {
  readonly type?: string
  readonly multiValued?: true
  readonly required?: true
  readonly caseExact?: true
  readonly mutability?: string
  readonly returned?: string
  readonly uniqueness?: string
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  readonly sub?: Readonly<Record<string, Characteristics>>
}

const text = {}
const boolean = { type: 'boolean' }
const many = (value: Characteristics, types: readonly string[] = []): Characteristics => ({
  type: 'complex',
  multiValued: true,
  sub: { value, display: text, type: types.length === 0 ? text : { canonicalValues: types }, primary: boolean },
})

/** RFC 7643, 8.7.1. */
export const USER_ATTRIBUTES: Readonly<Record<string, Characteristics>> = {
  userName: { required: true, uniqueness: 'server' },
  name: { type: 'complex', sub: { formatted: text, familyName: text, givenName: text, middleName: text, honorificPrefix: text, honorificSuffix: text } },
  displayName: text,
  nickName: text,
  profileUrl: { type: 'reference', referenceTypes: ['external'] },
  title: text,
  userType: text,
  preferredLanguage: text,
  locale: text,
  timezone: text,
  active: boolean,
  password: { mutability: 'writeOnly', returned: 'never' },
  emails: many(text, ['work', 'home', 'other']),
  phoneNumbers: many(text, ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
  ims: many(text, ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo']),
  photos: many({ type: 'reference', referenceTypes: ['external'], caseExact: true }, ['photo', 'thumbnail']),
  addresses: {
    type: 'complex',
    multiValued: true,
    sub: {
      formatted: text,
      streetAddress: text,
      locality: text,
      region: text,
      postalCode: text,
      country: text,
      type: { canonicalValues: ['work', 'home', 'other'] },
      primary: boolean,
    },
  },
  groups: {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    sub: {
      value: { mutability: 'readOnly' },
      $ref: { type: 'reference', referenceTypes: ['User', 'Group'], mutability: 'readOnly' },
      display: { mutability: 'readOnly' },
      type: { canonicalValues: ['direct', 'indirect'], mutability: 'readOnly' },
    },
  },
  entitlements: many(text),
  roles: many(text),
  x509Certificates: many({ type: 'binary', caseExact: true }),
}

/** RFC 7643, 8.7.1. */
export const ENTERPRISE_ATTRIBUTES: Readonly<Record<string, Characteristics>> = {
  employeeNumber: text,
  costCenter: text,
  organization: text,
  division: text,
  department: text,
  manager: {
    type: 'complex',
    sub: { value: { required: true }, $ref: { type: 'reference', referenceTypes: ['User'], required: true }, displayName: { mutability: 'readOnly' } },
  },
}

/** RFC 7643, 8.7.1. */
export const GROUP_ATTRIBUTES: Readonly<Record<string, Characteristics>> = {
  displayName: text,
  members: {
    type: 'complex',
    multiValued: true,
    sub: {
      value: { mutability: 'immutable' },
      $ref: { type: 'reference', referenceTypes: ['User', 'Group'], mutability: 'immutable' },
      type: { canonicalValues: ['User', 'Group'], mutability: 'immutable' },
      display: { mutability: 'readOnly' },
    },
  },
}
