/** The schemas of the discovery endpoints (RFC 7643, 5 to 7). Clients only read these resources. */
import { attribute, complex, type Attribute, type Schema } from '../attribute.js'

export const SERVICE_PROVIDER_CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
export const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
export const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

const readOnly = { mutability: 'readOnly' } as const
const exact = { ...readOnly, caseExact: true } as const
const text = (name: string, description: string, options: Partial<Attribute> = {}) => attribute(name, description, { ...readOnly, ...options } as typeof readOnly)
const flag = (name: string, description: string) => attribute(name, description, { ...readOnly, type: 'boolean', required: true })
const number = (name: string, description: string) => attribute(name, description, { ...readOnly, type: 'integer', required: true })
const uri = (name: string, description: string, required = false) => attribute(name, description, { ...exact, type: 'reference', referenceTypes: ['uri'], required })
const page = (name: string, description: string) => attribute(name, description, { ...exact, type: 'reference', referenceTypes: ['external'] })
const feature = (name: string, description: string, further: readonly Attribute[] = []) =>
  complex(name, description, [flag('supported', 'Whether the service supports it.'), ...further], { ...readOnly, required: true })

export const SERVICE_PROVIDER_CONFIG: Schema = {
  id: SERVICE_PROVIDER_CONFIG_SCHEMA,
  name: 'Service Provider Configuration',
  description: 'What the service supports.',
  attributes: [
    page('documentationUri', 'Address of the documentation.'),
    feature('patch', 'Support of PATCH.'),
    feature('bulk', 'Support of bulk operations.', [number('maxOperations', 'Operations of a request.'), number('maxPayloadSize', 'Bytes of a request.')]),
    feature('filter', 'Support of filters.', [number('maxResults', 'Resources of a response.')]),
    feature('changePassword', 'Support of changing passwords.'),
    feature('sort', 'Support of sorting.'),
    feature('etag', 'Support of entity tags.'),
    complex(
      'authenticationSchemes',
      'How clients authenticate.',
      [
        text('type', 'The scheme.', { required: true, canonicalValues: ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'] }),
        text('name', 'Name of the scheme.', { required: true }),
        text('description', 'Description of the scheme.', { required: true }),
        page('specUri', 'Address of the specification.'),
        page('documentationUri', 'Address of the documentation.'),
        attribute('primary', 'Whether the scheme is preferred.', { ...readOnly, type: 'boolean' }),
      ],
      { ...readOnly, multiValued: true, required: true },
    ),
  ],
}

export const RESOURCE_TYPE: Schema = {
  id: RESOURCE_TYPE_SCHEMA,
  name: 'ResourceType',
  description: 'A type of resources.',
  attributes: [
    text('id', 'Identifier of the type: its name.'),
    text('name', 'Name of the type.', { required: true }),
    text('description', 'Description of the type.'),
    uri('endpoint', 'Path of the resources of this type.', true),
    uri('schema', 'URN of the schema.', true),
    complex(
      'schemaExtensions',
      'Extensions of the schema.',
      [uri('schema', 'URN of the extension.', true), flag('required', 'Whether every resource of this type has the extension.')],
      { ...readOnly, multiValued: true },
    ),
  ],
}

const characteristics = [
  text('name', 'Name of the attribute.', { required: true, caseExact: true }),
  text('type', 'Type of the values.', {
    required: true,
    canonicalValues: ['string', 'complex', 'boolean', 'decimal', 'integer', 'dateTime', 'reference', 'binary'],
  }),
  flag('multiValued', 'Whether the attribute has several values.'),
  text('description', 'Description of the attribute.'),
  attribute('required', 'Whether the attribute must have a value.', { ...readOnly, type: 'boolean' }),
  text('canonicalValues', 'Suggested values.', { multiValued: true, caseExact: true }),
  attribute('caseExact', 'Whether texts are compared with their letter case.', { ...readOnly, type: 'boolean' }),
  text('mutability', 'Who may change the attribute, and when.', { caseExact: true, canonicalValues: ['readOnly', 'readWrite', 'immutable', 'writeOnly'] }),
  text('returned', 'When responses contain the attribute.', { caseExact: true, canonicalValues: ['always', 'never', 'default', 'request'] }),
  text('uniqueness', 'Where a value is unique.', { caseExact: true, canonicalValues: ['none', 'server', 'global'] }),
  text('referenceTypes', 'Types of resources that a reference may name.', { multiValued: true, caseExact: true }),
]

export const SCHEMA: Schema = {
  id: SCHEMA_SCHEMA,
  name: 'Schema',
  description: 'The attributes of a schema.',
  attributes: [
    text('id', 'The URN.', { required: true }),
    text('name', 'Name of the schema.', { required: true }),
    text('description', 'Description of the schema.'),
    complex(
      'attributes',
      'Attributes of the schema.',
      [...characteristics, complex('subAttributes', 'Attributes of a complex attribute.', characteristics, { ...readOnly, multiValued: true })],
      { ...readOnly, multiValued: true, required: true },
    ),
  ],
}
