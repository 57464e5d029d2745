/** The schema User and its enterprise extension (RFC 7643, 4.1 and 4.3). There is no `password`: provisioned users log in at their identity provider. */
import { attribute, complex, type Attribute, type Schema } from '../attribute.js'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE_USER_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const primary = attribute('primary', 'Whether this is the preferred value; at most one value is.', { type: 'boolean' })
const display = attribute('display', 'Name of the value for people.')

/** A multi-valued attribute with `value`, `display`, `type` and `primary` (RFC 7643, 2.4). */
function values(name: string, description: string, value: Attribute, types: readonly string[] = []): Attribute {
  const type = attribute('type', 'Label of the value.', types.length === 0 ? {} : { canonicalValues: types })
  return complex(name, description, [value, display, type, primary], { multiValued: true })
}

export const USER: Schema = {
  id: USER_SCHEMA,
  name: 'User',
  description: 'User Account',
  attributes: [
    attribute('userName', 'Name that identifies the user, unique in the organization.', { required: true, uniqueness: 'server' }),
    complex('name', "Components of the user's name.", [
      attribute('formatted', 'The full name, formatted for display.'),
      attribute('familyName', 'The family name.'),
      attribute('givenName', 'The given name.'),
      attribute('middleName', 'The middle names.'),
      attribute('honorificPrefix', 'The title before the name.'),
      attribute('honorificSuffix', 'The suffix after the name.'),
    ]),
    attribute('displayName', 'Name that others see.'),
    attribute('nickName', 'Casual name.'),
    attribute('profileUrl', 'Address of a page about the user.', { type: 'reference', caseExact: true, referenceTypes: ['external'] }),
    attribute('title', 'Title, for example "Vice President".'),
    attribute('userType', 'Relation to the organization, for example "Employee".'),
    attribute('preferredLanguage', 'Preferred languages, as in the header Accept-Language.'),
    attribute('locale', 'Language tag for dates, numbers and currencies.'),
    attribute('timezone', 'Time zone, for example "America/Los_Angeles".'),
    attribute('active', 'Whether the user may log in to the organization.', { type: 'boolean' }),
    values('emails', 'E-mail addresses.', attribute('value', 'The address.'), ['work', 'home', 'other']),
    values('phoneNumbers', 'Phone numbers.', attribute('value', 'The number.'), ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    values('ims', 'Addresses of instant messaging.', attribute('value', 'The address.'), ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo']),
    values('photos', 'Addresses of photos.', attribute('value', 'The address.', { type: 'reference', caseExact: true, referenceTypes: ['external'] }), ['photo', 'thumbnail']),
    complex(
      'addresses',
      'Postal addresses.',
      [
        attribute('formatted', 'The full address, formatted for display.'),
        attribute('streetAddress', 'Street and number.'),
        attribute('locality', 'The city.'),
        attribute('region', 'The state or region.'),
        attribute('postalCode', 'The postal code.'),
        attribute('country', 'The country, as in ISO 3166-1 alpha-2.'),
        attribute('type', 'Label of the address.', { canonicalValues: ['work', 'home', 'other'] }),
        primary,
      ],
      { multiValued: true },
    ),
    complex(
      'groups',
      'Groups of which the user is a member.',
      [
        attribute('value', 'Identifier of the group.', { caseExact: true, mutability: 'readOnly' }),
        attribute('$ref', 'Address of the group.', { type: 'reference', caseExact: true, mutability: 'readOnly', referenceTypes: ['Group'] }),
        attribute('display', 'Name of the group.', { mutability: 'readOnly' }),
        attribute('type', 'How the user is a member.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
      ],
      { multiValued: true, mutability: 'readOnly' },
    ),
    values('entitlements', 'Entitlements of the user.', attribute('value', 'The entitlement.')),
    values('roles', 'Roles of the user.', attribute('value', 'The role.')),
    values('x509Certificates', 'Certificates of the user.', attribute('value', 'The certificate, DER in Base64.', { type: 'binary', caseExact: true })),
  ],
}

export const ENTERPRISE_USER: Schema = {
  id: ENTERPRISE_USER_SCHEMA,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    attribute('employeeNumber', 'Identifier that the employer assigned.'),
    attribute('costCenter', 'Name of the cost center.'),
    attribute('organization', 'Name of the organization.'),
    attribute('division', 'Name of the division.'),
    attribute('department', 'Name of the department.'),
    complex('manager', "The user's manager.", [
      attribute('value', 'Identifier of the manager.', { caseExact: true }),
      attribute('$ref', 'Address of the manager.', { type: 'reference', caseExact: true, referenceTypes: ['User'] }),
      attribute('displayName', 'Name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
}
