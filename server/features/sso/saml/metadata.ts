/**
 * What an identity provider needs to know of this service as a SAML service provider. Sign-in by SAML is a preview: the assertion consumer service answers 501
 * (CONTRACT.md#single-sign-on).
 * The document is valid by the schema of SAML 2.0 metadata (saml-schema-metadata-2.0.xsd), and declares no single logout: the service processes no logout request.
 */
import { element } from '../../../core/http/text/xml-text.js'

/** Media type of SAML metadata (SAML 2.0 Metadata, appendix A). */
export const METADATA_TYPE = 'application/samlmetadata+xml'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
/** The identity of a user is the e-mail address. */
const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

export interface ServiceProvider {
  /** The address of the metadata. */
  readonly entityId: string
  readonly acsUrl: string
  /** Ends the session of the service. It is the address for the sign-out link of a provider's portal, and no endpoint of SAML single logout. */
  readonly sloUrl: string
  readonly nameIdFormat: string
}

/** @param api base address of the interface, without a trailing slash */
export function serviceProvider(api: string): ServiceProvider {
  return { entityId: `${api}/sso/saml/metadata`, acsUrl: `${api}/sso/saml/acs`, sloUrl: `${api}/sso/logout`, nameIdFormat: EMAIL_ADDRESS }
}

export function metadataXml({ entityId, acsUrl, nameIdFormat }: ServiceProvider): string {
  // The order of the elements is that of the schema.
  const descriptor = element(
    'md:SPSSODescriptor',
    { protocolSupportEnumeration: PROTOCOL, AuthnRequestsSigned: 'false', WantAssertionsSigned: 'true' },
    element('md:NameIDFormat', {}, nameIdFormat) + element('md:AssertionConsumerService', { Binding: POST_BINDING, Location: acsUrl, index: 0, isDefault: 'true' }),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('md:EntityDescriptor', { 'xmlns:md': METADATA, entityID: entityId }, descriptor)}\n`
}
