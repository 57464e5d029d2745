/** Attributes that every resource has (RFC 7643, 3.1). The discovery endpoint does not list them, because no schema defines them. */
import { attribute, complex } from '../attribute.js'

export const COMMON_ATTRIBUTES = [
  attribute('schemas', 'URNs of the schemas that define the attributes of the resource.', {
    type: 'reference',
    multiValued: true,
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    referenceTypes: ['uri'],
  }),
  attribute('id', 'Identifier that the service assigned.', { caseExact: true, mutability: 'readOnly', returned: 'always', uniqueness: 'server' }),
  attribute('externalId', 'Identifier that the provisioning client assigned.', { caseExact: true }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      attribute('resourceType', 'Name of the type.', { caseExact: true, mutability: 'readOnly' }),
      attribute('created', 'When the resource was created.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('lastModified', 'When the resource was last changed.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('location', 'Address of the resource.', { type: 'reference', caseExact: true, mutability: 'readOnly', referenceTypes: ['uri'] }),
      attribute('version', 'Entity tag of the resource.', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
]
