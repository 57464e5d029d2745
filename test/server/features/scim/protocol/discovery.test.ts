/** Discovery (RFC 7643, 8.5 to 8.7), errors (RFC 7644, 3.12) and entity tags (3.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attribute, Schema } from '../../../../../server/features/scim/protocol/attribute.js'
import {
  discoveryList,
  findResourceTypeResource,
  findSchemaResource,
  resourceTypeResources,
  schemaResources,
  serviceProviderConfig,
} from '../../../../../server/features/scim/protocol/discovery.js'
import { errorBody, ScimError } from '../../../../../server/features/scim/protocol/errors.js'
import { weakEtag } from '../../../../../server/features/scim/protocol/etag.js'
import { RESOURCE_TYPES, SCHEMAS } from '../../../../../server/features/scim/protocol/resource-types.js'
import type { ScimObject } from '../../../../../server/features/scim/protocol/resource.js'
import { ENTERPRISE_URN as ENTERPRISE, GROUP_URN as GROUP, USER_URN as USER } from '../../../../support/scim-messages.js'

const BASE = 'https://example.com/scim/v2'
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

const namesIn = (object: ScimObject | null, member = 'attributes'): string[] => (object?.[member] as ScimObject[]).map(({ name }) => String(name))
const attributeOf = (urn: string, name: string): ScimObject => (findSchemaResource(urn, BASE)?.attributes as ScimObject[]).find((one) => one.name === name)!

test('RFC 7643, 8.7.1: the schemas have the attributes of the RFC, but for the password', () => {
  const user = [
    'userName',
    'name',
    'displayName',
    'nickName',
    'profileUrl',
    'title',
    'userType',
    'preferredLanguage',
    'locale',
    'timezone',
    'active',
    'emails',
    'phoneNumbers',
    'ims',
  ]
  assert.deepEqual(namesIn(findSchemaResource(USER, BASE)), [...user, 'photos', 'addresses', 'groups', 'entitlements', 'roles', 'x509Certificates'])
  assert.deepEqual(namesIn(findSchemaResource(GROUP, BASE)), ['displayName', 'members'])
  assert.deepEqual(namesIn(findSchemaResource(ENTERPRISE, BASE)), ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'])
  assert.deepEqual(namesIn(attributeOf(USER, 'name'), 'subAttributes'), ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'])
  assert.deepEqual(namesIn(attributeOf(USER, 'emails'), 'subAttributes'), ['value', 'display', 'type', 'primary'])
})

test('RFC 7643, 8.7.1: the characteristics of userName and of groups', () => {
  const { description, ...userName } = attributeOf(USER, 'userName')
  assert.deepEqual(userName, {
    name: 'userName',
    type: 'string',
    multiValued: false,
    required: true,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'server',
  })
  const { multiValued, mutability, type } = attributeOf(USER, 'groups')
  assert.deepEqual([multiValued, mutability, type], [true, 'readOnly', 'complex'])
})

test('RFC 7643, 7: every schema is a resource that its own schema describes', () => {
  const described = new Map(
    SCHEMAS.find(({ id }) => id === SCHEMA_SCHEMA)!
      .attributes.find(({ name }) => name === 'attributes')!
      .subAttributes.map((one) => [one.name, one]),
  )
  const check = (attribute: ScimObject): void => {
    for (const [name, value] of Object.entries(attribute)) {
      const declared = described.get(name)
      assert.ok(declared !== undefined, `no attribute ${name} in the schema of schemas`)
      assert.equal(Array.isArray(value), declared.multiValued)
      if (name === 'subAttributes') for (const sub of value as ScimObject[]) check(sub)
      else if (declared.type === 'boolean') assert.equal(typeof value, 'boolean')
      else assert.ok([value].flat().every((one) => typeof one === 'string'))
    }
  }
  const resources = schemaResources(BASE)
  assert.equal(resources.length, 6)
  for (const resource of resources) {
    assert.deepEqual(resource.schemas, [SCHEMA_SCHEMA])
    assert.deepEqual(resource.meta, { resourceType: 'Schema', location: `${BASE}/Schemas/${String(resource.id)}` })
    for (const attribute of resource.attributes as ScimObject[]) check(attribute)
  }
})

test('names of attributes are unique in any letter case, and each attribute has a description', () => {
  const check = (attributes: readonly Attribute[]): void => {
    assert.equal(new Set(attributes.map(({ name }) => name.toLowerCase())).size, attributes.length)
    for (const { description, subAttributes, type, name } of attributes) {
      assert.match(name, /^[$A-Za-z][\w-]*$/)
      assert.match(description, /^[A-Z].*\.$/)
      assert.equal(subAttributes.length > 0, type === 'complex')
      check(subAttributes)
    }
  }
  for (const { attributes } of SCHEMAS satisfies readonly Schema[]) check(attributes)
})

test('RFC 7643, 8.6: resource types', () => {
  assert.deepEqual(findResourceTypeResource('user', BASE), {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'User',
    name: 'User',
    description: 'User Account',
    endpoint: '/Users',
    schema: USER,
    schemaExtensions: [{ schema: ENTERPRISE, required: false }],
    meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/User` },
  })
  assert.deepEqual(
    resourceTypeResources(BASE).map(({ id, endpoint, schema }) => [id, endpoint, schema]),
    [
      ['User', '/Users', USER],
      ['Group', '/Groups', GROUP],
    ],
  )
  assert.equal(findResourceTypeResource('Device', BASE), null)
  assert.equal(findSchemaResource('urn:x', BASE), null)
  assert.equal(findSchemaResource(USER.toUpperCase(), BASE)?.id, USER)
  assert.deepEqual(discoveryList(resourceTypeResources(BASE)).totalResults, RESOURCE_TYPES.length)
})

test('RFC 7643, 8.5: the configuration has every required attribute of its schema', () => {
  const config = serviceProviderConfig(BASE)
  const declared = SCHEMAS.find(({ id }) => id === (config.schemas as string[])[0])!
  for (const attribute of declared.attributes) {
    const value = config[attribute.name]
    assert.equal(value !== undefined, attribute.required, attribute.name)
    for (const one of [value ?? []].flat() as ScimObject[]) for (const sub of attribute.subAttributes) if (sub.required) assert.ok(sub.name in one, `${attribute.name}.${sub.name}`)
  }
  assert.deepEqual([config.bulk, config.patch, config.etag], [{ supported: false, maxOperations: 0, maxPayloadSize: 0 }, { supported: true }, { supported: true }])
})

test('RFC 7644, 3.12: bodies of errors', () => {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  const detail = 'Resource 2819c223-7f76-453a-919d-413861904646 not found'
  assert.deepEqual(errorBody(404, null, detail), { schemas, detail, status: '404' })
  const readOnly = new ScimError('attribute_read_only', { attribute: 'id' })
  const body = errorBody(readOnly.status, readOnly.scimType, readOnly.localize('en-US'))
  assert.deepEqual(body, { schemas, scimType: 'mutability', detail: 'The attribute id is read-only.', status: '400' })
  assert.deepEqual(readOnly.localize('pt-BR'), 'O atributo id é somente leitura.')
  assert.deepEqual(errorBody(409, 'uniqueness', 'userName is taken'), { schemas, scimType: 'uniqueness', detail: 'userName is taken', status: '409' })
})

test('RFC 7644, 3.14: tags are weak', () => {
  assert.equal(weakEtag('7'), 'W/"7"')
})
