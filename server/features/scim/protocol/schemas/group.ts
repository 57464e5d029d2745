/** The schema Group (RFC 7643, 4.2). */
import { attribute, complex, type Schema } from '../attribute.js'

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** Members of one group: as many as an organization can have (`MEMBERS_LIMIT` of tenancy). */
export const GROUP_MEMBERS_LIMIT = 11_000

export const GROUP: Schema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'Group',
  attributes: [
    attribute('displayName', 'Name of the group.', { required: true }),
    complex(
      'members',
      'Members of the group.',
      [
        // Identifiers differ in letter case, although the RFC's own schema ignores the case of this attribute.
        attribute('value', 'Identifier of the member.', { caseExact: true, mutability: 'immutable', required: true }),
        attribute('$ref', 'Address of the member.', { type: 'reference', caseExact: true, mutability: 'readOnly', referenceTypes: ['User'] }),
        attribute('display', 'Name of the member.', { mutability: 'readOnly' }),
        attribute('type', 'Type of the member.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ],
      { multiValued: true, maxValues: GROUP_MEMBERS_LIMIT },
    ),
  ],
}
