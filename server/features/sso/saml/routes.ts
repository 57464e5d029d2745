/** `/sso/saml`: a preview. It describes the service to identity providers and processes no response. */
import { ApiError } from '../../../core/errors.js'
import { PUBLIC, type Route, routesOf } from '../../../core/http/route.js'
import type { PublicAddress } from '../../../core/public-address.js'
import { METADATA_TYPE, metadataXml, serviceProvider } from './metadata.js'
import { SamlMetadata, SamlResponseForm, SamlServiceProviderConfig } from './schema.js'

const defineRoute = routesOf('Single sign-on')
const EXAMPLE = metadataXml(serviceProvider('https://detection.example.com/api/v1'))

export function samlRoutes(address: Pick<PublicAddress, 'api'>): readonly Route[] {
  return [
    defineRoute({
      id: 'saml.get',
      method: 'GET',
      path: '/sso/saml/sp-config',
      summary: 'Get the SAML settings of this service',
      description:
        'What an identity provider asks for when a SAML application is created. Sign-in by SAML is a preview: the service does not process responses. Use OpenID Connect to sign in.',
      access: PUBLIC,
      responses: { 200: { description: 'The settings.', schema: SamlServiceProviderConfig } },
      handle: async () => {
        const { entityId, acsUrl, sloUrl, nameIdFormat } = serviceProvider(address.api)
        return { body: { entity_id: entityId, acs_url: acsUrl, slo_url: sloUrl, name_id_format: nameIdFormat } }
      },
    }),
    defineRoute({
      id: 'saml.get-metadata',
      method: 'GET',
      path: '/sso/saml/metadata',
      summary: 'Get the SAML metadata of this service',
      description: 'The same settings as a SAML 2.0 metadata document.',
      access: PUBLIC,
      responses: { 200: { description: 'The metadata.', schema: SamlMetadata, mediaType: METADATA_TYPE, examples: { metadata: EXAMPLE } } },
      handle: async () => ({ body: Buffer.from(metadataXml(serviceProvider(address.api))) }),
    }),
    defineRoute({
      id: 'saml.accept',
      method: 'POST',
      path: '/sso/saml/acs',
      summary: 'Receive a SAML response',
      description: 'Sign-in by SAML is a preview: the answer is always 501, and nothing of the request is read.',
      access: PUBLIC,
      body: { as: 'ignored', schema: SamlResponseForm, mediaType: 'application/x-www-form-urlencoded' },
      bodyExamples: { response: 'SAMLResponse=PHNhbWxwOlJlc3BvbnNlLz4%3D&RelayState=%2F' },
      responses: {},
      errors: ['saml_unsupported'],
      handle: () => Promise.reject(new ApiError('saml_unsupported')),
    }),
  ]
}
